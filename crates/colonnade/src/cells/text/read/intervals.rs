//! Intervals in CSV: the text of a cell is JSON.

use super::*;

/// Passes the object in each cell to a JSON reader.
pub(super) struct IntervalReader(pub(super) Box<dyn TextReader>);

impl TextReader for IntervalReader {
    fn push(&mut self, cell: TextCell<'_>) -> PushResult {
        self.0.push(nested::interval(cell)?)
    }

    fn fork(&self, rows: usize) -> Result<Box<dyn TextReader>> {
        Ok(Box::new(Self(self.0.fork(rows)?)))
    }

    fn nulls(&mut self, n: usize) -> PushResult {
        self.0.nulls(n)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn finish(self: Box<Self>) -> Result<ArrayData> {
        self.0.finish()
    }
}
