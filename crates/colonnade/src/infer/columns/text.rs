//! Builds text and binary columns from offsets and bytes.

use crate::cells::msgpack::column::{CellError, CellExtent, malformed};

use super::grow::GrowingBuffer;

/// The content of the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextFamily {
    /// Valid UTF-8.
    Str,
    /// Bytes.
    Bin,
    /// Bytes, because some of the text is not valid UTF-8.
    Loose,
    /// Whole MessagePack values.
    Raw,
}

/// Cells of varying length.
#[derive(Debug)]
pub(super) struct TextBuilder {
    pub(super) family: TextFamily,
    /// The start of each cell, and the end of the last one: 64-bit words.
    pub(super) offsets: GrowingBuffer,
    pub(super) bytes: GrowingBuffer,
}

/// Bytes copied in one step: most cells are shorter, and a copy of a fixed size needs no call.
const STRIDE: usize = 32;

impl TextBuilder {
    pub(super) fn new(family: TextFamily) -> Result<Self, CellError> {
        let mut offsets = GrowingBuffer::default();
        offsets.push(&0u64.to_le_bytes())?;
        Ok(Self { family, offsets, bytes: GrowingBuffer::default() })
    }

    /// Appends one cell unchanged.
    pub(super) fn push(&mut self, cell: &[u8]) -> Result<(), CellError> {
        self.bytes.push(cell)?;
        self.offsets.push_word(self.bytes.nbytes() as u64)
    }

    /// Removes the cells and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        // The start of the first cell stays.
        self.offsets.clear();
        self.offsets.commit(8);
    }

    /// Appends `n` empty cells.
    pub(super) fn empty(&mut self, n: usize) -> Result<(), CellError> {
        self.offsets.repeat((self.bytes.nbytes() as u64).to_le_bytes(), n)
    }

    /// Returns the bytes of one cell.
    pub(super) fn cell(&mut self, row: usize) -> &[u8] {
        let at = |word: Option<&[u8; 8]>| word.map_or(0, |w| u64::from_le_bytes(*w));
        let words = self.offsets.words();
        let (start, end) = (at(words.get(row)), at(words.get(row + 1)));
        let range = usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0);
        self.bytes.bytes().get(range).unwrap_or_default()
    }

    /// Takes a run of cells of this family, at most `wanted`. `loose`: text that is not UTF-8 turns the column into bytes.
    pub(super) fn run(&mut self, bytes: &[u8], wanted: usize, loose: bool) -> Result<CellExtent, CellError> {
        // A cell has at least one byte, whatever is claimed.
        let wanted = wanted.min(bytes.len());
        let start = self.bytes.nbytes();
        let mut taken = CellExtent::default();
        let mut split = false;
        while taken.cells < wanted {
            let rest = bytes.get(taken.nbytes..).unwrap_or_default();
            let left = wanted - taken.cells;
            let found = self.take_within_room(rest, left, &mut split)?;
            taken.cells += found.cells;
            taken.nbytes += found.nbytes;
            if found.cells == 0 {
                break;
            }
        }
        if self.family == TextFamily::Str {
            let new = self.bytes.bytes().get(start..).unwrap_or_default();
            // All cells are checked together; a cell that starts inside a character is not valid text by itself.
            if split || simdutf8::basic::from_utf8(new).is_err() {
                if !loose {
                    return Err(first_invalid(bytes, taken.cells));
                }
                self.family = TextFamily::Loose;
            }
        }
        Ok(taken)
    }

    /// Takes as many cells as fit the spare capacity; reserves some first.
    fn take_within_room(
        &mut self,
        bytes: &[u8],
        wanted: usize,
        split: &mut bool,
    ) -> Result<CellExtent, CellError> {
        let likely = bytes.len().min(wanted.saturating_mul(STRIDE)).min(self.bytes.nbytes().max(16 << 20));
        if self.bytes.room() < likely.min(4 * STRIDE) {
            self.bytes.reserve(likely)?;
        }
        let base = self.bytes.nbytes() as u64;
        let room = self.bytes.room();
        let out = self.bytes.spare(room)?;
        let ends = self.offsets.spare(wanted.saturating_mul(8))?.as_chunks_mut::<8>().0;
        let bin = self.family == TextFamily::Bin;
        let (mut at, mut filled, mut cells) = (0, 0, 0);
        let mut cut = false;
        // The length of the cell that did not fit.
        let mut long = 0;
        for end in ends {
            let Some((start, length)) = bytes.get(at..).and_then(|rest| payload(rest, bin)) else { break };
            let from = at + start;
            let source = bytes.get(from..).unwrap_or_default();
            let target = out.get_mut(filled..).unwrap_or_default();
            let first = match (target.first_chunk_mut::<STRIDE>(), source.first_chunk::<STRIDE>()) {
                (Some(target), Some(source)) if length <= STRIDE => {
                    *target = *source;
                    source[0]
                }
                _ => {
                    let Some(source) = source.get(..length) else { break };
                    let Some(target) = target.get_mut(..length) else {
                        long = length;
                        break;
                    };
                    target.copy_from_slice(source);
                    source.first().copied().unwrap_or(0)
                }
            };
            cut |= length > 0 && first & 0xC0 == 0x80;
            filled += length;
            at = from + length;
            *end = (base + filled as u64).to_le_bytes();
            cells += 1;
        }
        *split |= cut;
        self.bytes.commit(filled);
        self.offsets.commit(cells * 8);
        if cells == 0 && long > 0 {
            self.bytes.reserve(long)?;
            return self.take_within_room(bytes, wanted, split);
        }
        Ok(CellExtent { cells, nbytes: at })
    }
}

/// Returns the start of the payload of a text (or binary) cell, and its length; `None` if it is another cell or incomplete.
#[inline]
fn payload(bytes: &[u8], bin: bool) -> Option<(usize, usize)> {
    let (&marker, rest) = bytes.split_first()?;
    let wide = |width: u8| match width {
        0 => Some((2, usize::from(*rest.first()?))),
        1 => Some((3, usize::from(u16::from_be_bytes(*rest.first_chunk()?)))),
        _ => Some((5, u32::from_be_bytes(*rest.first_chunk()?) as usize)),
    };
    match marker {
        0xa0..=0xbf if !bin => Some((1, usize::from(marker & 0x1f))),
        0xd9..=0xdb if !bin => wide(marker - 0xd9),
        0xc4..=0xc6 if bin => wide(marker - 0xc4),
        _ => None,
    }
}

/// Returns the error for the first of `cells` text cells that is not UTF-8.
#[cold]
fn first_invalid(bytes: &[u8], cells: usize) -> CellError {
    let mut at = 0;
    for cell in 0..cells {
        let rest = bytes.get(at..).unwrap_or_default();
        let (start, length) = payload(rest, false).unwrap_or_default();
        if let Err(error) = utf8(rest.get(start..start + length).unwrap_or_default()) {
            return error.after(cell, at);
        }
        at += start + length;
    }
    malformed(0, "expected UTF-8.")
}

/// Checks that one text is UTF-8.
pub(super) fn utf8(text: &[u8]) -> Result<(), CellError> {
    match simdutf8::compat::from_utf8(text) {
        Ok(_) => Ok(()),
        Err(error) => {
            let at = error.valid_up_to();
            let byte = text.get(at).copied().unwrap_or_default();
            let message = format!(
                "expected UTF-8, found the byte {byte:02X} at byte {at} of a text of {}. Read with invalid_utf8=\"bytes\" \
                 to keep the column as bytes.",
                text.len()
            );
            Err(malformed(0, message))
        }
    }
}
