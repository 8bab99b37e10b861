//! Dates, times and durations. R stores doubles; a file stores integers of a unit, if that brings back every bit.

use arrow_buffer::{Buffer as ArrowBuffer, NullBuffer};
use arrow_schema::{DataType, TimeUnit};
use colonnade::Result;
use colonnade_capi::error::{CnCode, CnError};
use colonnade_capi::text::optional;
use std::ffi::c_char;

use super::vectors::primitive;
use super::{CnrBuilder, with};
use crate::r_memory::{defect, values_of};
use crate::units::{seconds_of, units_per_second};
use crate::{NA_INTEGER, is_na};

/// An R vector of times: doubles, or integers.
enum Times<'v> {
    Doubles(&'v [f64]),
    Integers(&'v [i32]),
}

impl Times<'_> {
    /// # Safety
    /// `values` is valid for reads of `count` doubles, or integers if `integer`.
    unsafe fn new(values: *const f64, count: usize, integer: bool) -> Self {
        // SAFETY: the caller guarantees it.
        unsafe {
            match integer {
                false => Self::Doubles(values_of(values, count)),
                true => Self::Integers(values_of(values.cast::<i32>(), count)),
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Doubles(values) => values.len(),
            Self::Integers(values) => values.len(),
        }
    }

    /// The value of a row; `None` for `NA`.
    fn get(&self, row: usize) -> Option<f64> {
        match self {
            Self::Doubles(values) => values.get(row).copied().filter(|value| !is_na(*value)),
            Self::Integers(values) => values.get(row).copied().filter(|v| *v != NA_INTEGER).map(f64::from),
        }
    }
}

/// The integers of `convert`, with their validity; `None` if `convert` refuses a value.
fn integers<T: Default>(
    times: &Times<'_>,
    convert: impl Fn(f64) -> Option<T>,
) -> Option<(Vec<T>, Option<NullBuffer>)> {
    let mut out = Vec::with_capacity(times.len());
    let mut present = Vec::with_capacity(times.len());
    for row in 0..times.len() {
        let value = times.get(row);
        out.push(value.map_or(Some(T::default()), &convert)?);
        present.push(value.is_some());
    }
    let nulls = present.contains(&false).then(|| NullBuffer::from(present));
    Some((out, nulls))
}

/// The integer of a whole number, with the same bits as a double.
fn whole(value: f64) -> Option<i64> {
    // 2^53: beyond it, neighbouring integers share a double.
    if value.abs() > 9_007_199_254_740_992.0 || value.fract() != 0.0 || value.is_nan() {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)] // within 2^53
    let whole = value as i64;
    same_bits(value, whole).then_some(whole)
}

#[allow(clippy::cast_precision_loss)] // integers of at most 2^53
fn same_bits(value: f64, whole: i64) -> bool {
    (whole as f64).to_bits() == value.to_bits()
}

/// The number of units in `value * factor` seconds, if it brings back the bits of `value`.
fn units(value: f64, factor: f64, unit: TimeUnit) -> Option<i64> {
    let per_second = units_per_second(unit);
    let seconds = value * factor;
    if seconds.is_nan() || seconds.abs() >= 9.2e18 / f64::from(u32::try_from(per_second).ok()?) {
        return None;
    }
    let (floor, per) = (seconds.floor(), f64::from(u32::try_from(per_second).ok()?));
    #[allow(clippy::cast_possible_truncation)] // both are within 64 bits, by the check above
    let (whole, part) = (floor as i64, ((seconds - floor) * per).round() as i64);
    let count = whole.checked_mul(per_second)?.checked_add(part)?;
    (seconds_of(count, unit) / factor).to_bits().eq(&value.to_bits()).then_some(count)
}

/// Microseconds if they are exact, else nanoseconds; `None` if neither is.
fn in_units(times: &Times<'_>, factor: f64) -> Option<(TimeUnit, Vec<i64>, Option<NullBuffer>)> {
    [TimeUnit::Microsecond, TimeUnit::Nanosecond].into_iter().find_map(|unit| {
        let (values, nulls) = integers(times, |value| units(value, factor, unit))?;
        Some((unit, values, nulls))
    })
}

