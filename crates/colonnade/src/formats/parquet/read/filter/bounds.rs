//! The bounds of a chunk's or a page's values, as far as they are consistent.
//!
//! Writers make mistakes: a truncated maximum that is not incremented, sign-extended bytes of unsigned numbers, bounds in
//! another order than the column's. A bound that contradicts its type or the other bound prunes nothing.

use arrow_schema::DataType;

use crate::filter::{Test, ValueSet};
use crate::formats::parquet::statistics::{Statistics, StatisticsValue, value};
use crate::formats::parquet::types::{LeafConversion, Physical};
use crate::frame::values_of;

/// The properties of a column that its statistics are interpreted by.
#[derive(Debug, Clone)]
pub(crate) struct StatisticsType {
    /// Arrow type of the leaf.
    pub(crate) data_type: DataType,
    /// Physical type.
    pub(crate) physical: Physical,
    /// The conversion from the physical type to the Arrow type.
    pub(crate) way: LeafConversion,
    /// Whether the file declares the order of the column's type for its statistics.
    pub(crate) ordered: bool,
    /// Whether a value may be null.
    pub(crate) optional: bool,
}

/// A minimum and a maximum in a known order.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueBounds<'a> {
    pub(super) min: StatisticsValue<'a>,
    pub(super) max: StatisticsValue<'a>,
    /// Whether `max` may be truncated: then values that begin with it are within the bounds too.
    pub(super) is_open: bool,
}

/// The bounds contradict the column's type, each other, or other statements of the file about the same values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Contradiction;

/// Consistent statistics of a chunk.
#[derive(Debug, Default)]
pub(super) struct ChunkBounds<'a> {
    pub(super) bounds: Option<ValueBounds<'a>>,
    pub(super) nulls: Option<u64>,
}

impl<'a> ChunkBounds<'a> {
    /// Checks the statistics of a chunk of `nrows` rows.
    pub(super) fn new(
        statistics: &Statistics<'a>,
        known: &StatisticsType,
        nrows: usize,
    ) -> Result<Self, Contradiction> {
        let nrows = nrows as u64;
        let has_bounds = [statistics.min, statistics.max, statistics.old_min, statistics.old_max]
            .iter()
            .any(Option::is_some);
        if let Some(nulls) = statistics.nulls {
            let all = nulls == nrows && nrows > 0;
            let excess = statistics.distinct.is_some_and(|distinct| distinct > nrows.saturating_sub(nulls));
            if nulls > nrows || nulls > 0 && !known.optional || all && has_bounds || excess {
                return Err(Contradiction);
            }
        }
        if statistics.is_negative {
            return Err(Contradiction);
        }
        // Writers that store both pairs store the same values in both, if both pairs have the same order.
        let old = known.has_signed_order();
        let differ = |new: Option<&[u8]>, old: Option<&[u8]>| new.zip(old).is_some_and(|(a, b)| a != b);
        if old && (differ(statistics.min, statistics.old_min) || differ(statistics.max, statistics.old_max)) {
            return Err(Contradiction);
        }
        let pair = match (statistics.min, statistics.max) {
            (Some(min), Some(max)) if known.ordered => Some((min, max)),
            (None, None) if old => statistics.old_min.zip(statistics.old_max),
            _ if old => statistics.old_min.zip(statistics.old_max),
            _ => None,
        };
        let bounds = match pair {
            Some((min, max)) => known.bounds(min, max, statistics.max_exact == Some(true))?,
            None => None,
        };
        Ok(Self { bounds, nulls: statistics.nulls })
    }
}

impl StatisticsType {
    /// Whether the deprecated pair of bounds, which is in signed order, has the order of this type.
    fn has_signed_order(&self) -> bool {
        matches!(
            self.physical,
            Physical::Boolean | Physical::Int32 | Physical::Int64 | Physical::Float | Physical::Double
        ) && !values_of(&self.data_type).is_unsigned_integer()
    }

