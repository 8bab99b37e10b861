//! A column whose type is inferred from its cells.
//!
//! Cells of MessagePack come in runs of one family, which kernels take ([`Cells::take`]). The cells between two runs (nils, the
//! first cell of another family, the last cells of the input) are taken one by one. Cells of JSON are scanned one by one into
//! the same columns (`json`), a range of the input at a time, and the ranges' columns are joined (`append`). A family that no
//! longer holds all cells is promoted: the stored values are converted, and no cell is read twice.

mod append;
mod finish;
pub(crate) mod grow;
mod json;
pub(crate) mod marks;
mod nested;
pub(crate) mod numbers;
mod put;
mod raw;
mod text;
mod time;

#[cfg(test)]
mod tests;

pub use finish::{Finished, MIXED_TAG};

use grow::Grow;
use marks::Marks;
use nested::Nested;
use text::Text;
use time::Times;

use crate::cells::msgpack::column::{CellError, Cells, Taken, malformed};
use crate::cells::msgpack::head::{Head, head};
use crate::cells::msgpack::options::{Otherwise, ReadOptions};
use crate::cells::msgpack::skip::skip;

/// Integers that a kernel takes before signs are looked at.
const INTS: usize = 256;

/// The cells of one column without a type of its own.
#[derive(Debug)]
pub struct Inferred {
    options: ReadOptions,
    /// Arrays and maps around these cells.
    depth: u64,
    /// Whether cells of several types are kept as MessagePack. Otherwise such a cell ends with [`Stop::Mixed`].
    keeps_mixed: bool,
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
    Time(Times),
    /// Extensions that nobody knows.
    Ext {
        codes: Grow,
        data: Text,
    },
    /// Columns inside cells. A column that keeps mixed cells also keeps each nested one as it came.
    Nested {
        nested: Nested,
        raw: Option<Text>,
    },
    /// Whole MessagePack values.
    Mixed(Text),
    /// Cells of several types in a column that does not keep them: only counted.
    Unknown,
}

/// Why taking ended early.
#[derive(Debug)]
enum Stop<E = CellError> {
    /// What is wrong.
    Cell(E),
    /// Nothing is wrong, but no one type holds these cells.
    Mixed,
}

impl From<CellError> for Stop {
    fn from(error: CellError) -> Self {
        Self::Cell(error)
    }
}

impl<E> Stop<E> {
    /// The same, with another error.
    fn map<F>(self, map: impl FnOnce(E) -> F) -> Stop<F> {
        match self {
            Self::Cell(error) => Stop::Cell(map(error)),
            Self::Mixed => Stop::Mixed,
        }
    }
}

impl Stop {
    /// As an error. A column that keeps mixed cells never stops for them.
    fn error(self) -> CellError {
        match self {
            Self::Cell(error) => error,
            Self::Mixed => malformed(0, "expected cells of one type."),
        }
    }
}

impl Inferred {
    /// A column without cells.
    #[must_use]
    pub fn new(options: &ReadOptions) -> Self {
        Self {
            options: *options,
            depth: 0,
            keeps_mixed: true,
            rows: 0,
            hint: 0,
            likely: 0,
            nulls: Marks::default(),
            values: Values::Nil,
        }
    }

    /// The same, where `rows` cells are expected: room is made at once, as far as the bytes at hand could hold them.
    #[must_use]
    pub fn with_rows(mut self, rows: usize) -> Self {
        self.hint = rows;
        self
    }

    /// The same, for cells with `depth` arrays and maps around them: they count towards the limit of depth.
    #[must_use]
    pub fn with_depth(mut self, depth: u64) -> Self {
        self.depth = depth;
        self
    }

    /// A column without cells that does not keep mixed ones: inside another column, or of a format whose cells can be read a
    /// second time.
    pub(crate) fn of_one_type(options: &ReadOptions, depth: u64) -> Self {
        Self { keeps_mixed: false, ..Self::new(options).with_depth(depth) }
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

    fn run(&mut self, bytes: &[u8], wanted: usize) -> Result<Taken, Stop> {
        let mut taken = Taken::default();
        self.likely = self.hint.saturating_sub(self.rows).max(wanted).min(bytes.len());
        while taken.cells < wanted {
            let rest = bytes.get(taken.nbytes..).unwrap_or_default();
            let placed = |stop: Stop| stop.map(|e| e.after(taken.cells, taken.nbytes));
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
    fn kernel(&mut self, bytes: &[u8], wanted: usize) -> Result<Taken, Stop> {
        // A cell is a byte at least, whatever is claimed.
        let wanted = wanted.min(bytes.len());
        match &mut self.values {
            Values::Nil | Values::Ext { .. } | Values::Nested { .. } | Values::Mixed(_) | Values::Unknown => {
                Ok(Taken::default())
            }
            Values::Time(times) => Ok(times.run(bytes, wanted)?),
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
            Values::Text(text) => {
                Ok(text.run(bytes, wanted, self.options.invalid_utf8 == Otherwise::Bytes)?)
            }
        }
    }

    /// Takes one cell of any family, or a run of nils.
    fn single(&mut self, bytes: &[u8], wanted: usize) -> Result<Taken, Stop> {
        if bytes.first() == Some(&0xc0) {
            let cells = bytes.iter().take(wanted).take_while(|byte| **byte == 0xc0).count();
            self.empty(cells)?;
            return Ok(Taken { cells, nbytes: cells });
        }
        let Some((head, length)) = head(bytes)? else { return Ok(Taken::default()) };
        let nbytes = match head {
            // What stands inside a whole cell is whole, and its end is known once it has been taken.
            Head::Array(_) | Head::Map(_) if !self.keeps_mixed => bytes.len(),
            Head::Array(_) | Head::Map(_) => {
                match skip(bytes, self.options.limits.max_depth.saturating_sub(self.depth))? {
                    Some(nbytes) => nbytes,
                    None => return Ok(Taken::default()),
                }
            }
            _ => length + head.payload(),
        };
        let Some(cell) = bytes.get(..nbytes) else { return Ok(Taken::default()) };
        let nbytes = match self.put(head, cell, length) {
            Err(Stop::Mixed) if self.keeps_mixed => {
                self.mix()?;
                self.put(head, cell, length)?
            }
            taken => taken?,
        };
        self.rows += 1;
        Ok(Taken { cells: 1, nbytes })
    }
}

impl Cells for Inferred {
    fn take(&mut self, bytes: &[u8], wanted: usize) -> Result<Taken, CellError> {
        self.run(bytes, wanted).map_err(Stop::error)
    }
}
