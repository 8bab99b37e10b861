//! Refuses `<U` cells with invalid code points when they are read.

use crate::error::{Error, Result};
use crate::frame::{Block, ByteOrder, DTypeKind};

/// Refuses lone surrogates and code points above U+10FFFF in a block of strings.
pub(super) fn check(block: &Block) -> Result<()> {
    if block.grid.dtype.kind != DTypeKind::Unicode {
        return Ok(());
    }
    let big = block.grid.dtype.order == ByteOrder::Big;
    let item = block.grid.dtype.itemsize as usize;
    for column in 0..block.grid.width {
        let column = block.grid.columns(column, 1, 1);
        let packed = column.is_column_major().then(|| column.extent());
        if let Some((low, high)) = packed {
            let bytes = block.buffer.as_slice().get(low..high).unwrap_or(&[]);
            check_bytes(bytes, item, big)?;
            continue;
        }
        for row in 0..column.nrows {
            let offset = column.rows(row, row + 1).offset;
            let cell = block.buffer.as_slice().get(offset..offset + item).unwrap_or(&[]);
            check_bytes(cell, item, big).map_err(|e| e.at(offset as u64))?;
        }
    }
    Ok(())
}

/// Refuses invalid code points in cells of `item` bytes.
pub(super) fn check_bytes(bytes: &[u8], item: usize, big: bool) -> Result<()> {
    let (points, _) = bytes.as_chunks::<4>();
    let decode = |b: &[u8; 4]| if big { u32::from_be_bytes(*b) } else { u32::from_le_bytes(*b) };
    let is_invalid = |c: u32| c > 0x0010_FFFF || (c & 0xFFFF_F800) == 0xD800;
    // A pass without branches checks all code points. Only a failure needs the position.
    if !points.iter().fold(false, |invalid, b| invalid | is_invalid(decode(b))) {
        return Ok(());
    }
    let at = points.iter().position(|b| is_invalid(decode(b))).unwrap_or(0);
    let found = points.get(at).map_or(0, decode);
    let row = at * 4 / item.max(1);
    let message =
        format!("row {row}: expected a Unicode code point, found U+{found:04X}. Replace it before writing.");
    Err(Error::malformed("npy", message))
}

#[cfg(test)]
mod tests {
    use super::check_bytes;

    #[test]
    fn surrogates_and_points_beyond_unicode_are_refused() {
        let bytes = |points: &[u32]| points.iter().flat_map(|p| p.to_le_bytes()).collect::<Vec<u8>>();
        check_bytes(&bytes(&[0, 0x41, 0xD7FF, 0xE000, 0x0010_FFFF]), 4, false).unwrap();
        for bad in [0xD800, 0xDFFF, 0x0011_0000, u32::MAX] {
            let error = check_bytes(&bytes(&[0x41, 0x41, bad]), 8, false).unwrap_err();
            assert!(error.to_string().contains("row 1"), "{error}");
        }
    }
}
