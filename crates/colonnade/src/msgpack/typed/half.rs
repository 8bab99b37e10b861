//! Half floats as 32-bit floats and back, by their bits: every half has a float of the same value, NaNs of the same payload.

/// The float of a half.
pub(crate) fn widen(half: u16) -> u32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10 & 0x1f);
    let fraction = u32::from(half & 0x03ff);
    let rest = match (exponent, fraction) {
        (0, 0) => 0,
        (0, _) => {
            // Halves without a leading one get one: the highest bit set moves to place 10.
            let shift = fraction.leading_zeros() - 21;
            (113 - shift) << 23 | (fraction << shift & 0x03ff) << 13
        }
        (31, _) => 0xff << 23 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    sign | rest
}

/// The half of a float, where there is one.
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn floats_that_are_no_halves_are_none() {
        for float in [0.1f32, 65505.0, 1e-8, 65536.0, 1.0 + f32::EPSILON] {
            assert_eq!(narrow(float.to_bits()), None, "{float}");
        }
        assert_eq!(narrow(0x7f80_0001), None);
    }
}
