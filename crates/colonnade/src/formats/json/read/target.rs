//! The trait of columns into which cells are scanned.

use crate::cells::json::fault::Scanned;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::JsonRules;

/// A column into which cells are scanned.
pub(crate) trait CellTarget: Send {
    /// Returns the number of cells so far.
    fn len(&self) -> usize;

    /// Scans the cell at the current position, inside `depth` arrays and objects.
    fn cell(&mut self, scan: &mut Scan<'_>, depth: u64, rules: &JsonRules) -> Scanned<()>;

    /// Appends `n` missing cells.
    fn gap(&mut self, n: usize) -> Scanned<()>;
}
