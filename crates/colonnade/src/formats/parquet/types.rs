//! The mapping from Arrow types to Parquet leaves, and the conversion of their values.
//!
//! | Arrow | leaf | values |
//! |---|---|---|
//! | `bool`, `int32`, `int64`, `float`, `double` | the type of the same name | unchanged |
//! | `int8`, `int16`, `uint8`, `uint16` | INT32, integer | the low bytes |
//! | `uint32`, `uint64` | INT32, INT64, integer | unchanged |
//! | `halffloat` | two bytes, FLOAT16 | unchanged |
//! | `timestamp[ms]`, `[us]`, `[ns]` | INT64, TIMESTAMP of the unit, adjusted to UTC if there is a zone | unchanged |
//! | `timestamp[s]` | INT64, TIMESTAMP in milliseconds; without annotation if a value overflows | times 1000; unchanged |
//! | `time32[s]` | INT32, TIME in milliseconds; without annotation if a value overflows | times 1000; unchanged |
//! | `time32[ms]`, `time64` | INT32, INT64, TIME of the unit | unchanged |
//! | `date32` | INT32, DATE | unchanged |
//! | `date64` | INT32, DATE; INT64 without annotation if a value is no whole day | days; unchanged |
//! | `duration` | INT64 without annotation | unchanged |
//! | `interval[months]`, `[day_time]` | twelve bytes, INTERVAL | months, days, milliseconds, 32 bits each |
//! | `interval[month_day_nano]` | sixteen bytes without annotation | unchanged |
//! | text, binary, of any layout | BYTE_ARRAY, STRING or no annotation | unchanged |
//! | fixed-size binary | FIXED_LEN_BYTE_ARRAY; BYTE_ARRAY if the size is 0 | unchanged |
//! | decimals | INT32 up to 9 digits, INT64 up to 18, otherwise bytes, DECIMAL | bytes are big-endian |
//! | decimals with a scale below 0 or above the precision, or with more digits than their precision | bytes without annotation |
//! unchanged |
//! | `null` | INT32, UNKNOWN | none |
//! | dictionary | as its values | dictionary pages |
//! | run-ends | as its values | as its values |
//!
//! All other types are groups: lists, structs, maps. `ARROW:schema` stores the Arrow type.

mod annotations;
mod claims;
#[cfg(test)]
mod tests;

use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};

use crate::frame::values_of;

use super::logical_type::{INTERVAL, Logical, LogicalTimeUnit, converted, logical_of};

pub use annotations::{check, check_group, max_digits, physical_of};
pub use claims::accepted_type;

/// A physical type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Physical {
    /// One bit.
    Boolean,
    /// Four bytes, integer.
    Int32,
    /// Eight bytes, integer.
    Int64,
    /// Twelve bytes: a timestamp of old files.
    Int96,
    /// Four bytes, float.
    Float,
    /// Eight bytes, float.
    Double,
    /// BYTE_ARRAY: a length and bytes.
    Bytes,
    /// FIXED_LEN_BYTE_ARRAY with this length.
    Fixed(u32),
}

impl Physical {
    /// Returns the physical type of a number in a schema or a chunk; `length` is that of FIXED_LEN_BYTE_ARRAY.
    #[must_use]
    pub fn from_number(number: i32, length: Option<i32>) -> Option<Self> {
        Some(match number {
            0 => Self::Boolean,
            1 => Self::Int32,
            2 => Self::Int64,
            3 => Self::Int96,
            4 => Self::Float,
            5 => Self::Double,
            6 => Self::Bytes,
            7 => Self::Fixed(u32::try_from(length?).ok()?),
            _ => return None,
        })
    }

    /// The number in the specification.
    #[must_use]
    pub fn number(self) -> i32 {
        match self {
            Self::Boolean => 0,
            Self::Int32 => 1,
            Self::Int64 => 2,
            Self::Int96 => 3,
            Self::Float => 4,
            Self::Double => 5,
            Self::Bytes => 6,
            Self::Fixed(_) => 7,
        }
    }
}

