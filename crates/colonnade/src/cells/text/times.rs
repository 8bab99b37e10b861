//! Converts counts of a unit to timestamps, dates and times of day in ISO 8601, and back, exactly.

use std::io::Write as _;

use crate::calendar::{count_in_unit, date_from_days};
use crate::cells::iso8601::{self, IsoSpelling, TimeText};

/// Days of the years 0 to 9999, which ISO 8601 writes with four digits.
const DAYS: std::ops::Range<i64> = -719_528..2_932_897;

/// The two digits of the numbers below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut out = [[b'0'; 2]; 100];
    let (mut tens, mut i) = (b'0', 0);
    while i < 100 {
        let mut ones = b'0';
        while ones <= b'9' {
            out[i] = [tens, ones];
            ones += 1;
            i += 1;
        }
        tens += 1;
    }
    out
};

#[inline]
fn two(value: i64) -> [u8; 2] {
    usize::try_from(value).ok().and_then(|i| PAIRS.get(i)).copied().unwrap_or([b'0'; 2])
}

/// Whether ISO 8601 expresses an instant, in seconds since 1970, with four digits of the year.
pub(crate) fn is_iso(seconds: i64) -> bool {
    DAYS.contains(&seconds.div_euclid(86_400))
}

/// Appends a date. Returns false and appends nothing if ISO 8601 cannot express it.
pub(super) fn put_date(days: i64, out: &mut Vec<u8>) -> bool {
    if !DAYS.contains(&days) {
        return false;
    }
    let (year, month, day) = date_from_days(days);
    let ([a, b], [c, d]) = (two(year / 100), two(year % 100));
    let ([e, f], [g, h]) = (two(month), two(day));
    out.extend_from_slice(&[a, b, c, d, b'-', e, f, b'-', g, h]);
    true
}

/// Appends the time of day of `count` units, `per_second` of which are a second. Returns false and appends nothing from a
/// full day on.
pub(super) fn put_clock(count: i64, per_second: i64, out: &mut Vec<u8>) -> bool {
    // Divisions by constants compile to multiplications.
    match per_second {
        1 => put_clock_of::<1>(count, out),
        1000 => put_clock_of::<1000>(count, out),
        1_000_000 => put_clock_of::<1_000_000>(count, out),
        _ => put_clock_of::<1_000_000_000>(count, out),
    }
}

#[inline]
fn put_clock_of<const PER_SECOND: i64>(count: i64, out: &mut Vec<u8>) -> bool {
    let seconds = count.div_euclid(PER_SECOND);
    if !(0..86_400).contains(&seconds) {
        return false;
    }
    let ([a, b], [c, d], [e, f]) = (two(seconds / 3600), two(seconds / 60 % 60), two(seconds % 60));
    out.extend_from_slice(&[a, b, b':', c, d, b':', e, f]);
    let nanoseconds = (count - seconds * PER_SECOND) * (1_000_000_000 / PER_SECOND);
    if nanoseconds != 0 {
        let _ = match (nanoseconds % 1_000_000, nanoseconds % 1000) {
            (0, _) => write!(out, ".{:03}", nanoseconds / 1_000_000),
            (_, 0) => write!(out, ".{:06}", nanoseconds / 1000),
            _ => write!(out, ".{nanoseconds:09}"),
        };
    }
    true
}

/// Appends a timestamp with `between` between date and time. Returns false and appends nothing if ISO 8601 cannot express
/// it.
pub(super) fn put_instant(count: i64, per_second: i64, between: u8, zone: &[u8], out: &mut Vec<u8>) -> bool {
    match per_second {
        1 => put_instant_of::<1>(count, between, zone, out),
        1000 => put_instant_of::<1000>(count, between, zone, out),
        1_000_000 => put_instant_of::<1_000_000>(count, between, zone, out),
        _ => put_instant_of::<1_000_000_000>(count, between, zone, out),
    }
}

#[inline]
fn put_instant_of<const PER_SECOND: i64>(count: i64, between: u8, zone: &[u8], out: &mut Vec<u8>) -> bool {
    let days = count.div_euclid(86_400 * PER_SECOND);
    if !put_date(days, out) {
        return false;
    }
    out.push(between);
    put_clock_of::<PER_SECOND>(count.rem_euclid(86_400 * PER_SECOND), out);
    out.extend_from_slice(zone);
    true
}

