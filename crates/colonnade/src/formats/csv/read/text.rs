//! Collects the text of a column in memory that grows without clearing, and without copying once it is large.
//!
//! Each byte is written once into the memory of the whole column. The pieces of the input pass this memory on in order. A piece
//! that is early collects its text separately. When its turn comes, it appends that text, which is still in the cache, and
//! continues in the column's memory.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError, TryLockError};

use super::column::CellWord;
use crate::memory::{Buffer, Growth, Region, RegionMut};

/// A buffer with reserved capacity.
#[derive(Debug, Default)]
pub(super) struct TextBuffer {
    region: Option<RegionMut>,
    used: usize,
}

/// Text of this size gets a whole huge page, even if the text is smaller than the page. Huge pages are recycled, and touching
/// other pages for the first time costs more than the copy. Text that fills half of the new size is moved instead of copied.
const LARGE_NBYTES: usize = 256 << 10;
const HUGE_PAGE: usize = 2 << 20;

impl TextBuffer {
    /// Reserves `nbytes` more, and returns the free capacity. `expected`: the likely size of all of the text; 0 if unknown.
    pub(super) fn room(&mut self, nbytes: usize, expected: usize) -> io::Result<&mut [u8]> {
        let needed = self.used.checked_add(nbytes).ok_or(io::ErrorKind::OutOfMemory)?;
        if self.region.as_ref().map_or(0, RegionMut::nbytes) < needed {
            self.reserve(needed.max(expected).max(self.used / 4 * 5))?;
        }
        let region = self.region.as_mut().map(RegionMut::as_mut_slice).unwrap_or_default();
        Ok(region.get_mut(self.used..).unwrap_or_default())
    }

    fn reserve(&mut self, nbytes: usize) -> io::Result<()> {
        match &mut self.region {
            Some(region) if self.used >= LARGE_NBYTES.max(nbytes / 2) => region.grow(nbytes),
            small => {
                let nbytes = if nbytes >= LARGE_NBYTES { nbytes.max(HUGE_PAGE) } else { nbytes };
                let mut region = Region::allocate(nbytes)?;
                if let Some(old) = small {
                    let source = old.as_mut_slice().get(..self.used).unwrap_or_default();
                    if let Some(target) = region.as_mut_slice().get_mut(..source.len()) {
                        target.copy_from_slice(source);
                    }
                }
                *small = Some(region);
                Ok(())
            }
        }
    }

    /// Counts `nbytes` of the capacity as written.
    pub(super) fn commit(&mut self, nbytes: usize) {
        self.used += nbytes;
    }

    /// Appends the text of another buffer.
    fn append(&mut self, mut other: Self, expected: usize) -> io::Result<()> {
        let used = other.used;
        let source = other.region.as_mut().and_then(|region| region.as_mut_slice().get(..used));
        let Some(source) = source else { return Ok(()) };
        if let Some(target) = self.room(used, expected)?.get_mut(..used) {
            target.copy_from_slice(source);
        }
        self.commit(used);
        Ok(())
    }

    /// Returns the text as a buffer.
    fn finish(self) -> Buffer {
        let whole = match self.region {
            Some(region) => Buffer::from_region(region.finish(), true),
            None => Buffer::from_vec(Vec::new()),
        };
        whole.slice(0, self.used).unwrap_or(whole)
    }
}

/// The text of one column of the whole input.
#[derive(Debug)]
pub(super) struct TextColumn {
    /// Offset of the first row in the input, and the length of the input.
    input: (usize, usize),
    order: Mutex<PieceOrder>,
}

/// The piece that may append now, and the text of pieces that finished early.
#[derive(Debug, Default)]
struct PieceOrder {
    turn: usize,
    /// The column's memory; `None` while a piece uses it.
    whole: Option<TextBuffer>,
    /// Pieces that finished before their turn.
    waiting: BTreeMap<usize, TextBuffer>,
    /// Pieces whose end offsets do not include the text before them yet, and the size of that text.
    shifts: Vec<(usize, usize)>,
}

impl TextColumn {
    pub(super) fn new(body: usize, end: usize) -> Self {
        let order = PieceOrder { whole: Some(TextBuffer::default()), ..PieceOrder::default() };
        Self { input: (body, end), order: Mutex::new(order) }
    }

    /// The likely size of the column's text, if `used` bytes came from the input up to `at`.
    fn expected(&self, used: usize, at: usize) -> usize {
        likely_nbytes(used, at, self.input)
    }

    /// The text of all pieces, and the shift of the end offsets of some pieces.
    pub(super) fn finish(self) -> (Buffer, Vec<(usize, usize)>) {
        let PieceOrder { whole, shifts, .. } =
            self.order.into_inner().unwrap_or_else(PoisonError::into_inner);
        (whole.unwrap_or_default().finish(), shifts)
    }
}

/// The likely size of the text of the input's part `start..end`, if `used` bytes came from it up to `at`.
fn likely_nbytes(used: usize, at: usize, (start, end): (usize, usize)) -> usize {
    let total = end - start;
    Growth { done: at.saturating_sub(start), total }.likely_nbytes(used, total)
}

/// The text of one piece of the input.
#[derive(Debug)]
pub(super) struct TextPiece<'a> {
    column: &'a TextColumn,
    piece: usize,
    /// The piece's part of the input.
    input: (usize, usize),
    text: TextBuffer,
    has_turn: bool,
}

