//! Units of times and durations in seconds, as R counts them.

use arrow_schema::TimeUnit;

/// Units of a second.
pub(crate) fn units_per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// The seconds of a count of units, rounded once where a double can hold them.
#[allow(clippy::cast_precision_loss)] // the nearest double is what R has
pub(crate) fn seconds_of(count: i64, unit: TimeUnit) -> f64 {
    let per = units_per_second(unit);
    if count.unsigned_abs() < 1 << 53 {
        return count as f64 / per as f64;
    }
    count.div_euclid(per) as f64 + count.rem_euclid(per) as f64 / per as f64
}
