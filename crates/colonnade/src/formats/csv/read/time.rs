//! Instants as text: ISO 8601, or a format in the words of `strptime`.

use super::kinds::CellClasses;
use crate::calendar;

/// How instants are spelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TimeFormat {
    /// `2013-01-31`, perhaps with `T` or a blank, a time of day and a zone.
    Iso,
    /// Letters between others.
    Fields(Vec<FormatItem>),
}

/// One thing of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormatItem {
    /// This byte itself.
    Byte(u8),
    /// The letter behind a per cent sign.
    Field(u8),
}

/// The fields that a format may have, as `strptime` names them.
pub(super) const FIELDS: &str = "Y y m b B d j H I M S f p z %";

impl TimeFormat {
    /// A format of `strptime`; the field that is not known where one is not.
    pub(super) fn parse(text: &str) -> Result<Self, char> {
        let mut items = Vec::new();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            if c != '%' {
                let mut bytes = [0; 4];
                items.extend(c.encode_utf8(&mut bytes).bytes().map(FormatItem::Byte));
                continue;
            }
            match rest.next() {
                Some('%') => items.push(FormatItem::Byte(b'%')),
                Some(field) if field.is_ascii_alphabetic() && FIELDS.contains(field) => {
                    items.push(FormatItem::Field(u8::try_from(field).unwrap_or(0)));
                }
                other => return Err(other.unwrap_or('%')),
            }
        }
        Ok(Self::Fields(items))
    }
}

/// An instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instant {
    /// Since 1970.
    seconds: i64,
    nanos: u32,
    pub(super) zoned: bool,
}

impl Instant {
    pub(super) fn class(self) -> CellClasses {
        let base = if self.zoned { CellClasses::ZONED } else { CellClasses::INSTANT };
        let fine = if self.nanos.is_multiple_of(1000) { base } else { base | CellClasses::NANOS };
        if self.ticks(true).is_some() { fine } else { fine | CellClasses::FAR }
    }

    /// In nanoseconds or in microseconds; `None` past 64 bits.
    pub(super) fn ticks(self, nanos: bool) -> Option<i64> {
        let (scale, part) = if nanos { (1_000_000_000, self.nanos) } else { (1_000_000, self.nanos / 1000) };
        // Towards zero, so that what is in reach at the end is so half-way too. The least number means NaT.
        let (seconds, part) = match (self.seconds, i64::from(part)) {
            (seconds, part) if seconds < 0 && part > 0 => (seconds + 1, part - scale),
            both => both,
        };
        seconds.checked_mul(scale)?.checked_add(part).filter(|ticks| *ticks != i64::MIN)
    }
}

/// Fields that have been read; those that are missing are the first of their kind.
#[derive(Debug, Clone, Copy)]
struct TimeFields {
    year: i64,
    month: i64,
    day: i64,
    of_year: Option<i64>,
    hour: i64,
    afternoon: Option<bool>,
    minute: i64,
    second: i64,
    nanos: u32,
    /// Seconds east of Greenwich.
    zone: Option<i64>,
}

const NOTHING: TimeFields = TimeFields {
    year: 1900,
    month: 1,
    day: 1,
    of_year: None,
    hour: 0,
    afternoon: None,
    minute: 0,
    second: 0,
    nanos: 0,
    zone: None,
};

impl TimeFields {
    fn instant(self) -> Option<Instant> {
        let days = calendar::days_from_date(self.year, self.month, self.day)?;
        let hour = match self.afternoon {
            Some(_) if !(1..=12).contains(&self.hour) => return None,
            Some(afternoon) => self.hour % 12 + if afternoon { 12 } else { 0 },
            None => self.hour,
        };
        if hour > 23 || self.minute > 59 || self.second > 59 {
            return None;
        }
        let date = match self.of_year {
            Some(day) if day < 1 || day > 365 + i64::from(calendar::is_leap_year(self.year)) => return None,
            Some(day) => calendar::days_from_date(self.year, 1, 1)? + day - 1,
            None => days,
        };
        let seconds = date * 86400 + hour * 3600 + self.minute * 60 + self.second - self.zone.unwrap_or(0);
        Some(Instant { seconds, nanos: self.nanos, zoned: self.zone.is_some() })
    }
}

