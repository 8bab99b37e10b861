//! Classes of cells, and the column type that they imply.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// The classes of the cells of a column, one bit each. The type of a column depends only on this set, not on the order of its cells
/// or the pieces in which they were read.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CellClasses(u16);

impl CellClasses {
    /// Null values.
    pub(super) const NULL: Self = Self(1);
    /// `NaN`.
    pub(super) const NAN: Self = Self(1 << 1);
    /// Quoted empty text.
    pub(super) const EMPTY: Self = Self(1 << 2);
    /// Booleans.
    pub(super) const BOOL: Self = Self(1 << 3);
    /// Integers from 0 to 2⁶³ - 1.
    pub(super) const INT: Self = Self(1 << 4);
    /// Negative integers of 64 bits.
    pub(super) const NEGATIVE: Self = Self(1 << 5);
    /// Integers of 64 bits from 2⁶³ on.
    pub(super) const BIG: Self = Self(1 << 6);
    /// Integers of more than 64 bits.
    pub(super) const HUGE: Self = Self(1 << 7);
    /// Other numbers.
    pub(super) const FLOAT: Self = Self(1 << 8);
    /// Numbers larger than every float.
    pub(super) const OVERFLOW: Self = Self(1 << 9);
    /// Anything else.
    pub(super) const TEXT: Self = Self(1 << 10);
    /// Instants without a zone, if the column may hold instants.
    pub(super) const INSTANT: Self = Self(1 << 11);
    /// Instants with a zone.
    pub(super) const ZONED: Self = Self(1 << 12);
    /// Instants that need nanoseconds.
    pub(super) const NANOS: Self = Self(1 << 13);
    /// Instants out of range for 64 bits of nanoseconds.
    pub(super) const FAR: Self = Self(1 << 14);
    /// Integers larger than every float.
    pub(super) const VAST: Self = Self(1 << 15);

    /// All values: neither null, nor NaN, nor quoted empty text.
    pub(super) const VALUES: Self = Self(0x3FFF & !(Self::NULL.0 | Self::NAN.0 | Self::EMPTY.0));

    /// The classes that a column of `kind` can hold.
    pub(super) fn held_by(kind: InferredType) -> Self {
        let missing = Self::NULL | Self::NAN | Self::EMPTY;
        missing
            | match kind {
                InferredType::Bool => Self::BOOL,
                InferredType::Int => Self::INT | Self::NEGATIVE,
                InferredType::UInt => Self::INT | Self::BIG,
                InferredType::Float | InferredType::Nothing => Self(Self::NUMBERS.0 & !Self::OVERFLOW.0),
                InferredType::Text => Self(u16::MAX),
                InferredType::Decimal(_) => Self::INT | Self::NEGATIVE | Self::BIG | Self::HUGE | Self::VAST,
                InferredType::Time { nanos, zoned } => {
                    let base = if zoned { Self::ZONED } else { Self::INSTANT };
                    base | if nanos { Self::NANOS } else { Self::FAR }
                }
            }
    }

