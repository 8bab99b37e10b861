//! Verifies pages before the `parquet` crate decodes them: wrong levels, lengths, counts and keys would fail assertions, or
//! allocate memory that no bytes of the file back.

use crate::error::{Error, Result};
use crate::formats::parquet::delta::DeltaDecoder;
use crate::formats::parquet::page::{PageEncoding, PageType};
use crate::formats::parquet::read::level_streams::{MaxLevels, level_bits};
use crate::formats::parquet::read::page::StoredPage;
use crate::formats::parquet::rle_bit_packed::{RleBitPacked, RleBitPackedRun, each_group};
use crate::formats::parquet::types::Physical;

/// The verification of a chunk's pages.
#[derive(Debug, Default)]
pub(super) struct PageVerifier {
    /// Number of dictionary values.
    dictionary: Option<usize>,
    /// Whether a data page came before.
    has_pages: bool,
}

impl PageVerifier {
    /// Verifies a page of values of this type. Returns whether it declares dictionary keys but has none.
    ///
    /// # Errors
    /// Malformed.
    pub(super) fn page(
        &mut self,
        page: &StoredPage<'_>,
        physical: Physical,
        most: MaxLevels,
    ) -> Result<bool> {
        self.verify(page, physical, most).map_err(|e| e.at(page.at))
    }

    fn verify(&mut self, page: &StoredPage<'_>, physical: Physical, most: MaxLevels) -> Result<bool> {
        let mut scratch = Vec::new();
        if let PageType::Dictionary { .. } = page.header.kind {
            let (bytes, n) = page.dictionary(&mut scratch)?;
            if physical == Physical::Boolean {
                return Err(bad("a dictionary page of bools"));
            }
            plain(bytes, n, physical)?;
            self.dictionary = Some(n);
            return Ok(false);
        }
        let n = page.header.nvalues as usize;
        let nvalid = {
            let streams = page.level_streams(&mut scratch)?;
            let rows = levels(&streams.repetition, most.repetition, n, LevelPick::Lowest, !self.has_pages)?;
            if let PageType::DataV2 { rows: declared, .. } = page.header.kind
                && rows != declared as usize
            {
                return Err(bad(&format!("a page of {declared} rows has {rows}")));
            }
            levels(&streams.definition, most.definition, n, LevelPick::Highest, false)?
        };
        self.has_pages = true;
        if let PageType::DataV2 { nulls, .. } = page.header.kind
            && n - nvalid != nulls as usize
        {
            return Err(bad(&format!("a page of {nulls} nulls has {}", n - nvalid)));
        }
        let parts = page.parts(&mut scratch)?;
        self.values(parts.values, parts.encoding, nvalid, physical)
    }

    fn values(&self, bytes: &[u8], encoding: PageEncoding, n: usize, physical: Physical) -> Result<bool> {
        let wrong = || bad(&format!("{physical:?} values are encoded as {encoding:?}"));
        match (encoding, physical) {
            (PageEncoding::Plain, _) => plain(bytes, n, physical)?,
            (PageEncoding::PlainDictionary | PageEncoding::RleDictionary, _) => {
                if n == 0 {
                    // The crate checks the bit width of the keys if the page has one.
                    let width = bytes.first().copied().unwrap_or(0);
                    RleBitPacked::new(&[], width, 0)?;
                    return Ok(self.dictionary.is_none() || bytes.is_empty());
                }
                let Some(nvalues) = self.dictionary else {
                    return Err(bad("a page of keys without a dictionary page before it"));
                };
                let (&width, keys) = bytes.split_first().unwrap_or((&0, &[]));
                let largest = runs(keys, width, n, |_, _| ())?;
                if largest as usize >= nvalues {
                    return Err(bad(&format!("key {largest} of a dictionary of {nvalues} values")));
                }
            }
            (PageEncoding::Rle, Physical::Boolean) => {
                let runs_of = bytes
                    .split_first_chunk::<4>()
                    .and_then(|(head, rest)| rest.get(..u32::from_le_bytes(*head) as usize));
                runs(runs_of.unwrap_or_default(), 1, n, |_, _| ())?;
            }
            (PageEncoding::DeltaBinaryPacked, Physical::Int32 | Physical::Int64) if n > 0 => {
                lengths(bytes, n, &mut |_| Ok(()))?;
            }
            (PageEncoding::DeltaLengthByteArray, Physical::Bytes) if n > 0 => {
                let mut sum = 0usize;
                let end = lengths(bytes, n, &mut |length| {
                    sum = usize::try_from(length)
                        .ok()
                        .and_then(|length| sum.checked_add(length))
                        .ok_or_else(negative)?;
                    Ok(())
                })?;
                enough(sum, bytes.len().saturating_sub(end))?;
            }
            (PageEncoding::DeltaByteArray, Physical::Bytes | Physical::Fixed(_)) if n > 0 => {
                delta_byte_array(bytes, n, physical)?;
            }
            (PageEncoding::ByteStreamSplit, Physical::Int32 | Physical::Float) => split(bytes, n, 4)?,
            (PageEncoding::ByteStreamSplit, Physical::Int64 | Physical::Double) => split(bytes, n, 8)?,
            (PageEncoding::ByteStreamSplit, Physical::Fixed(width)) => split(bytes, n, width as usize)?,
            (PageEncoding::DeltaBinaryPacked, Physical::Int32 | Physical::Int64)
            | (PageEncoding::DeltaLengthByteArray, Physical::Bytes)
            | (PageEncoding::DeltaByteArray, Physical::Bytes | Physical::Fixed(_)) => {}
            _ => return Err(wrong()),
        }
        Ok(false)
    }
}

