//! Copies columns with gaps between their cells to packed memory.

use arrow_buffer::{Buffer, MutableBuffer};

use crate::error::Result;
use crate::frame::{Block, ByteOrder, Grid};
use crate::memory::Region;

/// The number of columns that are filled together. Each row reads one or two cache lines for them, and each column writes
/// its own line, which stays in L1 until it is full.
const TILE_COLUMNS: usize = 16;

/// From this size on the memory is a region, which is recycled: fresh pages cost more than the copy.
const REGION_FROM_NBYTES: usize = 1 << 20;

/// Copies all columns of `block` to packed memory, one after the other, in native byte order.
///
/// # Errors
/// Errors of the operating system: no memory.
pub(crate) fn packed(block: &Block) -> Result<Buffer> {
    let nbytes = block.grid.nbytes();
    if nbytes >= REGION_FROM_NBYTES {
        let mut region = Region::allocate(nbytes)?;
        fill(block, region.as_mut_slice());
        return Ok(crate::memory::Buffer::from_region(region.finish(), false).to_arrow());
    }
    let mut out = MutableBuffer::from_len_zeroed(nbytes);
    fill(block, &mut out);
    Ok(out.into())
}

fn fill(block: &Block, out: &mut [u8]) {
    let grid = &block.grid;
    let (low, high) = grid.extent();
    // `Block::new` has checked the extent; the code below relies on it.
    if low > high || high > block.buffer.nbytes() {
        return;
    }
    let bytes = block.buffer.as_slice();
    match grid.dtype.itemsize {
        1 => tiles::<1>(grid, bytes, out),
        2 => tiles::<2>(grid, bytes, out),
        4 => tiles::<4>(grid, bytes, out),
        8 => tiles::<8>(grid, bytes, out),
        16 => tiles::<16>(grid, bytes, out),
        0 => {}
        item => cells(grid, bytes, out, item as usize),
    }
    if grid.dtype.order == ByteOrder::Big {
        swap(out, grid.dtype.alignment());
    }
}

/// Copies cells of any width.
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

/// Copies cells of `N` bytes, one register each.
fn tiles<const N: usize>(grid: &Grid, bytes: &[u8], out: &mut [u8]) {
    let nrows = grid.nrows;
    let ncells = nrows.saturating_mul(grid.width);
    let Some(targets) = out.as_chunks_mut::<N>().0.get_mut(..ncells) else { return };
    if ncells == 0 {
        return;
    }
    let row_major = grid.col_stride.unsigned_abs() < grid.row_stride.unsigned_abs();
    let tile = if row_major { TILE_COLUMNS } else { 1 };
    for (i, targets) in targets.chunks_mut(nrows * tile).enumerate() {
        let width = tile.min(grid.width.saturating_sub(i * tile));
        let first = grid.columns(i * tile, width, 1).offset;
        // SAFETY: `fill` has checked that the grid's extent lies inside `bytes`. `first` is the offset of a cell, and `nrows` and `width`
        // steps stay among its rows and columns; only the last, unread step may leave them. The targets are one cell for each cell of
        // the grid, and this chunk has `width` times `nrows` of them. Cells are arrays of bytes: any address is aligned.
        unsafe {
            let source = bytes.as_ptr().add(first);
            let target = targets.as_mut_ptr();
            for row in 0..nrows {
                let mut from = source.wrapping_offset(grid.row_stride * row.cast_signed());
                for column in 0..width {
                    *target.add(column * nrows + row) = from.cast::<[u8; N]>().read();
                    from = from.wrapping_offset(grid.col_stride);
                }
            }
        }
    }
}

/// Reverses the bytes of each `unit`.
fn swap(bytes: &mut [u8], unit: usize) {
    fn reverse_cells<const N: usize>(bytes: &mut [u8]) {
        let (cells, _) = bytes.as_chunks_mut::<N>();
        cells.iter_mut().for_each(|cell| cell.reverse());
    }
    match unit {
        0 | 1 => {}
        2 => reverse_cells::<2>(bytes),
        4 => reverse_cells::<4>(bytes),
        8 => reverse_cells::<8>(bytes),
        16 => reverse_cells::<16>(bytes),
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
                let got = packed(&block).unwrap();
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
