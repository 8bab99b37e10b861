//! A base64 flatbuffer that decodes only the accessed blocks: 200 fields of 18,000 are a hundredth of it.
//!
//! The other bytes stay zero. This code follows the flatbuffer's offsets before they are verified, so it trusts none of them.
//! The later reader verifies everything that it reads, and it reads only decoded parts.

use arrow_buffer::{Buffer, MutableBuffer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Characters of base64 that are decoded together, and the bytes that they decode to.
const TEXT: usize = 256;
const BYTES: usize = TEXT / 4 * 3;

/// The maximum nesting of types, including the tables below them.
const MAX_DEPTH: usize = 64;

/// The types with a further reference: to the text of a time zone, to the list of a union's type ids.
const TIMESTAMP: u8 = 10;
const UNION: u8 = 14;

/// A flatbuffer, and which of its blocks are decoded.
pub(super) struct SparseFlatbuffer<'t> {
    text: &'t [u8],
    bytes: MutableBuffer,
    /// Position of the first decoded byte in `bytes`: the flatbuffer begins at byte 8.
    shift: usize,
    /// Whether each block of the text is decoded.
    done: Vec<bool>,
    /// Remaining accesses to positions and blocks, since offsets may refer to one text many times. Fields that are not made to
    /// be slow use a small part of it.
    budget: usize,
}

impl<'t> SparseFlatbuffer<'t> {
    /// Returns `None` if `text` cannot be base64.
    pub(super) fn new(text: &'t str) -> Option<Self> {
        let text = text.as_bytes();
        let first = STANDARD.decode(text.get(..8)?).ok()?;
        // Before Arrow 0.15 the length had no continuation marker before it.
        let shift = if first.starts_with(&[0xff; 4]) { 0 } else { 4 };
        if !text.len().is_multiple_of(4) {
            return None;
        }
        let nbytes = text.len() / 4 * 3 - text.iter().rev().take_while(|c| **c == b'=').count().min(2);
        // `u64` words are aligned, and the system provides their zeros without a write.
        let mut bytes = MutableBuffer::from(vec![0u64; (shift + nbytes).div_ceil(8)]);
        bytes.truncate(shift + nbytes);
        let done = vec![false; text.len().div_ceil(TEXT)];
        Some(Self { text, bytes, shift, done, budget: 2 * nbytes + 64 })
    }

    /// The bytes after the length.
    pub(super) fn flatbuffer(&self) -> &[u8] {
        self.bytes.as_slice().get(8..).unwrap_or_default()
    }

    /// Returns the bytes, which no longer change.
    pub(super) fn finish(self) -> Buffer {
        Buffer::from(self.bytes).slice(8)
    }

    /// Decodes `n` bytes at `at` of the flatbuffer.
    pub(super) fn need(&mut self, at: usize, n: usize) -> Option<()> {
        let end = at.checked_add(n)?;
        if end > self.flatbuffer().len() {
            return None;
        }
        let (from, to) = (at + 8 - self.shift, end + 8 - self.shift);
        let blocks = from / BYTES..to.div_ceil(BYTES);
        self.budget = self.budget.checked_sub(1 + blocks.len())?;
        for block in blocks {
            let done = self.done.get_mut(block)?;
            if std::mem::replace(done, true) {
                continue;
            }
            let text = self.text.get(block * TEXT..)?;
            let text = text.get(..TEXT).unwrap_or(text);
            let room = self.bytes.as_slice_mut().get_mut(self.shift + block * BYTES..)?;
            // A whole block has room. The last block has as many bytes as it decodes to.
            STANDARD.decode_slice(text, room).ok()?;
        }
        Some(())
    }

    pub(super) fn put(&mut self, at: usize, value: u32) -> Option<()> {
        self.need(at, 4)?;
        let place = self.bytes.as_slice_mut().get_mut(8..)?.get_mut(at..)?;
        place.first_chunk_mut::<4>()?.copy_from_slice(&value.to_le_bytes());
        Some(())
    }

    pub(super) fn word(&mut self, at: usize) -> Option<u32> {
        self.need(at, 4)?;
        Some(u32::from_le_bytes(*self.flatbuffer().get(at..)?.first_chunk::<4>()?))
    }

