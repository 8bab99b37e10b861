//! Finds the end of a value without decoding it.
//!
//! Most of the cost of finding extents is here: the length of a cell depends on the bytes of the cell before, and the
//! processor waits for each. Therefore one-byte cells are counted eight per step, and in a run with one marker only the
//! markers are compared, at their constant distance.

use crate::cells::msgpack::column::{CellError, CellExtent};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::error::ErrorKind;

/// Total bytes of a value by its first byte; 0 if the first byte does not determine them, and for arrays, maps and C1.
static LENGTHS: [u8; 256] = lengths();

const fn lengths() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut marker = 0u8;
    loop {
        table[marker as usize] = match marker {
            0x00..=0x7f | 0xe0..=0xff | 0xc0 | 0xc2 | 0xc3 => 1,
            0xa0..=0xbf => 1 + (marker & 0x1f),
            0xcc | 0xd0 => 2,
            0xcd | 0xd1 => 3,
            0xca | 0xce | 0xd2 => 5,
            0xcb | 0xcf | 0xd3 => 9,
            0xd4..=0xd8 => 2 + (1 << (marker - 0xd4)),
            _ => 0,
        };
        if marker == u8::MAX {
            return table;
        }
        marker += 1;
    }
}

/// Returns the bytes of the scalar with `marker` if the marker determines them: numbers, booleans, nil, short text, fixed
/// extensions.
#[inline]
#[must_use]
pub fn length_of(marker: u8) -> Option<usize> {
    // Every byte is an index of the table.
    LENGTHS.get(usize::from(marker)).filter(|&&n| n > 0).map(|&n| usize::from(n))
}

/// Returns the length of the value at the front of `bytes`, or `None` if the value is incomplete. At most `depth` arrays
/// and maps may be nested.
///
/// # Errors
/// Malformed: the byte C1. `LimitExceeded`: nested deeper than `depth`.
#[inline]
pub fn skip(bytes: &[u8], depth: u64) -> Result<Option<usize>, CellError> {
    if let Some(length) = bytes.first().and_then(|&marker| length_of(marker)) {
        return Ok((length <= bytes.len()).then_some(length));
    }
    let taken = skip_cells(bytes, 1, depth)?;
    Ok((taken.cells == 1).then_some(taken.nbytes))
}

/// Skips the whole values at the front of `bytes`, at most `wanted`.
///
/// # Errors
/// As [`skip`].
pub fn skip_cells(bytes: &[u8], wanted: usize, depth: u64) -> Result<CellExtent, CellError> {
    let mut levels = OpenLevels::new(wanted as u64, depth);
    let mut taken = CellExtent::default();
    while taken.cells < wanted {
        let rest = bytes.get(taken.nbytes..).unwrap_or(&[]);
        let run = skip_flat_run(rest, wanted - taken.cells);
        taken.cells += run.cells;
        taken.nbytes += run.nbytes;
        if taken.cells == wanted {
            break;
        }
        let rest = rest.get(run.nbytes..).unwrap_or(&[]);
        levels.left = 1;
        let nbytes = levels.run(rest).map_err(|e| e.after(taken.cells, taken.nbytes))?;
        if !levels.is_whole() {
            break;
        }
        taken.cells += 1;
        taken.nbytes += nbytes;
    }
    Ok(taken)
}

/// Finds the end of one value that arrives in pieces. Each byte is scanned once.
#[derive(Debug)]
pub struct Skipper {
    levels: OpenLevels,
    /// Bytes of a payload that have not arrived.
    payload_left: usize,
    /// The front of a head that is split between two pieces.
    head: [u8; 9],
    head_len: usize,
    nbytes: u64,
}

impl Skipper {
    /// Creates a skipper for one value with at most `depth` nested arrays and maps.
    #[must_use]
    pub fn new(depth: u64) -> Self {
        Self { levels: OpenLevels::new(1, depth), payload_left: 0, head: [0; 9], head_len: 0, nbytes: 0 }
    }

    /// Creates a skipper for the rest of a value: `left` values on the innermost open level, and on the levels around it,
    /// outermost first, `outer`.
    #[must_use]
    pub fn within(outer: &[u64], left: u64, depth: u64) -> Self {
        let mut levels = OpenLevels { left, outer: outer.to_vec(), depth };
        levels.close();
        Self { levels, payload_left: 0, head: [0; 9], head_len: 0, nbytes: 0 }
    }

