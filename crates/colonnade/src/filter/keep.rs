//! Copies chosen rows of a frame.

use arrow_array::{BooleanArray, make_array};
use arrow_buffer::BooleanBufferBuilder;
use arrow_data::ArrayData;
use arrow_select::filter::{FilterBuilder, FilterPredicate};

use crate::error::{Error, Result};
use crate::frame::{Axis, Block, Column, Frame, Grid, Labels, Level, Part};
use crate::memory::{Buffer, Region};
use crate::parallel::{self, Task};
use crate::progress::Progress;

/// Columns of a row-major block that are copied together, as their cells share cache lines.
const TILE_COLUMNS: usize = 16;

/// From this size on the memory is a region, which is recycled.
const REGION_FROM_NBYTES: usize = 1 << 20;

impl Frame {
    /// The rows at `positions`, which ascend; adjacent rows are not copied. `index`: other labels for them. A range 0, 1, 2... is
    /// counted anew.
    ///
    /// # Errors
    /// `NotFound`: positions that do not ascend, or exceed the frame. Out of memory; cancellation.
    pub fn keep(
        &self,
        positions: &[usize],
        index: Option<Axis>,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let ascends = positions.is_sorted_by(|a, b| a < b);
        let (first, stop) = (positions.first().copied().unwrap_or(0), positions.last().map_or(0, |p| p + 1));
        if !ascends || stop > self.nrows {
            return Err(Error::not_found(
                "filters",
                format!("expected rows below {}, in order.", self.nrows),
            ));
        }
        let index = match (index, &self.index.labels) {
            (Some(index), _) => index,
            (None, Labels::Auto { start: 0, step: 1, .. }) => {
                Axis { labels: Axis::range(positions.len()).labels, ..self.index.clone() }
            }
            (None, Labels::Auto { .. }) => self.index.select(positions)?,
            (None, Labels::Levels(_)) if stop - first == positions.len() => self.index.slice(first, stop),
            (None, Labels::Levels(levels)) => {
                let rows = KeptRows::new(positions, self.nrows, threads);
                let levels = levels.iter().map(|level| rows.level(level, progress)).collect::<Result<_>>()?;
                Axis { labels: Labels::Levels(levels), ..self.index.clone() }
            }
        };
        if stop - first == positions.len() {
            return Ok(Self { index, ..self.slice(first, stop) });
        }
        let rows = KeptRows::new(positions, self.nrows, threads);
        let tasks = self.parts.iter().enumerate().filter_map(|(i, part)| match part {
            Part::Column(column, _) => Some((column.nbytes(), (i, column))),
            Part::Block(..) => None,
        });
        let rows = &rows;
        let tasks = tasks.map(|(nbytes, (i, column))| (nbytes, move || Ok((i, rows.column(column)?))));
        let mut columns = parallel::map(tasks.collect(), threads, progress)?;
        columns.sort_unstable_by_key(|(i, _)| *i);
        let mut columns = columns.into_iter().map(|(_, column)| column);
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            match part {
                Part::Block(block, at) => parts.push(Part::Block(rows.block(block, progress)?, at.clone())),
                Part::Column(_, at) => parts.extend(columns.next().map(|column| Part::Column(column, *at))),
            }
        }
        Self::new(index, self.columns.clone(), parts, self.tags.clone())
    }
}

/// The rows to copy.
pub(crate) struct KeptRows<'a> {
    positions: &'a [usize],
    predicate: FilterPredicate,
    threads: usize,
}

impl<'a> KeptRows<'a> {
    /// `positions` ascend, below `nrows`.
    pub(crate) fn new(positions: &'a [usize], nrows: usize, threads: usize) -> Self {
        let mut bits = BooleanBufferBuilder::new(nrows);
        bits.append_n(nrows, false);
        for position in positions {
            bits.set_bit(*position, true);
        }
        let predicate = FilterBuilder::new(&BooleanArray::new(bits.finish(), None)).optimize().build();
        Self { positions, predicate, threads }
    }

