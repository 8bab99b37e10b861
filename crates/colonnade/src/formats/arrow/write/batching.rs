//! The size of batches.

use crate::formats::arrow::read::Form;
use crate::frame::{DTypeKind, Frame, Part};

use super::WriteOptions;

/// Batches of a stream: they fit the reader's L2 and L3 caches.
const STREAM_BATCH_NBYTES: usize = 1 << 20;

/// Batches of a compressed file: small enough to keep all cores busy, and to read a few rows without decoding the rest.
const COMPRESSED_BATCH_NBYTES: usize = 4 << 20;

/// Minimum bytes for each column of a batch by default. With less, batches of many columns are mostly padding and headers.
const COLUMN_NBYTES: usize = 1 << 10;

/// The target size of batches of `ncols` columns; `None`: one batch for each chunk.
pub(super) fn batch_nbytes(form: Form, options: &WriteOptions, ncols: usize) -> Option<usize> {
    let min_nbytes = ncols.saturating_mul(COLUMN_NBYTES);
    options.batch_nbytes.or(match (form, options.codec) {
        (Form::Stream, _) => Some(STREAM_BATCH_NBYTES.max(min_nbytes)),
        (Form::File, Some(_)) => Some(COMPRESSED_BATCH_NBYTES.max(min_nbytes)),
        (Form::File, None) => None,
    })
}

/// Rows of each batch of a chunk of `nbytes`, for batches of `target_nbytes`.
pub(super) fn batch_rows(chunk: &Frame, nbytes: usize, target_nbytes: Option<usize>) -> usize {
    let max_rows = (i32::MAX as usize).min(text_rows(chunk)).max(1);
    let Some(target_nbytes) = target_nbytes else { return max_rows };
    // Equal batches of about the target size, rather than full ones and a small last one.
    let batches = nbytes.saturating_add(target_nbytes / 2) / target_nbytes.max(1);
    if batches <= 1 || chunk.nrows == 0 {
        return max_rows;
    }
    let rows = chunk.nrows.div_ceil(batches);
    // With multiples of 64, bitmaps need no shift.
    (if rows > 64 { rows.next_multiple_of(64) } else { rows }).min(max_rows)
}

/// The number of rows whose fixed-width text fits 32-bit offsets in any case.
fn text_rows(chunk: &Frame) -> usize {
    let widths = chunk.parts.iter().filter_map(|part| match part {
        Part::Block(block, _) if block.grid.dtype.kind == DTypeKind::Unicode => {
            Some(block.grid.dtype.itemsize as usize)
        }
        _ => None,
    });
    widths.map(|width| i32::MAX as usize / width.max(1)).min().unwrap_or(usize::MAX)
}
