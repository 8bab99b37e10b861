//! What the values of a leaf are in the file, and what they become in memory.

use arrow_schema::{DataType, TimeUnit};

use crate::arrow::ipc::width;
use crate::formats::parquet::types::{LeafConversion, Physical};

/// A column of one leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flat {
    /// What its values are made of.
    pub(crate) physical: Physical,
    /// Whether it may be null.
    pub(crate) optional: bool,
    /// How its values become those of the Arrow type.
    pub(crate) way: LeafConversion,
}

/// How values are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Bits to bytes.
    Bools,
    /// The same bytes: 2, 4 or 8 of them.
    Same2,
    /// See above.
    Same4,
    /// See above.
    Same8,
    /// The low byte of four.
    Low1,
    /// The low two bytes of four.
    Low2,
    /// Four bytes to sixteen, with their sign.
    Int4To16,
    /// Eight bytes to sixteen, with their sign.
    Int8To16,
    /// Days to milliseconds.
    Days,
    /// Thousandths, in eight bytes, to seconds.
    Seconds8,
    /// Thousandths, in four bytes, to seconds.
    Seconds4,
    /// An old instant.
    Int96(TimeUnit),
    /// Bytes of any width.
    Wide(u32, Change),
    /// Big-endian numbers, each with its length in front.
    Lengths,
}

/// How the bytes of a value become those of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// They are those.
    Same,
    /// Big-endian, of a two's complement of any width.
    BigEndian,
    /// Little-endian, shorter.
    Longer,
    /// From a byte on.
    From(usize),
}

/// What null rows hold, below their validity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Null {
    /// 0.
    Zero,
    /// Not a number.
    Nan,
    /// Not a time.
    Nat,
}

impl Null {
    pub(super) fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Float16 | DataType::Float32 | DataType::Float64 => Self::Nan,
            DataType::Timestamp(..) | DataType::Duration(_) => Self::Nat,
            _ => Self::Zero,
        }
    }
}

/// How the leaf's values become those of the type, and the bytes of a row; `None` where they are not of one width here.
pub(super) fn kind(data_type: &DataType, flat: &Flat) -> Option<(Kind, usize)> {
    if *data_type == DataType::Boolean {
        return (flat.physical == Physical::Boolean).then_some((Kind::Bools, 1));
    }
    let item = width(data_type).filter(|&item| item > 0)?;
    let wide = |width: u32, change| (width > 0).then_some(Kind::Wide(width, change));
    let kind = match (flat.physical, flat.way, item) {
        (Physical::Int32 | Physical::Float, LeafConversion::Same, 4) => Kind::Same4,
        (Physical::Int64 | Physical::Double, LeafConversion::Same, 8) => Kind::Same8,
        (Physical::Int32, LeafConversion::Narrow(1), 1) => Kind::Low1,
        (Physical::Int32, LeafConversion::Narrow(2), 2) => Kind::Low2,
        (Physical::Int32, LeafConversion::Widened(4), 4) => Kind::Same4,
        (Physical::Int64, LeafConversion::Widened(8), 8) => Kind::Same8,
        (Physical::Int32, LeafConversion::Widened(16), 16) => Kind::Int4To16,
        (Physical::Int64, LeafConversion::Widened(16), 16) => Kind::Int8To16,
        (Physical::Int32, LeafConversion::Widened(_), 8 | 32) => wide(4, Change::Longer)?,
        (Physical::Int64, LeafConversion::Widened(_), 32) => wide(8, Change::Longer)?,
        (Physical::Int32, LeafConversion::Days, 8) => Kind::Days,
        (Physical::Int64, LeafConversion::Thousands, 8) => Kind::Seconds8,
        (Physical::Int32, LeafConversion::Thousands, 4) => Kind::Seconds4,
        (Physical::Int96, _, 8) => match data_type {
            DataType::Timestamp(unit, _) => Kind::Int96(*unit),
            _ => return None,
        },
        (Physical::Fixed(2), LeafConversion::Same, 2) => Kind::Same2,
        (Physical::Fixed(n), LeafConversion::BigEndian(_), _) => wide(n, Change::BigEndian)?,
        (Physical::Bytes, LeafConversion::BigEndian(_), _) => Kind::Lengths,
        (Physical::Fixed(12), LeafConversion::Months, 4) => wide(12, Change::From(0))?,
        (Physical::Fixed(12), LeafConversion::DayTime, 8) => wide(12, Change::From(4))?,
        (Physical::Fixed(n), LeafConversion::Same, item) if usize::try_from(n) == Ok(item) => {
            wide(n, Change::Same)?
        }
        _ => return None,
    };
    Some((kind, item))
}
