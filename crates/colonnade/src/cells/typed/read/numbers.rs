//! Builders of fixed-width values, each decoded from one head and its payload.

use arrow_buffer::{ArrowNativeType, Buffer, IntervalDayTime, IntervalMonthDayNano, i256};

use super::super::{decimal, half};
use super::*;
use crate::calendar::count_in_unit;
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::excerpt::excerpt;

/// Values of one native type and their validity.
struct NullableValues<T> {
    data_type: DataType,
    values: Vec<T>,
    nulls: ValidityBuilder,
}

impl<T: ArrowNativeType> NullableValues<T> {
    fn new(data_type: &DataType) -> Self {
        Self { data_type: data_type.clone(), values: Vec::new(), nulls: ValidityBuilder::default() }
    }

    fn push(&mut self, value: T) {
        self.values.push(value);
        self.nulls.0.append_non_null();
    }

    fn null(&mut self) {
        self.values.push(T::default());
        self.nulls.0.append_null();
    }

    /// Takes the array so far and leaves the builder empty.
    fn take(&mut self, len: usize) -> ArrayDataBuilder {
        ArrayDataBuilder::new(self.data_type.clone())
            .len(len)
            .nulls(self.nulls.0.finish())
            .add_buffer(Buffer::from_vec(std::mem::take(&mut self.values)))
    }
}

/// A builder of values that are one head and its payload.
pub(super) struct NumberBuilder<T, F> {
    column: NullableValues<T>,
    decode: F,
    /// The expected cell, for messages.
    expected: String,
    /// The values of the dictionary, if the cells are codes.
    dictionary: Option<ArrayData>,
}

impl<T, F> NumberBuilder<T, F>
where
    T: ArrowNativeType,
    F: Fn(MsgpackHead, &[u8]) -> Option<T> + Send + Sync + 'static,
{
    pub(super) fn boxed(data_type: &DataType, decode: F) -> Box<dyn BuildValues> {
        let expected = crate::frame::type_name(data_type, false);
        Box::new(Self { column: NullableValues::new(data_type), decode, expected, dictionary: None })
    }

    pub(super) fn codes(data_type: &DataType, values: ArrayData, decode: F) -> Box<dyn BuildValues> {
        let expected = format!("a code of one of {} categories", values.len());
        Box::new(Self { column: NullableValues::new(data_type), decode, expected, dictionary: Some(values) })
    }
}

impl<T, F> BuildValues for NumberBuilder<T, F>
where
    T: ArrowNativeType,
    F: Fn(MsgpackHead, &[u8]) -> Option<T> + Send + Sync + 'static,
{
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        let Some((found, length)) = head(bytes)? else { return Ok(None) };
        let size = length + found.payload();
        let Some(payload) = bytes.get(length..size) else { return Ok(None) };
        let Some(value) = (self.decode)(found, payload) else {
            return Err(unexpected(&self.expected, found, payload));
        };
        self.column.push(value);
        Ok(Some(size))
    }

    fn null(&mut self) -> BuildResult {
        self.column.null();
        Ok(())
    }

    fn finish(&mut self, len: usize) -> Result<ArrayData> {
        let builder = self.column.take(len);
        build_array(match self.dictionary.take() {
            Some(values) => builder.add_child_data(values),
            None => builder,
        })
    }
}

/// Returns the error for a cell of another type, or out of range.
#[cold]
pub(super) fn unexpected(expected: &str, found: MsgpackHead, payload: &[u8]) -> CellError {
    let value = match found {
        MsgpackHead::Int(value) => format!("the integer {value}"),
        MsgpackHead::UInt(value) => format!("the integer {value}"),
        MsgpackHead::F32(bits) => format!("the float {:?}", f32::from_bits(bits)),
        MsgpackHead::F64(bits) => format!("the float {:?}", f64::from_bits(bits)),
        MsgpackHead::Str(_) => format!("the text {}", excerpt(&String::from_utf8_lossy(payload))),
        MsgpackHead::Ext(-1, _) => "a timestamp".into(),
        MsgpackHead::Ext(code, _) => format!("an extension of type {code}"),
        other => other.name().into(),
    };
    malformed(0, format!("expected {expected}, found {value}."))
}

pub(super) fn integer<T: TryFrom<i64> + TryFrom<u64>>(found: MsgpackHead, _: &[u8]) -> Option<T> {
    match found {
        MsgpackHead::Int(value) => T::try_from(value).ok(),
        MsgpackHead::UInt(value) => T::try_from(value).ok(),
        _ => None,
    }
}

/// Decodes a code below `count`.
pub(super) fn code<T>(count: usize) -> impl Fn(MsgpackHead, &[u8]) -> Option<T> + Send + Sync
where
    T: TryFrom<i64> + TryFrom<u64> + ArrowNativeType,
{
    move |found, payload| {
        integer::<T>(found, payload).filter(|code| code.to_usize().is_some_and(|code| code < count))
    }
}

/// Decodes the bits of a 32-bit float, from a float or from a number that equals one.
pub(super) fn float32(found: MsgpackHead, _: &[u8]) -> Option<u32> {
    #[allow(clippy::cast_possible_truncation, reason = "compared with what it was")]
    match found {
        MsgpackHead::F32(bits) => Some(bits),
        MsgpackHead::F64(bits) => {
            let wide = f64::from_bits(bits);
            let narrow = wide as f32;
            (f64::from(narrow).to_bits() == bits).then_some(narrow.to_bits())
        }
        other => float64(other, &[]).and_then(|bits| float32(MsgpackHead::F64(bits), &[])),
    }
}

