//! Converts the bits of half floats to 32-bit floats and back: every half has a float of the same value, every NaN one with
//! the same payload.

use std::cmp::Ordering;

/// Converts a half to a 32-bit float.
pub(crate) fn widen(half: u16) -> u32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10 & 0x1f);
    let fraction = u32::from(half & 0x03ff);
    let rest = match (exponent, fraction) {
        (0, 0) => 0,
        (0, _) => {
            // Subnormal halves become normal: the highest set bit moves to place 10.
            let shift = fraction.leading_zeros() - 21;
            (113 - shift) << 23 | (fraction << shift & 0x03ff) << 13
        }
        (31, _) => 0xff << 23 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    sign | rest
}

/// Converts a 32-bit float to a half; `None` if no half has its value.
pub(crate) fn narrow(bits: u32) -> Option<u16> {
    let sign = bits >> 16 & 0x8000;
    let exponent = bits >> 23 & 0xff;
    let fraction = bits & 0x007f_ffff;
    let rest = match exponent {
        0 if fraction == 0 => 0,
        255 => 0x1f << 10 | fraction >> 13,
        113..=142 => (exponent - 112) << 10 | fraction >> 13,
        103..=112 => (0x0080_0000 | fraction) >> (126 - exponent),
        _ => return None,
    };
    let half = u16::try_from(sign | rest).ok()?;
    (widen(half) == bits).then_some(half)
}

/// Returns the half nearest to a float, ties to even; `None` beyond the range of halves. The float may be the rounded value
/// of a number: `beyond` compares the number's magnitude with the float's. It is called only if the float is half way
/// between two halves.
pub(crate) fn nearest(value: f64, beyond: impl FnOnce() -> Ordering) -> Option<u16> {
    // The distance of neighbouring halves at this exponent. The quotient and the product are exact, so the result is
    // rounded once.
    let exponent = (value.to_bits() >> 52 & 0x7ff).max(1023 - 14);
    let step = f64::from_bits((exponent - 10) << 52);
    let steps = value / step;
    let steps = match steps.fract().abs() == 0.5 {
        false => steps.round_ties_even(),
        true => match beyond() {
            Ordering::Less => steps.trunc(),
            Ordering::Equal => steps.round_ties_even(),
            Ordering::Greater => steps.round(),
        },
    };
    let rounded = steps * step;
    #[allow(clippy::cast_possible_truncation)] // eleven bits of a float
    let narrowed = (rounded.abs() <= MAX).then_some(rounded as f32)?;
    narrow(narrowed.to_bits())
}

/// The largest half.
const MAX: f64 = 65504.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_half_is_found_once() {
        let even = |value| nearest(value, || Ordering::Equal);
        assert_eq!(even(1.0), Some(0x3c00));
        assert_eq!(even(1.000_488_281_25), Some(0x3c00));
        assert_eq!(even(1.000_488_281_25 + f64::EPSILON), Some(0x3c01));
        assert_eq!(even(-1.001_464_843_75), Some(0xbc02));
        assert_eq!(even(65_519.999), Some(0x7bff));
        assert_eq!(even(2f64.powi(-25)), Some(0));
        assert_eq!(even(-(2f64.powi(-25) * 1.5)), Some(0x8001));
        for beyond in [65_520.0, 1e39, -1e300, f64::INFINITY, f64::NAN] {
            assert_eq!(even(beyond), None);
        }
        assert_eq!(nearest(65_520.0, || Ordering::Less), Some(0x7bff));
        assert_eq!(nearest(-1.000_488_281_25, || Ordering::Greater), Some(0xbc01));
        for half in 0..0x7c00u16 {
            assert_eq!(even(f64::from(f32::from_bits(widen(half)))), Some(half));
        }
    }

    #[test]
    fn every_half_comes_back() {
        for half in 0..=u16::MAX {
            assert_eq!(narrow(widen(half)), Some(half), "{half:04x}");
        }
    }

    #[test]
    fn known_values() {
        let known = [
            (0x3c00, 1.0f32),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
            (0x8000, -0.0),
            (0x7c00, f32::INFINITY),
        ];
        for (half, float) in known {
            assert_eq!(widen(half), float.to_bits(), "{float}");
        }
    }

    #[test]
    fn floats_without_a_half_give_none() {
        for float in [0.1f32, 65505.0, 1e-8, 65536.0, 1.0 + f32::EPSILON] {
            assert_eq!(narrow(float.to_bits()), None, "{float}");
        }
        assert_eq!(narrow(0x7f80_0001), None);
    }
}
