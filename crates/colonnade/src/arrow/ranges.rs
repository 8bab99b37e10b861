//! Finds values outside the range of a column's type: decimals over their precision, times outside a day, dates with a time
//! of day.
//!
//! Reading keeps such values unchanged and does not check for them; verifying does.

use arrow_buffer::i256;
use arrow_data::ArrayData;
use arrow_schema::{DataType, TimeUnit};

use crate::error::{Error, Result};
use crate::frame::{Axis, Frame, Labels, Level};

const DAY_S: i64 = 86_400;

/// Checks every value of every column and label. `first` is the row number of the frame's first row.
///
/// # Errors
/// Malformed, with the column, the row and the value.
pub fn check_ranges(format: &'static str, frame: &Frame, first: usize) -> Result<()> {
    let names = frame.arrow_columns().next().and_then(|_| frame.columns.strings());
    for (position, column) in frame.arrow_columns() {
        let name = || match names.as_ref().and_then(|names| names.get(position)) {
            Some(name) => name.clone(),
            None => format!("column {position}"),
        };
        check(format, &column.data, first, &|row| row).map_err(|e| e.in_member(name()))?;
    }
    levels(format, &frame.index, first, "index")?;
    levels(format, &frame.columns, 0, "columns")
}

/// Checks one array as [`check_ranges`] does. `first` is the row number of its first row.
///
/// # Errors
/// Malformed, with the row and the value.
pub(crate) fn check_array(format: &'static str, data: &ArrayData, first: usize) -> Result<()> {
    check(format, data, first, &|row| row)
}

fn levels(format: &'static str, axis: &Axis, first: usize, side: &str) -> Result<()> {
    let Labels::Levels(levels) = &axis.labels else { return Ok(()) };
    for (i, level) in levels.iter().enumerate() {
        if let Level::Column(column) = level {
            check(format, &column.data, first, &|row| row)
                .map_err(|e| e.in_member(format!("{side}, level {i}")))?;
        }
    }
    Ok(())
}

/// `row_of` returns the row of the column that contains an item of this child.
fn check(
    format: &'static str,
    data: &ArrayData,
    first: usize,
    row_of: &dyn Fn(usize) -> usize,
) -> Result<()> {
    if let Some((at, found)) = find_outside(data) {
        let message = format!(
            "row {}: expected {} of {}, found {found}. The file is damaged, or its writer did not check this.",
            first + row_of(at),
            range_text(data.data_type()),
            data.data_type()
        );
        return Err(Error::malformed(format, message));
    }
    match data.data_type() {
        DataType::List(_) | DataType::Map(..) => {
            let ends = offsets::<4>(data, |b| i64::from(i32::from_le_bytes(b)));
            children(format, data, first, &|item| row_of(row_of_item(&ends, item)))
        }
        DataType::LargeList(_) => {
            let ends = offsets::<8>(data, i64::from_le_bytes);
            children(format, data, first, &|item| row_of(row_of_item(&ends, item)))
        }
        DataType::FixedSizeList(_, size) => {
            let size = usize::try_from(*size).unwrap_or(1).max(1);
            children(format, data, first, &|item| row_of((item / size).saturating_sub(data.offset())))
        }
        // For other types, whose children may be longer than their parent or shared by its rows, the error names the item.
        DataType::Struct(_) => {
            children(format, data, first, &|item| row_of(item.saturating_sub(data.offset())))
        }
        _ => children(format, data, first, &|item| row_of(item)),
    }
}

fn children(
    format: &'static str,
    data: &ArrayData,
    first: usize,
    row_of: &dyn Fn(usize) -> usize,
) -> Result<()> {
    data.child_data().iter().try_for_each(|child| check(format, child, first, row_of))
}

fn offsets<const N: usize>(data: &ArrayData, read: fn([u8; N]) -> i64) -> Vec<i64> {
    let bytes = data.buffers().first().map_or(&[][..], |b| b.as_slice());
    let (items, _) = bytes.as_chunks::<N>();
    let offsets = items.get(data.offset()..=data.offset() + data.len()).unwrap_or_default();
    offsets.iter().map(|item| read(*item)).collect()
}

/// Returns the row whose offsets enclose an item.
fn row_of_item(ends: &[i64], item: usize) -> usize {
    let item = i64::try_from(item).unwrap_or(i64::MAX);
    ends.partition_point(|end| *end <= item).saturating_sub(1)
}

/// Finds the first valid value that is outside the range of its type.
fn find_outside(data: &ArrayData) -> Option<(usize, String)> {
    match data.data_type() {
        DataType::Time32(unit) => {
            let end = DAY_S * per_second(*unit);
            find_value(data, i32::from_le_bytes, |v| i64::from(*v) < 0 || i64::from(*v) >= end)
        }
        DataType::Time64(unit) => {
            let end = DAY_S * per_second(*unit);
            find_value(data, i64::from_le_bytes, |v| *v < 0 || *v >= end)
        }
        DataType::Date64 => find_value(data, i64::from_le_bytes, |v| v % (DAY_S * 1000) != 0),
        DataType::Decimal32(precision, _) => {
            let end = 10_i64.pow((*precision).min(18).into());
            find_value(data, i32::from_le_bytes, |v| i64::from(*v).abs() >= end)
        }
        DataType::Decimal64(precision, _) => {
            let end = 10_u64.pow((*precision).min(19).into());
            find_value(data, i64::from_le_bytes, |v| v.unsigned_abs() >= end)
        }
        DataType::Decimal128(precision, _) => {
            let end = 10_u128.pow((*precision).min(38).into());
            find_value(data, i128::from_le_bytes, |v| v.unsigned_abs() >= end)
        }
        DataType::Decimal256(precision, _) => {
            let end = i256::from(10).wrapping_pow((*precision).min(76).into());
            find_value(data, i256::from_le_bytes, |v| *v >= end || *v <= end.wrapping_neg())
        }
        _ => None,
    }
}

fn find_value<T: ToString, const N: usize>(
    data: &ArrayData,
    read: fn([u8; N]) -> T,
    wrong: impl Fn(&T) -> bool,
) -> Option<(usize, String)> {
    let bytes = data.buffers().first().map_or(&[][..], |b| b.as_slice());
    let (items, _) = bytes.as_chunks::<N>();
    let items = items.get(data.offset()..data.offset() + data.len()).unwrap_or_default();
    let found = items
        .iter()
        .enumerate()
        .find(|(at, item)| wrong(&read(**item)) && data.nulls().is_none_or(|nulls| nulls.is_valid(*at)));
    found.map(|(at, item)| (at, read(*item).to_string()))
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

fn range_text(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Time32(_) | DataType::Time64(_) => "a time within one day",
        DataType::Date64 => "a whole number of days",
        _ => "no more digits than the precision",
    }
}
