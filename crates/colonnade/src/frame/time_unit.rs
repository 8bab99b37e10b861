//! Units of NumPy's `M8` and `m8`.

/// Base of a time unit, as NumPy spells it between brackets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimeBase {
    /// No unit: `M8` without brackets.
    Generic,
    /// `Y`
    Year,
    /// `M`
    Month,
    /// `W`
    Week,
    /// `D`
    Day,
    /// `h`
    Hour,
    /// `m`
    Minute,
    /// `s`
    Second,
    /// `ms`
    Millisecond,
    /// `us`
    Microsecond,
    /// `ns`
    Nanosecond,
    /// `ps`
    Picosecond,
    /// `fs`
    Femtosecond,
    /// `as`
    Attosecond,
}

impl TimeBase {
    /// NumPy's symbol.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Year => "Y",
            Self::Month => "M",
            Self::Week => "W",
            Self::Day => "D",
            Self::Hour => "h",
            Self::Minute => "m",
            Self::Second => "s",
            Self::Millisecond => "ms",
            Self::Microsecond => "us",
            Self::Nanosecond => "ns",
            Self::Picosecond => "ps",
            Self::Femtosecond => "fs",
            Self::Attosecond => "as",
        }
    }

    /// The base of NumPy's symbol.
    #[must_use]
    pub fn from_symbol(symbol: &str) -> Option<Self> {
        Some(match symbol {
            "generic" => Self::Generic,
            "Y" => Self::Year,
            "M" => Self::Month,
            "W" => Self::Week,
            "D" => Self::Day,
            "h" => Self::Hour,
            "m" => Self::Minute,
            "s" => Self::Second,
            "ms" => Self::Millisecond,
            "us" => Self::Microsecond,
            "ns" => Self::Nanosecond,
            "ps" => Self::Picosecond,
            "fs" => Self::Femtosecond,
            "as" => Self::Attosecond,
            _ => return None,
        })
    }
}

/// A time unit with its multiple: `25s` is 25 seconds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TimeUnit {
    /// The unit counted.
    pub base: TimeBase,
    /// Number of units in one tick; at least 1.
    pub multiple: u32,
}

impl TimeUnit {
    /// Parses the text between the brackets: `ns`, `25s`, `generic`. As in NumPy, `generic` has no multiples.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, symbol) = text.split_at_checked(digits)?;
        let base = TimeBase::from_symbol(symbol)?;
        let multiple = if number.is_empty() { 1 } else { decimal(number.as_bytes())? };
        let generic_multiple = base == TimeBase::Generic && multiple != 1;
        (multiple > 0 && !generic_multiple).then_some(Self { base, multiple })
    }
}

/// Parses decimal digits without sign or leading zero, at most 2³¹ - 1.
pub(super) fn decimal(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 10 || (digits.len() > 1 && digits.starts_with(b"0")) {
        return None;
    }
    let mut value: u32 = 0;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u32::from(digit - b'0'))?;
    }
    i32::try_from(value).is_ok().then_some(value)
}
