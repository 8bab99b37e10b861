//! A dictionary page of texts: their bytes without gaps, checked once for all rows that refer to them.

use crate::error::{Error, Result};

/// Padding after the last text, so that short texts are copied without a loop.
pub(crate) const PAD: usize = 32;

/// The position of a text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DictionaryEntry {
    /// Offset of its first byte.
    pub(crate) start: u32,
    /// Its length in bytes.
    pub(crate) nbytes: u32,
}

/// The values of one dictionary page.
#[derive(Debug)]
pub(crate) struct Dictionary {
    /// Their bytes, followed by [`PAD`] bytes.
    bytes: Vec<u8>,
    /// One entry for each text, then an empty one, whose code null rows use.
    entries: Vec<DictionaryEntry>,
    longest: usize,
}

impl Default for Dictionary {
    fn default() -> Self {
        Self { bytes: vec![0; PAD], entries: vec![DictionaryEntry::default()], longest: 0 }
    }
}

#[cold]
fn truncated(needed: usize, found: usize) -> Error {
    Error::truncated("parquet", "a dictionary of texts", needed as u64, found as u64)
}

impl Dictionary {
    /// Reads the `n` texts of the PLAIN bytes `page`; `text`: they must be UTF-8.
    ///
    /// # Errors
    /// Truncated; invalid UTF-8.
    pub(crate) fn new(page: &[u8], n: usize, text: bool) -> Result<Self> {
        if n > page.len() / 4 {
            return Err(truncated(n.saturating_mul(4), page.len()));
        }
        let mut entries = Vec::with_capacity(n + 1);
        let mut bytes = Vec::with_capacity(page.len() - 4 * n + PAD);
        let (mut rest, mut longest) = (page, 0);
        for _ in 0..n {
            let Some((head, after)) = rest.split_first_chunk::<4>() else {
                return Err(truncated(4, rest.len()));
            };
            let nbytes = u32::from_le_bytes(*head);
            let Some((value, after)) = after.split_at_checked(nbytes as usize) else {
                return Err(truncated(nbytes as usize, after.len()));
            };
            let start =
                u32::try_from(bytes.len()).map_err(|_| Error::limit("parquet", "a dictionary of 4 GiB."))?;
            bytes.extend_from_slice(value);
            entries.push(DictionaryEntry { start, nbytes });
            longest = longest.max(value.len());
            rest = after;
        }
        if text {
            let end = |k: usize| entries.get(k).map_or(bytes.len(), |e| (e.start + e.nbytes) as usize);
            utf8(&bytes, n, end).map_err(|k| no_text("a dictionary's value", k))?;
        }
        bytes.extend_from_slice(&[0; PAD]);
        entries.push(DictionaryEntry::default());
        Ok(Self { bytes, entries, longest })
    }

    /// Reads the `n` values of `width` bytes in `page`.
    ///
    /// # Errors
    /// Truncated.
    pub(crate) fn fixed(page: &[u8], n: usize, width: usize) -> Result<Self> {
        if width == 0 && n > 0 {
            let message =
                format!("a dictionary of {n} values without a byte. The file is damaged; write it again.");
            return Err(Error::malformed("parquet", message));
        }
        let needed = n.saturating_mul(width);
        let values = page.get(..needed).ok_or_else(|| truncated(needed, page.len()))?;
        let size = u32::try_from(width).unwrap_or(u32::MAX);
        let starts = (0..u32::MAX).step_by(width.max(1)).take(n);
        let mut entries: Vec<DictionaryEntry> =
            starts.map(|start| DictionaryEntry { start, nbytes: size }).collect();
        if entries.len() < n {
            return Err(Error::limit("parquet", "a dictionary of 4 GiB."));
        }
        let mut bytes = Vec::with_capacity(needed + PAD);
        bytes.extend_from_slice(values);
        bytes.extend_from_slice(&[0; PAD]);
        entries.push(DictionaryEntry::default());
        Ok(Self { bytes, entries, longest: width })
    }

