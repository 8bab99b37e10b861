//! Writes numbers as decimal digits. Digits are appended eight bytes at once without a `memcpy` call per cell; the surplus
//! bytes are cut off.

use crate::cells::simd128::room;

/// The bound of integers that one write of eight digits holds.
const TEN_TO_EIGHT: u64 = 100_000_000;

/// Integers of every width.
pub(crate) trait FormatInteger: Copy {
    /// Appends the digits, after a minus for negative values.
    fn put(self, out: &mut Vec<u8>);
}

macro_rules! integers {
    ($($t:ty, $wide:ty, $put:ident;)*) => {$(
        impl FormatInteger for $t {
            #[inline]
            fn put(self, out: &mut Vec<u8>) {
                $put(<$wide>::from(self), out);
            }
        }
    )*};
}

integers! {
    i8, i64, signed; i16, i64, signed; i32, i64, signed; i64, i64, signed;
    u8, u64, unsigned; u16, u64, unsigned; u32, u64, unsigned; u64, u64, unsigned;
}

/// Appends an integer.
#[inline]
pub(crate) fn signed(value: i64, out: &mut Vec<u8>) {
    let magnitude = value.unsigned_abs();
    if magnitude >= TEN_TO_EIGHT {
        out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        return;
    }
    let (digits, n) = leading_digits(magnitude);
    append(value < 0, digits, n, None, out);
}

/// Appends an integer.
#[inline]
pub(crate) fn unsigned(value: u64, out: &mut Vec<u8>) {
    if value >= TEN_TO_EIGHT {
        out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        return;
    }
    let (digits, n) = leading_digits(value);
    append(false, digits, n, None, out);
}

/// Appends a float with few digits: at most six after the point and eight before it. Returns false and appends nothing for
/// any other float.
///
/// The text is the shortest that parses to the same bits: all decimals with up to fifteen digits are different floats, so
/// at most one of them equals this float, and no shorter text does.
#[inline]
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)] // below 10^14
pub(crate) fn float(value: f64, out: &mut Vec<u8>) -> bool {
    const MILLION: u64 = 1_000_000;
    let magnitude = value.abs();
    // Smaller floats are written with a power of ten.
    if !(1e-5..1e8).contains(&magnitude) && magnitude != 0.0 {
        return false;
    }
    let millionths = (magnitude * 1e6 + 0.5) as u64;
    if millionths as f64 / 1e6 != magnitude {
        return false;
    }
    let (whole, before) = leading_digits(millionths / MILLION);
    // Six digits, then two zeros.
    let fraction = decimals(millionths % MILLION * 100);
    let fraction_len = (8 - fraction.leading_zeros() / 8).max(1);
    // The point and six digits: eight bytes, one of them unused.
    let fraction = ((fraction | ZEROS) << 8) | u64::from(b'.');
    append(value.is_sign_negative(), whole, before, Some((fraction, fraction_len + 1)), out);
    true
}

/// Appends bytes, the lowest first: an optional minus, the first `n` bytes of `digits`, and then the point and the `fraction`.
#[inline(always)]
fn append(minus: bool, digits: u64, n: u32, fraction: Option<(u64, u32)>, out: &mut Vec<u8>) {
    let (sign, n) = (usize::from(minus), n.min(8) as usize);
    let place = room::<24>(out);
    let (fraction, fraction_len) = fraction.unwrap_or_default();
    let fraction_len = fraction_len.min(8) as usize;
    // SAFETY: 24 bytes are reserved, of which at most 1 + 8 + 8 are written. Each write starts at or before the end of the
    // counted bytes, and the counted bytes end before the written ones. No write needs alignment.
    unsafe {
        place.write(b'-');
        let place = place.add(sign);
        place.cast::<[u8; 8]>().write(digits.to_le_bytes());
        place.add(n).cast::<[u8; 8]>().write(fraction.to_le_bytes());
        out.set_len(out.len() + sign + n + fraction_len);
    }
}

/// Eight zeros.
const ZEROS: u64 = u64::from_le_bytes(*b"00000000");

/// Returns the digits of an integer below 10^8 and their number; the first digit is the lowest byte.
#[inline(always)]
fn leading_digits(value: u64) -> (u64, u32) {
    let digits = decimals(value);
    // Zero is one digit.
    let zeros = (digits | (1 << 56)).trailing_zeros() / 8;
    ((digits | ZEROS) >> (8 * zeros), 8 - zeros)
}

/// Computes eight digits at once, one byte from 0 to 9 each: splits into halves of four, then of two, then of one digit.
/// The first is the lowest byte.
#[inline(always)]
fn decimals(value: u64) -> u64 {
    let fours = (value / 10_000) | ((value % 10_000) << 32);
    // Hundredths of numbers below ten thousand and tenths of numbers below a hundred are a multiplication and a shift.
    let hundreds = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let twos = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - 10 * tens) << 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(put: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = b"x".to_vec();
        put(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn integers_are_written_like_the_standard_library() {
        let powers = (0..64).map(|power| 1u64 << power).chain((0..20).map(|power| 10u64.pow(power)));
        let near = powers.flat_map(|p| [p - 1, p, p + 1, p / 3 * 2]);
        for value in (0..20_000).chain((0..10_000).map(|i| i * 10_000)).chain(near).chain([u64::MAX]) {
            assert_eq!(text(|out| value.put(out)), format!("x{value}"));
            let value = value.cast_signed();
            assert_eq!(text(|out| value.put(out)), format!("x{value}"));
            assert_eq!(text(|out| value.wrapping_neg().put(out)), format!("x{}", value.wrapping_neg()));
        }
        for value in i8::MIN..=i8::MAX {
            assert_eq!(text(|out| value.put(out)), format!("x{value}"));
        }
        assert_eq!(text(|out| u16::MAX.put(out)), "x65535");
        assert_eq!(text(|out| i32::MIN.put(out)), "x-2147483648");
    }

    fn is_shortest(value: f64) -> bool {
        for value in [value, -value] {
            let expected = format!("x{}", zmij::Buffer::new().format_finite(value));
            let mut out = b"x".to_vec();
            if !float(value, &mut out) {
                assert_eq!(out, b"x");
                return false;
            }
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        true
    }

    #[test]
    fn floats_are_the_shortest_texts() {
        for value in [
            0.0,
            1.0,
            0.5,
            1e-5,
            0.000_011,
            0.001_001,
            99_999_999.0,
            99_999_999.999_999,
            12.34,
            1e7,
            0.1 + 0.25,
        ] {
            assert!(is_shortest(value), "{value}");
        }
        for value in [1e8, 1e-6, 1e300, 5e-324, 0.1 + 0.2, 1.0 / 3.0, 0.001_000_1, 9.9e-6, f64::MAX, 1e15] {
            assert!(!is_shortest(value), "{value}");
        }
        // Around every float with few digits are others with more.
        let mut word = 1u64;
        for _ in 0..100_000 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let millionths = (word >> 18) % 10u64.pow(1 + u32::try_from(word >> 60).unwrap() % 14);
            let value = millionths as f64 / 1e6;
            for bits in [value.to_bits().saturating_sub(1), value.to_bits(), value.to_bits() + 1] {
                is_shortest(f64::from_bits(bits));
            }
            is_shortest((value * 100.0).round() / 100.0);
            is_shortest(f64::from_bits(word & (u64::MAX >> 2)));
        }
    }
}
