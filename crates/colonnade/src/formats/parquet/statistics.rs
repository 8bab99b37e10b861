//! Statistics of chunks and pages, decoded from the footer and the page index to values of the column's type.

use arrow_buffer::i256;
use arrow_schema::DataType;

use crate::error::Result;

use super::thrift::{Thrift, ThriftType};
use super::types::{LeafConversion, Physical};
use crate::frame::values_of;

type Float16Native = <arrow_array::types::Float16Type as arrow_array::ArrowPrimitiveType>::Native;

/// Statistics of a chunk. Bounds may be truncated text, which need not be equal to any value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics<'a> {
    /// Lower bound.
    pub min: Option<&'a [u8]>,
    /// Upper bound.
    pub max: Option<&'a [u8]>,
    /// Lower bound in the deprecated field, which compares as signed numbers, whatever the type.
    pub old_min: Option<&'a [u8]>,
    /// Upper bound in the deprecated field.
    pub old_max: Option<&'a [u8]>,
    /// Number of nulls.
    pub nulls: Option<u64>,
    /// Number of distinct values.
    pub distinct: Option<u64>,
    /// Whether `max` is a value of the column; `false` for a bound that was truncated and incremented.
    pub max_exact: Option<bool>,
    /// Whether a count in the footer is negative.
    pub is_negative: bool,
}

impl<'a> Statistics<'a> {
    /// Reads the structure at the position of `t`.
    ///
    /// # Errors
    /// Malformed or truncated.
    pub fn read(t: &mut Thrift<'a>) -> Result<Self> {
        let (mut out, mut last) = (Self::default(), 0);
        while let Some(field) = t.field(&mut last)? {
            match (field.id, field.wire) {
                (1, ThriftType::Binary) => out.old_max = Some(t.binary()?),
                (2, ThriftType::Binary) => out.old_min = Some(t.binary()?),
                (3, ThriftType::I64) => out.nulls = out.count(t.i64()?),
                (4, ThriftType::I64) => out.distinct = out.count(t.i64()?),
                (5, ThriftType::Binary) => out.max = Some(t.binary()?),
                (6, ThriftType::Binary) => out.min = Some(t.binary()?),
                (7, ThriftType::True) => out.max_exact = Some(true),
                (7, ThriftType::False) => out.max_exact = Some(false),
                _ => t.skip(field.wire)?,
            }
        }
        Ok(out)
    }

    fn count(&mut self, value: i64) -> Option<u64> {
        self.is_negative |= value < 0;
        u64::try_from(value).ok()
    }
}

/// A bound, in the unit of the column.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum StatisticsValue<'a> {
    /// A bool, integer, time, or decimal of up to 128 bits.
    Int(i128),
    /// A decimal of 256 bits.
    Wide(i256),
    /// A float.
    Float(f64),
    /// Text or bytes.
    Bytes(&'a [u8]),
}

/// Decodes a PLAIN value without length prefix to a value of the Arrow type of the column.
#[must_use]
pub fn value<'a>(
    bytes: &'a [u8],
    data_type: &DataType,
    physical: Physical,
    conversion: LeafConversion,
) -> Option<StatisticsValue<'a>> {
    let data_type = values_of(data_type);
    let number = |value: i128| match (conversion, data_type) {
        (LeafConversion::Thousands, _) => Some(StatisticsValue::Int(value / 1000)),
        (LeafConversion::Days, _) => Some(StatisticsValue::Int(value * 86_400_000)),
        (
            LeafConversion::Same | LeafConversion::Narrow(_) | LeafConversion::Widened(_),
            DataType::Decimal256(..),
        ) => Some(StatisticsValue::Wide(i256::from_i128(value))),
        (LeafConversion::Same | LeafConversion::Narrow(_) | LeafConversion::Widened(_), _) => {
            Some(StatisticsValue::Int(value))
        }
        _ => None,
    };
    match physical {
        Physical::Boolean => number(i128::from(*bytes.first()? & 1)),
        Physical::Int32 => {
            let raw = u32::from_le_bytes(bytes.try_into().ok()?);
            let unsigned = data_type.is_unsigned_integer();
            number(if unsigned { i128::from(raw) } else { i128::from(raw.cast_signed()) })
        }
        Physical::Int64 => {
            let raw = u64::from_le_bytes(bytes.try_into().ok()?);
            let unsigned = data_type.is_unsigned_integer();
            number(if unsigned { i128::from(raw) } else { i128::from(raw.cast_signed()) })
        }
        Physical::Float => {
            Some(StatisticsValue::Float(f64::from(f32::from_le_bytes(bytes.try_into().ok()?))))
        }
        Physical::Double => Some(StatisticsValue::Float(f64::from_le_bytes(bytes.try_into().ok()?))),
        Physical::Fixed(_) | Physical::Bytes => match (conversion, data_type) {
            (LeafConversion::BigEndian(_), DataType::Decimal256(..)) => {
                big_endian::<32>(bytes).map(|b| StatisticsValue::Wide(i256::from_be_bytes(b)))
            }
            (LeafConversion::BigEndian(_), _) => {
                big_endian::<16>(bytes).map(|b| StatisticsValue::Int(i128::from_be_bytes(b)))
            }
            (_, DataType::Float16) => {
                Some(StatisticsValue::Float(Float16Native::from_le_bytes(bytes.try_into().ok()?).to_f64()))
            }
            (
                LeafConversion::Same,
                DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
                | DataType::FixedSizeBinary(_),
            ) => Some(StatisticsValue::Bytes(bytes)),
            _ => None,
        },
        Physical::Int96 => None,
    }
}

/// Sign-extends big-endian bytes to `N` bytes.
fn big_endian<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    let sign = if bytes.first()? & 0x80 == 0 { 0 } else { 0xff };
    let mut out = [sign; N];
    let front = N.checked_sub(bytes.len())?;
    out.get_mut(front..)?.copy_from_slice(bytes);
    Some(out)
}