    /// Whether this is a subset of `other`.
    pub(super) fn is_in(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    pub(super) const NUMBERS: Self =
        Self(Self::INT.0 | Self::NEGATIVE.0 | Self::BIG.0 | Self::HUGE.0 | Self::FLOAT.0 | Self::OVERFLOW.0);

    /// Whether this has any class of `other`.
    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for CellClasses {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for CellClasses {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for CellClasses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Classes({:#b})", self.0)
    }
}

/// The treatment of integers over 64 bits in a column of integers, and of numbers larger than every float.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BigInts {
    /// They are errors.
    #[default]
    Error,
    /// The column becomes text, as in `pandas.read_csv`.
    Text,
    /// The column becomes decimals of up to 76 digits.
    Decimal,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InferredType {
    Bool,
    Int,
    UInt,
    Float,
    /// Floats of a column without values yet. An integer that a float would round has another type.
    Nothing,
    Text,
    /// Instants, in nanoseconds or else microseconds; in UTC if `zoned`.
    Time {
        nanos: bool,
        zoned: bool,
    },
    /// Integers of at most this many digits, or of any number of digits. They are first read as text.
    Decimal(Option<usize>),
}

/// The least type that holds all these classes. The error is the class that must be refused.
pub(super) fn kind_of(seen: CellClasses, big_ints: BigInts) -> Result<InferredType, CellClasses> {
    let times = CellClasses::INSTANT | CellClasses::ZONED;
    if seen.has(CellClasses::TEXT) {
        return Ok(InferredType::Text);
    }
    if seen.has(times) {
        let mixed = seen.has(CellClasses::BOOL | CellClasses::NUMBERS)
            || (seen.has(CellClasses::NANOS) && seen.has(CellClasses::FAR))
            || (seen.has(CellClasses::INSTANT) && seen.has(CellClasses::ZONED));
        let time =
            InferredType::Time { nanos: seen.has(CellClasses::NANOS), zoned: seen.has(CellClasses::ZONED) };
        return Ok(if mixed { InferredType::Text } else { time });
    }
    if seen.has(CellClasses::BOOL) {
        return Ok(if seen.has(CellClasses::NUMBERS) { InferredType::Text } else { InferredType::Bool });
    }
    if seen.has(CellClasses::OVERFLOW) || (seen.has(CellClasses::FLOAT) && seen.has(CellClasses::VAST)) {
        // No type holds these numbers, but text preserves them.
        let which = if seen.has(CellClasses::OVERFLOW) { CellClasses::OVERFLOW } else { CellClasses::VAST };
        return if big_ints == BigInts::Text { Ok(InferredType::Text) } else { Err(which) };
    }
    if seen.has(CellClasses::FLOAT) {
        return Ok(InferredType::Float);
    }
    if seen.has(CellClasses::HUGE) || (seen.has(CellClasses::BIG) && seen.has(CellClasses::NEGATIVE)) {
        return match big_ints {
            BigInts::Text => Ok(InferredType::Text),
            BigInts::Decimal => Ok(InferredType::Decimal(None)),
            BigInts::Error => {
                Err(if seen.has(CellClasses::HUGE) { CellClasses::HUGE } else { CellClasses::BIG })
            }
        };
    }
    if seen.has(CellClasses::BIG) {
        return Ok(InferredType::UInt);
    }
    if seen.has(CellClasses::INT | CellClasses::NEGATIVE) {
        return Ok(InferredType::Int);
    }
    // A column without values is a column of floats, as in `pandas.read_csv`. With quoted empty texts it is text.
    Ok(if seen.has(CellClasses::EMPTY) { InferredType::Text } else { InferredType::Float })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_type_holds_all() {
        let kind = |list: &[CellClasses]| {
            kind_of(list.iter().fold(CellClasses::default(), |a, b| a | *b), BigInts::Error)
        };
        assert_eq!(kind(&[]), Ok(InferredType::Float));
        assert_eq!(kind(&[CellClasses::NULL, CellClasses::NAN]), Ok(InferredType::Float));
        assert_eq!(kind(&[CellClasses::EMPTY, CellClasses::NULL]), Ok(InferredType::Text));
        assert_eq!(kind(&[CellClasses::EMPTY, CellClasses::INT]), Ok(InferredType::Int));
        assert_eq!(kind(&[CellClasses::BOOL, CellClasses::NULL]), Ok(InferredType::Bool));
        assert_eq!(kind(&[CellClasses::BOOL, CellClasses::INT]), Ok(InferredType::Text));
        assert_eq!(kind(&[CellClasses::INT, CellClasses::NEGATIVE]), Ok(InferredType::Int));
        assert_eq!(kind(&[CellClasses::INT, CellClasses::BIG]), Ok(InferredType::UInt));
        assert_eq!(kind(&[CellClasses::NEGATIVE, CellClasses::BIG]), Err(CellClasses::BIG));
        assert_eq!(kind(&[CellClasses::HUGE, CellClasses::INT]), Err(CellClasses::HUGE));
        assert_eq!(kind(&[CellClasses::HUGE, CellClasses::FLOAT]), Ok(InferredType::Float));
        assert_eq!(kind(&[CellClasses::HUGE, CellClasses::TEXT]), Ok(InferredType::Text));
        assert_eq!(kind(&[CellClasses::OVERFLOW]), Err(CellClasses::OVERFLOW));
        assert_eq!(kind(&[CellClasses::INSTANT, CellClasses::ZONED]), Ok(InferredType::Text));
        assert_eq!(
            kind(&[CellClasses::INSTANT, CellClasses::NULL]),
            Ok(InferredType::Time { nanos: false, zoned: false })
        );
    }
}
