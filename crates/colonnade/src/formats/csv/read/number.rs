//! Numbers out of short texts: eight or sixteen digits at once where they fit in words, one by one elsewhere.

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// A whole number of up to eight digits, perhaps with a sign: the cell `start..end` of `bytes`, if it is one.
#[inline(always)]
pub(super) fn short_int(bytes: &[u8], start: usize, end: usize) -> Option<i64> {
    let word = u64::from_le_bytes(*bytes.get(start..)?.first_chunk::<8>()?);
    let negative = word & 0xFF == u64::from(b'-');
    let word = if negative { word >> 8 } else { word };
    let length = (end - start) - usize::from(negative);
    // With a sign, seven digits are there.
    if length.wrapping_sub(1) >= 8 - usize::from(negative) {
        return None;
    }
    let digits = (word ^ ZEROS) << (64 - 8 * length);
    let value = eight(digits)?;
    #[allow(clippy::cast_possible_wrap)] // eight digits
    let value = value as i64;
    Some(if negative { -value } else { value })
}

/// The number that eight digits are (the first in the lowest byte), if all are.
#[inline(always)]
fn eight(digits: u64) -> Option<u64> {
    if (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00FF_0000_00FF).wrapping_mul(0x000F_4240_0000_0064);
    let high = (pairs >> 16 & 0x0000_00FF_0000_00FF).wrapping_mul(0x0000_2710_0000_0001);
    Some(low.wrapping_add(high) >> 32)
}

/// What a text without blanks around it is, as a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IntegerText {
    /// It fits.
    Int(i64),
    /// It fits without a sign only.
    Big(u64),
    /// Over 64 bits.
    Huge,
    /// No whole number.
    Not,
}

/// A whole number of any length.
pub(super) fn parse_integer(text: &[u8]) -> IntegerText {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return IntegerText::Not;
    }
    let mut value = 0u64;
    for digit in digits {
        let next = value.checked_mul(10).and_then(|v| v.checked_add(u64::from(digit - b'0')));
        match next {
            Some(next) => value = next,
            None => return IntegerText::Huge,
        }
    }
    match (negative, i64::try_from(value)) {
        (false, Ok(value)) => IntegerText::Int(value),
        (true, Ok(value)) => IntegerText::Int(-value),
        (true, Err(_)) if value == 1 << 63 => IntegerText::Int(i64::MIN),
        (true, Err(_)) => IntegerText::Huge,
        (false, Err(_)) => IntegerText::Big(value),
    }
}

/// Whether a text is a whole number beyond those that floats hold all of.
pub(super) fn may_be_rounded(text: &[u8]) -> bool {
    match parse_integer(text) {
        IntegerText::Int(value) => value.unsigned_abs() > 1 << 53,
        IntegerText::Big(_) | IntegerText::Huge => true,
        IntegerText::Not => false,
    }
}

/// Digits of a whole number, but for zeros in front; `None` where the text is none.
pub(super) fn whole_digits(text: &[u8]) -> Option<usize> {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    (parse_integer(text) != IntegerText::Not).then(|| digits.iter().skip_while(|b| **b == b'0').count())
}

