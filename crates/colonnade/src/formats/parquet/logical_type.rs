//! Logical types, and the older ConvertedType, which writers set as well.

use crate::error::{Error, Result};

/// A logical type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logical {
    /// UTF-8 text.
    String,
    /// A map from keys to values.
    Map,
    /// A list of elements.
    List,
    /// UTF-8 text from a small set of values.
    Enum,
    /// A decimal: scale and precision.
    Decimal(i32, i32),
    /// Days since 1970.
    Date,
    /// Time of day: the unit, and whether it is adjusted to UTC.
    Time(LogicalTimeUnit, bool),
    /// Instant, or local time: the unit, and whether it is adjusted to UTC.
    Timestamp(LogicalTimeUnit, bool),
    /// Integer: the number of bits, and whether it is signed.
    Integer(i8, bool),
    /// A column of nulls.
    Unknown,
    /// JSON text.
    Json,
    /// BSON document.
    Bson,
    /// UUID of 16 bytes.
    Uuid,
    /// Half-precision float of two bytes.
    Float16,
    /// A logical type that this version does not know, by its number.
    Other(i16),
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogicalTimeUnit {
    /// Milliseconds.
    Milli,
    /// Microseconds.
    Micro,
    /// Nanoseconds.
    #[default]
    Nano,
}

impl LogicalTimeUnit {
    /// Parses the value of the option `int96_unit`.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "ms" => Ok(Self::Milli),
            "us" => Ok(Self::Micro),
            "ns" => Ok(Self::Nano),
            _ => {
                let message = format!("int96_unit: expected one of ns, us, ms, found {name:?}.");
                Err(Error::invalid_option("parquet", message))
            }
        }
    }
}

/// The ConvertedType INTERVAL.
pub const INTERVAL: i32 = 21;

/// The ConvertedType MAP_KEY_VALUE, for maps and for the repeated group inside of a map.
pub const MAP_KEY_VALUE: i32 = 2;

/// Returns the ConvertedType that writers set for a logical type.
#[must_use]
pub fn converted(logical: Logical) -> Option<i32> {
    Some(match logical {
        Logical::String => 0,
        Logical::Map => 1,
        Logical::List => 3,
        Logical::Enum => 4,
        Logical::Decimal(..) => 5,
        Logical::Date => 6,
        // Older readers read these types as UTC, so only UTC times have a ConvertedType.
        Logical::Time(LogicalTimeUnit::Milli, true) => 7,
        Logical::Time(LogicalTimeUnit::Micro, true) => 8,
        Logical::Timestamp(LogicalTimeUnit::Milli, true) => 9,
        Logical::Timestamp(LogicalTimeUnit::Micro, true) => 10,
        Logical::Integer(8, false) => 11,
        Logical::Integer(16, false) => 12,
        Logical::Integer(32, false) => 13,
        Logical::Integer(64, false) => 14,
        Logical::Integer(8, true) => 15,
        Logical::Integer(16, true) => 16,
        Logical::Integer(32, true) => 17,
        Logical::Integer(64, true) => 18,
        Logical::Json => 19,
        Logical::Bson => 20,
        _ => return None,
    })
}

/// Returns the logical type of a ConvertedType; `None` for decimals and intervals, which need more than the number.
#[must_use]
pub fn logical_of(converted: i32) -> Option<Logical> {
    Some(match converted {
        0 => Logical::String,
        1 | 2 => Logical::Map,
        3 => Logical::List,
        4 => Logical::Enum,
        6 => Logical::Date,
        7 => Logical::Time(LogicalTimeUnit::Milli, true),
        8 => Logical::Time(LogicalTimeUnit::Micro, true),
        9 => Logical::Timestamp(LogicalTimeUnit::Milli, true),
        10 => Logical::Timestamp(LogicalTimeUnit::Micro, true),
        11 => Logical::Integer(8, false),
        12 => Logical::Integer(16, false),
        13 => Logical::Integer(32, false),
        14 => Logical::Integer(64, false),
        15 => Logical::Integer(8, true),
        16 => Logical::Integer(16, true),
        17 => Logical::Integer(32, true),
        18 => Logical::Integer(64, true),
        19 => Logical::Json,
        20 => Logical::Bson,
        _ => return None,
    })
}
