//! Numbers in cells of CSV: which integers a double rounds, and which words are infinities.

use crate::cells::number::{EXACT_INTEGERS, ParsedInt, integer};

/// Whether a text is an integer outside the range in which a double holds every integer.
pub(super) fn may_be_rounded(text: &[u8]) -> bool {
    match integer(text) {
        ParsedInt::Int(value) => value.unsigned_abs() > EXACT_INTEGERS,
        ParsedInt::UInt(_) | ParsedInt::Huge => true,
        ParsedInt::Not => false,
    }
}

/// The number of digits of an integer, without leading zeros; `None` if the text is no integer.
pub(super) fn integer_digits(text: &[u8]) -> Option<usize> {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    (integer(text) != ParsedInt::Not).then(|| digits.iter().skip_while(|b| **b == b'0').count())
}

/// Whether a text spells infinity.
pub(super) fn is_infinite_by_name(text: &str) -> bool {
    text.bytes().any(|b| b.eq_ignore_ascii_case(&b'i'))
}