/// Powers of ten that floats hold exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// A number of up to sixteen bytes without an exponent: the cell `start..end`, if it is one whose digits a float holds.
#[inline(always)]
pub(super) fn short_float(bytes: &[u8], start: usize, end: usize, point: u8) -> Option<f64> {
    let mut from = start;
    let negative = *bytes.get(start)? == b'-';
    from += usize::from(negative);
    let length = end.wrapping_sub(from);
    if length.wrapping_sub(1) >= 16 {
        return None;
    }
    let word = u128::from_le_bytes(*bytes.get(from..)?.first_chunk::<16>()?);
    // Digits become their values; the first byte is the lowest one.
    let word = word ^ (u128::from(ZEROS) << 64 | u128::from(ZEROS));
    let (low, high) = halves(word);
    let mark = u64::from(point ^ b'0') * 0x0101_0101_0101_0101;
    let at = |half: u64| {
        let zero = half ^ mark;
        let found = zero.wrapping_sub(0x0101_0101_0101_0101) & !zero & 0x8080_8080_8080_8080;
        found.trailing_zeros() as usize / 8
    };
    let place = match at(low) {
        8 => 8 + at(high),
        place => place,
    };
    let (word, digits, decimals) = if place >= length {
        (word, length, 0)
    } else {
        // The digits behind the point move over it.
        let before = (1u128 << (8 * place)) - 1;
        ((word & before) | (word >> 8 & !before), length - 1, length - 1 - place)
    };
    if digits == 0 {
        return None;
    }
    let (low, high) = halves(word << (128 - 8 * digits));
    let mantissa = eight(low)? * 100_000_000 + eight(high)?;
    // A float holds the digits and the power of ten exactly, so one rounding is all there is.
    if mantissa > 1 << 53 {
        return None;
    }
    #[allow(clippy::cast_precision_loss)] // exact, as just checked
    let value = mantissa as f64 / TENS.get(decimals)?;
    Some(if negative { -value } else { value })
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // that is what halves are
fn halves(word: u128) -> (u64, u64) {
    (word as u64, (word >> 64) as u64)
}

/// The float nearest to a text in the usual grammar: digits with a point and an exponent, or an infinity by name.
/// `None` where it is no such text; infinite without the name where it passes every float.
pub(super) fn float(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let first = *digits.as_bytes().first()?;
    if !(first.is_ascii_digit() || first == b'.' || first.eq_ignore_ascii_case(&b'i')) {
        return None;
    }
    text.parse().ok()
}

/// Whether the text is an infinity by name.
pub(super) fn is_infinite_by_name(text: &str) -> bool {
    text.bytes().any(|b| b.eq_ignore_ascii_case(&b'i'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn padded(text: &str) -> Vec<u8> {
        [text.as_bytes(), b",1234567890123456789"].concat()
    }

    proptest! {
        #[test]
        fn short_ints_are_parsed(value in -99_999_999i64..=99_999_999) {
            let text = value.to_string();
            let expected = (text.len() <= 8).then_some(value);
            prop_assert_eq!(short_int(&padded(&text), 0, text.len()), expected);
            prop_assert_eq!(parse_integer(text.as_bytes()), IntegerText::Int(value));
        }

        #[test]
        fn short_floats_are_the_nearest(text in "-?[0-9]{0,9}\\.?[0-9]{0,9}") {
            let expected: Option<f64> = text.parse().ok();
            if let Some(found) = short_float(&padded(&text), 0, text.len(), b'.') {
                prop_assert_eq!(Some(found.to_bits()), expected.map(f64::to_bits), "{}", text);
            }
            prop_assert_eq!(float(&text).map(f64::to_bits), expected.map(f64::to_bits));
        }

        #[test]
        fn other_text_is_not_a_number(text in "[-+0-9a.]{1,9}") {
            let (bytes, n) = (padded(&text), text.len());
            if text.parse::<i64>().is_err() {
                prop_assert_eq!(short_int(&bytes, 0, n), None);
            }
            if text.parse::<f64>().is_err() {
                prop_assert_eq!(short_float(&bytes, 0, n, b'.'), None);
            }
        }
    }

    #[test]
    fn integers_end_at_the_bounds_of_their_types() {
        assert_eq!(parse_integer(b"9223372036854775807"), IntegerText::Int(i64::MAX));
        assert_eq!(parse_integer(b"9223372036854775808"), IntegerText::Big(1 << 63));
        assert_eq!(parse_integer(b"-9223372036854775808"), IntegerText::Int(i64::MIN));
        assert_eq!(parse_integer(b"-9223372036854775809"), IntegerText::Huge);
        assert_eq!(parse_integer(b"18446744073709551615"), IntegerText::Big(u64::MAX));
        assert_eq!(parse_integer(b"18446744073709551616"), IntegerText::Huge);
        assert_eq!(parse_integer(b"+7"), IntegerText::Int(7));
        for text in ["", "-", "+", "1.", "1e3", " 1", "0x1", "--1"] {
            assert_eq!(parse_integer(text.as_bytes()), IntegerText::Not, "{text}");
        }
    }

    #[test]
    fn a_cell_at_the_end_of_the_input_needs_the_slow_parser() {
        assert_eq!(short_int(b"12", 0, 2), None);
        assert_eq!(short_float(b"1.5", 0, 3, b'.'), None);
    }

    #[test]
    fn names_of_infinities_are_floats_and_nan_is_a_null_word() {
        assert_eq!(float("-inf"), Some(f64::NEG_INFINITY));
        assert_eq!(float("Infinity"), Some(f64::INFINITY));
        assert_eq!(float("nan"), None);
        assert_eq!(float("1e999"), Some(f64::INFINITY));
        assert!(is_infinite_by_name("-Infinity") && !is_infinite_by_name("1e999"));
    }
}
