//! Converts big-endian numbers to native ones.

use arrow_buffer::Buffer;
use arrow_schema::{DataType, IntervalUnit};

use super::shape::width;

/// Reverses each number of `item` bytes.
fn swap_each(bytes: &[u8], item: usize) -> Vec<u8> {
    let mut out = bytes.to_vec();
    if item > 1 {
        out.chunks_exact_mut(item).for_each(<[u8]>::reverse);
    }
    out
}

/// Reverses each number of records with fields of these widths.
fn swap_records(bytes: &[u8], fields: &[usize]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for record in out.chunks_exact_mut(fields.iter().sum::<usize>().max(1)) {
        let mut rest = record;
        for &width in fields {
            let (field, tail) = rest.split_at_mut(width);
            field.reverse();
            rest = tail;
        }
    }
    out
}

/// Reverses the numbers of views. After its length, a view of up to 12 bytes holds them; a longer one holds a prefix, which
/// is bytes too, and two numbers.
fn swap_views(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for view in out.chunks_exact_mut(16) {
        let (length, rest) = view.split_at_mut(4);
        length.reverse();
        if <[u8; 4]>::try_from(&*length).map_or(0, u32::from_le_bytes) > 12 {
            let (_, numbers) = rest.split_at_mut(4);
            numbers.chunks_exact_mut(4).for_each(<[u8]>::reverse);
        }
    }
    out
}

/// Converts buffer `i` (not counting the validity) of a column of this type.
pub(super) fn to_native(data_type: &DataType, i: usize, buffer: &Buffer) -> Buffer {
    let bytes = buffer.as_slice();
    let swapped = match (data_type, i) {
        (DataType::Interval(IntervalUnit::DayTime), 0) => swap_records(bytes, &[4, 4]),
        (DataType::Interval(IntervalUnit::MonthDayNano), 0) => swap_records(bytes, &[4, 4, 8]),
        (DataType::FixedSizeBinary(_) | DataType::Boolean, _) => return buffer.clone(),
        (DataType::Utf8 | DataType::Binary | DataType::List(_) | DataType::Map(..), 0) => swap_each(bytes, 4),
        (DataType::LargeUtf8 | DataType::LargeBinary | DataType::LargeList(_), 0) => swap_each(bytes, 8),
        (DataType::ListView(_), 0 | 1) => swap_each(bytes, 4),
        (DataType::LargeListView(_), 0 | 1) => swap_each(bytes, 8),
        (DataType::Utf8View | DataType::BinaryView, 0) => swap_views(bytes),
        (DataType::Union(..), 1) => swap_each(bytes, 4),
        (other, 0) => match width(other) {
            Some(item) if item > 1 => swap_each(bytes, item),
            _ => return buffer.clone(),
        },
        _ => return buffer.clone(),
    };
    Buffer::from_vec(swapped)
}
