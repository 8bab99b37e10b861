//! Blocks: 2-D regions of one fixed-width dtype.

use crate::memory::Buffer;

use super::{ByteOrder, DType, DTypeKind};

/// The positions of a block's cells in its buffer. Offsets and strides count bytes.
///
/// A column is a strided 1-D view, and any strides are legal. So row-major blocks, column-major blocks and columns at a
/// constant distance in a mapped file are all grids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// The cells' type.
    pub dtype: DType,
    /// Rows.
    pub nrows: usize,
    /// Columns.
    pub width: usize,
    /// Bytes from a row to the next.
    pub row_stride: isize,
    /// Bytes from a column to the next.
    pub col_stride: isize,
    /// Offset of the first cell.
    pub offset: usize,
}

impl Grid {
    /// Columns one after the other, rows packed.
    #[must_use]
    pub fn column_major(dtype: DType, nrows: usize, width: usize, offset: usize) -> Self {
        let item = as_stride(dtype.itemsize as usize);
        let col_stride = item.saturating_mul(as_stride(nrows));
        Self { dtype, nrows, width, row_stride: item, col_stride, offset }
    }

    /// Rows one after the other, columns packed.
    #[must_use]
    pub fn row_major(dtype: DType, nrows: usize, width: usize, offset: usize) -> Self {
        let item = as_stride(dtype.itemsize as usize);
        Self {
            dtype,
            nrows,
            width,
            row_stride: item.saturating_mul(as_stride(width)),
            col_stride: item,
            offset,
        }
    }

    /// Bytes of all cells.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        // A file can declare any number of cells of no width, so the product may overflow.
        self.nrows.saturating_mul(self.width).saturating_mul(self.dtype.itemsize as usize)
    }

    /// Whether columns are adjacent and rows packed. A single packed column is column-major.
    #[must_use]
    pub fn is_column_major(&self) -> bool {
        let item = as_stride(self.dtype.itemsize as usize);
        (self.nrows <= 1 || self.row_stride == item)
            && (self.width <= 1 || self.col_stride == item * as_stride(self.nrows))
    }

    /// Whether rows are adjacent and columns packed.
    #[must_use]
    pub fn is_row_major(&self) -> bool {
        let item = as_stride(self.dtype.itemsize as usize);
        (self.width <= 1 || self.col_stride == item)
            && (self.nrows <= 1 || self.row_stride == item * as_stride(self.width))
    }

    /// The range of offsets from the lowest cell to the end of the highest one; empty without cells. If a cell is outside the address
    /// space, the range is all of it, which no buffer holds.
    #[must_use]
    pub fn extent(&self) -> (usize, usize) {
        if self.nrows == 0 || self.width == 0 {
            return (self.offset, self.offset);
        }
        self.extent_of_cells().unwrap_or((0, usize::MAX))
    }

    fn extent_of_cells(&self) -> Option<(usize, usize)> {
        let (mut low, mut high) = (self.offset, self.offset.checked_add(self.dtype.itemsize as usize)?);
        for (stride, count) in [(self.row_stride, self.nrows), (self.col_stride, self.width)] {
            let reach = stride.unsigned_abs().checked_mul(count.checked_sub(1)?)?;
            if stride < 0 {
                low = low.checked_sub(reach)?;
            } else {
                high = high.checked_add(reach)?;
            }
        }
        Some((low, high))
    }

    /// `count` columns from `first`, every `step`th.
    #[must_use]
    pub fn columns(&self, first: usize, count: usize, step: isize) -> Self {
        Self {
            width: count,
            col_stride: self.col_stride * step,
            offset: advance(self.offset, self.col_stride, first),
            ..*self
        }
    }

    /// Rows `start..stop`.
    #[must_use]
    pub fn rows(&self, start: usize, stop: usize) -> Self {
        Self { nrows: stop - start, offset: advance(self.offset, self.row_stride, start), ..*self }
    }

    /// Offset of the first cell of a column.
    #[must_use]
    pub fn column_offset(&self, column: usize) -> usize {
        advance(self.offset, self.col_stride, column)
    }
}

/// The offset `count` strides further.
pub(super) fn advance(offset: usize, stride: isize, count: usize) -> usize {
    let reach = stride.unsigned_abs() * count;
    // A grid without rows has no bytes, so its offset may be smaller than its strides reach back.
    if stride < 0 { offset.saturating_sub(reach) } else { offset + reach }
}

/// Converts a size to a stride. Sizes in memory never exceed `isize::MAX`.
pub(crate) fn as_stride(nbytes: usize) -> isize {
    isize::try_from(nbytes).unwrap_or(isize::MAX)
}

/// A grid and its bytes.
#[derive(Debug, Clone)]
pub struct Block {
    /// The positions of the cells in `buffer`.
    pub grid: Grid,
    /// The bytes.
    pub buffer: Buffer,
}

impl Block {
    /// A block; `None` if the grid exceeds the buffer.
    #[must_use]
    pub fn new(grid: Grid, buffer: Buffer) -> Option<Self> {
        let (low, high) = grid.extent();
        (low <= high && high <= buffer.nbytes()).then_some(Self { grid, buffer })
    }

    /// One of its columns.
    #[must_use]
    pub fn column(&self, column: usize) -> Self {
        Self { grid: self.grid.columns(column, 1, 1), buffer: self.buffer.clone() }
    }

    /// The cells of the first column as text; `None` unless they are little-endian `<U` strings.
    #[must_use]
    pub fn strings(&self) -> Option<Vec<String>> {
        if self.grid.dtype.kind != DTypeKind::Unicode || self.grid.dtype.order == ByteOrder::Big {
            return None;
        }
        let item = self.grid.dtype.itemsize as usize;
        let cell = |row: usize| {
            let offset = self.grid.rows(row, row + 1).offset;
            let (points, _) = self.buffer.as_slice().get(offset..offset + item)?.as_chunks::<4>();
            let used = points.iter().rposition(|p| *p != [0; 4]).map_or(0, |last| last + 1);
            points.iter().take(used).map(|p| char::from_u32(u32::from_le_bytes(*p))).collect()
        };
        (0..self.grid.nrows).map(cell).collect()
    }

    /// The cells' bytes, column by column or row by row; `None` unless they are packed.
    #[must_use]
    pub fn packed(&self) -> Option<&[u8]> {
        let (low, high) = self.grid.extent();
        (self.grid.is_column_major() || self.grid.is_row_major())
            .then(|| self.buffer.as_slice().get(low..high))
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_buffer_holds_cells_outside_the_address_space() {
        let grid = Grid::column_major(DType::parse("<f8").unwrap(), 1, 1, 0);
        let quarter = isize::MAX / 2 + 1;
        let most = usize::MAX / 8 + 2;
        for grid in [
            // The bytes to the last cell are 2^64, which wraps to 0.
            Grid { nrows: 5, row_stride: quarter, ..grid },
            Grid { nrows: 5, row_stride: -quarter, ..grid },
            Grid { nrows: most, row_stride: 8, ..grid },
            Grid { width: most, col_stride: -8, ..grid },
            // Below the buffer, and past the last address.
            Grid { nrows: 2, row_stride: -8, ..grid },
            Grid { offset: usize::MAX - 3, ..grid },
        ] {
            assert!(Block::new(grid, Buffer::from_vec(vec![0; 64])).is_none(), "{grid:?}");
        }
        assert!(Block::new(Grid { offset: 56, ..grid }, Buffer::from_vec(vec![0; 64])).is_some());
        assert!(Block::new(Grid { nrows: 0, ..grid }, Buffer::from_vec(Vec::new())).is_some());
    }
}