/// The rest of a text.
struct TimeCursor<'a>(&'a [u8]);

impl<'a> TimeCursor<'a> {
    /// Between `least` and `most` digits.
    fn digits(&mut self, least: usize, most: usize) -> Option<&'a [u8]> {
        let count = self.0.iter().take(most).take_while(|b| b.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at_checked(count).filter(|_| count >= least)?;
        self.0 = rest;
        Some(digits)
    }

    fn number(&mut self, least: usize, most: usize) -> Option<i64> {
        Some(self.digits(least, most)?.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
    }

    fn byte(&mut self, wanted: u8) -> Option<()> {
        self.one_of(&[wanted]).map(|_| ())
    }

    fn one_of(&mut self, wanted: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first().filter(|(first, _)| wanted.contains(first))?;
        self.0 = rest;
        Some(*first)
    }

    /// Billionths; digits behind the ninth must say nothing.
    fn nanos(&mut self) -> Option<u32> {
        let digits = self.digits(1, 30)?;
        if digits.iter().skip(9).any(|digit| *digit != b'0') {
            return None;
        }
        let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(9);
        Some(padded.fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
    }

    /// `Z`, `+01`, `+0100` or `+01:00`, in seconds.
    fn zone(&mut self) -> Option<i64> {
        let sign = self.one_of(b"Zz+-")?;
        if sign.eq_ignore_ascii_case(&b'z') {
            return Some(0);
        }
        let hours = self.number(2, 2)?;
        let colon = self.byte(b':').is_some();
        let minutes = if colon { self.number(2, 2)? } else { self.number(2, 2).unwrap_or(0) };
        let seconds = (hours < 24 && minutes < 60).then_some(hours * 3600 + minutes * 60)?;
        Some(if sign == b'-' { -seconds } else { seconds })
    }

    /// A month by its name or the first three letters of it.
    fn month(&mut self, whole: bool) -> Option<i64> {
        const NAMES: [&str; 12] = [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ];
        let length = |name: &str| if whole { name.len() } else { 3 };
        let is_here = |name: &&str| {
            let head = self.0.get(..length(name));
            head.is_some_and(|head| {
                Some(head.to_ascii_lowercase().as_slice()) == name.as_bytes().get(..head.len())
            })
        };
        let place = NAMES.iter().position(is_here)?;
        self.0 = self.0.get(length(NAMES.get(place)?)..)?;
        i64::try_from(place + 1).ok()
    }
}

/// The instant that a text is.
pub(super) fn parse(text: &[u8], format: &TimeFormat) -> Option<Instant> {
    let mut rest = TimeCursor(text);
    let fields = match format {
        TimeFormat::Iso => iso(&mut rest)?,
        TimeFormat::Fields(items) => fields(&mut rest, items)?,
    };
    if rest.0.is_empty() { fields.instant() } else { None }
}

fn iso(rest: &mut TimeCursor<'_>) -> Option<TimeFields> {
    let mut out = TimeFields { year: rest.number(4, 4)?, ..NOTHING };
    rest.byte(b'-')?;
    out.month = rest.number(2, 2)?;
    rest.byte(b'-')?;
    out.day = rest.number(2, 2)?;
    if rest.one_of(b"T t").is_none() {
        return Some(out);
    }
    out.hour = rest.number(2, 2)?;
    rest.byte(b':')?;
    out.minute = rest.number(2, 2)?;
    if rest.byte(b':').is_some() {
        out.second = rest.number(2, 2)?;
        if rest.one_of(b".,").is_some() {
            out.nanos = rest.nanos()?;
        }
    }
    if !rest.0.is_empty() {
        out.zone = Some(rest.zone()?);
    }
    Some(out)
}

fn fields(rest: &mut TimeCursor<'_>, items: &[FormatItem]) -> Option<TimeFields> {
    let mut out = NOTHING;
    for item in items {
        match item {
            FormatItem::Byte(byte) => rest.byte(*byte)?,
            FormatItem::Field(field) => match field {
                b'Y' => out.year = rest.number(4, 4)?,
                b'y' => {
                    let year = rest.number(2, 2)?;
                    out.year = year + if year < 69 { 2000 } else { 1900 };
                }
                b'm' => out.month = rest.number(1, 2)?,
                b'b' => out.month = rest.month(false)?,
                b'B' => out.month = rest.month(true)?,
                b'd' => out.day = rest.number(1, 2)?,
                b'j' => out.of_year = Some(rest.number(1, 3)?),
                b'H' | b'I' => out.hour = rest.number(1, 2)?,
                b'M' => out.minute = rest.number(1, 2)?,
                b'S' => out.second = rest.number(1, 2)?,
                b'f' => out.nanos = rest.nanos()?,
                b'p' => {
                    out.afternoon = Some(rest.one_of(b"AaPp")?.eq_ignore_ascii_case(&b'p'));
                    rest.one_of(b"Mm")?;
                }
                b'z' => out.zone = Some(rest.zone()?),
                _ => return None,
            },
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iso_ticks(text: &str) -> Option<(i64, bool)> {
        let found = parse(text.as_bytes(), &TimeFormat::Iso)?;
        Some((found.ticks(true)?, found.zoned))
    }

    #[test]
    fn iso_instants_are_parsed_as_in_numpy() {
        // `np.datetime64(text, "ns").astype(int)`
        assert_eq!(iso_ticks("1970-01-01"), Some((0, false)));
        assert_eq!(iso_ticks("2013-01-01T10:00:00Z"), Some((1_357_034_400_000_000_000, true)));
        assert_eq!(iso_ticks("2000-02-29 23:59:59.123456789"), Some((951_868_799_123_456_789, false)));
        assert_eq!(iso_ticks("1969-12-31T23:59"), Some((-60_000_000_000, false)));
        assert_eq!(iso_ticks("2013-01-01T05:00:00-05:00"), iso_ticks("2013-01-01T10:00:00Z"));
        assert_eq!(iso_ticks("2013-01-01T05:00:00.5-0500"), iso_ticks("2013-01-01T10:00:00.500Z"));
        for text in [
            "",
            "2013",
            "2013-01",
            "2013-1-1",
            "2013-02-29",
            "2013-13-01",
            "2013-01-01T",
            "2013-01-01T24:00",
            "2013-01-01T10:60",
            "2013-01-01T10:00:60",
            "2013-01-01T10:00:00.",
            "2013-01-01x",
            "13-01-01",
            "2013-01-01T10:00:00+25:00",
            "2013-01-01T10:00:00.1234567891",
        ] {
            assert_eq!(iso_ticks(text), None, "{text}");
        }
    }

    #[test]
    fn formats_are_parsed_as_in_strptime() {
        let read = |text: &str, format: &str| {
            let format = TimeFormat::parse(format).unwrap_or_else(|c| panic!("{c}"));
            parse(text.as_bytes(), &format).and_then(|found| found.ticks(false))
        };
        assert_eq!(read("31/01/2013", "%d/%m/%Y"), read("2013-01-31", "%Y-%m-%d"));
        assert_eq!(
            read("Jan 31 13, 1:05 PM", "%b %d %y, %I:%M %p"),
            read("2013-01-31 13:05", "%Y-%m-%d %H:%M")
        );
        assert_eq!(read("20130131", "%Y%m%d"), Some(1_359_590_400_000_000));
        assert_eq!(read("2013031", "%Y%j"), Some(1_359_590_400_000_000));
        assert_eq!(read("100% 2013", "100%% %Y"), Some(1_356_998_400_000_000));
        assert_eq!(read("2013-01-31", "%d/%m/%Y"), None);
        assert_eq!(read("13 PM", "%I %p"), None);
        assert_eq!(TimeFormat::parse("%Q"), Err('Q'));
        assert_eq!(TimeFormat::parse("%"), Err('%'));
    }

    #[test]
    fn the_class_tells_unit_and_zone() {
        let class = |text: &str| parse(text.as_bytes(), &TimeFormat::Iso).map(Instant::class);
        assert_eq!(class("2013-01-01"), Some(CellClasses::INSTANT));
        assert_eq!(class("2013-01-01T00:00:00.000001Z"), Some(CellClasses::ZONED));
        assert_eq!(class("2013-01-01T00:00:00.000000001"), Some(CellClasses::INSTANT | CellClasses::NANOS));
    }
}
