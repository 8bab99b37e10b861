//! The trait of columns that cells are scanned into.

use crate::cells::json::fault::Scanned;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::Rules;

/// A column that cells are scanned into.
pub(crate) trait Target: Send {
    /// Cells so far.
    fn len(&self) -> usize;

    /// Takes the cell that begins here, inside `depth` arrays and objects.
    fn cell(&mut self, scan: &mut Scan<'_>, depth: u64, rules: &Rules) -> Scanned<()>;

    /// Appends `n` cells that the input does not have.
    fn gap(&mut self, n: usize) -> Scanned<()>;
}
