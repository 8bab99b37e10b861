//! Reads all rows. One thread splits rows into cells, another decodes the cells of each column.

use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};

use crate::cells::msgpack::options::ReadOptions;
use crate::error::{Error, Result};
use crate::infer::columns::InferredColumn;
use crate::parallel::{INLINE_NBYTES, join};
use crate::progress::Progress;

use super::column_builders::{ColumnBuilders, RefusedCell};
use super::row_batch::RowBatch;
use super::rows::RowGatherer;

/// The number of batches in transit between the threads.
const IN_FLIGHT: usize = 4;

/// Consecutive rows.
#[derive(Clone, Copy)]
pub(super) struct EncodedRows<'b> {
    /// The bytes from the first row to the end of the input.
    pub(super) bytes: &'b [u8],
    /// The claimed number of rows.
    pub(super) rows: usize,
    /// The path of the array of rows.
    pub(super) path: &'b str,
    /// The offset of the first row.
    pub(super) base: u64,
    /// The number of arrays and maps around the rows.
    pub(super) outer: u64,
}

/// The columns of the rows.
pub(super) struct RowColumns {
    pub(super) gather: RowGatherer,
    pub(super) columns: Vec<InferredColumn>,
    /// The bytes of the rows.
    pub(super) nbytes: usize,
}

/// Decodes all rows.
pub(super) fn take(
    source: EncodedRows<'_>,
    gather: RowGatherer,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<RowColumns> {
    let hint = source.rows.min(source.bytes.len());
    let mut taking = ColumnBuilders::new(hint, source.outer, options);
    let mut walk = RowReader { source, gather, at: 0 };
    if options.threads <= 1 || source.bytes.len() < INLINE_NBYTES {
        let mut batch = RowBatch::default();
        loop {
            let end = walk.batch();
            batch = walk.gather.swap(batch, walk.at as u64);
            taking.take(&batch).map_err(|f| walk.refusal_error(*f))?;
            progress.advance(walk.at as u64, Some(source.bytes.len() as u64))?;
            if end? {
                return Ok(walk.taken(taking.finish()));
            }
        }
    }
    let (full, filled) = sync_channel::<RowBatch>(IN_FLIGHT);
    let (empty, emptied) = channel::<RowBatch>();
    let gathered = move || {
        let end = pass(&mut walk, &full, &emptied, progress);
        Ok((walk, end))
    };
    let ((walk, end), taken) = join(options.threads, gathered, move || {
        for batch in filled {
            taking.take(&batch)?;
            // The receiver is gone once all rows are gathered.
            let _ = empty.send(batch);
        }
        Ok(taking)
    })?;
    let taking = taken.map_err(|f: Box<RefusedCell>| walk.refusal_error(*f))?;
    end?;
    Ok(walk.taken(taking.finish()))
}

/// Sends batches until the end of the rows, an error, or a closed channel.
fn pass(
    walk: &mut RowReader<'_>,
    full: &SyncSender<RowBatch>,
    emptied: &Receiver<RowBatch>,
    progress: &dyn Progress,
) -> Result<()> {
    loop {
        let end = walk.batch();
        let batch = walk.gather.swap(emptied.try_recv().unwrap_or_default(), walk.at as u64);
        if full.send(batch).is_err() || end? {
            return Ok(());
        }
        progress.advance(walk.at as u64, Some(walk.source.bytes.len() as u64))?;
    }
}

struct RowReader<'b> {
    source: EncodedRows<'b>,
    gather: RowGatherer,
    at: usize,
}

impl RowReader<'_> {
    /// Gathers rows until the batch is full. Returns whether all rows were seen.
    fn batch(&mut self) -> Result<bool> {
        while self.gather.rows() < self.source.rows {
            if self.gather.is_full() {
                return Ok(false);
            }
            let rest = self.source.bytes.get(self.at..).unwrap_or(&[]);
            let row = self.gather.row(rest).map_err(|e| self.place(e))?;
            let Some(nbytes) = row else {
                let had = self.source.base + self.source.bytes.len() as u64;
                return Err(self.place(self.gather.cut(rest, usize::try_from(had).unwrap_or(usize::MAX))));
            };
            self.at += nbytes;
        }
        Ok(true)
    }

    #[cold]
    fn place(&self, error: crate::cells::msgpack::column::CellError) -> Error {
        let path = self.gather.path_of(self.source.path, self.gather.rows());
        error.placed(&path, self.source.base + self.at as u64)
    }

    #[cold]
    fn refusal_error(&self, failure: RefusedCell) -> Error {
        let start = usize::try_from(failure.start).unwrap_or(usize::MAX);
        let bytes = self.source.bytes.get(start..).unwrap_or(&[]);
        self.gather.locate(failure, bytes, self.source.path, self.source.base)
    }

    fn taken(self, columns: Vec<InferredColumn>) -> RowColumns {
        RowColumns { gather: self.gather, columns, nbytes: self.at }
    }
}
