//! Nested cells of CSV: the text of a cell is JSON.

use super::*;
use crate::cells::text::nested::JsonCells;

/// Passes the value in each cell to a JSON reader.
pub(super) struct JsonCellReader {
    pub(super) cells: JsonCells,
    pub(super) values: Box<dyn TextReader>,
}

impl TextReader for JsonCellReader {
    fn push(&mut self, cell: TextCell<'_>) -> PushResult {
        self.values.push(self.cells.cell(cell)?)
    }

    fn fork(&self, rows: usize) -> Result<Box<dyn TextReader>> {
        Ok(Box::new(Self { cells: self.cells, values: self.values.fork(rows)? }))
    }

    fn nulls(&mut self, n: usize) -> PushResult {
        self.values.nulls(n)
    }

    fn len(&self) -> usize {
        self.values.len()
    }

    fn finish(self: Box<Self>) -> Result<ArrayData> {
        self.values.finish()
    }
}
