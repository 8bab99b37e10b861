//! Decimal text as integers and doubles: the kernels that every format's reader of numbers shares.
//!
//! This file imports nothing of the crate, so that `benches/numbers.rs` can include it and compare it with other parsers.

/// Eight ASCII zeros.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The top bit of each byte.
const TOP_BITS: u64 = 0x8080_8080_8080_8080;

/// Powers of ten that a `u64` of eight digits can be multiplied by.
const POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Powers of ten that are doubles.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Up to here every integer is a double.
pub(crate) const EXACT_INTEGERS: u64 = 1 << 53;

/// Joins eight digits (values 0 to 9, the first in the lowest byte): pairs, then fours, then all.
#[inline(always)]
fn join_eight(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let first = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
    let second = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
    first.wrapping_add(second) >> 32
}

/// As [`join_eight`]; `None` if a byte is no digit.
#[inline(always)]
fn eight(digits: u64) -> Option<u64> {
    if (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & TOP_BITS != 0 {
        return None;
    }
    Some(join_eight(digits))
}

/// Marks the top bit of each byte of `word` (ASCII digits less [`ZEROS`]) that is no digit.
#[inline(always)]
fn others(word: u64) -> u64 {
    // The sum of a byte's low seven bits sets its top bit from 10 on, and carries nothing into the next byte.
    (((word & !TOP_BITS).wrapping_add(0x7676_7676_7676_7676)) | word) & TOP_BITS
}

/// Whether JSON's number would continue with the byte at bit `nbits` of `word`: a point or an exponent.
#[inline(always)]
fn continues(word: u64, nbits: u32) -> bool {
    let next = (word >> nbits) & 0xff;
    // `E` and `e` differ in the bit 0x20 alone, which is set on both sides.
    next == u64::from(b'.' ^ b'0') || next | 0x20 == u64::from(b'e' ^ b'0') | 0x20
}

/// The integer of one to seven digits at the start of `bytes`, and their number, as JSON writes them. `None` for other text
/// and where fewer than eight bytes are left.
#[inline(always)]
pub(crate) fn leading_short_int(bytes: &[u8]) -> Option<(i64, usize)> {
    let word = u64::from_le_bytes(*bytes.first_chunk::<8>()?) ^ ZEROS;
    let nbits = others(word).trailing_zeros() & !7;
    if nbits.wrapping_sub(8) > 48 || continues(word, nbits) || (nbits > 8 && word & 0xff == 0) {
        return None;
    }
    Some((join_eight(word << (64 - nbits)).cast_signed(), nbits as usize / 8))
}

/// The double of two to six digits around a point at the start of `bytes`, and its number of bytes, as JSON writes it. `None`
/// for other text and where fewer than eight bytes are left.
#[inline(always)]
pub(crate) fn leading_short_float(bytes: &[u8]) -> Option<(f64, usize)> {
    let word = u64::from_le_bytes(*bytes.first_chunk::<8>()?) ^ ZEROS;
    let marks = others(word);
    let point = marks.trailing_zeros() & !7;
    let end = (marks & marks.wrapping_sub(1)).trailing_zeros() & !7;
    let is_point = word.checked_shr(point)? & 0xff == u64::from(b'.' ^ b'0');
    if !is_point || point == 0 || end > 56 || end - point < 16 || continues(word, end) {
        return None;
    }
    if point > 8 && word & 0xff == 0 {
        return None;
    }
    // The digits after the point move over it.
    let before = (1u64 << point) - 1;
    let digits = (word & before) | (word >> 8 & !before);
    let value = join_eight(digits << (72 - end)).cast_signed();
    #[allow(clippy::cast_precision_loss)] // six digits
    let value = value as f64;
    Some((value / EXACT_POWERS.get((end - point) as usize / 8 - 1)?, end as usize / 8))
}

/// Appends the digits at the start of `bytes` to `value`, which wraps, and returns how many there are.
#[inline]
pub(crate) fn leading_digits(bytes: &[u8], value: &mut u64) -> usize {
    let mut at = 0;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*chunk) ^ ZEROS;
        let count = (others(word).trailing_zeros() / 8) as usize;
        if count == 0 {
            return at;
        }
        // The digits move to the top bytes: zeros come before them.
        let eight = join_eight(word << (64 - 8 * count));
        *value = value.wrapping_mul(POWERS.get(count).copied().unwrap_or(0)).wrapping_add(eight);
        at += count;
        if count < 8 {
            return at;
        }
    }
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        *value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        at += 1;
    }
    at
}