/// The conversion of a leaf's values to the Arrow type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafConversion {
    /// No conversion.
    Same,
    /// The low bytes of an INT32; the field is their number.
    Narrow(u8),
    /// Milliseconds, divided by 1000 to seconds.
    Thousands,
    /// Days, multiplied by 86,400,000 to milliseconds.
    Days,
    /// An integer that stores a decimal, sign-extended to this number of bytes.
    Widened(u8),
    /// A big-endian decimal, converted to this number of little-endian bytes.
    BigEndian(u8),
    /// Months: the first of an interval's three 32-bit fields.
    Months,
    /// Days and milliseconds: the second and third of an interval's three 32-bit fields.
    DayTime,
    /// A column of nulls without values.
    Nothing,
    /// Empty byte arrays, for fixed-size binary of size 0.
    Empty,
}

/// A leaf that stores an Arrow type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeafType {
    /// Physical type.
    pub physical: Physical,
    /// Logical type.
    pub logical: Option<Logical>,
    /// ConvertedType of the logical type.
    pub converted: Option<i32>,
    /// Conversion to the Arrow type.
    pub conversion: LeafConversion,
}

impl LeafType {
    fn new(physical: Physical, logical: Option<Logical>, conversion: LeafConversion) -> Self {
        Self { physical, logical, converted: logical.and_then(converted), conversion }
    }

    fn bare(physical: Physical) -> Self {
        Self::new(physical, None, LeafConversion::Same)
    }

    /// Returns the leaf for a field, in the form that most readers understand; `None` for groups and unions.
    #[must_use]
    pub fn of(field: &Field) -> Option<Self> {
        Self::of_type(field.data_type(), field.metadata().get("ARROW:extension:name").map(String::as_str))
    }

