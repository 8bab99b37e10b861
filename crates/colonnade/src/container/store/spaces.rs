//! The loaded bytes of both spaces, and the blocks, columns and axes in them.

use crate::container::members::assemble;
use crate::error::{Error, Result};
use crate::frame::cost::{SHARED, Sharing, may_share, unshared_nbytes};
use crate::frame::{Axis, Block, Column, Labels, Level};
use crate::limits::Budget;
use crate::memory::Buffer;

use super::frame_places::{AxisPlaces, range_mismatch};
use super::place::{ArrayPlace, ColumnPlace, LevelPlace, Space};

/// The bytes of both spaces.
pub(super) struct Spaces {
    source: Buffer,
    image: Buffer,
    /// Limits the unfolded size of columns whose rows share values.
    budget: Budget,
}

impl Spaces {
    /// The spaces of one load.
    pub(super) fn new(source: Buffer, image: Buffer, budget: Budget) -> Self {
        Self { source, image, budget }
    }

    fn buffer(&self, space: Space) -> &Buffer {
        match space {
            Space::Source => &self.source,
            Space::Image => &self.image,
        }
    }

    /// The block at a place.
    ///
    /// # Errors
    /// Malformed: the place is outside the file; `<U` cells with invalid code points.
    pub(super) fn block(&self, place: &ArrayPlace) -> Result<Block> {
        let buffer = self.buffer(place.space);
        let grid = place.grid;
        if grid.nbytes() == 0 {
            let empty = crate::frame::Grid { offset: 0, ..grid };
            return Ok(Block { grid: empty, buffer: Buffer::from_vec(Vec::new()) });
        }
        let block = Block::new(grid, buffer.clone()).ok_or_else(|| {
            let (low, high) = grid.extent();
            let message = format!(
                "expected an array at {low}..{high} within the file, found {} bytes.",
                buffer.nbytes()
            );
            Error::malformed("npz", message)
        })?;
        super::text::check(&block)?;
        Ok(block)
    }

    /// Rows of the column at a place. Large text is checked by up to `threads` threads.
    ///
    /// # Errors
    /// Malformed: buffers that contradict each other. `LimitExceeded`: shared values that need too much memory.
    pub(super) fn column(&self, place: &ColumnPlace, rows: (usize, usize), threads: usize) -> Result<Column> {
        let fetch = &mut |path: &str| {
            let Some(buffer) = place.buffers.get(path) else { return Ok(None) };
            let grid = buffer.place.grid;
            if grid.nbytes() == 0 {
                return Ok(Some((grid.dtype, Buffer::from_vec(Vec::new()))));
            }
            let block = self.block(&buffer.place)?;
            let (low, high) = block.grid.extent();
            Ok(block.buffer.slice(low, high - low).map(|bytes| (grid.dtype, bytes)))
        };
        let column = assemble(&place.spec, &place.projection, rows, fetch, threads)
            .map_err(|e| place.locate_error(e))?;
        if may_share(column.data.data_type(), Sharing::Views) {
            let nbytes = unshared_nbytes(&column.data, Sharing::Views);
            let charged = self.budget.charge("npz", SHARED, nbytes, column.len() as u64);
            charged.map_err(|e| place.locate_error(e))?;
        }
        Ok(column)
    }

    /// The axis at its places. `what` names it in errors.
    ///
    /// # Errors
    /// As [`Spaces::block`] and [`Spaces::column`]; malformed: stored labels that differ from their range.
    pub(super) fn axis(&self, places: &AxisPlaces, what: &str) -> Result<Axis> {
        let (axis, levels) = match places {
            AxisPlaces::Ready(axis) => return Ok(axis.clone()),
            AxisPlaces::Levels(axis, levels) | AxisPlaces::StoredRange(axis, levels) => (axis, levels),
        };
        let level = |place: &LevelPlace| match place {
            LevelPlace::Block(place) => self.block(place).map(Level::Block),
            LevelPlace::Column(column) => self.column(column, (0, column.spec.length), 1).map(Level::Column),
        };
        let levels = levels
            .iter()
            .map(level)
            .collect::<Result<Vec<_>>>()
            .map_err(|e| e.in_member(format!("{what} labels")))?;
        if let (AxisPlaces::StoredRange(..), Labels::Auto { start, step, count, .. }) = (places, &axis.labels)
        {
            let is_equal = levels.iter().all(|level| is_range(level, *start, *step));
            return if is_equal {
                Ok(axis.clone())
            } else {
                Err(range_mismatch(*count).in_member(format!("{what} labels")))
            };
        }
        Ok(Axis { labels: Labels::Levels(levels), ..axis.clone() })
    }
}

/// Whether a level of int64 counts from `start` in steps of `step`.
fn is_range(level: &Level, start: i64, step: i64) -> bool {
    let Level::Block(block) = level else { return false };
    let (low, high) = block.grid.extent();
    let Some(bytes) = block.buffer.slice(low, high - low) else { return false };
    let (labels, _) = bytes.as_slice().as_chunks::<8>();
    let mut expected = start;
    labels.len() == block.grid.nrows
        && labels.iter().all(|label| {
            let is_equal = i64::from_le_bytes(*label) == expected;
            expected = expected.wrapping_add(step);
            is_equal
        })
}