    fn level(&self, level: &Level, progress: &dyn Progress) -> Result<Level> {
        Ok(match level {
            Level::Block(block) => Level::Block(self.block(block, progress)?),
            Level::Column(column) => Level::Column(self.column(column)?),
        })
    }

    fn column(&self, column: &Column) -> Result<Column> {
        Ok(Column { data: self.data(column.data.clone())?, exclusive: true, ..column.clone() })
    }

    /// Copies the rows of a column.
    ///
    /// # Errors
    /// Types that Arrow does not filter.
    pub(crate) fn data(&self, data: ArrayData) -> Result<ArrayData> {
        let kept = self.predicate.filter(&make_array(data));
        Ok(kept.map_err(|e| Error::malformed("filters", e.to_string()))?.to_data())
    }

    /// Copies the rows of a block to a column-major one.
    ///
    /// # Errors
    /// Out of memory; cancellation.
    pub(crate) fn block(&self, block: &Block, progress: &dyn Progress) -> Result<Block> {
        let grid = block.grid;
        let target = Grid::column_major(grid.dtype, self.positions.len(), grid.width, 0);
        let buffer = match target.nbytes() {
            0 => Buffer::from_vec(Vec::new()),
            nbytes if nbytes < REGION_FROM_NBYTES => {
                let mut out = vec![0; nbytes];
                self.copy(block, &mut out, progress)?;
                Buffer::from_vec(out)
            }
            nbytes => {
                let mut region = Region::allocate(nbytes)?;
                self.copy(block, region.as_mut_slice(), progress)?;
                Buffer::from_region(region.finish(), true)
            }
        };
        Block::new(target, buffer).ok_or_else(|| Error::too_large("filters"))
    }

    fn copy(&self, block: &Block, out: &mut [u8], progress: &dyn Progress) -> Result<()> {
        let grid = block.grid;
        let one = self.positions.len() * grid.dtype.itemsize as usize;
        let is_row_major = grid.col_stride.unsigned_abs() < grid.row_stride.unsigned_abs();
        let tile = if is_row_major { TILE_COLUMNS } else { 1 };
        let tasks = out.chunks_mut(one * tile).enumerate().map(|(i, out)| {
            let tile = grid.columns(i * tile, out.len() / one, 1);
            Task::new(out.len(), move || {
                match grid.dtype.itemsize {
                    1 => self.cells::<1>(tile, block, out),
                    2 => self.cells::<2>(tile, block, out),
                    4 => self.cells::<4>(tile, block, out),
                    8 => self.cells::<8>(tile, block, out),
                    16 => self.cells::<16>(tile, block, out),
                    _ => self.wide_cells(tile, block, out),
                }
                Ok(())
            })
        });
        parallel::run(tasks.collect(), self.threads, progress)
    }

    /// Copies cells of `N` bytes, one register each.
    fn cells<const N: usize>(&self, grid: Grid, block: &Block, out: &mut [u8]) {
        let bytes = block.buffer.as_slice();
        let (targets, _) = out.as_chunks_mut::<N>();
        let count = self.positions.len();
        for (k, position) in self.positions.iter().enumerate() {
            let row = grid.rows(*position, position + 1);
            for column in 0..grid.width {
                let cell = bytes.get(row.column_offset(column)..).and_then(|rest| rest.first_chunk::<N>());
                if let (Some(target), Some(cell)) = (targets.get_mut(column * count + k), cell) {
                    *target = *cell;
                }
            }
        }
    }

    /// Copies cells of any width.
    fn wide_cells(&self, grid: Grid, block: &Block, out: &mut [u8]) {
        let (bytes, item) = (block.buffer.as_slice(), grid.dtype.itemsize as usize);
        let mut targets = out.chunks_exact_mut(item);
        for column in 0..grid.width {
            for position in self.positions {
                let offset = grid.rows(*position, position + 1).column_offset(column);
                if let (Some(target), Some(cell)) = (targets.next(), bytes.get(offset..offset + item)) {
                    target.copy_from_slice(cell);
                }
            }
        }
    }
}
