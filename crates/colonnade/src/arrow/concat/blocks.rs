//! Joins columns of blocks. Each cell is copied once, to its final memory.

use crate::error::{Error, Result};
use crate::frame::{Block, DType, Grid};
use crate::memory::{Buffer, Region};
use crate::parallel;
use crate::parallel::Task;

/// Bytes of a task: large enough that its overhead is negligible, small enough that all cores finish together.
const TASK_NBYTES: usize = 1 << 20;

/// One column of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockColumn<'f> {
    pub(super) block: &'f Block,
    pub(super) column: usize,
}

/// The cells of one column.
struct CellRows<'f> {
    bytes: &'f [u8],
    grid: Grid,
}

/// Cells and the memory they are copied to.
type CellCopy<'f, 'o> = (CellRows<'f>, &'o mut [u8]);

fn task<'a>(copies: Vec<CellCopy<'a, 'a>>, nbytes: usize, item: usize) -> Task<'a> {
    Task::new(nbytes, move || copies.into_iter().try_for_each(|(cells, to)| cells.copy(to, item)))
}

impl CellRows<'_> {
    fn copy(&self, to: &mut [u8], item: usize) -> Result<()> {
        let width = self.grid.dtype.itemsize as usize;
        let outside = || Error::malformed("frame", "a block passes its memory.");
        if width == item && self.grid.is_column_major() {
            let (low, high) = self.grid.extent();
            let from = self.bytes.get(low..high).filter(|from| from.len() == to.len()).ok_or_else(outside)?;
            to.copy_from_slice(from);
            return Ok(());
        }
        if item == 0 {
            return Ok(());
        }
        let stride = self.grid.row_stride;
        let mut offset = self.grid.offset;
        for cell in to.chunks_exact_mut(item) {
            let from = self.bytes.get(offset..offset + width).ok_or_else(outside)?;
            // With a constant width the compiler emits a move instead of a call of memcpy.
            match (from.len(), cell.len()) {
                (8, 8) => cell.first_chunk_mut::<8>().zip(from.first_chunk()).map(|(c, f)| *c = *f),
                (4, 4) => cell.first_chunk_mut::<4>().zip(from.first_chunk()).map(|(c, f)| *c = *f),
                (narrow, _) => cell.split_at_mut_checked(narrow).map(|(front, back)| {
                    front.copy_from_slice(from);
                    back.fill(0);
                }),
            }
            .ok_or_else(outside)?;
            offset = offset.wrapping_add_signed(stride);
        }
        Ok(())
    }
}

/// Joins the pieces of each column into one column-major block of `dtype`. A piece may be narrower than `dtype` if padding
/// with zeros widens it (fixed-width text and bytes).
pub(super) fn join(dtype: DType, nrows: usize, columns: Vec<Vec<BlockColumn<'_>>>) -> Result<Block> {
    let item = dtype.itemsize as usize;
    let nbytes = item.checked_mul(nrows).and_then(|n| n.checked_mul(columns.len()));
    let nbytes = nbytes.filter(|&n| isize::try_from(n).is_ok()).ok_or_else(|| {
        let message =
            format!("{} columns of {nrows} rows of {} pass the address space.", columns.len(), dtype.descr());
        Error::limit("frame", message)
    })?;
    let grid = Grid::column_major(dtype, nrows, columns.len(), 0);
    let mut region = Region::allocate(nbytes)?;
    let mut rest = region.as_mut_slice();
    let mut tasks = Vec::new();
    let mut batch: Vec<CellCopy<'_, '_>> = Vec::new();
    let mut batch_nbytes = 0;
    for piece in columns.into_iter().flatten() {
        let mut rows = 0..piece.block.grid.nrows;
        while !rows.is_empty() {
            // A long piece is split, so that all cores copy a single tall column.
            let count = rows.len().min((TASK_NBYTES / item.max(1)).max(1));
            let Some((to, left)) = rest.split_at_mut_checked(count * item) else {
                return Err(Error::malformed("frame", "the frames have more rows than they declare."));
            };
            rest = left;
            let grid = piece.block.grid.rows(rows.start, rows.start + count);
            rows.start += count;
            batch.push((
                CellRows { bytes: piece.block.buffer.as_slice(), grid: grid.columns(piece.column, 1, 1) },
                to,
            ));
            batch_nbytes += count * item;
            if batch_nbytes >= TASK_NBYTES {
                tasks.push(task(std::mem::take(&mut batch), batch_nbytes, item));
                batch_nbytes = 0;
            }
        }
    }
    tasks.push(task(batch, batch_nbytes, item));
    parallel::run_on_all_cores(tasks)?;
    Block::new(grid, Buffer::from_region(region.finish(), true))
        .ok_or_else(|| Error::malformed("frame", "the joined block passes its memory."))
}
