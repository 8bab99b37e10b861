//! Columns of blocks joined: each cell is copied once, to where it stays.

use crate::error::{Error, Result};
use crate::frame::{Block, DType, Grid};
use crate::memory::{Buffer, Region};
use crate::parallel;
use crate::parallel::Task;

/// Bytes of a task: large enough that starting it costs nothing, small enough that all cores end together.
const TASK_NBYTES: usize = 1 << 20;

/// One column of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strip<'f> {
    pub(super) block: &'f Block,
    pub(super) column: usize,
}

/// Cells of one column.
struct Cells<'f> {
    bytes: &'f [u8],
    grid: Grid,
}

/// Cells and the room for them.
type Copy<'f, 'o> = (Cells<'f>, &'o mut [u8]);

fn task<'a>(copies: Vec<Copy<'a, 'a>>, nbytes: usize, item: usize) -> Task<'a> {
    Task::new(nbytes, move || copies.into_iter().try_for_each(|(cells, to)| cells.copy(to, item)))
}

impl Cells<'_> {
    fn copy(&self, to: &mut [u8], item: usize) -> Result<()> {
        let own = self.grid.dtype.itemsize as usize;
        let outside = || Error::malformed("frame", "a block passes its memory.");
        if own == item && self.grid.is_column_major() {
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
            let from = self.bytes.get(offset..offset + own).ok_or_else(outside)?;
            // The common widths as constants: a move each instead of a call of memcpy.
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

/// Columns, each given as the strips of all frames, as one column-major block of `dtype`. Strips may be narrower than
/// `dtype` where padding with zeros widens them (fixed-width text and bytes).
pub(super) fn join(dtype: DType, nrows: usize, columns: Vec<Vec<Strip<'_>>>) -> Result<Block> {
    let item = dtype.itemsize as usize;
    let nbytes = item.checked_mul(nrows).and_then(|n| n.checked_mul(columns.len()));
    let nbytes = nbytes.filter(|&n| isize::try_from(n).is_ok()).ok_or_else(|| {
        let message =
            format!("{} columns of {nrows} rows of {} pass the address space.", columns.len(), dtype.descr());
        Error::limit("frame", message)
    })?;
    let grid = Grid::column_major(dtype, nrows, columns.len(), 0);
    let mut region = Region::allocate(nbytes, nbytes < TASK_NBYTES)?;
    let mut rest = region.as_mut_slice();
    let mut tasks = Vec::new();
    let mut batch: Vec<Copy<'_, '_>> = Vec::new();
    let mut held = 0;
    for strip in columns.into_iter().flatten() {
        let mut rows = 0..strip.block.grid.nrows;
        while !rows.is_empty() {
            // A long strip is cut, so that one tall column too is copied by all cores.
            let count = rows.len().min((TASK_NBYTES / item.max(1)).max(1));
            let Some((to, left)) = rest.split_at_mut_checked(count * item) else {
                return Err(Error::malformed("frame", "the frames have more rows than they say."));
            };
            rest = left;
            let grid = strip.block.grid.rows(rows.start, rows.start + count);
            rows.start += count;
            batch.push((
                Cells { bytes: strip.block.buffer.as_slice(), grid: grid.columns(strip.column, 1, 1) },
                to,
            ));
            held += count * item;
            if held >= TASK_NBYTES {
                tasks.push(task(std::mem::take(&mut batch), held, item));
                held = 0;
            }
        }
    }
    tasks.push(task(batch, held, item));
    parallel::run_on_all_cores(tasks)?;
    Block::new(grid, Buffer::from_region(region.finish(), true))
        .ok_or_else(|| Error::malformed("frame", "the joined block passes its memory."))
}
