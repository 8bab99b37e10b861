//! A column whose type is inferred from its cells.
//!
//! MessagePack cells come in runs of one family, which kernels decode ([`CellReader::take`]). Cells between two runs (nils, the
//! first cell of another family, the last cells of the input) are decoded one by one. JSON cells are scanned one by one
//! into the same columns (`json`), in ranges of the input whose columns are then joined (`append`). Nodes of YAML are appended
//! one by one (`nodes`). A family that no longer holds all cells is promoted: the stored values are converted, and no cell
//! is read twice.

mod append;
mod finish;
pub(crate) mod grow;
mod json;
pub(crate) mod marks;
mod nested;
pub(crate) mod node_table;
pub(crate) mod nodes;
pub(crate) mod numbers;
mod put;
mod raw;
mod text;
mod time;

#[cfg(test)]
mod tests;

pub use finish::{BlockOrColumn, MIXED_TAG};

use grow::GrowingBuffer;
use marks::RowMarks;
use nested::NestedColumns;
use text::TextBuilder;
use time::TimestampBuilder;

use crate::cells::msgpack::column::{CellError, CellExtent, CellReader, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::{Fallback, ReadOptions};
use crate::cells::msgpack::skip::skip;

/// Integers that a kernel takes between two checks of signs.
const INTS: usize = 256;

/// A column whose type is inferred.
#[derive(Debug)]
pub struct InferredColumn {
    options: ReadOptions,
    /// Number of arrays and maps around these cells.
    depth: u64,
    /// Whether cells of several types are kept as MessagePack. Otherwise such a cell stops with [`StopReason::Mixed`].
    keeps_mixed: bool,
    rows: usize,
    /// The expected number of rows.
    hint: usize,
    /// The number of rows that the available bytes could hold, at most the expected number.
    likely: usize,
    nulls: RowMarks,
    values: InferredValues,
}

/// The cells so far.
#[derive(Debug)]
enum InferredValues {
    /// Nils only.
    Nil,
    Bool(GrowingBuffer),
    /// 64-bit words; not both values below zero and values above `i64::MAX`.
    Int {
        words: GrowingBuffer,
        negative: bool,
        big: bool,
    },
    /// 64-bit words, and the rows that were integers.
    Float {
        words: GrowingBuffer,
        ints: RowMarks,
    },
    Text(TextBuilder),
    Time(TimestampBuilder),
    /// Unknown extensions.
    Ext {
        codes: GrowingBuffer,
        data: TextBuilder,
    },
    /// Nested columns. A column that keeps mixed cells also keeps the original bytes of each nested one.
    Nested {
        nested: NestedColumns,
        raw: Option<TextBuilder>,
    },
    /// Whole MessagePack values.
    Mixed(TextBuilder),
    /// Cells of several types in a column that does not keep them; they are only counted.
    Unknown,
}

/// The reason for an early stop.
#[derive(Debug)]
enum StopReason<E = CellError> {
    /// An error in a cell.
    Cell(E),
    /// No error, but no single type holds these cells.
    Mixed,
}

impl From<CellError> for StopReason {
    fn from(error: CellError) -> Self {
        Self::Cell(error)
    }
}

impl<E> StopReason<E> {
    /// Converts the error.
    fn map<F>(self, map: impl FnOnce(E) -> F) -> StopReason<F> {
        match self {
            Self::Cell(error) => StopReason::Cell(map(error)),
            Self::Mixed => StopReason::Mixed,
        }
    }
}

impl StopReason {
    /// Returns the error. A column that keeps mixed cells never stops for [`StopReason::Mixed`].
    fn error(self) -> CellError {
        match self {
            Self::Cell(error) => error,
            Self::Mixed => malformed(0, "expected cells of one type."),
        }
    }
}

impl InferredColumn {
    /// Creates a column without cells.
    #[must_use]
    pub fn new(options: &ReadOptions) -> Self {
        Self {
            options: *options,
            depth: 0,
            keeps_mixed: true,
            rows: 0,
            hint: 0,
            likely: 0,
            nulls: RowMarks::default(),
            values: InferredValues::Nil,
        }
    }

    /// Expects `rows` cells: reserves memory for as many of them as the available bytes could hold.
    #[must_use]
    pub fn with_rows(mut self, rows: usize) -> Self {
        self.hint = rows;
        self
    }

    /// Counts `depth` arrays and maps around the cells towards the limit of depth.
    #[must_use]
    pub fn with_depth(mut self, depth: u64) -> Self {
        self.depth = depth;
        self
    }

    /// Creates a column that does not keep mixed cells: inside another column, or for a format that can read cells a second
    /// time.
    pub(crate) fn of_one_type(options: &ReadOptions, depth: u64) -> Self {
        Self { keeps_mixed: false, ..Self::new(options).with_depth(depth) }
    }

    /// Returns the number of cells so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no cell yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Appends `n` nulls that no input byte backs, such as missing keys.
    ///
    /// # Errors
    /// The operating system's error if memory runs out.
    pub fn nulls(&mut self, n: usize) -> crate::Result<()> {
        self.empty(n).map_err(|e| e.error)
    }

    fn run(&mut self, bytes: &[u8], wanted: usize) -> Result<CellExtent, StopReason> {
        let mut taken = CellExtent::default();
        self.likely = self.hint.saturating_sub(self.rows).max(wanted).min(bytes.len());
        while taken.cells < wanted {
            let rest = bytes.get(taken.nbytes..).unwrap_or_default();
            let placed = |stop: StopReason| stop.map(|e| e.after(taken.cells, taken.nbytes));
            let mut found = CellExtent::default();
            // A single cell, as in rows, does not justify a kernel's setup.
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

    /// Decodes a run of the current family.
    fn kernel(&mut self, bytes: &[u8], wanted: usize) -> Result<CellExtent, StopReason> {
        // A cell has at least one byte, whatever is claimed.
        let wanted = wanted.min(bytes.len());
        match &mut self.values {
            InferredValues::Nil
            | InferredValues::Ext { .. }
            | InferredValues::Nested { .. }
            | InferredValues::Mixed(_)
            | InferredValues::Unknown => Ok(CellExtent::default()),
            InferredValues::Time(times) => Ok(times.run(bytes, wanted)?),
            InferredValues::Bool(cells) => {
                let taken = numbers::bools(bytes, cells.spare(wanted)?);
                cells.commit(taken.cells);
                Ok(taken)
            }
            InferredValues::Int { words, negative, big } => {
                let out = words.spare(wanted.saturating_mul(8))?.as_chunks_mut::<8>().0;
                let mut taken = CellExtent::default();
                for slots in out.chunks_mut(INTS) {
                    let found = numbers::ints(bytes.get(taken.nbytes..).unwrap_or_default(), slots);
                    if (*negative || found.negative) && (*big || found.big) {
                        // Values below zero and values above `i64::MAX` meet: these cells are decoded one by one.
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
            InferredValues::Float { words, .. } => {
                let out = words.spare(wanted.saturating_mul(8))?.as_chunks_mut::<8>().0;
                let taken = numbers::floats(bytes, out);
                words.commit(taken.cells * 8);
                Ok(taken)
            }
            InferredValues::Text(text) => {
                Ok(text.run(bytes, wanted, self.options.invalid_utf8 == Fallback::Bytes)?)
            }
        }
    }

    /// Decodes one cell of any family, or a run of nils.
    fn single(&mut self, bytes: &[u8], wanted: usize) -> Result<CellExtent, StopReason> {
        if bytes.first() == Some(&0xc0) {
            let cells = bytes.iter().take(wanted).take_while(|byte| **byte == 0xc0).count();
            self.empty(cells)?;
            return Ok(CellExtent { cells, nbytes: cells });
        }
        let Some((head, length)) = head(bytes)? else { return Ok(CellExtent::default()) };
        let nbytes = match head {
            // The contents of a whole cell are whole, and decoding finds their end.
            MsgpackHead::Array(_) | MsgpackHead::Map(_) if !self.keeps_mixed => bytes.len(),
            MsgpackHead::Array(_) | MsgpackHead::Map(_) => {
                match skip(bytes, self.options.limits.max_depth.saturating_sub(self.depth))? {
                    Some(nbytes) => nbytes,
                    None => return Ok(CellExtent::default()),
                }
            }
            _ => length + head.payload(),
        };
        let Some(cell) = bytes.get(..nbytes) else { return Ok(CellExtent::default()) };
        let nbytes = match self.put(head, cell, length) {
            Err(StopReason::Mixed) if self.keeps_mixed => {
                self.mix()?;
                self.put(head, cell, length)?
            }
            taken => taken?,
        };
        self.rows += 1;
        Ok(CellExtent { cells: 1, nbytes })
    }
}

impl CellReader for InferredColumn {
    fn take(&mut self, bytes: &[u8], wanted: usize) -> Result<CellExtent, CellError> {
        self.run(bytes, wanted).map_err(StopReason::error)
    }
}
