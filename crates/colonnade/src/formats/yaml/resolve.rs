//! Resolves plain scalars by the core schema of YAML 1.2.2, chapter 10.3.

use std::borrow::Cow;

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::formats::yaml) enum YamlValue<'t> {
    Null,
    Bool(bool),
    /// An integer as decimal digits. An octal or hexadecimal one of more than 128 bits keeps its text.
    Int(Cow<'t, str>),
    /// A float as its text.
    Float(Cow<'t, str>),
    Str(Cow<'t, str>),
    /// Number of entries, and index of the node after the last one.
    Sequence(usize, usize),
    /// Number of pairs, and index of the node after the last one.
    Mapping(usize, usize),
}

impl YamlValue<'_> {
    /// Bytes of the value's text.
    pub(in crate::formats::yaml) fn nbytes(&self) -> usize {
        match self {
            Self::Int(text) | Self::Float(text) | Self::Str(text) => text.len(),
            _ => 0,
        }
    }

    /// The name of the value's type, for messages.
    pub(in crate::formats::yaml) fn name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Str(_) => "text",
            Self::Sequence(..) => "a sequence",
            Self::Mapping(..) => "a mapping",
        }
    }
}

/// Resolves a plain scalar.
pub(in crate::formats::yaml) fn plain(text: Cow<'_, str>) -> YamlValue<'_> {
    match text.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => return YamlValue::Null,
        "true" | "True" | "TRUE" => return YamlValue::Bool(true),
        "false" | "False" | "FALSE" => return YamlValue::Bool(false),
        _ => {}
    }
    // Most scalars are words, which their first character shows.
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return YamlValue::Str(text);
    }
    match integer(&text) {
        Some(Cow::Borrowed(_)) => return YamlValue::Int(text),
        Some(Cow::Owned(digits)) => return YamlValue::Int(Cow::Owned(digits)),
        None => {}
    }
    if is_float(&text) { YamlValue::Float(text) } else { YamlValue::Str(text) }
}

/// Returns the decimal digits of a decimal, octal or hexadecimal integer.
pub(in crate::formats::yaml) fn integer(text: &str) -> Option<Cow<'_, str>> {
    let based = |digits: &str, base: u32| {
        let known = !digits.is_empty() && digits.chars().all(|c| c.is_digit(base));
        // No column type holds more than 128 bits. The reader refuses such an integer by its text.
        let found =
            |()| u128::from_str_radix(digits, base).map_or(Cow::Borrowed(text), |n| n.to_string().into());
        known.then_some(()).map(found)
    };
    if let Some(digits) = text.strip_prefix("0o") {
        return based(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return based(digits, 16);
    }
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, text.get(1..)?),
        [b'+', ..] => (false, text.get(1..)?),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let short = digits.trim_start_matches('0');
    let short = if short.is_empty() { "0" } else { short };
    if short.len() == digits.len() && !text.starts_with('+') {
        return Some(Cow::Borrowed(text));
    }
    Some(Cow::Owned(format!("{}{short}", if negative { "-" } else { "" })))
}

/// Whether the text is a float.
pub(in crate::formats::yaml) fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let digits = |text: &mut &[u8]| {
        let n = text.iter().take_while(|b| b.is_ascii_digit()).count();
        *text = text.get(n..).unwrap_or(&[]);
        n
    };
    let mut rest = unsigned.as_bytes();
    let mut n = digits(&mut rest);
    if let [b'.', fraction @ ..] = rest {
        rest = fraction;
        n += digits(&mut rest);
    }
    if n == 0 {
        return false;
    }
    if let [b'e' | b'E', power @ ..] = rest {
        rest = match power {
            [b'+' | b'-', power @ ..] => power,
            power => power,
        };
        if digits(&mut rest) == 0 {
            return false;
        }
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_are_those_of_the_core_schema() {
        for (text, expected) in [
            ("", YamlValue::Null),
            ("~", YamlValue::Null),
            ("NULL", YamlValue::Null),
            ("nULL", YamlValue::Str("nULL".into())),
            ("True", YamlValue::Bool(true)),
            ("yes", YamlValue::Str("yes".into())),
            ("on", YamlValue::Str("on".into())),
            ("0", YamlValue::Int("0".into())),
            ("-19", YamlValue::Int("-19".into())),
            ("+12", YamlValue::Int("12".into())),
            ("007", YamlValue::Int("7".into())),
            ("-0", YamlValue::Int("-0".into())),
            ("0o14", YamlValue::Int("12".into())),
            ("0xC", YamlValue::Int("12".into())),
            ("0xffffffffffffffffffffffffffffffff", YamlValue::Int(u128::MAX.to_string().into())),
            (
                "0x100000000000000000000000000000000",
                YamlValue::Int("0x100000000000000000000000000000000".into()),
            ),
            ("0o8", YamlValue::Str("0o8".into())),
            ("-0x1", YamlValue::Str("-0x1".into())),
            ("1_000", YamlValue::Str("1_000".into())),
            ("190:20:30", YamlValue::Str("190:20:30".into())),
            ("0.", YamlValue::Float("0.".into())),
            (".5", YamlValue::Float(".5".into())),
            ("+12e03", YamlValue::Float("+12e03".into())),
            ("1e+3", YamlValue::Float("1e+3".into())),
            ("-.INF", YamlValue::Float("-.INF".into())),
            (".NaN", YamlValue::Float(".NaN".into())),
            ("-.nan", YamlValue::Str("-.nan".into())),
            (".", YamlValue::Str(".".into())),
            ("1e", YamlValue::Str("1e".into())),
            ("+", YamlValue::Str("+".into())),
            ("2001-12-14", YamlValue::Str("2001-12-14".into())),
            ("<<", YamlValue::Str("<<".into())),
            ("=", YamlValue::Str("=".into())),
        ] {
            assert_eq!(plain(text.into()), expected, "{text:?}");
        }
    }
}