/// `mantissa` times ten to the power of `power`, where both factors are doubles: one operation then rounds once, as IEEE 754
/// asks of the whole text (Clinger's fast path). `None` elsewhere.
#[inline(always)]
pub(crate) fn exact_product(mantissa: u64, power: i64) -> Option<f64> {
    let scale = EXACT_POWERS.get(usize::try_from(power.unsigned_abs()).ok()?)?;
    if mantissa > EXACT_INTEGERS {
        return None;
    }
    #[allow(clippy::cast_precision_loss)] // exact, as checked
    let mantissa = mantissa as f64;
    Some(if power < 0 { mantissa / scale } else { mantissa * scale })
}

/// The integer of the cell `start..end` of `bytes`: a sign and up to seven digits, or up to eight digits. `None` for other text,
/// and where fewer than eight bytes of the input follow `start`.
#[inline(always)]
pub(crate) fn short_int(bytes: &[u8], start: usize, end: usize) -> Option<i64> {
    let word = u64::from_le_bytes(*bytes.get(start..)?.first_chunk::<8>()?);
    let negative = word & 0xFF == u64::from(b'-');
    let word = if negative { word >> 8 } else { word };
    let length = (end - start) - usize::from(negative);
    if length.wrapping_sub(1) >= 8 - usize::from(negative) {
        return None;
    }
    let value = eight((word ^ ZEROS) << (64 - 8 * length))?.cast_signed();
    Some(if negative { -value } else { value })
}

/// The double of the cell `start..end` of `bytes`: up to sixteen bytes without an exponent, whose digits are an exact integer.
/// `None` for other text, and where fewer than sixteen bytes of the input follow its sign.
#[inline(always)]
pub(crate) fn short_float(bytes: &[u8], start: usize, end: usize, point: u8) -> Option<f64> {
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
    let point_in = |half: u64| {
        let zero = half ^ mark;
        let found = zero.wrapping_sub(0x0101_0101_0101_0101) & !zero & TOP_BITS;
        found.trailing_zeros() as usize / 8
    };
    let place = match point_in(low) {
        8 => 8 + point_in(high),
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
    let value = exact_product(mantissa, -i64::try_from(decimals).ok()?)?;
    Some(if negative { -value } else { value })
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // the low half
fn halves(word: u128) -> (u64, u64) {
    (word as u64, (word >> 64) as u64)
}

/// A text as an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParsedInt {
    Int(i64),
    /// Beyond `i64::MAX`.
    UInt(u64),
    /// Digits that 64 bits cannot hold.
    Huge,
    /// The text is no integer.
    Not,
}

/// Reads digits with or without a sign, of any length.
pub(crate) fn integer(text: &[u8]) -> ParsedInt {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return ParsedInt::Not;
    }
    let mut value = 0u64;
    for digit in digits {
        let next = value.checked_mul(10).and_then(|v| v.checked_add(u64::from(digit - b'0')));
        match next {
            Some(next) => value = next,
            None => return ParsedInt::Huge,
        }
    }
    match (negative, i64::try_from(value)) {
        (false, Ok(value)) => ParsedInt::Int(value),
        (true, Ok(value)) => ParsedInt::Int(-value),
        (true, Err(_)) if value == 1 << 63 => ParsedInt::Int(i64::MIN),
        (true, Err(_)) => ParsedInt::Huge,
        (false, Err(_)) => ParsedInt::UInt(value),
    }
}

/// Parses a double from digits with a point and an exponent, or from an infinity by name. `None` for other text; infinite
/// without the name for a number beyond every double. fast-float2 rounds as the standard library does, whatever the digits.
pub(crate) fn float(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let first = *digits.as_bytes().first()?;
    if !(first.is_ascii_digit() || first == b'.' || first.eq_ignore_ascii_case(&b'i')) {
        return None;
    }
    fast_float2::parse(text).ok()
}
