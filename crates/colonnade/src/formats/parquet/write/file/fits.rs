//! Checks whether the values of an array fit the leaf that stores them.

use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::formats::parquet::types::{LeafConversion, LeafType, Physical};

/// Milliseconds per day.
pub(super) const DAY: i64 = 86_400_000;

/// Whether the type has values that the leaf cannot hold.
pub(super) fn may_not_fit(stored: &LeafType) -> bool {
    matches!(
        stored.conversion,
        LeafConversion::Thousands
            | LeafConversion::Days
            | LeafConversion::Widened(_)
            | LeafConversion::BigEndian(_)
    )
}

/// Whether every non-null value fits the leaf.
pub(super) fn fits(data: &ArrayData, nulls: Option<&NullBuffer>, stored: &LeafType) -> bool {
    if let (DataType::Dictionary(..), [values]) = (data.data_type(), data.child_data()) {
        return fits(values, values.nulls(), stored);
    }
    match stored.conversion {
        LeafConversion::Thousands
            if *data.data_type() == DataType::Time32(arrow_schema::TimeUnit::Second) =>
        {
            each::<4>(data, nulls, |v| i32::from_le_bytes(v).checked_mul(1000).is_some())
        }
        LeafConversion::Thousands => {
            each::<8>(data, nulls, |v| i64::from_le_bytes(v).checked_mul(1000).is_some())
        }
        LeafConversion::Days => each::<8>(data, nulls, |v| {
            let v = i64::from_le_bytes(v);
            v % DAY == 0 && i32::try_from(v / DAY).is_ok()
        }),
        LeafConversion::Widened(width) | LeafConversion::BigEndian(width) => {
            let room = match stored.physical {
                Physical::Int32 => 4,
                Physical::Int64 => 8,
                Physical::Fixed(n) => n as usize,
                _ => return false,
            };
            match width {
                4 => each::<4>(data, nulls, |v| is_short(&v, room)),
                8 => each::<8>(data, nulls, |v| is_short(&v, room)),
                16 => each::<16>(data, nulls, |v| is_short(&v, room)),
                _ => each::<32>(data, nulls, |v| is_short(&v, room)),
            }
        }
        _ => true,
    }
}

/// Whether all bytes above the lowest `room` repeat the sign.
fn is_short(value: &[u8], room: usize) -> bool {
    let (Some(low), Some(high)) = (value.get(..room), value.get(room..)) else { return true };
    let sign = if low.last().is_some_and(|byte| byte >> 7 == 1) { 0xff } else { 0 };
    high.iter().all(|byte| *byte == sign)
}

fn each<const N: usize>(
    data: &ArrayData,
    nulls: Option<&NullBuffer>,
    holds: impl Fn([u8; N]) -> bool,
) -> bool {
    let (cells, _) = data.buffers().first().map_or(&[][..], Buffer::as_slice).as_chunks::<N>();
    let mut rows = cells.iter().skip(data.offset()).take(data.len());
    match nulls.filter(|nulls| nulls.null_count() > 0) {
        None => rows.all(|cell| holds(*cell)),
        Some(nulls) => rows.zip(nulls.iter()).all(|(cell, there)| !there || holds(*cell)),
    }
}
