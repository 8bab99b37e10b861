//! Parses instants: ISO 8601, or a format of `strptime`.

use super::kinds::CellClasses;
use crate::calendar;
use crate::cells::iso8601::{self, IsoInstant, IsoSpelling, TimeText};

/// The spelling of instants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TimeFormat {
    /// `2013-01-31`, optionally with `T` or a space, a time of day and a zone.
    Iso,
    /// A format of `strptime`.
    Fields(Vec<FormatItem>),
}

/// An item of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormatItem {
    /// A literal byte.
    Byte(u8),
    /// A field: the letter after the percent sign.
    Field(u8),
}

/// The supported fields, as `strptime` names them.
pub(super) const FIELDS: &str = "Y y m b B d j H I M S f p z %";

impl TimeFormat {
    /// Parses a format of `strptime`. The error is the first unsupported field.
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

/// The class of a cell with this instant.
pub(super) fn class(found: IsoInstant) -> CellClasses {
    let base = if found.zoned { CellClasses::ZONED } else { CellClasses::INSTANT };
    let fine = if found.nanoseconds.is_multiple_of(1000) { base } else { base | CellClasses::NANOS };
    if found.ticks(true).is_some() { fine } else { fine | CellClasses::FAR }
}

/// Parsed fields. Missing fields have their first value.
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
    fn instant(self) -> Option<IsoInstant> {
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
        Some(IsoInstant { seconds, nanoseconds: self.nanos, zoned: self.zone.is_some() })
    }
}

/// Parses the name of a month, or its first three letters unless `whole`.
fn month(text: &mut TimeText<'_>, whole: bool) -> Option<i64> {
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
        let head = text.0.get(..length(name));
        head.is_some_and(|head| {
            Some(head.to_ascii_lowercase().as_slice()) == name.as_bytes().get(..head.len())
        })
    };
    let place = NAMES.iter().position(is_here)?;
    text.0 = text.0.get(length(NAMES.get(place)?)..)?;
    i64::try_from(place + 1).ok()
}

/// Parses an instant; `None` for other text.
pub(super) fn parse(text: &[u8], format: &TimeFormat) -> Option<IsoInstant> {
    match format {
        TimeFormat::Iso => iso8601::instant(text, IsoSpelling::Lenient),
        TimeFormat::Fields(items) => {
            let mut rest = TimeText(text);
            fields(&mut rest, items)?.instant().filter(|_| rest.0.is_empty())
        }
    }
}

fn fields(rest: &mut TimeText<'_>, items: &[FormatItem]) -> Option<TimeFields> {
    let mut out = NOTHING;
    for item in items {
        match item {
            FormatItem::Byte(byte) => rest.one_of(&[*byte]).map(|_| ())?,
            FormatItem::Field(field) => match field {
                b'Y' => out.year = rest.number(4, 4)?,
                b'y' => {
                    let year = rest.number(2, 2)?;
                    out.year = year + if year < 69 { 2000 } else { 1900 };
                }
                b'm' => out.month = rest.number(1, 2)?,
                b'b' => out.month = month(rest, false)?,
                b'B' => out.month = month(rest, true)?,
                b'd' => out.day = rest.number(1, 2)?,
                b'j' => out.of_year = Some(rest.number(1, 3)?),
                b'H' | b'I' => out.hour = rest.number(1, 2)?,
                b'M' => out.minute = rest.number(1, 2)?,
                b'S' => out.second = rest.number(1, 2)?,
                b'f' => out.nanos = rest.nanoseconds()?,
                b'p' => {
                    out.afternoon = Some(rest.one_of(b"AaPp")?.eq_ignore_ascii_case(&b'p'));
                    rest.one_of(b"Mm")?;
                }
                b'z' => out.zone = Some(rest.zone(IsoSpelling::Lenient)?),
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
    fn iso_is_read_as_numpy_reads_it() {
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
    fn formats_are_read_as_strptime_reads_them() {
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
        let class = |text: &str| parse(text.as_bytes(), &TimeFormat::Iso).map(super::class);
        assert_eq!(class("2013-01-01"), Some(CellClasses::INSTANT));
        assert_eq!(class("2013-01-01T00:00:00.000001Z"), Some(CellClasses::ZONED));
        assert_eq!(class("2013-01-01T00:00:00.000000001"), Some(CellClasses::INSTANT | CellClasses::NANOS));
    }
}
