//! Packs integers to bits, and encodes the hybrid of runs and bit-packed groups.

use crate::formats::parquet::thrift_out::varint;

/// Values packed per call; they take `4 * width` bytes.
pub(super) const GROUP: usize = 32;

/// Packs 32 values of `W` bits, least significant bit first.
#[inline]
fn pack<const W: usize>(values: &[u32; GROUP], target: &mut [u8]) {
    // The width is a constant, so all shifts are constants.
    let mut word = 0u64;
    let mut bits = 0;
    let mut at = 0;
    for &value in values {
        word |= u64::from(value) << bits;
        bits += W;
        if bits >= 32 {
            if let Some(room) = target.get_mut(at..at + 4) {
                room.copy_from_slice(&word.to_le_bytes()[..4]);
            }
            word >>= 32;
            bits -= 32;
            at += 4;
        }
    }
}

/// Appends 32 values of `width` bits (0 to 32). No value may be wider.
#[inline]
pub(super) fn pack32(width: u8, values: &[u32; GROUP], out: &mut Vec<u8>) {
    let at = out.len();
    out.resize(at + 4 * usize::from(width), 0);
    let target = out.get_mut(at..).unwrap_or_default();
    macro_rules! by_width {
        ($($w:literal)*) => {
            match width {
                0 => {}
                $($w => pack::<$w>(values, target),)*
                _ => pack::<32>(values, target),
            }
        };
    }
    by_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
}

/// Appends values of `width` bits in groups of eight. The last group is padded with zeros.
fn pack_groups(width: u8, values: &[u32], out: &mut Vec<u8>) {
    let (whole, rest) = values.as_chunks::<GROUP>();
    out.reserve(values.len().div_ceil(8) * usize::from(width));
    whole.iter().for_each(|values| pack32(width, values, out));
    if !rest.is_empty() {
        let mut last = [0; GROUP];
        last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        let at = out.len();
        pack32(width, &last, out);
        out.truncate(at + rest.len().div_ceil(8) * usize::from(width));
    }
}

/// Returns the bits that a value needs.
#[inline]
pub(super) fn bits_of(value: u32) -> u8 {
    (32 - value.leading_zeros()).to_le_bytes()[0]
}

/// Appends values as runs if they repeat, and as bit-packed groups otherwise.
pub(super) fn rle_bit_packed(width: u8, values: &[u32], out: &mut Vec<u8>) {
    let size = usize::from(width.div_ceil(8));
    // A shorter run takes more bytes than packed groups, and more time to decode.
    let least = 8 * (1 + 8 / usize::from(width.max(1))).clamp(2, 8);
    let mut literal = 0;
    let mut at = 0;
    while at + 8 <= values.len() {
        let (Some(&first), Some(group)) = (values.get(at), values.get(at..at + 8)) else { break };
        if group.iter().fold(0, |rest, &value| rest | value ^ first) != 0 {
            at += 8;
            continue;
        }
        let n = run_length(values.get(at..).unwrap_or_default(), first);
        if n < least {
            at += 8 * (n / 8).max(1);
            continue;
        }
        literals(width, values.get(literal..at).unwrap_or_default(), out);
        varint(out, (n as u64) << 1);
        out.extend_from_slice(first.to_le_bytes().get(..size).unwrap_or_default());
        at += n;
        literal = at;
    }
    literals(width, values.get(literal..).unwrap_or_default(), out);
}

/// Returns the length of the run of `first` at the start.
fn run_length(values: &[u32], first: u32) -> usize {
    let mut n = 0;
    for group in values.as_chunks::<GROUP>().0 {
        if group.iter().fold(0, |rest, &value| rest | value ^ first) != 0 {
            break;
        }
        n += GROUP;
    }
    n + values.get(n..).unwrap_or_default().iter().take_while(|&&value| value == first).count()
}

fn literals(width: u8, values: &[u32], out: &mut Vec<u8>) {
    if !values.is_empty() {
        varint(out, (values.len().div_ceil(8) as u64) << 1 | 1);
        pack_groups(width, values, out);
    }
}

#[cfg(test)]
mod tests {
    use super::{bits_of, rle_bit_packed};
    use crate::formats::parquet::rle_bit_packed::{RleBitPacked, RleBitPackedRun, each_group};

    fn back(bytes: &[u8], width: u8, n: usize) -> Vec<u32> {
        let mut out = Vec::new();
        let mut runs = RleBitPacked::new(bytes, width, n).unwrap();
        while let Some(run) = runs.next_run().unwrap() {
            match run {
                RleBitPackedRun::Same { value, n } => out.extend(std::iter::repeat_n(value, n)),
                RleBitPackedRun::Packed { bytes, n } => each_group(width, bytes, n, |v| {
                    out.extend_from_slice(v);
                    Ok(())
                })
                .unwrap(),
            }
        }
        out
    }

    #[test]
    fn runs_and_groups_of_every_width_come_back() {
        for width in 0..=32u8 {
            let mask = if width == 32 { u32::MAX } else { (1 << width) - 1 };
            for n in [0usize, 1, 7, 8, 9, 31, 33, 200, 1000] {
                for stretch in [1, 3, 9, 40, 300] {
                    let values: Vec<u32> = (0..n)
                        .map(|k| u32::try_from(k / stretch).unwrap().wrapping_mul(0x9e37_79b9) & mask)
                        .collect();
                    let mut bytes = Vec::new();
                    rle_bit_packed(width, &values, &mut bytes);
                    assert_eq!(back(&bytes, width, n), values, "{width} bits, {n} values, runs of {stretch}");
                }
            }
        }
        assert_eq!((bits_of(0), bits_of(1), bits_of(255), bits_of(256)), (0, 1, 8, 9));
    }
}