    fn of_type(data_type: &DataType, extension: Option<&str>) -> Option<Self> {
        use Physical::{Boolean, Bytes, Double, Fixed, Float, Int32, Int64};
        let integer = |physical, bits, signed, conversion| {
            Some(Self::new(physical, Some(Logical::Integer(bits, signed)), conversion))
        };
        let timed = |physical, logical, conversion| Some(Self::new(physical, Some(logical), conversion));
        match data_type {
            DataType::Null => Some(Self::new(Int32, Some(Logical::Unknown), LeafConversion::Nothing)),
            DataType::Boolean => Some(Self::bare(Boolean)),
            DataType::Int8 => integer(Int32, 8, true, LeafConversion::Narrow(1)),
            DataType::Int16 => integer(Int32, 16, true, LeafConversion::Narrow(2)),
            DataType::Int32 => Some(Self::bare(Int32)),
            DataType::Int64 | DataType::Duration(_) => Some(Self::bare(Int64)),
            DataType::UInt8 => integer(Int32, 8, false, LeafConversion::Narrow(1)),
            DataType::UInt16 => integer(Int32, 16, false, LeafConversion::Narrow(2)),
            DataType::UInt32 => integer(Int32, 32, false, LeafConversion::Same),
            DataType::UInt64 => integer(Int64, 64, false, LeafConversion::Same),
            DataType::Float16 => timed(Fixed(2), Logical::Float16, LeafConversion::Same),
            DataType::Float32 => Some(Self::bare(Float)),
            DataType::Float64 => Some(Self::bare(Double)),
            DataType::Timestamp(unit, zone) => {
                let utc = zone.as_ref().is_some_and(|zone| !zone.is_empty());
                let (unit, conversion) = unit_of(*unit);
                timed(Int64, Logical::Timestamp(unit, utc), conversion)
            }
            DataType::Time32(unit) => {
                let (unit, conversion) = unit_of(*unit);
                timed(Int32, Logical::Time(unit, false), conversion)
            }
            DataType::Time64(unit) => {
                timed(Int64, Logical::Time(unit_of(*unit).0, false), LeafConversion::Same)
            }
            DataType::Date32 => timed(Int32, Logical::Date, LeafConversion::Same),
            DataType::Date64 => timed(Int32, Logical::Date, LeafConversion::Days),
            DataType::Interval(unit) => Some(match unit {
                IntervalUnit::YearMonth => interval(LeafConversion::Months),
                IntervalUnit::DayTime => interval(LeafConversion::DayTime),
                IntervalUnit::MonthDayNano => Self::bare(Fixed(16)),
            }),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                let logical = if extension == Some("arrow.json") { Logical::Json } else { Logical::String };
                Some(Self::new(Bytes, Some(logical), LeafConversion::Same))
            }
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Some(Self::bare(Bytes)),
            DataType::FixedSizeBinary(0) => Some(Self::new(Bytes, None, LeafConversion::Empty)),
            DataType::FixedSizeBinary(width) => {
                let uuid = (*width == 16 && extension == Some("arrow.uuid")).then_some(Logical::Uuid);
                Some(Self::new(Fixed(u32::try_from(*width).ok()?), uuid, LeafConversion::Same))
            }
            DataType::Decimal32(precision, scale) => decimal(*precision, *scale, 4),
            DataType::Decimal64(precision, scale) => decimal(*precision, *scale, 8),
            DataType::Decimal128(precision, scale) => decimal(*precision, *scale, 16),
            DataType::Decimal256(precision, scale) => decimal(*precision, *scale, 32),
            DataType::Dictionary(_, values) => Self::of_type(values, extension),
            DataType::RunEndEncoded(_, values) => Self::of_type(values.data_type(), extension),
            _ => None,
        }
    }

    /// Returns the leaf for a column with a value that does not fit the leaf of [`LeafType::of`]. It stores Arrow's own bytes, and
    /// only Arrow's schema gives their type. `None` for types whose values always fit.
    #[must_use]
    pub fn exact(data_type: &DataType) -> Option<Self> {
        match data_type {
            DataType::Timestamp(TimeUnit::Second, _) | DataType::Date64 => Some(Self::bare(Physical::Int64)),
            DataType::Time32(TimeUnit::Second) => Some(Self::bare(Physical::Int32)),
            DataType::Decimal32(..) => Some(Self::bare(Physical::Fixed(4))),
            DataType::Decimal64(..) => Some(Self::bare(Physical::Fixed(8))),
            DataType::Decimal128(..) => Some(Self::bare(Physical::Fixed(16))),
            DataType::Decimal256(..) => Some(Self::bare(Physical::Fixed(32))),
            DataType::Dictionary(_, values) => Self::exact(values),
            DataType::RunEndEncoded(_, values) => Self::exact(values.data_type()),
            _ => None,
        }
    }
}

/// Returns the conversion of a leaf's values to the type of `field`, which is one that the leaf may be read as (see
/// [`accepted_type`]). `None` if the leaf does not store that type.
#[must_use]
pub fn conversion_of(
    field: &Field,
    physical: Physical,
    logical: Option<&Logical>,
    converted: Option<i32>,
) -> Option<LeafConversion> {
    let data_type = values_of(field.data_type());
    // A column of nulls has no values, whatever its physical type.
    if (logical, data_type) == (Some(&Logical::Unknown), &DataType::Null) {
        return Some(LeafConversion::Nothing);
    }
    let bare = logical.is_none() && converted.is_none();
    if let Some(width) = decimal_width(data_type) {
        let marked = matches!(logical, Some(Logical::Decimal(..))) || converted == Some(5);
        return match physical {
            Physical::Int32 | Physical::Int64 if marked => Some(LeafConversion::Widened(width)),
            Physical::Fixed(_) | Physical::Bytes if marked => Some(LeafConversion::BigEndian(width)),
            Physical::Fixed(n) if bare && n == u32::from(width) => Some(LeafConversion::Same),
            _ => None,
        };
    }
    let stored = LeafType::of(field)?;
    let says = |logical: Option<Logical>| match (logical, stored.logical) {
        (Some(Logical::Timestamp(unit, _)), Some(Logical::Timestamp(expected, _))) => unit == expected,
        (Some(Logical::Time(unit, _)), Some(Logical::Time(expected, _))) => unit == expected,
        // All kinds of text are stored alike; the Arrow types differ only in memory.
        (_, Some(Logical::String | Logical::Json)) => true,
        (None | Some(Logical::String), None) => stored.logical == logical || physical == Physical::Bytes,
        (found, expected) => found == expected,
    };
    let found = logical.copied().or_else(|| converted.and_then(logical_of));
    if physical == stored.physical && says(found) {
        return Some(stored.conversion);
    }
    LeafType::exact(data_type)
        .filter(|exact| bare && exact.physical == physical)
        .map(|exact| exact.conversion)
}

