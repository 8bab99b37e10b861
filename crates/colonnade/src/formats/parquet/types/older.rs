//! The older words for meanings, which other writers set besides.

use crate::formats::parquet::schema::{Logical, Unit};

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