    /// Takes the next piece. Returns how many of its bytes belong to the value: all of them until the value is complete.
    ///
    /// # Errors
    /// As [`skip`]; the offset counts from the front of this piece, and is 0 if the head began in an earlier one.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<usize, CellError> {
        let mut at = 0;
        while !self.is_whole() && at < bytes.len() {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let step = self.step(rest).map_err(|e| e.after(0, at))?;
            at += step;
            self.nbytes += step as u64;
        }
        Ok(at)
    }

    /// Whether the value is complete.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.payload_left == 0 && self.head_len == 0 && self.levels.is_whole()
    }

    /// Returns the bytes of the value so far.
    #[must_use]
    pub fn nbytes(&self) -> u64 {
        self.nbytes
    }

    /// Returns the least number of bytes that are still missing: every value has at least one.
    #[must_use]
    pub fn least(&self) -> u64 {
        let cells = self.levels.outer.iter().fold(self.levels.left, |sum, &left| sum.saturating_add(left));
        cells.saturating_add(self.payload_left as u64)
    }

    fn step(&mut self, bytes: &[u8]) -> Result<usize, CellError> {
        if self.payload_left > 0 {
            let step = self.payload_left.min(bytes.len());
            self.payload_left -= step;
            return Ok(step);
        }
        if self.head_len > 0 {
            let (Some(slot), Some(&byte)) = (self.head.get_mut(self.head_len), bytes.first()) else {
                return Ok(0);
            };
            *slot = byte;
            self.head_len += 1;
            if let Some((found, _)) = head(self.head.get(..self.head_len).unwrap_or(&[]))? {
                self.head_len = 0;
                self.enter(found)?;
            }
            return Ok(1);
        }
        let step = self.levels.run(bytes)?;
        let rest = bytes.get(step..).unwrap_or(&[]);
        if rest.is_empty() || self.levels.is_whole() {
            return Ok(step);
        }
        match head(rest)? {
            Some((found, length)) => {
                self.enter(found)?;
                Ok(step + length)
            }
            None => {
                // An incomplete head is shorter than nine bytes.
                for (slot, byte) in self.head.iter_mut().zip(rest) {
                    *slot = *byte;
                }
                self.head_len = rest.len();
                Ok(bytes.len())
            }
        }
    }

    fn enter(&mut self, found: MsgpackHead) -> Result<(), CellError> {
        match found {
            MsgpackHead::Array(n) => self.levels.open(u64::from(n)),
            MsgpackHead::Map(n) => self.levels.open(2 * u64::from(n)),
            other => {
                self.levels.left = self.levels.left.saturating_sub(1);
                self.payload_left = other.payload();
                Ok(())
            }
        }?;
        self.levels.close();
        Ok(())
    }
}

/// The number of missing values per level. It grows by a word for each array or map that is present, never by a claimed
/// count.
#[derive(Debug)]
struct OpenLevels {
    /// Missing values on the innermost level.
    left: u64,
    outer: Vec<u64>,
    depth: u64,
}

impl OpenLevels {
    fn new(left: u64, depth: u64) -> Self {
        Self { left, outer: Vec::new(), depth }
    }

    fn is_whole(&self) -> bool {
        self.left == 0 && self.outer.is_empty()
    }

    fn open(&mut self, entries: u64) -> Result<(), CellError> {
        if self.outer.len() as u64 >= self.depth {
            let message =
                "values nest deeper than max_depth allows. Raise Limits(max_depth=...) to read them.";
            return Err(CellError::new(ErrorKind::LimitExceeded, 0, message));
        }
        self.outer.push(self.left.saturating_sub(1));
        self.left = entries;
        Ok(())
    }

    fn close(&mut self) {
        while self.left == 0
            && let Some(left) = self.outer.pop()
        {
            self.left = left;
        }
    }

    /// Takes whole heads and whole scalars; stops at the end of the value, or at an incomplete head or scalar.
    fn run(&mut self, bytes: &[u8]) -> Result<usize, CellError> {
        let mut at = 0;
        loop {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let run = skip_flat_run(rest, usize::try_from(self.left).unwrap_or(usize::MAX));
            at += run.nbytes;
            self.left -= run.cells as u64;
            self.close();
            if self.left == 0 {
                return Ok(at);
            }
            let rest = rest.get(run.nbytes..).unwrap_or(&[]);
            let Some((found, length)) = head(rest).map_err(|e| e.after(0, at))? else { return Ok(at) };
            match found {
                MsgpackHead::Array(n) => self.open(u64::from(n)).map_err(|e| e.after(0, at))?,
                MsgpackHead::Map(n) => self.open(2 * u64::from(n)).map_err(|e| e.after(0, at))?,
                other if other.payload() <= rest.len() - length => {
                    at += other.payload();
                    self.left -= 1;
                }
                _ => return Ok(at),
            }
            at += length;
            self.close();
            if self.left == 0 {
                return Ok(at);
            }
        }
    }
}

/// Skips whole scalars whose first byte determines their length, at most `wanted`.
#[inline]
fn skip_flat_run(bytes: &[u8], wanted: usize) -> CellExtent {
    let (mut at, mut left) = (0, wanted);
    // If the markers change constantly, the search for runs does not pay.
    let mut patience = 4;
    while left > 0 {
        let Some(rest) = bytes.get(at..) else { break };
        let Some(&marker) = rest.first() else { break };
        let Some(length) = length_of(marker) else { break };
        if length == 1 {
            let ones = match rest.first_chunk::<8>() {
                Some(chunk) if left >= 8 => count_one_byte_values(u64::from_le_bytes(*chunk)).max(1),
                _ => 1,
            };
            at += ones;
            left -= ones;
        } else if patience > 0 || left < 8 {
            if length > rest.len() {
                break;
            }
            patience -= usize::from(patience > 0);
            at += length;
            left -= 1;
        } else {
            let run = rest.chunks_exact(length).take(left).take_while(|c| c.first() == Some(&marker)).count();
            if run == 0 {
                break;
            }
            patience = if run < 4 { 16 } else { 0 };
            at += run * length;
            left -= run;
        }
    }
    CellExtent { cells: wanted - left, nbytes: at }
}

/// Counts how many of eight bytes, from the lowest, are one-byte values: small integers, nil, booleans.
#[inline]
fn count_one_byte_values(word: u64) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const LOW: u64 = !HIGH;
    /// Sets the high bit of each byte that is 0.
    const fn zeros(word: u64) -> u64 {
        !(((word & LOW) + LOW) | word) & HIGH
    }
    // 80 to DF: the high bit is set and the two bits after it are not both set.
    let large = word & !((word << 1) & (word << 2)) & HIGH;
    let from_c0 = word ^ 0xc0c0_c0c0_c0c0_c0c0;
    let constants = zeros(from_c0 & 0xfcfc_fcfc_fcfc_fcfc) & !zeros(from_c0 ^ 0x0101_0101_0101_0101);
    ((large & !constants).trailing_zeros() / 8) as usize
}

#[cfg(test)]
#[path = "tests/skip.rs"]
mod tests;
