//! Bounds memory that the writer's schema requests without bytes of the file to back it, and checks what Arrow's layouts do not
//! allow.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::error::{Error, Result};
use crate::frame::children;

/// The minimum bytes of one null of a type: a null fixed-size list allocates all its items.
pub(super) fn null_nbytes(data_type: &DataType) -> u64 {
    match data_type {
        DataType::FixedSizeList(item, size) => {
            u64::try_from(*size).unwrap_or(0).saturating_mul(null_nbytes(item.data_type()))
        }
        DataType::Struct(fields) => {
            fields.iter().map(|f| null_nbytes(f.data_type())).fold(1, u64::saturating_add)
        }
        DataType::FixedSizeBinary(n) => u64::try_from(*n).unwrap_or(0).max(1),
        other => other.primitive_width().map_or(1, |width| width as u64),
    }
}

/// The maximum bytes that the nulls of a column take without bytes in its pages: `nrows` rows, and `nvalues` values below
/// lists.
pub(super) fn filled_nbytes(data_type: &DataType, nrows: u64, nvalues: u64) -> u64 {
    match data_type {
        DataType::FixedSizeList(..) => null_nbytes(data_type).saturating_mul(nrows),
        DataType::Struct(fields) => {
            let children = fields.iter().map(|f| filled_nbytes(f.data_type(), nrows, nvalues));
            children.fold(0, u64::saturating_add)
        }
        other => {
            let below = children(other).into_iter().map(|f| filled_nbytes(f.data_type(), nvalues, nvalues));
            below.fold(0, u64::saturating_add)
        }
    }
}

/// Refuses maps with null keys, at any depth: some consumers of Arrow data abort the process over one.
pub(super) fn check_keys(data: &ArrayData) -> Result<()> {
    if let DataType::Map(..) = data.data_type() {
        check_entries(data.child_data().first())?;
    }
    data.child_data().iter().try_for_each(check_keys)
}

/// Refuses null keys among the entries of one map.
pub(super) fn check_entries(entries: Option<&ArrayData>) -> Result<()> {
    let keys = entries.and_then(|entries| entries.child_data().first());
    match keys.map_or(0, ArrayData::null_count) {
        0 => Ok(()),
        n => {
            let message = format!(
                "{n} keys of its maps are null, which Arrow does not allow. Write the keys as required, without nulls."
            );
            Err(Error::malformed("parquet", message))
        }
    }
}
