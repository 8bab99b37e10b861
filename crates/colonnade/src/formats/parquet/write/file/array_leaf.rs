//! Converts an array to a leaf of the file: borrows its values and selects their conversion.

use std::borrow::Cow;

use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::error::{Error, Result};
use crate::formats::parquet::logical_type::Logical;
use crate::formats::parquet::types::{LeafConversion, LeafType, Physical};
use crate::formats::parquet::write::column::{
    Bitmap, ElementConversion, LeafColumn, LeafData, LeafOffsets, SortOrder,
};

use super::dictionaries;
use super::fits::{DAY, fits};

/// The consumer of a leaf.
pub(super) type TakeLeaf<'t> = &'t mut dyn FnMut(&LeafColumn<'_>) -> Result<()>;

fn broken(message: &str) -> Error {
    Error::malformed("parquet", format!("{message}. The array breaks Arrow's layout."))
}

/// Returns the order of a leaf's values.
pub(super) fn order(stored: &LeafType, data_type: &DataType) -> SortOrder {
    match (stored.physical, stored.logical) {
        (_, Some(Logical::Integer(_, false))) | (Physical::Boolean, _) => SortOrder::Unsigned,
        (Physical::Fixed(_), Some(Logical::Decimal(..))) => SortOrder::Decimal,
        (_, Some(Logical::Float16)) | (Physical::Float | Physical::Double, _) => SortOrder::Float,
        (Physical::Fixed(_), None) if matches!(data_type, DataType::Interval(_)) => SortOrder::None,
        (Physical::Int96, _) | (_, Some(Logical::Unknown)) => SortOrder::None,
        (Physical::Bytes | Physical::Fixed(_), _) => SortOrder::Bytes,
        (Physical::Int32 | Physical::Int64, _) => SortOrder::Signed,
    }
}

/// Returns the validity; `None` if all values are valid.
///
/// # Errors
/// `Unrepresentable`: nulls in a required column.
fn validity(nulls: Option<&NullBuffer>, optional: bool) -> Result<Option<Bitmap<'_>>> {
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    if !optional && nulls.is_some() {
        let message = "expected no nulls, as the field is not nullable. Fill them first.";
        return Err(Error::unrepresentable("parquet", message));
    }
    Ok(nulls.map(|nulls| Bitmap { bytes: nulls.validity(), offset: nulls.offset() }))
}

/// Passes an array to `take` as a leaf, without a copy if its type allows.
pub(super) fn of_array(
    data: &ArrayData,
    stored: &LeafType,
    optional: bool,
    take: TakeLeaf<'_>,
) -> Result<()> {
    of_masked(data, data.nulls(), stored, optional, take)
}