/// Decodes the bits of a 64-bit float. Other writers spell 1.0 as an integer.
pub(super) fn float64(found: MsgpackHead, _: &[u8]) -> Option<u64> {
    const EXACT: i64 = 1 << 53;
    #[allow(clippy::cast_precision_loss, reason = "integers up to 2⁵³ are exact")]
    match found {
        MsgpackHead::F64(bits) => Some(bits),
        MsgpackHead::F32(bits) => {
            let narrow = f32::from_bits(bits);
            (!narrow.is_nan()).then(|| f64::from(narrow).to_bits())
        }
        MsgpackHead::Int(value) if (-EXACT..=EXACT).contains(&value) => Some((value as f64).to_bits()),
        _ => None,
    }
}

pub(super) fn float16(found: MsgpackHead, payload: &[u8]) -> Option<u16> {
    float32(found, payload).and_then(half::narrow)
}

/// Decodes a timestamp's payload to seconds since 1970 and nanoseconds of the second.
fn instant(payload: &[u8]) -> Option<(i64, u32)> {
    let (seconds, nanoseconds) = match *payload {
        [a, b, c, d] => (i64::from(u32::from_be_bytes([a, b, c, d])), 0),
        [_, _, _, _, _, _, _, _] => {
            let packed = u64::from_be_bytes(*payload.first_chunk()?);
            (i64::try_from(packed & 0x3_ffff_ffff).ok()?, u32::try_from(packed >> 34).ok()?)
        }
        [a, b, c, d, ref rest @ ..] => {
            let seconds = i64::from_be_bytes(*rest.first_chunk::<8>()?);
            (seconds, (rest.len() == 8).then_some(u32::from_be_bytes([a, b, c, d]))?)
        }
        _ => return None,
    };
    (nanoseconds < 1_000_000_000).then_some((seconds, nanoseconds))
}

/// Decodes a timestamp to an exact count of units, `per_second` of which are a second.
pub(super) fn instants(per_second: i64) -> impl Fn(MsgpackHead, &[u8]) -> Option<i64> + Send + Sync {
    move |found, payload| match found {
        MsgpackHead::Int(value) => Some(value),
        MsgpackHead::Ext(-1, _) => {
            let (seconds, nanoseconds) = instant(payload)?;
            count_in_unit(seconds, nanoseconds.into(), per_second)
        }
        _ => None,
    }
}

pub(super) fn days(found: MsgpackHead, payload: &[u8]) -> Option<i32> {
    match found {
        MsgpackHead::Int(value) => i32::try_from(value).ok(),
        MsgpackHead::Ext(-1, _) => {
            let (seconds, nanoseconds) = instant(payload)?;
            let whole = nanoseconds == 0 && seconds % 86_400 == 0;
            whole.then(|| i32::try_from(seconds / 86_400).ok())?
        }
        _ => None,
    }
}

pub(super) fn decimals<T>(
    precision: u8,
    scale: i8,
    narrow: fn(i256) -> Option<T>,
) -> impl Fn(MsgpackHead, &[u8]) -> Option<T> + Send + Sync {
    move |found, payload| {
        let text = match found {
            MsgpackHead::Str(_) => std::str::from_utf8(payload).ok()?,
            _ => return None,
        };
        decimal::parse(text, precision, scale).and_then(narrow)
    }
}

/// A builder of intervals with several parts: each cell is an array of integers.
pub(super) struct IntervalBuilder<T, const N: usize> {
    column: NullableValues<T>,
    join: fn([i64; N]) -> Option<T>,
}

impl<T: ArrowNativeType, const N: usize> IntervalBuilder<T, N> {
    fn boxed(data_type: &DataType, join: fn([i64; N]) -> Option<T>) -> Box<dyn BuildValues> {
        Box::new(Self { column: NullableValues::new(data_type), join })
    }
}

pub(super) fn day_times(data_type: &DataType) -> Box<dyn BuildValues> {
    IntervalBuilder::boxed(data_type, |[days, ms]: [i64; 2]| {
        Some(IntervalDayTime::new(i32::try_from(days).ok()?, i32::try_from(ms).ok()?))
    })
}

pub(super) fn month_day_nanos(data_type: &DataType) -> Box<dyn BuildValues> {
    IntervalBuilder::boxed(data_type, |[months, days, nanoseconds]: [i64; 3]| {
        let (months, days) = (i32::try_from(months).ok()?, i32::try_from(days).ok()?);
        Some(IntervalMonthDayNano::new(months, days, nanoseconds))
    })
}

impl<T: ArrowNativeType, const N: usize> BuildValues for IntervalBuilder<T, N> {
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        let Some((found, mut at)) = head(bytes)? else { return Ok(None) };
        let expected = || format!("an array of {N} integers, as an interval is");
        if !matches!(found, MsgpackHead::Array(n) if n as usize == N) {
            return Err(unexpected(&expected(), found, &[]));
        }
        let mut parts = [0; N];
        for part in &mut parts {
            match head(bytes.get(at..).unwrap_or_default()).map_err(|e| e.after(0, at))? {
                Some((MsgpackHead::Int(value), length)) => {
                    *part = value;
                    at += length;
                }
                Some((other, _)) => return Err(unexpected(&expected(), other, &[]).after(0, at)),
                None => return Ok(None),
            }
        }
        let value = (self.join)(parts).ok_or_else(|| {
            malformed(0, format!("expected {}, found {parts:?}, past its range.", expected()))
        })?;
        self.column.push(value);
        Ok(Some(at))
    }

    fn null(&mut self) -> BuildResult {
        self.column.null();
        Ok(())
    }

    fn finish(&mut self, len: usize) -> Result<ArrayData> {
        build_array(self.column.take(len))
    }
}
