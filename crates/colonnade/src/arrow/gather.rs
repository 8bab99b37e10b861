//! Columns that do not lie packed, copied so that they do.

use arrow_buffer::MutableBuffer;

use crate::frame::{Block, Grid};

/// Cells of a tile: a few cache lines of rows and of columns each, so that neither side of a transposing copy leaves L1.
const TILE_ROWS: usize = 256;
const TILE_COLUMNS: usize = 16;

/// All columns of `block`, packed one after the other, each cell's bytes as they are.
pub(super) fn packed(block: &Block) -> MutableBuffer {
    let grid = &block.grid;
    let mut out = MutableBuffer::from_len_zeroed(grid.nbytes());
    let (low, high) = grid.extent();
    // `Block::new` has proven it; what follows relies on it.
    if low > high || high > block.buffer.nbytes() {
        return out;
    }
    let bytes = block.buffer.as_slice();
    match grid.dtype.itemsize {
        1 => tiles::<1>(grid, bytes, &mut out),
        2 => tiles::<2>(grid, bytes, &mut out),
        4 => tiles::<4>(grid, bytes, &mut out),
        8 => tiles::<8>(grid, bytes, &mut out),
        16 => tiles::<16>(grid, bytes, &mut out),
        0 => {}
        item => cells(grid, bytes, &mut out, item as usize),
    }
    out
}

/// Cells of any width.
fn cells(grid: &Grid, bytes: &[u8], out: &mut [u8], item: usize) {
    let mut targets = out.chunks_exact_mut(item);
    for column in 0..grid.width {
        let column = grid.columns(column, 1, 1);
        for row in 0..grid.nrows {
            let offset = column.rows(row, row + 1).offset;
            if let (Some(target), Some(source)) = (targets.next(), bytes.get(offset..offset + item)) {
                target.copy_from_slice(source);
            }
        }
    }
}

/// Cells of `N` bytes: one register each.
fn tiles<const N: usize>(grid: &Grid, bytes: &[u8], out: &mut [u8]) {
    let nrows = grid.nrows;
    for top in (0..nrows).step_by(TILE_ROWS) {
        let rows = TILE_ROWS.min(nrows - top);
        for left in (0..grid.width).step_by(TILE_COLUMNS) {
            for column in left..(left + TILE_COLUMNS).min(grid.width) {
                let first = grid.columns(column, 1, 1).rows(top, top + rows).offset;
                let start = (column * nrows + top) * N;
                let Some(target) = out.get_mut(start..start + rows * N) else { return };
                let (targets, _) = target.as_chunks_mut::<N>();
                // SAFETY: `packed` has checked that the grid's extent lies inside `bytes`; `first` is a cell of it, and
                // `rows` steps of `row_stride` stay in its rows. Cells are arrays of bytes: any address is aligned.
                unsafe {
                    let mut source = bytes.as_ptr().add(first);
                    for target in targets {
                        *target = source.cast::<[u8; N]>().read();
                        source = source.wrapping_offset(grid.row_stride);
                    }
                }
            }
        }
    }
}

/// Turns the bytes of each `unit` around.
pub(super) fn swap(bytes: &mut [u8], unit: usize) {
    fn each<const N: usize>(bytes: &mut [u8]) {
        let (cells, _) = bytes.as_chunks_mut::<N>();
        cells.iter_mut().for_each(|cell| cell.reverse());
    }
    match unit {
        0 | 1 => {}
        2 => each::<2>(bytes),
        4 => each::<4>(bytes),
        8 => each::<8>(bytes),
        16 => each::<16>(bytes),
        _ => bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::DType;
    use crate::memory::Buffer;

    #[test]
    fn any_strides_become_columns() {
        let bytes: Vec<u8> = (0..=255).cycle().take(600 * 20 * 2 + 6).collect();
        for (descr, shift) in [("|u1", 0), ("<i2", 1), ("|S3", 0)] {
            let dtype = DType::parse(descr).unwrap();
            let item = dtype.itemsize as usize;
            let (nrows, width) = (bytes.len() / item / 21, 20);
            let forth = Grid::row_major(dtype, nrows, width, shift);
            let back =
                Grid { offset: forth.column_offset(width - 1), col_stride: -forth.col_stride, ..forth };
            for grid in [forth, back, forth.columns(1, 7, 2)] {
                let block = Block::new(grid, Buffer::from_vec(bytes.clone())).unwrap();
                let got = packed(&block);
                let mut expected = Vec::new();
                for column in 0..grid.width {
                    for row in 0..grid.nrows {
                        let offset = grid.columns(column, 1, 1).rows(row, row + 1).offset;
                        expected.extend_from_slice(&bytes[offset..offset + item]);
                    }
                }
                assert_eq!(got.as_slice(), expected);
            }
        }
        let mut cells = vec![1, 2, 3, 4];
        swap(&mut cells, 2);
        assert_eq!(cells, [2, 1, 4, 3]);
    }
}