/// Writes whether an array was pushed.
///
/// # Safety
/// `exact` is valid for writes.
unsafe fn answer(exact: *mut bool, pushed: bool) -> Result<()> {
    if exact.is_null() {
        return Err(defect("no answer"));
    }
    // SAFETY: the caller guarantees it.
    unsafe { exact.write(pushed) };
    Ok(())
}

/// Pushes a vector of class Date, if all dates are whole days; `exact` says so.
///
/// # Safety
/// `builder` and `exact` are valid; `values` is valid for reads of `count` doubles, or integers if `integer`; `error` is null or
/// zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_date(
    builder: *mut CnrBuilder,
    values: *const f64,
    count: usize,
    integer: bool,
    exact: *mut bool,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let days = |value| i32::try_from(whole(value)?).ok();
            let found = integers(&Times::new(values, count, integer), days);
            answer(exact, found.is_some())?;
            if let Some((days, nulls)) = found {
                builder.push(primitive(DataType::Date32, count, ArrowBuffer::from_vec(days), nulls)?);
            }
            Ok(())
        })
    }
}

/// Pushes a vector of class POSIXct, if micro- or nanoseconds bring back every bit; `exact` says so. `zone`: the zone, or null
/// for UTC.
///
/// # Safety
/// As `cnr_push_date`; `zone` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_time(
    builder: *mut CnrBuilder,
    values: *const f64,
    count: usize,
    integer: bool,
    zone: *const c_char,
    exact: *mut bool,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let found = in_units(&Times::new(values, count, integer), 1.0);
            answer(exact, found.is_some())?;
            if let Some((unit, values, nulls)) = found {
                let zone = optional("zone", zone)?.filter(|zone| !zone.is_empty()).unwrap_or("UTC");
                let data_type = DataType::Timestamp(unit, Some(zone.into()));
                builder.push(primitive(data_type, count, ArrowBuffer::from_vec(values), nulls)?);
            }
            Ok(())
        })
    }
}

/// Pushes a vector of class difftime, whose unit has `factor` seconds, if micro- or nanoseconds bring back every bit.
///
/// # Safety
/// As `cnr_push_date`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_duration(
    builder: *mut CnrBuilder,
    values: *const f64,
    count: usize,
    integer: bool,
    factor: f64,
    exact: *mut bool,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let found = in_units(&Times::new(values, count, integer), factor);
            answer(exact, found.is_some())?;
            if let Some((unit, values, nulls)) = found {
                builder.push(primitive(
                    DataType::Duration(unit),
                    count,
                    ArrowBuffer::from_vec(values),
                    nulls,
                )?);
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_keep_their_bits() {
        assert_eq!(whole(19_000.0), Some(19_000));
        for value in [0.5, f64::NAN, f64::INFINITY, -0.0, 1e300] {
            assert_eq!(whole(value), None, "{value}");
        }
    }

    #[test]
    fn microseconds_keep_their_bits() {
        let microsecond = TimeUnit::Microsecond;
        assert_eq!(units(1.5, 1.0, microsecond), Some(1_500_000));
        assert_eq!(units(-1.5, 1.0, microsecond), Some(-1_500_000));
        assert_eq!(units(1_700_000_000.123_456, 1.0, microsecond), Some(1_700_000_000_123_456));
        assert_eq!(units(1.5, 60.0, microsecond), Some(90_000_000));
        for value in [1.0 / 3.0, f64::NAN, f64::INFINITY, -0.0, 1e15] {
            assert_eq!(units(value, 1.0, microsecond), None, "{value}");
        }
        // The times of a system clock, in nanoseconds.
        let now = 1_700_000_000.123_456_7;
        assert!(units(now, 1.0, TimeUnit::Nanosecond).is_some());
    }
}
