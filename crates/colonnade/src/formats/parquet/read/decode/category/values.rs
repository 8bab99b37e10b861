//! The values of a dictionary as an Arrow array.

use arrow_array::{Array, UInt32Array, make_array};
use arrow_buffer::Buffer;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;
use arrow_select::take::take;

use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::formats::parquet::types::LeafConversion;

use super::super::text::{Dictionary, views};

/// Converts the values, which are stored in `way`, to an array of `data_type`.
///
/// # Errors
/// Unsupported: a type that dictionary pages cannot hold.
pub(super) fn array(data_type: &DataType, way: LeafConversion, values: &Dictionary) -> Result<ArrayData> {
    let n = values.len();
    match data_type {
        DataType::Utf8 | DataType::Binary => {
            let ends = || values.entries().iter().map(|e| e.start.wrapping_add(e.nbytes));
            if i32::try_from(values.joined().len()).is_err() {
                return Err(Error::limit("parquet", "a dictionary of 2 GiB of text."));
            }
            let offsets: Vec<u32> = std::iter::once(0).chain(ends()).collect();
            Ok(build_array(data_type, n, vec![Buffer::from_vec(offsets), Buffer::from(values.joined())]))
        }
        DataType::LargeUtf8 | DataType::LargeBinary => {
            let buffers = vec![Buffer::from_vec(long(values)), Buffer::from(values.joined())];
            Ok(build_array(data_type, n, buffers))
        }
        DataType::Utf8View | DataType::BinaryView => {
            let ends: Vec<u8> = long(values).into_iter().flat_map(u64::to_le_bytes).collect();
            views::array(data_type, &ends, &Buffer::from(values.joined()), None, n)
        }
        other => fixed(other, way, values),
    }
}

/// Returns the positions of the non-null values of `stored`; `None` if these differ from `values`.
pub(super) fn positions_in(stored: &ArrayData, values: &ArrayData) -> Option<Vec<u32>> {
    let nulls = stored.nulls()?;
    let places: Vec<u32> = (0u32..).zip(nulls.iter()).filter(|(_, valid)| *valid).map(|(k, _)| k).collect();
    let found_values = take(&make_array(stored.clone()), &UInt32Array::from(places.clone()), None).ok()?;
    (found_values.to_data() == *values).then_some(places)
}

fn long(values: &Dictionary) -> Vec<u64> {
    let ends = values.entries().iter().map(|e| u64::from(e.start) + u64::from(e.nbytes));
    std::iter::once(0).chain(ends).collect()
}

fn build_array(data_type: &DataType, n: usize, buffers: Vec<Buffer>) -> ArrayData {
    let builder = ArrayDataBuilder::new(data_type.clone()).len(n).buffers(buffers);
    // Trusted: the values are adjacent, each ends after the one before; texts were checked with their page; fixed-width values
    // have the stated number of bytes.
    trusted_array(builder.align_buffers(true))
}

fn fixed(data_type: &DataType, way: LeafConversion, values: &Dictionary) -> Result<ArrayData> {
    let refused = || {
        let message = format!("a dictionary of {data_type} values, stored as {way:?}, is not read.");
        Error::unsupported("parquet", message)
    };
    let width = match data_type {
        DataType::FixedSizeBinary(n) => usize::try_from(*n).map_err(|_| refused())?,
        DataType::Decimal128(..)
        | DataType::Decimal256(..)
        | DataType::Decimal32(..)
        | DataType::Decimal64(..) => {
            let wide = matches!(data_type, DataType::Decimal256(..));
            if wide { 32 } else { data_type.primitive_width().ok_or_else(refused)? }
        }
        other => other.primitive_width().ok_or_else(refused)?,
    };
    let mut out: Vec<u8> = Vec::with_capacity(width * values.len());
    for value in (0..values.len()).filter_map(|k| values.value(k)) {
        one(way, value, width, &mut out).ok_or_else(refused)?;
    }
    let n = values.len();
    if out.len() != width * n {
        return Err(refused());
    }
    Ok(build_array(data_type, n, vec![Buffer::from_vec(out)]))
}

/// Converts one value to its Arrow bytes.
fn one(way: LeafConversion, value: &[u8], width: usize, out: &mut Vec<u8>) -> Option<()> {
    let long = |value: &[u8]| {
        Some(match value.len() {
            4 => i64::from(i32::from_le_bytes(*value.first_chunk()?)),
            8 => i64::from_le_bytes(*value.first_chunk()?),
            _ => return None,
        })
    };
    let negative = |byte: Option<&u8>| if byte.is_some_and(|b| *b >= 0x80) { 0xff } else { 0 };
    match way {
        LeafConversion::Same if value.len() == width => out.extend_from_slice(value),
        LeafConversion::Same => return None,
        LeafConversion::Narrow(n) => out.extend_from_slice(value.get(..usize::from(n))?),
        LeafConversion::Thousands => out.extend_from_slice((long(value)? / 1000).to_le_bytes().get(..width)?),
        LeafConversion::Days => out.extend_from_slice(&(long(value)? * 86_400_000).to_le_bytes()),
        LeafConversion::Widened(_) => {
            let fill = negative(value.last());
            out.extend_from_slice(value);
            out.extend(std::iter::repeat_n(fill, width.checked_sub(value.len())?));
        }
        LeafConversion::BigEndian(_) => {
            let fill = negative(value.first());
            out.extend(value.iter().rev());
            out.extend(std::iter::repeat_n(fill, width.checked_sub(value.len())?));
        }
        LeafConversion::Months => out.extend_from_slice(value.get(..4)?),
        LeafConversion::DayTime => out.extend_from_slice(value.get(4..12)?),
        LeafConversion::Nothing => out.extend(std::iter::repeat_n(0, width)),
        LeafConversion::Empty => {}
    }
    Some(())
}
