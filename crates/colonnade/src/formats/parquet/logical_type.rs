//! What values mean: the LogicalType, and the ConvertedType, the older word that other writers set besides.

/// What the values mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logical {
    /// UTF-8.
    String,
    /// Of keys to values.
    Map,
    /// Of elements.
    List,
    /// UTF-8, one of a few.
    Enum,
    /// Digits behind the point, digits in all.
    Decimal(i32, i32),
    /// Days since 1970.
    Date,
    /// Time of day: the unit, whether it is of UTC.
    Time(Unit, bool),
    /// Instant, or local time: the unit, whether it is of UTC.
    Timestamp(Unit, bool),
    /// Bits, whether it has a sign.
    Integer(i8, bool),
    /// Always null.
    Unknown,
    /// JSON as text.
    Json,
    /// BSON.
    Bson,
    /// Sixteen bytes.
    Uuid,
    /// Two bytes.
    Float16,
    /// A kind that is not known here, by its number.
    Other(i16),
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Thousandths of a second.
    Milli,
    /// Millionths.
    Micro,
    /// Billionths.
    Nano,
}

/// Older word for an interval.
pub const INTERVAL: i32 = 21;

/// Older word for groups of keys and values; also that of the group inside of a map.
pub const MAP_KEY_VALUE: i32 = 2;

/// The older word for a meaning, as other writers set it.
#[must_use]
pub fn converted(logical: Logical) -> Option<i32> {
    Some(match logical {
        Logical::String => 0,
        Logical::Map => 1,
        Logical::List => 3,
        Logical::Enum => 4,
        Logical::Decimal(..) => 5,
        Logical::Date => 6,
        // Older readers take these for UTC.
        Logical::Time(Unit::Milli, true) => 7,
        Logical::Time(Unit::Micro, true) => 8,
        Logical::Timestamp(Unit::Milli, true) => 9,
        Logical::Timestamp(Unit::Micro, true) => 10,
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

/// What an older word means; decimals and intervals say more than a word.
#[must_use]
pub fn logical_of(converted: i32) -> Option<Logical> {
    Some(match converted {
        0 => Logical::String,
        1 | 2 => Logical::Map,
        3 => Logical::List,
        4 => Logical::Enum,
        6 => Logical::Date,
        7 => Logical::Time(Unit::Milli, true),
        8 => Logical::Time(Unit::Micro, true),
        9 => Logical::Timestamp(Unit::Milli, true),
        10 => Logical::Timestamp(Unit::Micro, true),
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
