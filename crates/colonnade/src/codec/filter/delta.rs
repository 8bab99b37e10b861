//! Delta filter: differences of adjacent values as wrapping integers, exact for any bits.

/// Writes the first value of `source` and the difference of each value to the previous one to `target`. `width`: 2, 4 or 8 bytes;
/// `big`: big-endian. Other widths, or different lengths, leave `target` unchanged.
pub fn delta(source: &[u8], width: usize, big: bool, target: &mut [u8]) {
    if source.len() != target.len() {
        return;
    }
    macro_rules! run {
        ($t:ty, $n:literal) => {{
            let from = |b: &[u8; $n]| if big { <$t>::from_be_bytes(*b) } else { <$t>::from_le_bytes(*b) };
            let values = source.as_chunks::<$n>().0;
            let places = target.as_chunks_mut::<$n>().0;
            if let (Some(first), Some(place)) = (values.first(), places.first_mut()) {
                *place = *first;
            }
            for (pair, place) in values.windows(2).zip(places.iter_mut().skip(1)) {
                let difference = from(&pair[1]).wrapping_sub(from(&pair[0]));
                *place = if big { difference.to_be_bytes() } else { difference.to_le_bytes() };
            }
        }};
    }
    match width {
        2 => run!(u16, 2),
        4 => run!(u32, 4),
        8 => run!(u64, 8),
        _ => {}
    }
}

/// Restores values from their differences, in place. `before`: the value before the first. Returns the last value, so that a long
/// array can be processed in blocks.
pub fn undelta(values: &mut [u8], width: usize, big: bool, before: u64) -> u64 {
    macro_rules! run {
        ($t:ty, $n:literal) => {{
            #[allow(clippy::cast_possible_truncation)] // a value that this function returned
            let mut sum = before as $t;
            let places = values.as_chunks_mut::<$n>().0;
            if big {
                for place in places {
                    sum = sum.wrapping_add(<$t>::from_be_bytes(*place));
                    *place = sum.to_be_bytes();
                }
            } else {
                for place in places {
                    sum = sum.wrapping_add(<$t>::from_le_bytes(*place));
                    *place = sum.to_le_bytes();
                }
            }
            u64::from(sum)
        }};
    }
    match width {
        2 => run!(u16, 2),
        4 => run!(u32, 4),
        8 => run!(u64, 8),
        _ => before,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_wrap_and_round_trip() {
        let values: Vec<u8> = [5u32, 3, u32::MAX, 0, 7].iter().flat_map(|v| v.to_le_bytes()).collect();
        let mut out = vec![0; values.len()];
        delta(&values, 4, false, &mut out);
        let expected = [5, 3u32.wrapping_sub(5), u32::MAX - 3, 1, 7];
        assert_eq!(out, expected.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>());
        let (first, rest) = out.split_at_mut(8);
        let last = undelta(first, 4, false, 0);
        assert_eq!((last, undelta(rest, 4, false, last)), (3, 7));
        assert_eq!(out, values);
    }

    #[test]
    fn every_width_in_both_orders() {
        for width in super::super::DELTA_WIDTHS {
            for big in [false, true] {
                let values: Vec<u8> = (0..width * 37).map(|i| u8::try_from(i * 89 % 251).unwrap()).collect();
                let mut out = vec![0; values.len()];
                delta(&values, width, big, &mut out);
                undelta(&mut out, width, big, 0);
                assert_eq!(out, values);
            }
        }
    }
}
