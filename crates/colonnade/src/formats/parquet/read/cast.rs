//! Casts the values of nested leaves from the type that stores them to the type of the column.

use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

/// Whether an array of the storage type `found` can be cast to the type `target`.
pub(super) fn can_cast(found: &DataType, target: &DataType) -> bool {
    match (found, target) {
        (DataType::Timestamp(TimeUnit::Millisecond, _), DataType::Timestamp(TimeUnit::Second, _))
        | (DataType::Time32(TimeUnit::Millisecond), DataType::Time32(TimeUnit::Second)) => true,
        // The decoder of dictionaries makes categories from the stored bytes.
        (DataType::FixedSizeBinary(n), DataType::Dictionary(_, target)) => stored_width(target) == Some(*n),
        (DataType::FixedSizeBinary(n), target) => stored_width(target) == Some(*n),
        _ => false,
    }
}

/// The width in bytes of the types that are stored unchanged as FIXED_LEN_BYTE_ARRAY.
fn stored_width(target: &DataType) -> Option<i32> {
    match target {
        DataType::Decimal32(..) => Some(4),
        DataType::Decimal64(..) => Some(8),
        DataType::Decimal128(..) | DataType::Interval(IntervalUnit::MonthDayNano) => Some(16),
        DataType::Decimal256(..) => Some(32),
        _ => None,
    }
}

/// Casts an array to the type `target`; see [`can_cast`].
pub(super) fn cast(data: &ArrayData, target: &DataType) -> Option<ArrayData> {
    let width = match data.data_type() {
        DataType::FixedSizeBinary(n) => usize::try_from(*n).ok()?,
        other => other.primitive_width()?,
    };
    let (start, nbytes) = (data.offset().checked_mul(width)?, data.len().checked_mul(width)?);
    let bytes = data.buffers().first()?.as_slice().get(start..start.checked_add(nbytes)?)?;
    let buffer = match data.data_type() {
        DataType::Timestamp(..) => Buffer::from_vec(seconds(data, bytes.as_chunks().0, i64::from_le_bytes)?),
        DataType::Time32(_) => {
            let millis = |bytes| i64::from(i32::from_le_bytes(bytes));
            let seconds = seconds(data, bytes.as_chunks().0, millis)?;
            Buffer::from_vec(seconds.into_iter().map(|s| i32::try_from(s).unwrap_or(0)).collect::<Vec<_>>())
        }
        // The copy is aligned for the values' width.
        _ => Buffer::from(bytes),
    };
    let builder = ArrayData::builder(target.clone()).len(data.len()).nulls(data.nulls().cloned());
    builder.add_buffer(buffer).align_buffers(true).build().ok()
}

/// Converts milliseconds to seconds; `None` if a value that is not null is not a whole second.
fn seconds<const N: usize>(
    data: &ArrayData,
    millis: &[[u8; N]],
    number: impl Fn([u8; N]) -> i64,
) -> Option<Vec<i64>> {
    let whole = |(row, bytes): (usize, &[u8; N])| {
        let value = number(*bytes);
        (value % 1000 == 0 || data.is_null(row)).then_some(value / 1000)
    };
    millis.iter().enumerate().map(whole).collect()
}
