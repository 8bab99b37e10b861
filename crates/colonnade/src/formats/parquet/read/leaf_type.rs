//! The Arrow type of a leaf by the Parquet schema only.

use arrow_schema::{DataType, TimeUnit};

use crate::formats::parquet::logical_type::{Logical, LogicalTimeUnit, logical_of};
use crate::formats::parquet::schema::Element;
use crate::formats::parquet::types::Physical;

/// The canonical Arrow extension type of a leaf.
pub(super) fn extension(element: &Element<'_>) -> Option<&'static str> {
    match element.logical {
        Some(Logical::Uuid) => Some("arrow.uuid"),
        Some(Logical::Json) => Some("arrow.json"),
        _ => None,
    }
}

/// The Arrow type of a leaf by the Parquet schema only.
pub(super) fn default_type(element: &Element<'_>, physical: Physical) -> DataType {
    let logical = element.logical.or_else(|| element.converted.and_then(logical_of));
    let zone = |utc: bool| utc.then(|| "UTC".into());
    let decimal = match logical {
        Some(Logical::Decimal(scale, precision)) => Some((scale, precision)),
        None if element.converted == Some(5) => Some((element.scale, element.precision)),
        _ => None,
    };
    if let Some((scale, precision)) = decimal
        && let (Ok(scale), Ok(precision)) = (i8::try_from(scale), u8::try_from(precision))
        && (1..=76).contains(&precision)
        && (0..=76).contains(&scale)
        && !matches!(physical, Physical::Boolean | Physical::Int96 | Physical::Float | Physical::Double)
    {
        let wide = precision > 38 || matches!(physical, Physical::Fixed(n) if n > 16);
        return if wide {
            DataType::Decimal256(precision, scale)
        } else {
            DataType::Decimal128(precision, scale)
        };
    }
    let time_unit = |unit| match unit {
        LogicalTimeUnit::Milli => TimeUnit::Millisecond,
        LogicalTimeUnit::Micro => TimeUnit::Microsecond,
        LogicalTimeUnit::Nano => TimeUnit::Nanosecond,
    };
    match (physical, logical) {
        (_, Some(Logical::Unknown)) => DataType::Null,
        (Physical::Boolean, _) => DataType::Boolean,
        (Physical::Int32, Some(Logical::Integer(8, true))) => DataType::Int8,
        (Physical::Int32, Some(Logical::Integer(16, true))) => DataType::Int16,
        (Physical::Int32, Some(Logical::Integer(8, false))) => DataType::UInt8,
        (Physical::Int32, Some(Logical::Integer(16, false))) => DataType::UInt16,
        (Physical::Int32, Some(Logical::Integer(32, false))) => DataType::UInt32,
        (Physical::Int32, Some(Logical::Date)) => DataType::Date32,
        (Physical::Int32, Some(Logical::Time(LogicalTimeUnit::Milli, _))) => {
            DataType::Time32(TimeUnit::Millisecond)
        }
        (Physical::Int32, _) => DataType::Int32,
        (Physical::Int64, Some(Logical::Integer(64, false))) => DataType::UInt64,
        (Physical::Int64, Some(Logical::Time(LogicalTimeUnit::Micro, _))) => {
            DataType::Time64(TimeUnit::Microsecond)
        }
        (Physical::Int64, Some(Logical::Time(LogicalTimeUnit::Nano, _))) => {
            DataType::Time64(TimeUnit::Nanosecond)
        }
        (Physical::Int64, Some(Logical::Timestamp(unit, utc))) => {
            DataType::Timestamp(time_unit(unit), zone(utc))
        }
        (Physical::Int64, _) => DataType::Int64,
        (Physical::Int96, _) => DataType::Timestamp(time_unit(element.int96_unit), None),
        (Physical::Float, _) => DataType::Float32,
        (Physical::Double, _) => DataType::Float64,
        (Physical::Bytes, Some(Logical::String | Logical::Json)) => DataType::Utf8,
        (Physical::Bytes, _) => DataType::Binary,
        (Physical::Fixed(2), Some(Logical::Float16)) => DataType::Float16,
        (Physical::Fixed(n), _) => DataType::FixedSizeBinary(i32::try_from(n).unwrap_or(i32::MAX)),
    }
}
