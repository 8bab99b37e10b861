//! Infers the type of a column from its cells in one range of the input.
//!
//! A column without a single type (mixed cells, decimals) is only checked and counted. Its cells are read in a second pass,
//! once the type is known for the whole input.

use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::json::scan::Scan;
use crate::cells::json::value::JsonRules;
use crate::cells::msgpack::options::ReadOptions;
use crate::infer::columns::InferredColumn;

use super::target::CellTarget;

/// The cells of a column so far.
#[derive(Debug)]
pub(crate) struct RangeColumn {
    pub(crate) column: InferredColumn,
    /// Whether a header declares floats, whose NaN and infinities are text.
    is_float: bool,
}

/// Returns a column without cells.
pub(crate) fn empty_column() -> InferredColumn {
    // The scanner checks the depth against the reader's limit.
    InferredColumn::of_one_type(&ReadOptions::default(), 0)
}

impl Default for RangeColumn {
    fn default() -> Self {
        Self::new(false)
    }
}

impl RangeColumn {
    pub(crate) fn new(is_float: bool) -> Self {
        Self { column: empty_column(), is_float }
    }

    /// Removes all cells, so that the memory serves the next range.
    pub(crate) fn clear(&mut self) {
        self.column.clear();
    }

    /// Takes the text of a non-finite float in a declared column; a NaN with another payload is read in the second pass.
    #[inline(never)]
    fn word(&mut self, scan: &mut Scan<'_>) -> Scanned<()> {
        let start = scan.at;
        let quoted = scan.quoted()?;
        let value = match scan.bytes.get(quoted.start..quoted.end) {
            Some(b"NaN") => Some(f64::NAN),
            Some(b"Infinity") => Some(f64::INFINITY),
            Some(b"-Infinity") => Some(f64::NEG_INFINITY),
            _ => None,
        };
        self.column.push_float(value).map_err(|e| JsonFault::of(start, e))
    }
}

impl CellTarget for RangeColumn {
    #[inline(always)]
    fn len(&self) -> usize {
        self.column.len()
    }

    #[inline(always)]
    fn cell(&mut self, scan: &mut Scan<'_>, depth: u64, rules: &JsonRules) -> Scanned<()> {
        if self.is_float && scan.peek() == b'"' {
            return self.word(scan);
        }
        self.column.scan(scan, depth, rules)
    }

    fn gap(&mut self, n: usize) -> Scanned<()> {
        self.column.nulls(n).map_err(|e| JsonFault::of(0, e))
    }
}