/// Parses a timestamp of ISO 8601 (a space may replace the `T`, and a date without a time is its midnight). Returns the count of
/// units, `per_second` of which are a second, and whether the text has a zone; without one the clock time is not shifted. `None`
/// if the text is no timestamp, or not exactly a count of units.
#[must_use]
pub fn instant(text: &str, per_second: i64) -> Option<(i64, bool)> {
    let found = iso8601::instant(text.as_bytes(), IsoSpelling::Strict)?;
    Some((count_in_unit(found.seconds, found.nanoseconds.into(), per_second)?, found.zoned))
}

/// Parses `YYYY-MM-DD` to days since 1970.
#[must_use]
pub fn date(text: &str) -> Option<i64> {
    let mut text = TimeText(text.as_bytes());
    text.date().filter(|_| text.0.is_empty())
}

/// Parses a time of day to a count of units, `per_second` of which are a second.
#[must_use]
pub fn clock(text: &str, per_second: i64) -> Option<i64> {
    let mut text = TimeText(text.as_bytes());
    let (seconds, nanoseconds) = text.clock(IsoSpelling::Strict)?;
    count_in_unit(seconds, nanoseconds.into(), per_second).filter(|_| text.0.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iso(count: i64, per: i64) -> String {
        let mut out = Vec::new();
        put_instant(count, per, b'T', b"", &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_day_of_iso_comes_back() {
        for days in DAYS.step_by(7).chain(0..800) {
            let mut out = Vec::new();
            assert!(put_date(days, &mut out));
            assert_eq!(date(std::str::from_utf8(&out).unwrap()), Some(days));
        }
        assert!(!put_date(DAYS.start - 1, &mut Vec::new()));
        assert!(!put_date(DAYS.end, &mut Vec::new()));
    }

    #[test]
    fn known_instants() {
        assert_eq!(iso(0, 1), "1970-01-01T00:00:00");
        assert_eq!(iso(-1, 1000), "1969-12-31T23:59:59.999");
        assert_eq!(iso(1_485_907_200_123_456_789, 1_000_000_000), "2017-02-01T00:00:00.123456789");
        assert_eq!(iso(1_485_907_200_500_000_000, 1_000_000_000), "2017-02-01T00:00:00.500");
        assert_eq!(iso(i64::MIN, 1), "");
        assert_eq!(iso(i64::MAX, 1_000_000_000), "2262-04-11T23:47:16.854775807");
    }

    #[test]
    fn instants_come_back() {
        let mut word = 1u64;
        for _ in 0..20_000 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            for per in [1, 1000, 1_000_000, 1_000_000_000] {
                let count = (word >> 2).cast_signed() - (1 << 61);
                let text = iso(count, per);
                if !text.is_empty() {
                    assert_eq!(instant(&text, per), Some((count, false)), "{text}");
                }
            }
        }
    }

    #[test]
    fn other_spellings_of_times_are_read() {
        assert_eq!(instant("2013-01-01", 1), Some((1_356_998_400, false)));
        assert_eq!(instant("2013-01-01 05:00", 1), Some((1_357_016_400, false)));
        assert_eq!(instant("2013-01-01T05:00:00+05:30", 1), Some((1_356_996_600, true)));
        assert_eq!(instant("2013-01-01T05:00:00.5000000000Z", 1000), Some((1_357_016_400_500, true)));
        assert_eq!(clock("23:59:59.999", 1000), Some(86_399_999));
    }

    #[test]
    fn text_that_is_no_timestamp_gives_none() {
        for text in [
            "",
            "2013",
            "2013-1-1",
            "2013-02-29",
            "2013-13-01",
            "2013-01-01T",
            "2013-01-01T24:00:00",
            "2013-01-01T00:60:00",
            "2013-01-01x00:00",
            "2013-01-01T00:00:00.",
            "2013-01-01T00:00:00+",
            "2013-01-01T00:00:00+1",
            "2013-01-01T00:00:00+01:",
            "2013-01-01t00:00:00",
            "2013-01-01T00:00:00,5",
            "2013-01-01T00:00:00z",
            "2013-01-01T00:00:00ZZ",
            "2013-01-01T00:00:60",
            "2013-01-01T00:00:00.0000000001",
            "+2013-01-01",
            "２013-01-01",
        ] {
            assert_eq!(instant(text, 1_000_000_000), None, "{text}");
        }
        assert_eq!(instant("2013-01-01T00:00:00.5", 1), None);
        assert_eq!(instant("9999-01-01", 1_000_000_000), None);
    }
}