impl<'a> TextPiece<'a> {
    /// The text of piece number `piece`, the part `input` of the input.
    pub(super) fn new(column: &'a TextColumn, piece: usize, input: (usize, usize)) -> Self {
        Self { column, piece, input, text: TextBuffer::default(), has_turn: false }
    }

    /// Returns the size of the text so far, and capacity for `nbytes` more, for cells at offset `at` of the input. `ends`: the end
    /// offsets of the piece's cells so far.
    pub(super) fn room(
        &mut self,
        nbytes: usize,
        at: usize,
        ends: &mut [CellWord],
    ) -> io::Result<(usize, &mut [u8])> {
        if !self.has_turn {
            let column = self.column;
            let order = match column.order.try_lock() {
                Ok(order) => Some(order),
                Err(TryLockError::Poisoned(order)) => Some(order.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            };
            let whole =
                order.filter(|order| order.turn == self.piece).and_then(|mut order| order.whole.take());
            if let Some(whole) = whole {
                self.take_turn(whole, at, ends)?;
            }
        }
        let input = if self.has_turn { self.column.input } else { self.input };
        let expected = likely_nbytes(self.text.used, at, input);
        let base = self.text.used;
        Ok((base, self.text.room(nbytes, expected)?))
    }

    /// Counts `nbytes` of the capacity as written.
    pub(super) fn commit(&mut self, nbytes: usize) {
        self.text.commit(nbytes);
    }

    /// Continues in the column's memory.
    fn take_turn(&mut self, whole: TextBuffer, at: usize, ends: &mut [CellWord]) -> io::Result<()> {
        let piece_text = std::mem::replace(&mut self.text, whole);
        shift(ends, self.text.used);
        let expected = self.column.expected(self.text.used + piece_text.used, at);
        self.text.append(piece_text, expected)?;
        self.has_turn = true;
        Ok(())
    }

    /// Passes the column's memory to the next piece, whose input begins at `at`.
    pub(super) fn finish(&mut self, at: usize, ends: &mut [CellWord]) -> io::Result<()> {
        let column = self.column;
        let mut order = column.order.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.has_turn {
            let whole = if order.turn == self.piece { order.whole.take() } else { None };
            let Some(whole) = whole else {
                order.waiting.insert(self.piece, std::mem::take(&mut self.text));
                return Ok(());
            };
            self.take_turn(whole, at, ends)?;
        }
        let mut turn = self.piece + 1;
        while let Some(text) = order.waiting.remove(&turn) {
            order.shifts.push((turn, self.text.used));
            let expected = self.column.expected(self.text.used + text.used, at);
            self.text.append(text, expected)?;
            turn += 1;
        }
        order.turn = turn;
        order.whole = Some(std::mem::take(&mut self.text));
        Ok(())
    }
}

/// Adds the size of the text before them to end offsets.
pub(super) fn shift(ends: &mut [CellWord], nbytes: usize) {
    if nbytes > 0 {
        for end in ends {
            *end = (u64::from_le_bytes(*end) + nbytes as u64).to_le_bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECES: usize = 4;

    /// Adds a cell of `piece`, which is cell `row` there.
    fn put(text: &mut TextPiece<'_>, (piece, row): (usize, usize), ends: &mut [CellWord]) {
        let cell = format!("{piece}.{row};").repeat(1 + piece);
        let (before, after) = ends.split_at_mut(row);
        let (base, room) = text.room(cell.len(), 10 * piece + row, before).unwrap();
        room[..cell.len()].copy_from_slice(cell.as_bytes());
        text.commit(cell.len());
        after[0] = ((base + cell.len()) as u64).to_le_bytes();
    }

    #[test]
    fn pieces_that_end_in_any_order_make_one_text() {
        // Each number is one order of the steps "begin", "continue" and "end" of all pieces.
        for seed in 0..500_usize {
            let column = TextColumn::new(0, 10 * PIECES);
            let mut pieces: Vec<_> = (0..PIECES)
                .map(|i| (TextPiece::new(&column, i, (10 * i, 10 * i + 10)), vec![[0; 8]; 2], 0))
                .collect();
            let mut state = seed;
            while pieces.iter().any(|(.., steps)| *steps < 3) {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let piece = (state >> 33) % PIECES;
                let (text, ends, steps) = &mut pieces[piece];
                match *steps {
                    0 | 1 => put(text, (piece, *steps), ends),
                    2 => text.finish(10 * (piece + 1), ends).unwrap(),
                    _ => continue,
                }
                *steps += 1;
            }
            let mut ends: Vec<Vec<CellWord>> = pieces.into_iter().map(|(_, ends, _)| ends).collect();
            let (text, shifts) = column.finish();
            for (piece, nbytes) in shifts {
                shift(&mut ends[piece], nbytes);
            }
            let mut expected = String::new();
            for (piece, ends) in ends.iter().enumerate() {
                for (row, end) in ends.iter().enumerate() {
                    expected += &format!("{piece}.{row};").repeat(1 + piece);
                    assert_eq!(u64::from_le_bytes(*end), expected.len() as u64, "{seed}: {piece} {row}");
                }
            }
            assert_eq!(text.as_slice(), expected.as_bytes(), "{seed}");
        }
    }
}
