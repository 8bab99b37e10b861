//! What takes the cells of one column.

use super::super::fault::Scanned;
use super::super::scan::Scan;
use super::super::value::Rules;

/// A column that cells are scanned into.
pub(crate) trait Target: Send {
    /// Cells so far.
    fn len(&self) -> usize;

    /// Takes the cell that begins here, inside `depth` arrays and objects.
    fn cell(&mut self, scan: &mut Scan<'_>, depth: u64, rules: &Rules) -> Scanned<()>;

    /// Appends `n` cells that the input does not have.
    fn gap(&mut self, n: usize) -> Scanned<()>;
}