/// Passes an array to `take` as a leaf, with `nulls` instead of its own validity.
pub(super) fn of_masked(
    data: &ArrayData,
    nulls: Option<&NullBuffer>,
    stored: &LeafType,
    optional: bool,
    take: TakeLeaf<'_>,
) -> Result<()> {
    let mut aligned;
    let data = if is_aligned(data) {
        data
    } else {
        aligned = data.clone();
        aligned.align_buffers();
        &aligned
    };
    let n = data.len();
    let validity = validity(nulls, optional)?;
    let order = order(stored, data.data_type());
    let mut give = |data: LeafData<'_>, validity: Option<Bitmap<'_>>| {
        take(&LeafColumn { physical: stored.physical, data, validity, optional, order })
    };
    let first = data.buffers().first().map_or(&[][..], Buffer::as_slice);
    let fixed = |width: usize, conversion: ElementConversion| {
        let stride = isize::try_from(width).unwrap_or(0);
        LeafData::Fixed { bytes: first, start: data.offset() * width, width, stride, conversion }
    };
    // Elements of `stride` bytes whose low bytes are the value.
    let lowest = |width: usize, stride: u8| LeafData::Fixed {
        bytes: first,
        start: data.offset() * usize::from(stride),
        width,
        stride: isize::from(stride),
        conversion: ElementConversion::Identity,
    };
    match (data.data_type(), stored.conversion) {
        (DataType::Null, _) => {
            let none = vec![0; n.div_ceil(8)];
            let data = LeafData::Fixed {
                bytes: &[0; 4],
                start: 0,
                width: 4,
                stride: 0,
                conversion: ElementConversion::Identity,
            };
            give(data, Some(Bitmap { bytes: &none, offset: 0 }))
        }
        (DataType::Dictionary(..), _) => of_dictionary(data, nulls, stored, optional, take),
        (DataType::Boolean, _) => {
            give(LeafData::Bits(Bitmap { bytes: first, offset: data.offset() }), validity)
        }
        (DataType::Utf8 | DataType::Binary, _) => {
            let offsets = offsets::<i32>(data)?;
            give(
                LeafData::Bytes { offsets: LeafOffsets::Small(&offsets), data: second_buffer(data) },
                validity,
            )
        }
        (DataType::LargeUtf8 | DataType::LargeBinary, _) => {
            let offsets = offsets::<i64>(data)?;
            give(
                LeafData::Bytes { offsets: LeafOffsets::Large(&offsets), data: second_buffer(data) },
                validity,
            )
        }
        (DataType::Utf8View | DataType::BinaryView, _) => {
            let views = data.buffers().first().map_or(&[][..], |b| b.typed_data::<u128>());
            let views =
                views.get(data.offset()..data.offset() + n).ok_or_else(|| broken("views are missing"))?;
            let buffers = data.buffers().iter().skip(1).map(Buffer::as_slice).collect();
            give(LeafData::Views { views, buffers }, validity)
        }
        (_, LeafConversion::Empty) => {
            let offsets = vec![0i32; n + 1];
            give(LeafData::Bytes { offsets: LeafOffsets::Small(&offsets), data: &[] }, validity)
        }
        (DataType::UInt8 | DataType::UInt16, LeafConversion::Narrow(width)) => {
            give(fixed(usize::from(width), ElementConversion::Unsigned), validity)
        }
        (_, LeafConversion::Narrow(width)) => {
            give(fixed(usize::from(width), ElementConversion::Signed), validity)
        }
        (other, LeafConversion::Thousands) => {
            give(fixed(other.primitive_width().unwrap_or(8), ElementConversion::Multiply(1000)), validity)
        }
        (_, LeafConversion::Days) => give(fixed(8, ElementConversion::Divide(DAY)), validity),
        (_, LeafConversion::Widened(stride)) => {
            check(data, nulls, stored)?;
            let width = if stored.physical == Physical::Int32 { 4 } else { 8 };
            if width > usize::from(stride) {
                // A 32-bit decimal with more digits than its precision.
                return give(fixed(usize::from(stride), ElementConversion::Signed), validity);
            }
            give(lowest(width, stride), validity)
        }
        (_, LeafConversion::BigEndian(width)) => {
            check(data, nulls, stored)?;
            give(fixed(usize::from(width), ElementConversion::BigEndian), validity)
        }
        (_, conversion @ (LeafConversion::Months | LeafConversion::DayTime)) => {
            let words = intervals(data, conversion);
            let data = LeafData::Fixed {
                bytes: &words,
                start: 0,
                width: 12,
                stride: 12,
                conversion: ElementConversion::Identity,
            };
            give(data, validity)
        }
        (DataType::FixedSizeBinary(width), _) => {
            give(fixed(usize::try_from(*width).unwrap_or(0), ElementConversion::Identity), validity)
        }
        (other, _) => {
            let width = other.primitive_width().ok_or_else(|| broken("values have no width"))?;
            give(fixed(width, ElementConversion::Identity), validity)
        }
    }
}

