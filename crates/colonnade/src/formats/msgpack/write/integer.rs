//! Encodes integers in the smallest form of the specification.
//!
//! The form of a value depends on how many bits it needs. A table has the marker and size for each number of bits, so that
//! a column of mixed sizes has no branch for each cell: every value is stored as eight bytes after its marker, and the next
//! value overwrites the unused ones.

/// The marker and the number of bytes after it, by the number of bits that a value needs.
type IntegerForms = [(u8, u8); 65];

const fn forms(fix_bits: usize, markers: [u8; 4], signed: bool) -> IntegerForms {
    let mut out = [(0, 0); 65];
    let mut bits = fix_bits + 1;
    while bits <= 64 {
        // A signed form of n bytes has one bit less.
        let needed = if signed { bits + 1 } else { bits };
        out[bits] = if needed <= 8 {
            (markers[0], 1)
        } else if needed <= 16 {
            (markers[1], 2)
        } else if needed <= 32 {
            (markers[2], 4)
        } else {
            (markers[3], 8)
        };
        bits += 1;
    }
    out
}

/// The forms from 0 on. Values of up to 7 bits are in the marker itself.
const POSITIVE: IntegerForms = forms(7, [0xcc, 0xcd, 0xce, 0xcf], false);
/// The forms below 0, by the bits of the complement. Values of up to 5 bits are in the marker itself.
const NEGATIVE: IntegerForms = forms(5, [0xd0, 0xd1, 0xd2, 0xd3], true);

/// The longest form, for which [`put`] needs room.
pub(super) const MAX_NBYTES: usize = 9;

#[inline]
fn form(bits: u64, negative: bool) -> (u8, u8) {
    let (forms, significant) = if negative { (&NEGATIVE, !bits) } else { (&POSITIVE, bits) };
    let needed = 64 - significant.leading_zeros();
    forms.get(needed as usize).copied().unwrap_or((0xcf, 8))
}

/// Returns the number of bytes of a value, from its 64 bits and whether it is negative.
#[inline]
pub(super) fn nbytes(bits: u64, negative: bool) -> usize {
    1 + usize::from(form(bits, negative).1)
}

/// Writes one value to `place`, which has room for [`MAX_NBYTES`]; returns its number of bytes.
#[inline]
pub(super) fn put(place: &mut [u8; MAX_NBYTES], bits: u64, negative: bool) -> usize {
    let (marker, n) = form(bits, negative);
    let [first, rest @ ..] = place;
    *first = if n == 0 { bits.to_le_bytes()[0] } else { marker };
    *rest = bits.wrapping_shl(64 - 8 * u32::from(n)).to_be_bytes();
    1 + usize::from(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: i128) -> Vec<u8> {
        let mut place = [0; MAX_NBYTES];
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // only the low 64 bits are stored
        let bits = value as u64;
        let n = put(&mut place, bits, value < 0);
        assert_eq!(n, nbytes(bits, value < 0));
        place[..n].to_vec()
    }

    #[test]
    fn the_smallest_form_at_every_boundary() {
        for value in (0..64).flat_map(|b| {
            let p = 1i128 << b;
            [p - 1, p, p + 1, -p - 1, -p, -p + 1]
        }) {
            let mut expected = Vec::new();
            match (i64::try_from(value), u64::try_from(value)) {
                (Ok(v), _) => rmp::encode::write_sint(&mut expected, v).map(|_| ()).unwrap(),
                (_, Ok(v)) => rmp::encode::write_uint(&mut expected, v).map(|_| ()).unwrap(),
                _ => continue,
            }
            assert_eq!(written(value), expected, "{value}");
        }
        assert_eq!(written(i128::from(u64::MAX)), [0xcf, 255, 255, 255, 255, 255, 255, 255, 255]);
    }
}
