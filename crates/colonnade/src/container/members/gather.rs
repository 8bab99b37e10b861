//! The bytes of an array in the order of its header, chunk by chunk.

use crate::error::Result;
use crate::frame::{Block, Grid};

/// Chunk size of arrays that are not packed in memory.
const CHUNK_NBYTES: usize = 256 << 10;

impl Block {
    /// Calls `take` with the array's bytes, column by column, or row by row if it is row-major. A packed array is not copied.
    ///
    /// # Errors
    /// The errors of `take`.
    pub fn chunks(&self, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if let Some(bytes) = self.packed() {
            return if bytes.is_empty() { Ok(()) } else { take(bytes) };
        }
        let item = self.grid.dtype.itemsize as usize;
        let rows = (CHUNK_NBYTES / item.max(1)).max(1);
        let mut scratch = Vec::new();
        for column in 0..self.grid.width {
            let column = self.grid.columns(column, 1, 1);
            for start in (0..column.nrows).step_by(rows) {
                let part = column.rows(start, (start + rows).min(column.nrows));
                scratch.clear();
                append_strided(&mut scratch, self.buffer.as_slice(), &part);
                take(&scratch)?;
            }
        }
        Ok(())
    }
}

/// Appends the cells of a grid of one column.
fn append_strided(out: &mut Vec<u8>, bytes: &[u8], column: &Grid) {
    match column.dtype.itemsize {
        1 => cells::<1>(out, bytes, column),
        2 => cells::<2>(out, bytes, column),
        4 => cells::<4>(out, bytes, column),
        8 => cells::<8>(out, bytes, column),
        16 => cells::<16>(out, bytes, column),
        _ => {
            let item = column.dtype.itemsize as usize;
            for offset in offsets(column) {
                out.extend_from_slice(bytes.get(offset..offset + item).unwrap_or(&[]));
            }
        }
    }
}

/// A constant width lets the compiler move one register per cell.
fn cells<const N: usize>(out: &mut Vec<u8>, bytes: &[u8], column: &Grid) {
    out.reserve(column.nrows * N);
    for offset in offsets(column) {
        if let Some(cell) = bytes.get(offset..).and_then(<[u8]>::first_chunk::<N>) {
            out.extend_from_slice(cell);
        }
    }
}

fn offsets(column: &Grid) -> impl Iterator<Item = usize> {
    let (start, stride) = (column.offset, column.row_stride);
    (0..column.nrows).map(move |row| {
        let reach = stride.unsigned_abs() * row;
        if stride < 0 { start - reach } else { start + reach }
    })
}