/// Passes a dictionary array to `take`, with its whole dictionary as the dictionary page.
///
/// # Errors
/// As [`of_masked`].
fn of_dictionary(
    data: &ArrayData,
    nulls: Option<&NullBuffer>,
    stored: &LeafType,
    optional: bool,
    take: TakeLeaf<'_>,
) -> Result<()> {
    let data = dictionaries::without_null_values(data)?;
    let nulls = match &data {
        Cow::Borrowed(_) => nulls,
        Cow::Owned(data) => data.nulls(),
    };
    let validity = validity(nulls, optional)?;
    let data = data.as_ref();
    let values = dictionaries::values(data)?;
    let order = order(stored, values.data_type());
    if values.is_empty() {
        // All rows are null, so the page has no values.
        let offsets = vec![0i32; data.len() + 1];
        let data = match stored.physical {
            Physical::Bytes => LeafData::Bytes { offsets: LeafOffsets::Small(&offsets), data: &[] },
            _ => LeafData::Fixed {
                bytes: &[0; 64],
                start: 0,
                width: width(stored.physical),
                stride: 0,
                conversion: ElementConversion::Identity,
            },
        };
        return take(&LeafColumn { physical: stored.physical, data, validity, optional, order });
    }
    let (codes, width, nvalues) = (dictionaries::codes(data)?, dictionaries::key_width(data)?, values.len());
    of_array(values, stored, true, &mut |inner| {
        let values = Box::new(inner.data.clone());
        let data = LeafData::Dictionary { codes, width, values, nvalues };
        take(&LeafColumn { physical: stored.physical, data, validity, optional, order })
    })
}

fn width(physical: Physical) -> usize {
    match physical {
        Physical::Int32 | Physical::Float => 4,
        Physical::Fixed(n) => n as usize,
        _ => 8,
    }
}

fn is_aligned(data: &ArrayData) -> bool {
    // Buffers of integers must be aligned; bytes need no alignment.
    let alignment = match data.data_type() {
        DataType::Utf8 | DataType::Binary => 4,
        DataType::LargeUtf8 | DataType::LargeBinary => 8,
        DataType::Utf8View | DataType::BinaryView => 16,
        _ => 1,
    };
    data.buffers().first().is_none_or(|b| b.as_ptr().align_offset(alignment) == 0)
}

fn second_buffer(data: &ArrayData) -> &[u8] {
    data.buffers().get(1).map_or(&[][..], Buffer::as_slice)
}

/// Returns the offsets: one more than there are rows.
fn offsets<T: ArrowNativeType>(data: &ArrayData) -> Result<std::borrow::Cow<'_, [T]>> {
    let n = data.len();
    let all = data.buffers().first().map_or(&[][..], |b| b.typed_data::<T>());
    match all.get(data.offset()..data.offset() + n + 1) {
        Some(offsets) => Ok(std::borrow::Cow::Borrowed(offsets)),
        // An empty array may have no offsets.
        None if n == 0 => Ok(std::borrow::Cow::Owned(vec![T::default()])),
        None => Err(broken("offsets are missing")),
    }
}

/// Encodes months, days and milliseconds, 32 bits each.
fn intervals(data: &ArrayData, conversion: LeafConversion) -> Vec<u8> {
    let bytes = data.buffers().first().map_or(&[][..], Buffer::as_slice);
    let mut out = Vec::with_capacity(data.len() * 12);
    let width = if conversion == LeafConversion::Months { 4 } else { 8 };
    let rows = bytes.chunks_exact(width).skip(data.offset()).take(data.len());
    for row in rows {
        if conversion == LeafConversion::Months {
            out.extend_from_slice(row);
            out.extend_from_slice(&[0; 8]);
        } else {
            out.extend_from_slice(&[0; 4]);
            out.extend_from_slice(row);
        }
    }
    out
}

fn check(data: &ArrayData, nulls: Option<&NullBuffer>, stored: &LeafType) -> Result<()> {
    if fits(data, nulls, stored) {
        return Ok(());
    }
    let message =
        "a decimal has more digits than its type says, which the first chunk's did not. Convert it first.";
    Err(Error::unrepresentable("parquet", message))
}
