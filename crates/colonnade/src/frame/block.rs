//! Blocks: 2-D regions of one fixed-width dtype.

use crate::memory::Buffer;

use super::{ByteOrder, DType, Kind};

/// Where the cells of a block lie, apart from the bytes themselves: offsets and strides count bytes.
///
/// A column is a strided 1-D view. Any strides are legal: row-major, column-major, and columns that stand at a constant
/// distance in a mapped file are all one grid.
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
        // Types of no width can claim any number of cells.
        self.nrows.saturating_mul(self.width).saturating_mul(self.dtype.itemsize as usize)
    }

    /// Whether columns follow each other and rows are packed (as every single packed column does).
    #[must_use]
    pub fn is_column_major(&self) -> bool {
        let item = as_stride(self.dtype.itemsize as usize);
        (self.nrows <= 1 || self.row_stride == item)
            && (self.width <= 1 || self.col_stride == item * as_stride(self.nrows))
    }

    /// Whether rows follow each other and columns are packed.
    #[must_use]
    pub fn is_row_major(&self) -> bool {
        let item = as_stride(self.dtype.itemsize as usize);
        (self.width <= 1 || self.col_stride == item)
            && (self.nrows <= 1 || self.row_stride == item * as_stride(self.width))
    }

    /// Bytes from the lowest to past the highest cell, as offsets; empty where there is no cell.
    #[must_use]
    pub fn extent(&self) -> (usize, usize) {
        if self.nrows == 0 || self.width == 0 {
            return (self.offset, self.offset);
        }
        let (mut low, mut high) = (self.offset, self.offset + self.dtype.itemsize as usize);
        for (stride, count) in [(self.row_stride, self.nrows), (self.col_stride, self.width)] {
            let reach = stride.unsigned_abs() * (count - 1);
            if stride < 0 { low -= reach } else { high += reach }
        }
        (low, high)
    }

    /// Some columns: `count` of them from `first`, every `step`th.
    #[must_use]
    pub fn columns(&self, first: usize, count: usize, step: isize) -> Self {
        Self {
            width: count,
            col_stride: self.col_stride * step,
            offset: moved(self.offset, self.col_stride, first),
            ..*self
        }
    }

    /// Rows `start..stop`.
    #[must_use]
    pub fn rows(&self, start: usize, stop: usize) -> Self {
        Self { nrows: stop - start, offset: moved(self.offset, self.row_stride, start), ..*self }
    }

    /// Offset of the first cell of a column.
    #[must_use]
    pub fn column_offset(&self, column: usize) -> usize {
        moved(self.offset, self.col_stride, column)
    }
}

/// `count` strides further.
pub(super) fn moved(offset: usize, stride: isize, count: usize) -> usize {
    let reach = stride.unsigned_abs() * count;
    if stride < 0 { offset - reach } else { offset + reach }
}

/// A size in memory as a stride; sizes in memory never pass `isize::MAX`.
pub(crate) fn as_stride(nbytes: usize) -> isize {
    isize::try_from(nbytes).unwrap_or(isize::MAX)
}

/// A grid and its bytes.
#[derive(Debug, Clone)]
pub struct Block {
    /// Where the cells lie in `buffer`.
    pub grid: Grid,
    /// The bytes.
    pub buffer: Buffer,
}

impl Block {
    /// A block; `None` where the grid passes the buffer's ends.
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

    /// The cells of the first column as text, where they are little-endian `<U` strings.
    #[must_use]
    pub fn strings(&self) -> Option<Vec<String>> {
        if self.grid.dtype.kind != Kind::Unicode || self.grid.dtype.order == ByteOrder::Big {
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

    /// The cells' bytes where they lie packed, column by column or row by row; else `None`.
    #[must_use]
    pub fn packed(&self) -> Option<&[u8]> {
        let (low, high) = self.grid.extent();
        (self.grid.is_column_major() || self.grid.is_row_major())
            .then(|| self.buffer.as_slice().get(low..high))
            .flatten()
    }
}