/// The column of a dictionary type that has no dictionary pages; the dictionary is in the file's metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DictionaryStorage {
    /// The values, one per row, of this type.
    Values(DataType),
    /// The codes, integers of this type.
    Codes(DataType),
}

impl DictionaryStorage {
    /// Returns the column for dictionaries of bools and nulls, which have no dictionary pages, and for those whose values are
    /// nested.
    #[must_use]
    pub fn of(data_type: &DataType) -> Option<Self> {
        let DataType::Dictionary(key, values) = data_type else { return None };
        match values.as_ref() {
            DataType::Boolean | DataType::Null => Some(Self::Values(values.as_ref().clone())),
            DataType::RunEndEncoded(..) => Some(Self::Codes(key.as_ref().clone())),
            other => LeafType::of_type(other, None).is_none().then(|| Self::Codes(key.as_ref().clone())),
        }
    }

    /// The Arrow type of the column.
    #[must_use]
    pub fn data_type(&self) -> &DataType {
        let (Self::Values(data_type) | Self::Codes(data_type)) = self;
        data_type
    }
}

/// Returns the type that a column written by this package is decoded as, if it differs from the field's type. The reader then
/// converts the decoded column.
#[must_use]
pub fn decoded_type(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::RunEndEncoded(_, values) => Some(values.data_type().clone()),
        other => DictionaryStorage::of(other).map(|beside| beside.data_type().clone()),
    }
}

/// Prefix of the key of a dictionary in the file's metadata; the field's name follows.
pub const DICTIONARY: &str = "colonnade:dictionary:";

fn decimal_width(data_type: &DataType) -> Option<u8> {
    match data_type {
        DataType::Decimal32(..) => Some(4),
        DataType::Decimal64(..) => Some(8),
        DataType::Decimal128(..) => Some(16),
        DataType::Decimal256(..) => Some(32),
        _ => None,
    }
}

fn interval(conversion: LeafConversion) -> LeafType {
    LeafType { physical: Physical::Fixed(12), logical: None, converted: Some(INTERVAL), conversion }
}

fn unit_of(unit: TimeUnit) -> (LogicalTimeUnit, LeafConversion) {
    match unit {
        TimeUnit::Second => (LogicalTimeUnit::Milli, LeafConversion::Thousands),
        TimeUnit::Millisecond => (LogicalTimeUnit::Milli, LeafConversion::Same),
        TimeUnit::Microsecond => (LogicalTimeUnit::Micro, LeafConversion::Same),
        TimeUnit::Nanosecond => (LogicalTimeUnit::Nano, LeafConversion::Same),
    }
}

fn decimal(precision: u8, scale: i8, width: u8) -> Option<LeafType> {
    let digits = i32::from(precision);
    let scale = i32::from(scale);
    if !(0..=digits).contains(&scale) || digits == 0 {
        return Some(LeafType::bare(Physical::Fixed(u32::from(width))));
    }
    let (physical, conversion) = match precision {
        1..=9 => (Physical::Int32, LeafConversion::Widened(width)),
        10..=18 => (Physical::Int64, LeafConversion::Widened(width)),
        _ => (Physical::Fixed(decimal_nbytes(precision)), LeafConversion::BigEndian(width)),
    };
    Some(LeafType::new(physical, Some(Logical::Decimal(scale, digits)), conversion))
}

/// Returns the bytes of the shortest two's complement that holds this number of decimal digits.
fn decimal_nbytes(precision: u8) -> u32 {
    // log2(10) = 3.32193: 76 digits need 253 bits and a sign bit.
    (u32::from(precision) * 332_193 / 100_000 + 2).div_ceil(8)
}
