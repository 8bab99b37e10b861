//! A column whose type nobody has told: it becomes what its cells turn out to be.
//!
//! Cells of one family come in runs, which kernels take; what stands between two runs (nils, the first cell of another
//! family, the last cells of the input) is taken one by one. A family that no longer holds everything is promoted, which
//! converts what is stored, never what was read: nothing is read twice.

#![allow(dead_code)]

mod finish;
mod grow;
mod marks;
mod numbers;
mod put;
mod text;

#[cfg(test)]
mod tests;

pub use finish::Finished;

use grow::Grow;
use marks::Marks;
use text::Text;

use crate::msgpack::cells::{CellError, Cells, Taken};
use crate::msgpack::head::{Head, head};
use crate::msgpack::options::{Otherwise, ReadOptions};

/// Integers that a kernel takes before signs are looked at.
const INTS: usize = 256;

/// The cells of one column without a type of its own.
#[derive(Debug)]
pub struct Inferred {
    options: ReadOptions,
    rows: usize,
    /// Rows that somebody expects.
    hint: usize,
    /// Rows that the bytes at hand could hold, up to what is expected.
    likely: usize,
    nulls: Marks,
    values: Values,
}

/// What the cells are so far.
#[derive(Debug)]
enum Values {
    /// Nils only.
    Nil,
    Bool(Grow),
    /// 64-bit words; never both below zero and above `i64::MAX`.
    Int {
        words: Grow,
        negative: bool,
        big: bool,
    },
    /// 64-bit words, and which of them came as integers.
    Float {
        words: Grow,
        ints: Marks,
    },
    Text(Text),
}

impl Inferred {
    /// A column without cells.
    #[must_use]
    pub fn new(options: &ReadOptions) -> Self {
        Self { options: *options, rows: 0, hint: 0, likely: 0, nulls: Marks::default(), values: Values::Nil }
    }

    /// The same, where `rows` cells are expected: room is made at once, as far as the bytes at hand could hold them.
    #[must_use]
    pub fn with_rows(mut self, rows: usize) -> Self {
        self.hint = rows;
        self
    }

    /// Cells so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no cell yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Appends `n` nulls that no byte stands for, as missing keys are.
    ///
    /// # Errors
    /// The system's own, where memory runs out.
    pub fn nulls(&mut self, n: usize) -> crate::Result<()> {
        self.empty(n).map_err(|e| e.error)
    }

    fn run(&mut self, bytes: &[u8], wanted: usize) -> Result<Taken, CellError> {
        let mut taken = Taken::default();
        self.likely = self.hint.saturating_sub(self.rows).max(wanted).min(bytes.len());
        while taken.cells < wanted {
            let rest = bytes.get(taken.nbytes..).unwrap_or_default();
            let placed = |e: CellError| e.after(taken.cells, taken.nbytes);
            let mut found = Taken::default();
            // A single cell, as rows have them, is not worth a kernel's preparations.
            if wanted - taken.cells > 1 {
                found = self.kernel(rest, wanted - taken.cells).map_err(placed)?;
                self.rows += found.cells;
            }
            if found.cells == 0 {
                found = self.single(rest, wanted - taken.cells).map_err(placed)?;
            }
            if found.cells == 0 {
                break;
            }
            taken.cells += found.cells;
            taken.nbytes += found.nbytes;
        }
        Ok(taken)
    }

    /// Takes a run of the family there is.
    fn kernel(&mut self, bytes: &[u8], wanted: usize) -> Result<Taken, CellError> {
        // A cell is a byte at least, whatever is claimed.
        let wanted = wanted.min(bytes.len());
        match &mut self.values {
            Values::Nil => Ok(Taken::default()),
            Values::Bool(cells) => {
                let taken = numbers::bools(bytes, cells.spare(wanted)?);
                cells.commit(taken.cells);
                Ok(taken)
            }
            Values::Int { words, negative, big } => {
                let out = words.spare(wanted.saturating_mul(8))?.as_chunks_mut::<8>().0;
                let mut taken = Taken::default();
                for slots in out.chunks_mut(INTS) {
                    let found = numbers::ints(bytes.get(taken.nbytes..).unwrap_or_default(), slots);
                    if (*negative || found.negative) && (*big || found.big) {
                        // Which of these cells is above and which below must be looked at one by one.
                        break;
                    }
                    *negative |= found.negative;
                    *big |= found.big;
                    taken.cells += found.taken.cells;
                    taken.nbytes += found.taken.nbytes;
                    if found.taken.cells < slots.len() {
                        break;
                    }
                }
                words.commit(taken.cells * 8);
                Ok(taken)
            }
            Values::Float { words, .. } => {
                let out = words.spare(wanted.saturating_mul(8))?.as_chunks_mut::<8>().0;
                let taken = numbers::floats(bytes, out);
                words.commit(taken.cells * 8);
                Ok(taken)
            }
            Values::Text(text) => text.run(bytes, wanted, self.options.invalid_utf8 == Otherwise::Bytes),
        }
    }

    /// Takes one cell of any family, or a run of nils.
    fn single(&mut self, bytes: &[u8], wanted: usize) -> Result<Taken, CellError> {
        if bytes.first() == Some(&0xc0) {
            let cells = bytes.iter().take(wanted).take_while(|byte| **byte == 0xc0).count();
            self.empty(cells)?;
            return Ok(Taken { cells, nbytes: cells });
        }
        let Some((head, length)) = head(bytes)? else { return Ok(Taken::default()) };
        let nbytes = match head {
            Head::Array(_) | Head::Map(_) => return Err(put::unknown(head)),
            _ => length + head.payload(),
        };
        let Some(cell) = bytes.get(..nbytes) else { return Ok(Taken::default()) };
        self.put(head, cell.get(length..).unwrap_or_default())?;
        self.rows += 1;
        Ok(Taken { cells: 1, nbytes })
    }
}

impl Cells for Inferred {
    fn take(&mut self, bytes: &[u8], wanted: usize) -> Result<Taken, CellError> {
        self.run(bytes, wanted)
    }
}
