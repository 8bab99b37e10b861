//! Facts of row groups and column chunks for `info`. Bounds of statistics are decoded to numbers and texts.

use crate::formats::parquet::logical_type::{Logical, LogicalTimeUnit};
use crate::formats::parquet::read::{ChunkInfo, GroupInfo};
use crate::formats::{Fact, Facts};

/// The facts of a row group.
pub(super) fn group(group: GroupInfo) -> Facts {
    vec![
        ("nrows", group.nrows.into()),
        ("nbytes", group.nbytes.into()),
        ("compressed_nbytes", group.compressed_nbytes.into()),
        ("offset", group.offset.into()),
    ]
}

/// The facts of a column chunk.
pub(super) fn chunk(chunk: ChunkInfo) -> Facts {
    let statistics = chunk.bounds.as_ref().map(|bounds| {
        Fact::Facts(vec![
            ("min", value(&chunk, bounds.min.as_deref())),
            ("max", value(&chunk, bounds.max.as_deref())),
            ("null_count", bounds.null_count.into()),
        ])
    });
    vec![
        ("name", chunk.name.into()),
        ("group", chunk.group.into()),
        ("method", chunk.codec.into()),
        ("physical", chunk.physical.into()),
        ("logical", chunk.logical.map(logical).into()),
        ("encodings", chunk.encodings.into()),
        ("nvalues", chunk.nvalues.into()),
        ("nbytes", chunk.nbytes.into()),
        ("compressed_nbytes", chunk.compressed_nbytes.into()),
        ("offset", chunk.offset.into()),
        ("statistics", statistics.into()),
        ("page_index", chunk.page_index.into()),
        ("bloom_filter", chunk.bloom.into()),
        ("encrypted", chunk.encrypted.into()),
    ]
}

/// The name of a logical type with its parameters.
fn logical(logical: Logical) -> String {
    let unit = |unit: LogicalTimeUnit| match unit {
        LogicalTimeUnit::Milli => "ms",
        LogicalTimeUnit::Micro => "us",
        LogicalTimeUnit::Nano => "ns",
    };
    let utc = |utc: bool| if utc { ", UTC" } else { "" };
    match logical {
        Logical::String => "string".to_owned(),
        Logical::Map => "map".to_owned(),
        Logical::List => "list".to_owned(),
        Logical::Enum => "enum".to_owned(),
        Logical::Decimal(scale, precision) => format!("decimal({precision}, {scale})"),
        Logical::Date => "date".to_owned(),
        Logical::Time(u, z) => format!("time[{}{}]", unit(u), utc(z)),
        Logical::Timestamp(u, z) => format!("timestamp[{}{}]", unit(u), utc(z)),
        Logical::Integer(bits, signed) => format!("{}int{bits}", if signed { "" } else { "u" }),
        Logical::Unknown => "null".to_owned(),
        Logical::Json => "json".to_owned(),
        Logical::Bson => "bson".to_owned(),
        Logical::Uuid => "uuid".to_owned(),
        Logical::Float16 => "float16".to_owned(),
        Logical::Other(number) => format!("logical type {number}"),
    }
}

/// Decodes a bound of the statistics to an integer (ticks of a time, the unscaled value of a decimal), a float, a bool, text, or
/// bytes.
fn value(chunk: &ChunkInfo, raw: Option<&[u8]>) -> Fact {
    let Some(raw) = raw else { return Fact::None };
    let known = match (chunk.physical, chunk.logical) {
        ("BOOLEAN", _) if raw.len() == 1 => Some((raw != [0]).into()),
        ("INT32" | "INT64", logical) => integer(raw, matches!(logical, Some(Logical::Integer(_, false)))),
        ("FLOAT", _) => raw.try_into().ok().map(|four| f64::from(f32::from_le_bytes(four)).into()),
        ("DOUBLE", _) => raw.try_into().ok().map(|eight| f64::from_le_bytes(eight).into()),
        (_, Some(Logical::Decimal(..))) if (1..=16).contains(&raw.len()) => Some(decimal(raw)),
        (_, Some(Logical::String | Logical::Enum | Logical::Json)) => {
            std::str::from_utf8(raw).ok().map(|text| text.to_owned().into())
        }
        _ => None,
    };
    known.unwrap_or_else(|| Fact::Bytes(raw.to_vec()))
}

fn integer(raw: &[u8], unsigned: bool) -> Option<Fact> {
    if let Ok(four) = <[u8; 4]>::try_from(raw) {
        return Some(if unsigned {
            u32::from_le_bytes(four).into()
        } else {
            i32::from_le_bytes(four).into()
        });
    }
    let eight = <[u8; 8]>::try_from(raw).ok()?;
    Some(if unsigned { u64::from_le_bytes(eight).into() } else { i64::from_le_bytes(eight).into() })
}

/// Decodes the unscaled value of a decimal: big-endian, of any number of bytes.
fn decimal(raw: &[u8]) -> Fact {
    let sign = if raw.first().is_some_and(|b| b & 0x80 != 0) { 0xFF } else { 0 };
    let mut bytes = [sign; 16];
    if let Some(place) = bytes.get_mut(16 - raw.len()..) {
        place.copy_from_slice(raw);
    }
    i128::from_be_bytes(bytes).into()
}
