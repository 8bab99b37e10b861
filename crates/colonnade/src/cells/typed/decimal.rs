//! Formats decimals as the text of their exact value: `1.50` is 150 with scale 2.

use arrow_buffer::i256;

/// Formats `digits` (an integer, with or without a minus) with the point `scale` places from its end.
pub(super) fn text(digits: &str, scale: i8) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    let places = usize::from(scale.unsigned_abs());
    if scale <= 0 {
        let zeros = if digits == "0" { 0 } else { places };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    }
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at_checked(padded.len() - places).unwrap_or((&padded, ""));
    format!("{sign}{whole}.{fraction}")
}

/// Counts the digits of an integer's text, without its sign and leading zeros.
pub(super) fn precision(digits: &str) -> usize {
    digits.trim_start_matches(['-', '0']).len()
}

/// Parses `text` as a decimal with `scale`. Returns `None` if it is no number, has more decimal places or more than
/// `precision` digits.
pub(super) fn parse(text: &str, precision: u8, scale: i8) -> Option<i256> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (unsigned, ""),
    };
    let numeric = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !numeric(whole) || !numeric(fraction) {
        return None;
    }
    let places = usize::from(scale.unsigned_abs());
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let mut digits = String::new();
    if scale >= 0 {
        let missing = places.checked_sub(fraction.len())?;
        if whole.len() + places > 76 + 128 {
            return None;
        }
        digits.push_str(whole);
        digits.push_str(fraction);
        digits.extend(std::iter::repeat_n('0', missing));
    } else if !whole.is_empty() {
        let (kept, dropped) = whole.split_at_checked(whole.len().checked_sub(places)?)?;
        if !fraction.is_empty() || dropped.bytes().any(|byte| byte != b'0') {
            return None;
        }
        digits.push_str(kept);
    } else if !fraction.is_empty() {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    if digits.len() > usize::from(precision) {
        return None;
    }
    let digits = if digits.is_empty() { "0" } else { digits };
    i256::from_string(&format!("{}{digits}", if negative { "-" } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_exact() {
        for (digits, scale, expected) in [
            ("150", 2, "1.50"),
            ("-5", 2, "-0.05"),
            ("0", 2, "0.00"),
            ("0", 0, "0"),
            ("7", 0, "7"),
            ("12", -3, "12000"),
            ("0", -3, "0"),
            ("-12", -1, "-120"),
            ("123", 3, "0.123"),
        ] {
            assert_eq!(text(digits, scale), expected);
            assert_eq!(parse(expected, 38, scale), i256::from_string(digits), "{expected}");
        }
    }

    #[test]
    fn other_spellings_of_the_same_number() {
        let number = |text: &str| parse(text, 5, 2).map(|value| value.to_string());
        assert_eq!(number("1.5").as_deref(), Some("150"));
        assert_eq!(number("001.5000").as_deref(), Some("150"));
        assert_eq!(number("-0").as_deref(), Some("0"));
        assert_eq!(number("999.99").as_deref(), Some("99999"));
        for text in
            ["", "-", ".", "1.", ".5", "1e2", "+1", "--1", "1.234", "1000", "１", "1 ", "NaN", "1.2.3"]
        {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(parse("125", 5, -1), None);
        assert_eq!(parse("0.5", 5, -1), None);
    }
}