    /// Adds a value and returns its key.
    ///
    /// # Errors
    /// `LimitExceeded`: 4 GiB of values.
    pub(crate) fn add(&mut self, value: &[u8]) -> Result<u32> {
        let large = |_| Error::limit("parquet", "a dictionary of 4 GiB.");
        let key = u32::try_from(self.len()).map_err(large)?;
        let end = self.bytes.len().saturating_sub(PAD);
        let start = u32::try_from(end).map_err(large)?;
        let nbytes = u32::try_from(value.len()).map_err(large)?;
        start.checked_add(nbytes).ok_or_else(|| Error::limit("parquet", "a dictionary of 4 GiB."))?;
        self.bytes.truncate(end);
        self.bytes.extend_from_slice(value);
        self.bytes.extend_from_slice(&[0; PAD]);
        self.entries.insert(self.len(), DictionaryEntry { start, nbytes });
        self.longest = self.longest.max(value.len());
        Ok(key)
    }

    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - 1
    }

    /// The bytes of all values, without gaps.
    pub(crate) fn joined(&self) -> &[u8] {
        self.bytes.get(..self.bytes.len().saturating_sub(PAD)).unwrap_or_default()
    }

    /// The bytes of all values, followed by [`PAD`] bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes of all values, followed by [`PAD`] bytes.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The position of each value.
    pub(crate) fn entries(&self) -> &[DictionaryEntry] {
        self.entries.get(..self.len()).unwrap_or_default()
    }

    /// Bytes of the longest value.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// The position of each value, and the entry of null, whose code is [`Dictionary::len`].
    pub(crate) fn entries_and_null(&self) -> &[DictionaryEntry] {
        &self.entries
    }

    /// Returns the value of a key.
    pub(crate) fn value(&self, key: usize) -> Option<&[u8]> {
        let entry = self.entries().get(key)?;
        self.bytes.get(entry.start as usize..(entry.start + entry.nbytes) as usize)
    }
}

#[cold]
pub(crate) fn no_text(what: &str, k: usize) -> Error {
    let message = format!(
        "{what} {k} is not UTF-8, which its column says it is. The file is damaged, or its column is bytes: write it again."
    );
    Error::malformed("parquet", message)
}

/// Checks that `n` pieces of `bytes`, of which the k-th ends at `end(k)`, are UTF-8; the error is the first invalid piece. All
/// bytes are checked at once; then no piece may end inside a character.
pub(crate) fn utf8(bytes: &[u8], n: usize, end: impl Fn(usize) -> usize) -> std::result::Result<(), usize> {
    if bytes.is_ascii() {
        return Ok(());
    }
    let at = match simdutf8::basic::from_utf8(bytes) {
        Ok(_) => None,
        Err(_) => simdutf8::compat::from_utf8(bytes).err().map(|e| e.valid_up_to()),
    };
    if let Some(at) = at {
        return Err((0..n).find(|&k| end(k) > at).unwrap_or(n));
    }
    let begins = |at: usize| bytes.get(at).is_none_or(|b| b.cast_signed() >= -0x40);
    let whole = (0..n).fold(true, |ok, k| ok & begins(end(k)));
    if whole { Ok(()) } else { Err((0..n).find(|&k| !begins(end(k))).unwrap_or(n)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(values: &[&[u8]]) -> Vec<u8> {
        values.iter().flat_map(|v| [&u32::try_from(v.len()).unwrap().to_le_bytes()[..], v].concat()).collect()
    }

    #[test]
    fn values_come_back_and_text_is_checked() {
        let values: [&[u8]; 4] = [b"one", b"", "zw\u{f6}lf".as_bytes(), b"x"];
        let bytes = page(&values);
        let dictionary = Dictionary::new(&bytes, 4, true).unwrap();
        for (k, value) in values.iter().enumerate() {
            assert_eq!(dictionary.value(k), Some(*value));
        }
        assert_eq!((dictionary.value(4), dictionary.len()), (None, 4));
        for cut in 0..bytes.len() {
            assert!(Dictionary::new(&bytes[..cut], 4, true).is_err());
        }
        assert!(Dictionary::new(&bytes, usize::MAX, true).is_err());
        // A character that two values share is invalid, although the bytes of both together are UTF-8.
        let split = page(&[b"a\xc3", b"\xb6"]);
        assert!(Dictionary::new(&split, 2, false).is_ok());
        assert!(Dictionary::new(&split, 2, true).is_err_and(|e| e.to_string().contains("value 0")));
        let bad = page(&[b"a", b"\xff"]);
        assert!(Dictionary::new(&bad, 2, true).is_err_and(|e| e.to_string().contains("value 1")));
    }
}
