//! A column as the leaf that it is in the file: values of NumPy where they lie, all others as arrays.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::arrow::native::NativeType;
use crate::error::Result;
use crate::formats::parquet::types::{Stored, Way};
use crate::formats::parquet::write::column::{Bits, Leaf, LeafData, Turn};
use crate::frame::{Block, DTypeKind};

use super::array_leaf::{Take, of_array, order};
use super::source::Packed;

/// Gives `take` the column as a leaf. `data_type`: of its field.
///
/// # Errors
/// `Unrepresentable` for values that the leaf cannot hold; those of `take`.
pub(super) fn leaf(
    column: &Packed<'_>,
    data_type: &DataType,
    stored: &Stored,
    optional: bool,
    take: Take<'_>,
) -> Result<()> {
    match column {
        Packed::Array(data) => of_array(data, stored, optional, take),
        Packed::Block(block) => of_block(block, data_type, stored, optional, take),
    }
}

/// The column as an array of its field's type.
///
/// # Errors
/// `Unrepresentable` for values that Arrow cannot hold.
pub(super) fn array(column: &Packed<'_>, data_type: &DataType) -> Result<ArrayData> {
    match column {
        Packed::Array(data) => Ok((*data).clone()),
        Packed::Block(block) => {
            let native = NativeType { dtype: block.grid.dtype, data_type: data_type.clone() };
            native.array(block, 0, &block.buffer.to_arrow())
        }
    }
}

fn of_block(
    block: &Block,
    data_type: &DataType,
    stored: &Stored,
    optional: bool,
    take: Take<'_>,
) -> Result<()> {
    let dtype = block.grid.dtype;
    if dtype.kind == DTypeKind::Unicode || *data_type == DataType::Date32 || stored.way == Way::Empty {
        let data = array(&Packed::Block(block.clone()), data_type)?;
        return of_array(&data, stored, optional, take);
    }
    let (start, nrows, width) = (block.grid.offset, block.grid.nrows, dtype.itemsize as usize);
    let bytes = block.buffer.as_slice();
    let turn = match (dtype.kind, stored.way) {
        (DTypeKind::Bool, _) => Turn::Truth,
        (DTypeKind::UInt, Way::Narrow(_)) => Turn::Unsigned,
        (_, Way::Narrow(_)) => Turn::Signed,
        (_, Way::Thousands) => Turn::Times(1000),
        _ => Turn::AsIs,
    };
    let nat = match dtype.kind {
        DTypeKind::DateTime | DTypeKind::TimeDelta => {
            not_a_time(bytes.get(start..start + nrows * width).unwrap_or(&[]))
        }
        _ => None,
    };
    let stride = isize::try_from(width).unwrap_or(0);
    take(&Leaf {
        physical: stored.physical,
        data: LeafData::Fixed { bytes, start, width, stride, turn },
        validity: nat.as_deref().map(|bytes| Bits { bytes, offset: 0 }),
        optional,
        order: order(stored, data_type),
    })
}

/// A bit a time, set where it is one; `None` where all are.
fn not_a_time(bytes: &[u8]) -> Option<Vec<u8>> {
    const NAT: [u8; 8] = i64::MIN.to_le_bytes();
    let (cells, _) = bytes.as_chunks::<8>();
    // Without branches inside, so that the scan runs at the memory's speed.
    let any = |some: &[[u8; 8]]| some.iter().fold(false, |any, cell| any | (*cell == NAT));
    if !cells.chunks(1024).any(any) {
        return None;
    }
    let bits = |eight: &[[u8; 8]]| {
        eight.iter().enumerate().fold(0u8, |bits, (k, cell)| bits | u8::from(*cell != NAT) << k)
    };
    Some(cells.chunks(8).map(bits).collect())
}
