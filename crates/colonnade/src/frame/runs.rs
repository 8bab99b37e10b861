//! Runs: adjacent columns that form one packed array in memory, even if they belong to different parts.

use crate::error::Result;

use super::block::as_stride;
use super::{Block, Column, Frame, Grid, Part, Slot};

/// One or more adjacent columns of a frame.
#[derive(Debug)]
pub enum AdjacentColumns<'f> {
    /// One column, or several that form a packed 2-D array.
    Block(Block),
    /// A column in Arrow's layout.
    Column(&'f Column),
}

impl AdjacentColumns<'_> {
    /// Number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        match self {
            Self::Block(block) => block.grid.width,
            Self::Column(_) => 1,
        }
    }
}

impl Frame {
    /// The frame's runs, left to right. Columns of different `kind` never share a run.
    ///
    /// # Errors
    /// Malformed: the parts do not cover the frame.
    pub fn runs(&self, kind: &dyn Fn(usize) -> usize) -> Result<Vec<AdjacentColumns<'_>>> {
        let slots = self.slots()?;
        // Fast path: a matrix is one run.
        if let [Part::Block(block, _)] = self.parts.as_slice()
            && self.ncols > 0
            && slots.iter().enumerate().all(|(i, s)| i == s.column)
            && (block.grid.is_column_major() || block.grid.is_row_major())
            && (1..self.ncols).all(|position| kind(position) == kind(0))
        {
            return Ok(vec![AdjacentColumns::Block(block.clone())]);
        }
        let mut out = Vec::with_capacity(slots.len().min(1 << 16));
        let mut position = 0;
        while let Some(slot) = slots.get(position) {
            let run = match self.parts.get(slot.part) {
                Some(Part::Column(column, _)) => AdjacentColumns::Column(column),
                Some(Part::Block(block, _)) => {
                    AdjacentColumns::Block(self.longest_run(block, &slots, position, kind))
                }
                None => break,
            };
            position += run.width();
            out.push(run);
        }
        Ok(out)
    }

    /// The longest packed array that starts with the column at `position`.
    fn longest_run(
        &self,
        block: &Block,
        slots: &[Slot],
        position: usize,
        kind: &dyn Fn(usize) -> usize,
    ) -> Block {
        let first = slots.get(position).map_or(0, |s| s.column);
        let column = block.grid.columns(first, 1, 1);
        let item = as_stride(column.dtype.itemsize as usize);
        let (width, col_stride) = match self.neighbour(block, &column, slots.get(position + 1)) {
            // With at most one row the columns are adjacent in either order.
            Some(distance)
                if distance == item * as_stride(column.nrows)
                    && (column.row_stride == item || column.nrows <= 1) =>
            {
                (usize::MAX, distance)
            }
            Some(distance) if distance == item && item > 0 && column.row_stride % item == 0 => {
                (usize::try_from(column.row_stride / item).unwrap_or(1), distance)
            }
            _ => (1, column.col_stride),
        };
        let same_kind = kind(position);
        let mut count = 1;
        while count < width && kind(position + count) == same_kind {
            let last = Grid { offset: super::block::advance(column.offset, col_stride, count - 1), ..column };
            if self.neighbour(block, &last, slots.get(position + count)) != Some(col_stride) {
                break;
            }
            count += 1;
        }
        let run = Grid { width: count, col_stride, ..column };
        // Some columns of a row-major array are not packed.
        let grid = if run.is_column_major() || run.is_row_major() { run } else { column };
        Block { grid, buffer: block.buffer.clone() }
    }

    /// Bytes from a column to the one at `slot`; `None` unless both have the same dtype, stride and buffer.
    fn neighbour(&self, block: &Block, column: &Grid, slot: Option<&Slot>) -> Option<isize> {
        let slot = slot?;
        let Some(Part::Block(other, _)) = self.parts.get(slot.part) else { return None };
        let same_layout = other.grid.dtype == column.dtype
            && other.grid.row_stride == column.row_stride
            && other.buffer.owner_id() == block.buffer.owner_id()
            && other.buffer.as_ptr() == block.buffer.as_ptr();
        let next = as_stride(other.grid.column_offset(slot.column));
        same_layout.then(|| next - as_stride(column.offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Axis, DType, Tags};
    use crate::memory::Buffer;

    fn frame(grids: &[(Grid, &[usize])], nrows: usize, ncols: usize) -> Frame {
        let buffer = Buffer::from_vec(vec![0; 4096]);
        let part = |(grid, at): &(Grid, &[usize])| {
            Part::Block(Block::new(*grid, buffer.clone()).unwrap(), at.to_vec())
        };
        let parts = grids.iter().map(part).collect();
        Frame::new(Axis::range(nrows), Axis::range(ncols), parts, Tags::default()).unwrap()
    }

    fn widths(frame: &Frame) -> Vec<usize> {
        frame.runs(&|_| 0).unwrap().iter().map(AdjacentColumns::width).collect()
    }

    #[test]
    fn strided_blocks_of_row_major_pairs_are_joined() {
        let dtype = DType::parse("<i8").unwrap();
        let member = Grid::row_major(dtype, 5, 2, 64);
        let column = |i: usize| Grid { width: 3, col_stride: 192, ..member.columns(i, 1, 1) };
        let frame = frame(&[(column(0), &[0, 2, 4]), (column(1), &[1, 3, 5])], 5, 6);
        assert_eq!(widths(&frame), [2, 2, 2]);
    }

    #[test]
    fn distant_or_different_columns_stay_separate() {
        let dtype = DType::parse("<i8").unwrap();
        let apart = Grid { col_stride: 192, ..Grid::column_major(dtype, 5, 4, 0) };
        assert_eq!(widths(&frame(&[(apart, &[0, 1, 2, 3])], 5, 4)), [1, 1, 1, 1]);
        let packed = frame(&[(Grid::column_major(dtype, 5, 4, 0), &[0, 1, 2, 3])], 5, 4);
        assert_eq!(widths(&packed), [4]);
        let kinds: Vec<usize> = packed.runs(&|p| p / 3).unwrap().iter().map(AdjacentColumns::width).collect();
        assert_eq!(kinds, [3, 1]);
        let part = frame(&[(Grid::row_major(dtype, 5, 4, 0).columns(1, 2, 1), &[0, 1])], 5, 2);
        assert_eq!(widths(&part), [1, 1]);
    }
}
