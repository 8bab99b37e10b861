//! Decodes batches of rows into columns.

use crate::cells::msgpack::column::{CellError, CellReader, malformed};
use crate::cells::msgpack::options::ReadOptions;
use crate::cells::msgpack::skip::skip_cells;
use crate::infer::columns::InferredColumn;

use super::row_batch::RowBatch;

/// A cell that its column refused.
#[derive(Debug)]
pub(super) struct RefusedCell {
    pub(super) column: usize,
    /// Row in the batch.
    pub(super) row: usize,
    pub(super) in_cell: usize,
    pub(super) first_row: usize,
    /// Start of the batch in the input.
    pub(super) start: u64,
    pub(super) error: CellError,
}

/// The builders of all columns.
#[derive(Debug)]
pub(super) struct ColumnBuilders {
    options: ReadOptions,
    rows: usize,
    hint: usize,
    columns: Vec<InferredColumn>,
}

impl ColumnBuilders {
    /// Creates builders. `hint`: the expected number of rows, at most what the available bytes could hold.
    pub(super) fn new(hint: usize, outer: u64, options: &ReadOptions) -> Self {
        let mut options = *options;
        options.limits.max_depth = options.limits.max_depth.saturating_sub(outer + 1);
        Self { options, rows: 0, hint, columns: Vec::new() }
    }

    /// Decodes a batch.
    pub(super) fn take(&mut self, batch: &RowBatch) -> std::result::Result<(), Box<RefusedCell>> {
        let failure = |column, row, in_cell, error| {
            Box::new(RefusedCell {
                column,
                row,
                in_cell,
                first_row: batch.first_row,
                start: batch.start,
                error,
            })
        };
        for (i, gathered) in batch.columns.iter().enumerate() {
            if i == self.columns.len() {
                let mut column = InferredColumn::new(&self.options).with_rows(self.hint);
                if self.rows > 0 {
                    let refused = |error| CellError { cell: 0, offset: 0, path: String::new(), error };
                    column.nulls(self.rows).map_err(|e| failure(i, 0, 0, refused(e)))?;
                }
                self.columns.push(column);
            }
            let Some(column) = self.columns.get_mut(i) else { continue };
            let cells = gathered.cells();
            let place = |e: CellError| {
                let start = skip_cells(cells, e.cell, u64::MAX).map_or(0, |t| t.nbytes);
                failure(i, e.cell, e.offset.saturating_sub(start), e)
            };
            let taken = column.take(cells, batch.rows).map_err(place)?;
            if taken.cells != batch.rows {
                return Err(place(malformed(taken.nbytes, "expected a whole value.").after(taken.cells, 0)));
            }
        }
        self.rows += batch.rows;
        Ok(())
    }

    /// Returns the columns.
    pub(super) fn finish(self) -> Vec<InferredColumn> {
        self.columns
    }
}
