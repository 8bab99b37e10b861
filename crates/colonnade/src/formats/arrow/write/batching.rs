//! How large batches are.

use crate::formats::arrow::read::Form;
use crate::frame::{Frame, Kind, Part};

use super::WriteOptions;

/// Batches of a stream: friendly to L2 and L3 of whoever reads.
const STREAM_BATCH_NBYTES: usize = 1 << 20;

/// Batches of a compressed file: enough of them that all cores work, and that some rows can be read alone.
const PACKED_BATCH_NBYTES: usize = 4 << 20;

/// Bytes a column that a batch has by default, however many columns there are: else most of it is padding and headers.
const COLUMN_NBYTES: usize = 1 << 10;

/// Bytes that batches of `ncols` columns should have; `None`: as the chunks are.
pub(super) fn batch_nbytes(form: Form, options: &WriteOptions, ncols: usize) -> Option<usize> {
    let least = ncols.saturating_mul(COLUMN_NBYTES);
    options.batch_nbytes.or(match (form, options.codec) {
        (Form::Stream, _) => Some(STREAM_BATCH_NBYTES.max(least)),
        (Form::File, Some(_)) => Some(PACKED_BATCH_NBYTES.max(least)),
        (Form::File, None) => None,
    })
}

/// Rows of a batch of a chunk that has `nbytes`, where batches should have `wanted`.
pub(super) fn batch_rows(chunk: &Frame, nbytes: usize, wanted: Option<usize>) -> usize {
    let most = (i32::MAX as usize).min(text_rows(chunk)).max(1);
    let Some(wanted) = wanted else { return most };
    // Even pieces of about that size, rather than full ones and a small rest.
    let pieces = nbytes.saturating_add(wanted / 2) / wanted.max(1);
    if pieces <= 1 || chunk.nrows == 0 {
        return most;
    }
    let rows = chunk.nrows.div_ceil(pieces);
    // Multiples of 64: bitmaps need not be shifted.
    (if rows > 64 { rows.next_multiple_of(64) } else { rows }).min(most)
}

/// Rows of a chunk whose fixed-width text surely stays within 32-bit offsets.
fn text_rows(chunk: &Frame) -> usize {
    let widths = chunk.parts.iter().filter_map(|part| match part {
        Part::Block(block, _) if block.grid.dtype.kind == Kind::Unicode => {
            Some(block.grid.dtype.itemsize as usize)
        }
        _ => None,
    });
    widths.map(|width| i32::MAX as usize / width.max(1)).min().unwrap_or(usize::MAX)
}
