//! Reads dates, times of day, zones and instants of ISO 8601 from text.

use crate::calendar::days_from_date;

/// Which letters and signs a text may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IsoSpelling {
    /// As Colonnade writes: `T` or a space, a point before the fraction, `Z`.
    Strict,
    /// Also `t`, a comma before the fraction and `z`, as ISO 8601 allows.
    Lenient,
}

/// An instant of the text, in UTC if the text has a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IsoInstant {
    /// Since 1970.
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: u32,
    pub(crate) zoned: bool,
}

impl IsoInstant {
    /// Converts to nanoseconds or microseconds; `None` if 64 bits do not suffice.
    pub(crate) fn ticks(self, nanos: bool) -> Option<i64> {
        let (scale, part) =
            if nanos { (1_000_000_000, self.nanoseconds) } else { (1_000_000, self.nanoseconds / 1000) };
        // Rounds towards zero, so that no intermediate result exceeds the range of the final one. The least integer means NaT.
        let (seconds, part) = match (self.seconds, i64::from(part)) {
            (seconds, part) if seconds < 0 && part > 0 => (seconds + 1, part - scale),
            both => both,
        };
        seconds.checked_mul(scale)?.checked_add(part).filter(|ticks| *ticks != i64::MIN)
    }
}

/// Reads an instant. A date without a time of day is its midnight. `None` for other text.
#[inline]
pub(crate) fn instant(text: &[u8], spelling: IsoSpelling) -> Option<IsoInstant> {
    let mut text = TimeText(text);
    let days = text.date()?;
    let ((clock, nanoseconds), mut zone) = ((0, 0), None);
    let (clock, nanoseconds) = if text.0.is_empty() {
        (clock, nanoseconds)
    } else {
        text.one_of(if spelling == IsoSpelling::Strict { b"T " } else { b"T t" })?;
        let read = text.clock(spelling)?;
        if !text.0.is_empty() {
            zone = Some(text.zone(spelling)?);
        }
        read
    };
    let seconds = days * 86_400 + clock - zone.unwrap_or(0);
    text.0.is_empty().then_some(IsoInstant { seconds, nanoseconds, zoned: zone.is_some() })
}

/// A text whose parts are read from the front.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeText<'a>(pub(crate) &'a [u8]);

impl<'a> TimeText<'a> {
    /// Takes `least` to `most` digits.
    #[inline]
    pub(crate) fn digits(&mut self, least: usize, most: usize) -> Option<&'a [u8]> {
        let count = self.0.iter().take(most).take_while(|b| b.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at_checked(count).filter(|_| count >= least)?;
        self.0 = rest;
        Some(digits)
    }

    /// Takes an integer of `least` to `most` digits.
    #[inline]
    pub(crate) fn number(&mut self, least: usize, most: usize) -> Option<i64> {
        Some(self.digits(least, most)?.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
    }

    /// Takes an integer of exactly `N` digits.
    #[inline(always)]
    fn fixed<const N: usize>(&mut self) -> Option<i64> {
        let (digits, rest) = self.0.split_first_chunk::<N>()?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.0 = rest;
        Some(digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
    }

    /// Takes one byte of `allowed`.
    #[inline]
    pub(crate) fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first().filter(|(first, _)| allowed.contains(first))?;
        self.0 = rest;
        Some(*first)
    }

    /// Takes a fraction of a second. Digits after the ninth must be zeros.
    #[inline]
    pub(crate) fn nanoseconds(&mut self) -> Option<u32> {
        let digits = self.digits(1, usize::MAX)?;
        if digits.iter().skip(9).any(|digit| *digit != b'0') {
            return None;
        }
        let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(9);
        Some(padded.fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
    }

    /// Takes `YYYY-MM-DD` and returns days since 1970.
    #[inline]
    pub(crate) fn date(&mut self) -> Option<i64> {
        let year = self.fixed::<4>()?;
        self.one_of(b"-")?;
        let month = self.fixed::<2>()?;
        self.one_of(b"-")?;
        days_from_date(year, month, self.fixed::<2>()?)
    }

    /// Takes `HH:MM[:SS[.fraction]]` and returns seconds and nanoseconds.
    #[inline]
    pub(crate) fn clock(&mut self, spelling: IsoSpelling) -> Option<(i64, u32)> {
        let hour = self.fixed::<2>()?;
        self.one_of(b":")?;
        let minute = self.fixed::<2>()?;
        let (mut second, mut nanoseconds) = (0, 0);
        if self.one_of(b":").is_some() {
            second = self.fixed::<2>()?;
            if self.one_of(if spelling == IsoSpelling::Strict { b"." } else { b".," }).is_some() {
                nanoseconds = self.nanoseconds()?;
            }
        }
        let in_range = hour < 24 && minute < 60 && second < 60;
        in_range.then_some((hour * 3600 + minute * 60 + second, nanoseconds))
    }

    /// Takes `Z`, `+HH`, `+HHMM` or `+HH:MM` and returns seconds east of Greenwich.
    #[inline]
    pub(crate) fn zone(&mut self, spelling: IsoSpelling) -> Option<i64> {
        let sign = self.one_of(if spelling == IsoSpelling::Strict { b"Z+-" } else { b"Zz+-" })?;
        if sign.eq_ignore_ascii_case(&b'z') {
            return Some(0);
        }
        let hours = self.fixed::<2>()?;
        let colon = self.one_of(b":").is_some();
        let minutes = if colon { self.fixed::<2>()? } else { self.fixed::<2>().unwrap_or(0) };
        let seconds = (hours < 24 && minutes < 60).then_some(hours * 3600 + minutes * 60)?;
        Some(if sign == b'-' { -seconds } else { seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_reach_to_the_ends_of_64_bits() {
        let ticks = |text: &str, nanos| instant(text.as_bytes(), IsoSpelling::Strict)?.ticks(nanos);
        for (text, nanoseconds, microseconds) in [
            // `np.datetime64(text, "ns").astype(int)`. NumPy takes the least integer for NaT.
            ("1677-09-21T00:12:43.145224193", Some(i64::MIN + 1), -9_223_372_036_854_776),
            ("1677-09-21T00:12:43.145224192", None, -9_223_372_036_854_776),
            ("2262-04-11T23:47:16.854775807", Some(i64::MAX), 9_223_372_036_854_775),
            ("2262-04-11T23:47:16.854775808", None, 9_223_372_036_854_775),
            ("1969-12-31T23:59:58.500000001", Some(-1_499_999_999), -1_500_000),
            ("1970-01-01T00:00:00.000001999", Some(1_999), 1),
        ] {
            assert_eq!(ticks(text, true), nanoseconds, "{text}");
            assert_eq!(ticks(text, false), Some(microseconds), "{text}");
        }
    }
}
