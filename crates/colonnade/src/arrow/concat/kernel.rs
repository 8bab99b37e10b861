//! Joins arrays of one type by Arrow's kernel, except dictionary arrays.

use arrow_array::{ArrayRef, make_array};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat;

use crate::error::{Error, Result};
use crate::frame::type_name;

use super::nullability;

/// Joins arrays of one type. Text and bytes get 64-bit offsets if their 32-bit offsets would overflow.
pub(super) fn arrays(pieces: &[&ArrayData]) -> Result<ArrayData> {
    let large = match pieces.first().map(|d| d.data_type()) {
        Some(DataType::Utf8) => Some(DataType::LargeUtf8),
        Some(DataType::Binary) => Some(DataType::LargeBinary),
        _ => None,
    };
    let nbytes: usize = if large.is_some() { pieces.iter().map(|d| value_nbytes(d)).sum() } else { 0 };
    let arrays: Vec<ArrayRef> = match large {
        Some(large) if i32::try_from(nbytes).is_err() => {
            pieces.iter().map(|d| widen_offsets(d, large.clone())).collect::<Result<_>>()?
        }
        _ => pieces
            .iter()
            .map(|d| nullability::unmask_required(d).map_err(|e| join_error(pieces, &e)))
            .collect::<Result<_>>()?,
    };
    let borrowed: Vec<_> = arrays.iter().map(AsRef::as_ref).collect();
    let joined = concat(&borrowed).map_err(|e| join_error(pieces, &e))?;
    Ok(joined.to_data())
}

fn join_error(pieces: &[&ArrayData], error: &ArrowError) -> Error {
    let name = pieces.first().map_or(String::new(), |d| type_name(d.data_type(), false));
    Error::unsupported("arrow", format!("{} pieces of {name} cannot be joined: {error}.", pieces.len()))
}

fn offsets(data: &ArrayData) -> &[i32] {
    let all = data.buffers().first().map_or(&[][..], |b| b.typed_data::<i32>());
    all.get(data.offset()..data.offset() + data.len() + 1).unwrap_or(&[])
}

/// Bytes of the values in the slice.
fn value_nbytes(data: &ArrayData) -> usize {
    let ends = offsets(data).first().zip(offsets(data).last());
    ends.and_then(|(first, last)| usize::try_from(last.checked_sub(*first)?).ok()).unwrap_or(0)
}

/// The same values with 64-bit offsets.
fn widen_offsets(data: &ArrayData, large: DataType) -> Result<ArrayRef> {
    let offsets: Vec<i64> = offsets(data).iter().map(|&o| i64::from(o)).collect();
    let values = data.buffers().get(1).cloned().unwrap_or_default();
    let builder = ArrayData::builder(large).len(data.len()).nulls(data.nulls().cloned());
    let built = builder.add_buffer(offsets.into()).add_buffer(values).build();
    Ok(make_array(built.map_err(|e| join_error(&[data], &e))?))
}
