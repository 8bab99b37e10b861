//! Converts a column to a leaf of the file: borrows NumPy values, and converts others to arrays.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::arrow::native::NativeType;
use crate::error::Result;
use crate::formats::parquet::types::{LeafConversion, LeafType};
use crate::formats::parquet::write::column::{Bitmap, ElementConversion, LeafColumn, LeafData};
use crate::frame::{Block, DTypeKind};

use super::array_leaf::{TakeLeaf, of_array, order};
use super::source::PackedColumn;

/// Passes the column to `take` as a leaf. `data_type` is the type of its field.
///
/// # Errors
/// `Unrepresentable` for values that the leaf cannot hold; errors of `take`.
pub(super) fn leaf(
    column: &PackedColumn<'_>,
    data_type: &DataType,
    stored: &LeafType,
    optional: bool,
    take: TakeLeaf<'_>,
) -> Result<()> {
    match column {
        PackedColumn::Array(data) => of_array(data, stored, optional, take),
        PackedColumn::Block(block) => of_block(block, data_type, stored, optional, take),
    }
}

/// Converts the column to an array of its field's type.
///
/// # Errors
/// `Unrepresentable` for values that Arrow cannot hold.
pub(super) fn array(column: &PackedColumn<'_>, data_type: &DataType) -> Result<ArrayData> {
    match column {
        PackedColumn::Array(data) => Ok((*data).clone()),
        PackedColumn::Block(block) => {
            let native = NativeType { dtype: block.grid.dtype, data_type: data_type.clone() };
            native.array(block, 0, &block.buffer.to_arrow())
        }
    }
}

fn of_block(
    block: &Block,
    data_type: &DataType,
    stored: &LeafType,
    optional: bool,
    take: TakeLeaf<'_>,
) -> Result<()> {
    let dtype = block.grid.dtype;
    if dtype.kind == DTypeKind::Unicode
        || *data_type == DataType::Date32
        || stored.conversion == LeafConversion::Empty
    {
        let data = array(&PackedColumn::Block(block.clone()), data_type)?;
        return of_array(&data, stored, optional, take);
    }
    let (start, nrows, width) = (block.grid.offset, block.grid.nrows, dtype.itemsize as usize);
    let bytes = block.buffer.as_slice();
    let conversion = match (dtype.kind, stored.conversion) {
        (DTypeKind::Bool, _) => ElementConversion::Bools,
        (DTypeKind::UInt, LeafConversion::Narrow(_)) => ElementConversion::Unsigned,
        (_, LeafConversion::Narrow(_)) => ElementConversion::Signed,
        (_, LeafConversion::Thousands) => ElementConversion::Multiply(1000),
        _ => ElementConversion::Identity,
    };
    let nat = match dtype.kind {
        DTypeKind::DateTime | DTypeKind::TimeDelta => {
            nat_validity(bytes.get(start..start + nrows * width).unwrap_or(&[]))
        }
        _ => None,
    };
    let stride = isize::try_from(width).unwrap_or(0);
    take(&LeafColumn {
        physical: stored.physical,
        data: LeafData::Fixed { bytes, start, width, stride, conversion },
        validity: nat.as_deref().map(|bytes| Bitmap { bytes, offset: 0 }),
        optional,
        order: order(stored, data_type),
    })
}

/// Returns a validity bitmap, bit 0 for NaT; `None` if there is no NaT.
fn nat_validity(bytes: &[u8]) -> Option<Vec<u8>> {
    const NAT: [u8; 8] = i64::MIN.to_le_bytes();
    let (cells, _) = bytes.as_chunks::<8>();
    // The loop has no branches, so that the scan runs at memory speed.
    let any = |some: &[[u8; 8]]| some.iter().fold(false, |any, cell| any | (*cell == NAT));
    if !cells.chunks(1024).any(any) {
        return None;
    }
    let bits = |eight: &[[u8; 8]]| {
        eight.iter().enumerate().fold(0u8, |bits, (k, cell)| bits | u8::from(*cell != NAT) << k)
    };
    Some(cells.chunks(8).map(bits).collect())
}
