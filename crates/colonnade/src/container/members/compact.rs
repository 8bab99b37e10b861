//! Drops the bytes of view columns that no view refers to.

use arrow_buffer::{Buffer, NullBuffer};

use crate::error::{Error, ErrorKind, Result};
use crate::memory::{self, Region, RegionMut};

/// Largest data buffer: a view's offset has 32 bits.
const MAX_DATA_NBYTES: usize = 1 << 30;

/// Length, data buffer and offset of a view; `None` where its bytes are inline.
fn pointer(view: u128) -> Option<(usize, usize, usize)> {
    let word = |shift: u32| usize::try_from((view >> shift) & 0xFFFF_FFFF).unwrap_or(usize::MAX);
    let length = word(0);
    (length > 12).then(|| (length, word(64), word(96)))
}

/// Returns equal views. Copies the data if it holds unused bytes; `None` if a view points outside it.
///
/// # Errors
/// Errors of the operating system.
pub(super) fn compact_views(
    views: Buffer,
    data: &[Buffer],
    nulls: Option<&NullBuffer>,
) -> Result<Option<(Buffer, Vec<Buffer>)>> {
    let values = views.typed_data::<u128>();
    let valid = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
    let mut needed = 0usize;
    let mut invalid_null_view = false;
    for (row, &view) in values.iter().enumerate() {
        let Some((length, buffer, offset)) = pointer(view) else { continue };
        let inside = data.get(buffer).is_some_and(|bytes| offset + length <= bytes.len());
        match (valid(row), inside) {
            (true, true) => needed = needed.saturating_add(length),
            (true, false) => return Ok(None),
            // Arrow's validation checks the views of nulls too.
            (false, inside) => invalid_null_view |= !inside,
        }
    }
    if !invalid_null_view && needed >= data.iter().map(|bytes| bytes.len()).sum() {
        return Ok(Some((views, data.to_vec())));
    }
    let mut rebased = allocate(values.len() * 16)?;
    let mut out = CompactData { needed, most: MAX_DATA_NBYTES, ..CompactData::default() };
    for (slot, (row, &view)) in
        rebased.as_mut_slice().as_chunks_mut::<16>().0.iter_mut().zip(values.iter().enumerate())
    {
        let moved = match pointer(view) {
            _ if !valid(row) => 0,
            None => view,
            Some((length, buffer, offset)) => {
                let bytes = data.get(buffer).and_then(|bytes| bytes.get(offset..offset + length));
                let (index, at) = out.push(bytes.unwrap_or_default())?;
                (view & u128::from(u64::MAX)) | ((index as u128) << 64) | ((at as u128) << 96)
            }
        };
        *slot = moved.to_le_bytes();
    }
    Ok(Some((finish(rebased), out.finish())))
}

/// The data buffers of the new views: memory for `needed` more bytes, in buffers of up to `most` bytes. A longer text has a
/// buffer of its own.
#[derive(Default)]
struct CompactData {
    needed: usize,
    most: usize,
    full: Vec<Buffer>,
    last: RegionMut,
    used: usize,
}

impl CompactData {
    /// Appends the bytes of a view. Returns the index of their buffer, and their offset.
    fn push(&mut self, bytes: &[u8]) -> Result<(usize, usize)> {
        if self.last.nbytes() - self.used < bytes.len() {
            let nbytes = self.needed.min(self.most).max(bytes.len());
            let full = std::mem::replace(&mut self.last, allocate(nbytes)?);
            self.keep(full);
            self.used = 0;
        }
        let at = self.used;
        if let Some(target) = self.last.as_mut_slice().get_mut(at..at + bytes.len()) {
            target.copy_from_slice(bytes);
        }
        self.used += bytes.len();
        self.needed -= bytes.len();
        Ok((self.full.len(), at))
    }

    fn keep(&mut self, region: RegionMut) {
        if self.used > 0 {
            self.full.push(finish(region).slice_with_length(0, self.used));
        }
    }

    fn finish(mut self) -> Vec<Buffer> {
        let last = std::mem::take(&mut self.last);
        self.keep(last);
        self.full
    }
}

fn allocate(nbytes: usize) -> Result<RegionMut> {
    Region::allocate(nbytes).map_err(|e| Error::new(ErrorKind::Io(e), "npz", ""))
}

fn finish(region: RegionMut) -> Buffer {
    memory::Buffer::from_region(region.finish(), false).to_arrow()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_longer_than_a_buffer_may_be_is_whole() {
        let texts: [&[u8]; 5] = [b"abc", b"defgh", b"a text of more than eight bytes", b"i", b"jk"];
        let needed = texts.iter().map(|text| text.len()).sum();
        let mut data = CompactData { needed, most: 8, ..CompactData::default() };
        let places: Vec<_> = texts.iter().map(|text| data.push(text).unwrap()).collect();
        assert_eq!(places, [(0, 0), (0, 3), (1, 0), (2, 0), (2, 1)]);
        let buffers = data.finish();
        let bytes = |&(index, at): &(usize, usize), n: usize| buffers[index].slice_with_length(at, n);
        for (place, text) in places.iter().zip(texts) {
            assert_eq!(bytes(place, text.len()).as_slice(), text);
        }
    }
}