    /// Returns the bounds as values of this column; `None` if they bound nothing. `exact`: the file marks the maximum as exact.
    pub(super) fn bounds<'a>(
        &self,
        min: &'a [u8],
        max: &'a [u8],
        exact: bool,
    ) -> Result<Option<ValueBounds<'a>>, Contradiction> {
        if !self.fits(min) || !self.fits(max) {
            return Err(Contradiction);
        }
        let value = |bytes: &'a [u8]| value(bytes, &self.data_type, self.physical, self.way);
        let (Some(min_value), Some(max_value)) = (value(min), value(max)) else { return Ok(None) };
        // NaN bounds nothing; writers that let NaN into the statistics make both bounds useless.
        let nan = |v: &StatisticsValue<'_>| matches!(v, StatisticsValue::Float(v) if v.is_nan());
        if nan(&min_value) || nan(&max_value) {
            return Ok(None);
        }
        if !self.in_range(min_value) || !self.in_range(max_value) {
            return Err(Contradiction);
        }
        let is_bytes = matches!(max_value, StatisticsValue::Bytes(_));
        let is_open =
            is_bytes && !exact && !matches!(self.physical, Physical::Fixed(n) if max.len() == n as usize);
        if exact && self.is_text() && std::str::from_utf8(max).is_err() {
            return Err(Contradiction);
        }
        match min_value.partial_cmp(&max_value) {
            Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal) => {
                Ok(Some(ValueBounds { min: min_value, max: max_value, is_open }))
            }
            _ => Err(Contradiction),
        }
    }

    fn is_text(&self) -> bool {
        matches!(values_of(&self.data_type), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
    }

    /// Whether a bound has as many bytes as a value of this type.
    fn fits(&self, bound: &[u8]) -> bool {
        match self.physical {
            Physical::Boolean => matches!(bound, [0 | 1]),
            Physical::Int32 | Physical::Float => bound.len() == 4,
            Physical::Int64 | Physical::Double => bound.len() == 8,
            Physical::Int96 => bound.len() == 12,
            // A bound of bytes may be truncated, a bound of numbers may not.
            Physical::Fixed(n) if matches!(values_of(&self.data_type), DataType::FixedSizeBinary(_)) => {
                bound.len() <= n as usize
            }
            Physical::Fixed(n) => bound.len() == n as usize,
            Physical::Bytes => !bound.is_empty() || !matches!(self.way, LeafConversion::BigEndian(_)),
        }
    }

    /// Whether a column of this type can contain such a value.
    fn in_range(&self, value: StatisticsValue<'_>) -> bool {
        let within = |bits: u32, signed: bool| {
            let StatisticsValue::Int(value) = value else { return true };
            let (low, high) = if signed {
                (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
            } else {
                (0, (1i128 << bits) - 1)
            };
            (low..=high).contains(&value)
        };
        let digits = |precision: u8| match value {
            StatisticsValue::Int(value) => {
                10u128.checked_pow(u32::from(precision)).is_none_or(|most| value.unsigned_abs() < most)
            }
            _ => true,
        };
        match values_of(&self.data_type) {
            DataType::Boolean => within(1, false),
            DataType::Int8 => within(8, true),
            DataType::Int16 => within(16, true),
            DataType::UInt8 => within(8, false),
            DataType::UInt16 => within(16, false),
            DataType::Decimal32(precision, _)
            | DataType::Decimal64(precision, _)
            | DataType::Decimal128(precision, _) => digits(*precision),
            _ => true,
        }
    }
}

impl ValueBounds<'_> {
    /// Whether a test may match a value within the bounds.
    pub(super) fn may_hold(&self, test: &Test) -> bool {
        match (test, self.min, self.max) {
            (Test::Ints(shape), StatisticsValue::Int(min), StatisticsValue::Int(max)) => {
                shape.may_hold(&min, &max)
            }
            (Test::Wide(shape), StatisticsValue::Wide(min), StatisticsValue::Wide(max)) => {
                shape.may_hold(&min, &max)
            }
            // Bounds do not cover NaN, which `!=` matches.
            (Test::Floats(shape), StatisticsValue::Float(min), StatisticsValue::Float(max)) => {
                shape.contains(&f64::NAN) || shape.may_hold(&min, &max)
            }
            (Test::Words(shape), StatisticsValue::Bytes(min), StatisticsValue::Bytes(max)) => {
                self.may_hold_bytes(shape, min, max)
            }
            _ => true,
        }
    }

    fn may_hold_bytes(&self, shape: &ValueSet<Vec<u8>>, min: &[u8], max: &[u8]) -> bool {
        if !self.is_open {
            return shape.may_hold(&min.to_vec(), &max.to_vec());
        }
        match shape {
            ValueSet::OneOf(those) => {
                those.iter().any(|v| v.as_slice() >= min && (v.as_slice() <= max || v.starts_with(max)))
            }
            // Not all values need to equal the bound.
            ValueSet::NoneOf(_) => true,
            ValueSet::Below(end, closed) => min < end.as_slice() || *closed && min == end.as_slice(),
            ValueSet::Above(end, _) => max >= end.as_slice() || end.starts_with(max),
        }
    }

    /// Whether these bounds of a page are consistent with the bounds `chunk` of its chunk.
    pub(super) fn are_within(&self, chunk: &Self) -> bool {
        match (self.min, self.max, chunk.min, chunk.max) {
            (
                StatisticsValue::Bytes(min),
                StatisticsValue::Bytes(max),
                StatisticsValue::Bytes(chunk_min),
                StatisticsValue::Bytes(chunk_max),
            ) => {
                // A truncated minimum is below the value; a truncated and incremented maximum is one above it in its last byte.
                let lowered = max.split_last().map(|(last, rest)| (rest, last.saturating_sub(1)));
                let is_above = lowered.is_some_and(|(rest, last)| {
                    let compared = rest.iter().chain([&last]).cmp(chunk_max.iter());
                    max > chunk_max && compared.is_gt() && !(chunk.is_open && max.starts_with(chunk_max))
                });
                !is_above && (min >= chunk_min || chunk_min.starts_with(min))
            }
            (min, max, chunk_min, chunk_max) => min >= chunk_min && max <= chunk_max,
        }
    }
}
