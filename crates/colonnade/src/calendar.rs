//! Converts between dates of the proleptic Gregorian calendar and days since 1970.
//!
//! Seconds of 64 bits reach the year 292 billion, beyond the range of crates (chrono: 262 thousand). The algorithms are Howard
//! Hinnant's, "chrono-Compatible Low-Level Date Algorithms", and are valid for the days of all 64-bit seconds.

use arrow_schema::TimeUnit;

/// Days of 400 years, the period of the calendar.
const ERA: i64 = 146_097;

/// Days from 1 March of the year 0, the start of an era, to 1970.
const FROM_MARCH_0: i64 = 719_468;

/// Converts days since 1970 to year, month and day.
#[inline]
pub(crate) fn date_from_days(days: i64) -> (i64, i64, i64) {
    let z = days + FROM_MARCH_0;
    let era = z.div_euclid(ERA);
    let day_of_era = z.rem_euclid(ERA);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Converts a date to days since 1970; `None` for an invalid date.
#[inline]
pub(crate) fn days_from_date(year: i64, month: i64, day: i64) -> Option<i64> {
    const LENGTHS: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = LENGTHS.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
    if day < 1 || day > length + i64::from(month == 2 && is_leap_year(year)) {
        return None;
    }
    let shifted_year = year - i64::from(month <= 2);
    let era = shifted_year.div_euclid(400);
    let year_of_era = shifted_year.rem_euclid(400);
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * ERA + day_of_era - FROM_MARCH_0)
}

/// Whether a year has a 29 February.
#[inline]
pub(crate) fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Returns the number of units in a second.
#[inline]
pub(crate) fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// Converts seconds and nanoseconds to a unit with `per_second` units in a second; `None` if the result is inexact or exceeds 64
/// bits.
#[inline]
pub(crate) fn count_in_unit(seconds: i64, nanoseconds: i64, per_second: i64) -> Option<i64> {
    if nanoseconds == 0 {
        return seconds.checked_mul(per_second);
    }
    let each = 1_000_000_000 / per_second;
    if nanoseconds % each != 0 {
        return None;
    }
    // The product alone may exceed 64 bits where the sum does not.
    let count = i128::from(seconds) * i128::from(per_second) + i128::from(nanoseconds / each);
    i64::try_from(count).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last day that seconds of 64 bits reach.
    const LAST: i64 = i64::MAX / 86_400;

    #[test]
    fn every_day_of_an_era_comes_back() {
        for day in -ERA..ERA {
            let (year, month, day_of_month) = date_from_days(day);
            assert_eq!(days_from_date(year, month, day_of_month), Some(day));
        }
    }

    #[test]
    fn the_days_of_every_count_of_seconds_come_back() {
        for start in [-LAST - 1, LAST - 400, i32::MIN.into(), i32::MAX.into()] {
            for day in start..start + 400 {
                let (year, month, day_of_month) = date_from_days(day);
                assert_eq!(days_from_date(year, month, day_of_month), Some(day));
            }
        }
    }

    /// `numpy.datetime64(text, "D").astype(int)`, and the first and last date that seconds of 64 bits reach.
    #[test]
    fn known_days() {
        for (date, day) in [
            ((1970, 1, 1), 0),
            ((0, 1, 1), -719_528),
            ((0, 3, 1), -719_468),
            ((-1, 12, 31), -719_529),
            ((2000, 2, 29), 11_016),
            ((1900, 2, 28), -25_509),
            ((1900, 3, 1), -25_508),
            ((2024, 2, 29), 19_782),
            ((9999, 12, 31), 2_932_896),
            ((292_277_026_596, 12, 4), LAST),
            ((-292_277_022_657, 1, 27), -LAST - 1),
        ] {
            assert_eq!(date_from_days(day), date);
            let (year, month, day_of_month) = date;
            assert_eq!(days_from_date(year, month, day_of_month), Some(day));
        }
    }

    #[test]
    fn invalid_dates_give_none() {
        for (year, month, day) in [
            (2013, 2, 29),
            (1900, 2, 29),
            (2013, 4, 31),
            (2013, 1, 0),
            (2013, 1, 32),
            (2013, 0, 1),
            (2013, 13, 1),
            (2013, -1, 1),
            (2013, i64::MIN, 1),
        ] {
            assert_eq!(days_from_date(year, month, day), None, "{year}-{month}-{day}");
        }
    }

    #[test]
    fn counts_are_exact_or_none() {
        assert_eq!(count_in_unit(1, 500_000_000, 1_000), Some(1_500));
        assert_eq!(count_in_unit(1, 500_000_000, 1), None);
        assert_eq!(count_in_unit(-1, 1, per_second(TimeUnit::Nanosecond)), Some(-999_999_999));
        assert_eq!(count_in_unit(i64::MAX, 0, 1), Some(i64::MAX));
        assert_eq!(count_in_unit(i64::MAX, 0, 1_000), None);
    }
}