    fn short(&mut self, at: usize) -> Option<usize> {
        self.need(at, 2)?;
        Some(usize::from(u16::from_le_bytes(*self.flatbuffer().get(at..)?.first_chunk::<2>()?)))
    }

    /// Returns the position that the offset at `at` refers to.
    pub(super) fn forward(&mut self, at: usize) -> Option<usize> {
        at.checked_add(usize::try_from(self.word(at)?).ok()?)
    }

    /// Decodes the table at `at`, but not what it refers to.
    pub(super) fn table(&mut self, at: usize) -> Option<SparseTable> {
        let back = i64::from(self.word(at)?.cast_signed());
        let vtable = usize::try_from(i64::try_from(at).ok()?.checked_sub(back)?).ok()?;
        let (entries, nbytes) = (self.short(vtable)?, self.short(vtable.checked_add(2)?)?);
        self.need(vtable, entries)?;
        self.need(at, nbytes)?;
        Some(SparseTable { at, vtable, entries })
    }

    /// Returns the position of field `number` of a table; `None` if the table leaves it out.
    pub(super) fn field(&mut self, table: &SparseTable, number: usize) -> Option<usize> {
        let entry = 4 + 2 * number;
        if entry + 2 > table.entries {
            return None;
        }
        match self.short(table.vtable.checked_add(entry)?)? {
            0 => None,
            offset => table.at.checked_add(offset),
        }
    }

    /// Decodes the text, or the list of values of `width` bytes, that the offset at `at` refers to.
    pub(super) fn list(&mut self, at: usize, width: usize) -> Option<(usize, usize)> {
        let list = self.forward(at)?;
        let n = usize::try_from(self.word(list)?).ok()?;
        // A zero follows a text.
        self.need(list + 4, n.checked_mul(width)?.checked_add(usize::from(width == 1))?)?;
        Some((list + 4, n))
    }

    /// Decodes an Arrow field and everything that it refers to.
    pub(super) fn whole_field(&mut self, at: usize, depth: usize) -> Option<()> {
        if depth >= MAX_DEPTH {
            return None;
        }
        let table = self.table(at)?;
        if let Some(name) = self.field(&table, 0) {
            self.list(name, 1)?;
        }
        if let Some(kind) = self.field(&table, 2)
            && let Some(place) = self.field(&table, 3)
        {
            self.need(kind, 1)?;
            let kind = *self.flatbuffer().get(kind)?;
            let place = self.forward(place)?;
            let table = self.table(place)?;
            let width = match kind {
                TIMESTAMP => 1,
                UNION => 4,
                _ => 0,
            };
            if width > 0
                && let Some(zone_or_ids) = self.field(&table, 1)
            {
                self.list(zone_or_ids, width)?;
            }
        }
        if let Some(dictionary) = self.field(&table, 4) {
            let place = self.forward(dictionary)?;
            let dictionary = self.table(place)?;
            if let Some(index) = self.field(&dictionary, 1) {
                let place = self.forward(index)?;
                self.table(place)?;
            }
        }
        if let Some(children) = self.field(&table, 5) {
            let (first, n) = self.list(children, 4)?;
            for k in 0..n {
                let child = self.forward(first + 4 * k)?;
                self.whole_field(child, depth + 1)?;
            }
        }
        if let Some(pairs) = self.field(&table, 6) {
            let (first, n) = self.list(pairs, 4)?;
            for k in 0..n {
                let place = self.forward(first + 4 * k)?;
                let pair = self.table(place)?;
                for part in 0..2 {
                    if let Some(text) = self.field(&pair, part) {
                        self.list(text, 1)?;
                    }
                }
            }
        }
        Some(())
    }
}

/// A table whose own bytes are decoded.
pub(super) struct SparseTable {
    at: usize,
    vtable: usize,
    entries: usize,
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::SparseFlatbuffer;

    #[test]
    fn repeated_references_exhaust_the_budget() {
        let mut message = vec![0xff; 4];
        message.resize(100_000, 0);
        let text = STANDARD.encode(message);
        let mut sparse = SparseFlatbuffer::new(&text).unwrap();
        let times = (0..10_000).take_while(|_| sparse.need(0, 90_000).is_some()).count();
        assert!((1..1000).contains(&times), "{times}");
    }
}
