//! How the stored values of a leaf become values of its Arrow type.

use arrow_schema::{DataType, TimeUnit};

use crate::arrow::ipc::width;
use crate::formats::parquet::types::{LeafConversion, Physical};

/// A column of one leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FlatLeaf {
    /// Physical type.
    pub(crate) physical: Physical,
    /// Whether it may be null.
    pub(crate) optional: bool,
    /// The conversion from the physical type to the Arrow type.
    pub(crate) way: LeafConversion,
}

/// The decoder of fixed-width values: stored form, then form in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FixedConversion {
    /// Bits to one byte each.
    Bools,
    /// Two bytes, unchanged.
    Same2,
    /// Four bytes, unchanged.
    Same4,
    /// Eight bytes, unchanged.
    Same8,
    /// The low byte of a four-byte value.
    Low1,
    /// The low two bytes of a four-byte value.
    Low2,
    /// Four bytes, sign-extended to sixteen.
    Int4To16,
    /// Eight bytes, sign-extended to sixteen.
    Int8To16,
    /// Days to milliseconds.
    Days,
    /// Eight bytes of thousandths to seconds.
    Seconds8,
    /// Four bytes of thousandths to seconds.
    Seconds4,
    /// INT96 timestamps, in this unit.
    Int96(TimeUnit),
    /// Fixed-length bytes of any width.
    Wide(u32, ByteConversion),
    /// Big-endian numbers, each preceded by its length.
    Lengths,
}

/// How the stored bytes of a value become the bytes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteConversion {
    /// Unchanged.
    Same,
    /// Big-endian two's complement of any width.
    BigEndian,
    /// Little-endian, extended to the row's width.
    Longer,
    /// The bytes from this position on.
    From(usize),
}

/// The value that a null row holds under its validity bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NullFill {
    /// 0.
    Zero,
    /// NaN.
    Nan,
    /// NaT.
    Nat,
}

impl NullFill {
    pub(super) fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Float16 | DataType::Float32 | DataType::Float64 => Self::Nan,
            DataType::Timestamp(..) | DataType::Duration(_) => Self::Nat,
            _ => Self::Zero,
        }
    }
}

/// Returns the decoder of the leaf and the bytes of a row; `None` if the leaf has no fixed-width decoder.
pub(super) fn fixed_conversion(data_type: &DataType, flat: &FlatLeaf) -> Option<(FixedConversion, usize)> {
    if *data_type == DataType::Boolean {
        return (flat.physical == Physical::Boolean).then_some((FixedConversion::Bools, 1));
    }
    let item = width(data_type).filter(|&item| item > 0)?;
    let wide = |width: u32, change| (width > 0).then_some(FixedConversion::Wide(width, change));
    let kind = match (flat.physical, flat.way, item) {
        (Physical::Int32 | Physical::Float, LeafConversion::Same, 4) => FixedConversion::Same4,
        (Physical::Int64 | Physical::Double, LeafConversion::Same, 8) => FixedConversion::Same8,
        (Physical::Int32, LeafConversion::Narrow(1), 1) => FixedConversion::Low1,
        (Physical::Int32, LeafConversion::Narrow(2), 2) => FixedConversion::Low2,
        (Physical::Int32, LeafConversion::Widened(4), 4) => FixedConversion::Same4,
        (Physical::Int64, LeafConversion::Widened(8), 8) => FixedConversion::Same8,
        (Physical::Int32, LeafConversion::Widened(16), 16) => FixedConversion::Int4To16,
        (Physical::Int64, LeafConversion::Widened(16), 16) => FixedConversion::Int8To16,
        (Physical::Int32, LeafConversion::Widened(_), 8 | 32) => wide(4, ByteConversion::Longer)?,
        (Physical::Int64, LeafConversion::Widened(_), 32) => wide(8, ByteConversion::Longer)?,
        (Physical::Int32, LeafConversion::Days, 8) => FixedConversion::Days,
        (Physical::Int64, LeafConversion::Thousands, 8) => FixedConversion::Seconds8,
        (Physical::Int32, LeafConversion::Thousands, 4) => FixedConversion::Seconds4,
        (Physical::Int96, _, 8) => match data_type {
            DataType::Timestamp(unit, _) => FixedConversion::Int96(*unit),
            _ => return None,
        },
        (Physical::Fixed(2), LeafConversion::Same, 2) => FixedConversion::Same2,
        (Physical::Fixed(n), LeafConversion::BigEndian(_), _) => wide(n, ByteConversion::BigEndian)?,
        (Physical::Bytes, LeafConversion::BigEndian(_), _) => FixedConversion::Lengths,
        (Physical::Fixed(12), LeafConversion::Months, 4) => wide(12, ByteConversion::From(0))?,
        (Physical::Fixed(12), LeafConversion::DayTime, 8) => wide(12, ByteConversion::From(4))?,
        (Physical::Fixed(n), LeafConversion::Same, item) if usize::try_from(n) == Ok(item) => {
            wide(n, ByteConversion::Same)?
        }
        _ => return None,
    };
    Some((kind, item))
}