#[cold]
fn bad(what: &str) -> Error {
    Error::malformed("parquet", format!("{what}. The file is damaged; write it again."))
}

#[cold]
fn negative() -> Error {
    bad("a length is negative, or lengths are too large")
}

fn enough(needed: usize, found: usize) -> Result<()> {
    if needed <= found {
        return Ok(());
    }
    Err(Error::truncated("parquet", "the values of a page", needed as u64, found as u64))
}

/// The level to count.
#[derive(Clone, Copy, PartialEq)]
enum LevelPick {
    Lowest,
    Highest,
}

/// Counts the lowest or the highest of the `n` levels. `begins`: the first level must begin a row.
fn levels(bytes: &[u8], most: u16, n: usize, pick: LevelPick, begins: bool) -> Result<usize> {
    if most == 0 {
        return Ok(n);
    }
    let expected = if pick == LevelPick::Lowest { 0 } else { u32::from(most) };
    let (mut count, mut first) = (0, None);
    let largest = runs(bytes, level_bits(most), n, |value, times| {
        first.get_or_insert(value);
        if value == expected {
            count += times;
        }
    })?;
    if largest > u32::from(most) {
        return Err(bad(&format!("level {largest}, at most {most} is possible")));
    }
    if begins && first.is_some_and(|level| level > 0) {
        return Err(bad("the first level of a column chunk goes on with a list"));
    }
    Ok(count)
}

/// Passes `n` values of `width` bits to `take` and returns the largest.
fn runs(bytes: &[u8], width: u8, n: usize, mut take: impl FnMut(u32, usize)) -> Result<u32> {
    let (mut runs, mut largest) = (RleBitPacked::new(bytes, width, n)?, 0);
    while let Some(run) = runs.next_run()? {
        match run {
            RleBitPackedRun::Same { value, n } => {
                largest = largest.max(value);
                take(value, n);
            }
            RleBitPackedRun::Packed { bytes, n } => each_group(width, bytes, n, |values| {
                for &value in values {
                    largest = largest.max(value);
                    take(value, 1);
                }
                Ok(())
            })?,
        }
    }
    Ok(largest)
}

fn plain(bytes: &[u8], n: usize, physical: Physical) -> Result<()> {
    let width = match physical {
        Physical::Boolean => return enough(n.div_ceil(8), bytes.len()),
        Physical::Int32 | Physical::Float => 4,
        Physical::Int64 | Physical::Double => 8,
        Physical::Int96 => 12,
        Physical::Fixed(width) => width as usize,
        Physical::Bytes => {
            let mut rest = bytes;
            // Each value has at least the four bytes of its length.
            enough(n.saturating_mul(4), bytes.len())?;
            for _ in 0..n {
                let Some((head, after)) = rest.split_first_chunk::<4>() else { return enough(4, rest.len()) };
                let nbytes = u32::from_le_bytes(*head) as usize;
                enough(nbytes, after.len())?;
                rest = after.get(nbytes..).unwrap_or_default();
            }
            return Ok(());
        }
    };
    enough(n.saturating_mul(width), bytes.len())
}

fn split(bytes: &[u8], n: usize, width: usize) -> Result<()> {
    if width == 0 || !bytes.len().is_multiple_of(width) {
        return Err(bad(&format!("{} bytes in streams of values of {width}", bytes.len())));
    }
    enough(n.saturating_mul(width), bytes.len())
}

/// Passes `n` DELTA_BINARY_PACKED values to `take` and returns the offset of their end.
fn lengths(bytes: &[u8], n: usize, take: &mut dyn FnMut(i64) -> Result<()>) -> Result<usize> {
    let mut delta = DeltaDecoder::new(bytes)?;
    if delta.total != n {
        return Err(bad(&format!("a page of {n} values says {}", delta.total)));
    }
    let (mut left, mut some) = (n, [0i64; 128]);
    while left > 0 {
        let now = some.get_mut(..left.min(128)).unwrap_or_default();
        delta.fill(now)?;
        left -= now.len();
        now.iter().try_for_each(|length| take(*length))?;
    }
    Ok(delta.end())
}

/// Verifies DELTA_BYTE_ARRAY values.
fn delta_byte_array(bytes: &[u8], n: usize, physical: Physical) -> Result<()> {
    let mut shared = Vec::new();
    let end = lengths(bytes, n, &mut |length| {
        shared.push(usize::try_from(length).map_err(|_| negative())?);
        Ok(())
    })?;
    let rest = bytes.get(end..).unwrap_or_default();
    let (mut before, mut sum, mut shared) = (0usize, 0usize, shared.into_iter());
    let end = lengths(rest, n, &mut |length| {
        let count = usize::try_from(length).map_err(|_| negative())?;
        let front = shared.next().unwrap_or(0);
        if front > before {
            return Err(bad(&format!(
                "a value begins as {front} bytes of the one before, which has {before}"
            )));
        }
        sum = sum.checked_add(count).ok_or_else(negative)?;
        before = front.checked_add(count).ok_or_else(negative)?;
        match physical {
            Physical::Fixed(width) if before != width as usize => {
                Err(bad(&format!("a value of {before} bytes, expected {width}")))
            }
            _ => Ok(()),
        }
    })?;
    enough(sum, rest.len().saturating_sub(end))
}
