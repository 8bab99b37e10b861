//! Infers the type of a column from its cells in one range of the input.
//!
//! A column without a single type (mixed cells, decimals) is only checked and counted. Its cells are read in a second pass,
//! once the type is known for the whole input.
//! is known for the whole input.

use crate::cells::json::fault::{Fault, Scanned};
use crate::cells::json::scan::Scan;
use crate::cells::json::value::Rules;
use crate::cells::msgpack::options::ReadOptions;
use crate::infer::columns::Inferred;

use super::target::Target;

/// The cells of a column so far.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) column: Inferred,
    /// Whether a header declares floats, whose NaN and infinities are text.
    is_float: bool,
}

/// Returns a column without cells.
pub(crate) fn inferred() -> Inferred {
    // The scanner checks the depth against the reader's limit.
    Inferred::of_one_type(&ReadOptions::default(), 0)
}

impl Default for Part {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Part {
    pub(crate) fn new(is_float: bool) -> Self {
        Self { column: inferred(), is_float }
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
        self.column.push_float(value).map_err(|e| Fault::of(start, e))
    }
}

impl Target for Part {
    #[inline(always)]
    fn len(&self) -> usize {
        self.column.len()
    }

    #[inline(always)]
    fn cell(&mut self, scan: &mut Scan<'_>, depth: u64, rules: &Rules) -> Scanned<()> {
        if self.is_float && scan.peek() == b'"' {
            return self.word(scan);
        }
        self.column.scan(scan, depth, rules)
    }

    fn gap(&mut self, n: usize) -> Scanned<()> {
        self.column.nulls(n).map_err(|e| Fault::of(0, e))
    }
}
