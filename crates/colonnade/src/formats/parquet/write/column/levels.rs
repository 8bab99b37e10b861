//! Encodes levels. A flat optional leaf has one bit per row. The levels of a nested leaf come as bytes, and are packed to the bits
//! of the maximum level.

use std::ops::Range;

use super::leaf::{Bitmap, low_mask};
use super::pack::bits_of;
use crate::formats::parquet::thrift_out::varint;

/// Shortest run, in groups of eight rows.
const LEAST_RUN: usize = 4;

fn packed(groups: &mut Vec<u8>, out: &mut Vec<u8>) {
    if !groups.is_empty() {
        varint(out, (groups.len() as u64) << 1 | 1);
        out.append(groups);
    }
}

/// Appends the definition levels of these rows, without a length prefix.
pub(super) fn encode(validity: Option<Bitmap<'_>>, rows: &Range<usize>, out: &mut Vec<u8>) {
    let Some(bits) = validity else {
        varint(out, (rows.len() as u64) << 1);
        out.push(1);
        return;
    };
    let mut groups = Vec::new();
    // The current run: its byte of eight levels, and its rows.
    let (mut run_byte, mut run_rows) = (0u8, 0usize);
    let close = |byte: u8, n: usize, groups: &mut Vec<u8>, out: &mut Vec<u8>, last: bool| {
        if n == 0 {
            return;
        }
        let same = byte == 0 || byte == 0xff;
        if same && (n >= LEAST_RUN * 8 || last && !n.is_multiple_of(8) && groups.is_empty()) {
            packed(groups, out);
            varint(out, (n as u64) << 1);
            out.push(byte & 1);
        } else {
            groups.extend(std::iter::repeat_n(byte, n.div_ceil(8)));
        }
    };
    let mut row = rows.start;
    while row < rows.end {
        let n = (rows.end - row).min(64);
        let word = bits.word(row) & low_mask(n);
        for k in 0..n.div_ceil(8) {
            let now = (n - 8 * k).min(8);
            let mut byte = (word >> (8 * k)).to_le_bytes()[0];
            // Only the valid levels of the last group decide whether it belongs to the run.
            if now < 8 && u64::from(byte) == low_mask(now) {
                byte = 0xff;
            }
            if byte != run_byte || run_rows == 0 || !(byte == 0 || byte == 0xff) {
                close(run_byte, run_rows, &mut groups, out, false);
                (run_byte, run_rows) = (byte, 0);
            }
            run_rows += now;
        }
        row += n;
    }
    close(run_byte, run_rows, &mut groups, out, true);
    packed(&mut groups, out);
}

/// Appends levels of at most `most`, without a length prefix.
pub(super) fn encode_nested(levels: &[u8], most: u8, out: &mut Vec<u8>) {
    let width = bits_of(u32::from(most));
    // A shorter run takes more bytes than packed groups, and more time to decode.
    let least = 8 * (1 + 8 / usize::from(width.max(1))).clamp(2, 8);
    let (mut literal, mut at) = (0, 0);
    while let Some(eight) = levels.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let first = eight[0];
        if *eight != [first; 8] {
            at += 8;
            continue;
        }
        let n = run_length(levels.get(at..).unwrap_or_default(), first);
        if n < least {
            at += n / 8 * 8;
            continue;
        }
        literals(width, levels.get(literal..at).unwrap_or_default(), out);
        varint(out, (n as u64) << 1);
        out.push(first);
        at += n;
        literal = at;
    }
    let rest = levels.get(literal..).unwrap_or_default();
    match rest.first() {
        // The end of a long run, or a short page of one level.
        Some(&first) if run_length(rest, first) == rest.len() => {
            varint(out, (rest.len() as u64) << 1);
            out.push(first);
        }
        _ => literals(width, rest, out),
    }
}

/// Returns the length of the run of `first` at the start.
fn run_length(levels: &[u8], first: u8) -> usize {
    let (eights, _) = levels.as_chunks::<8>();
    let n = 8 * eights.iter().take_while(|eight| **eight == [first; 8]).count();
    n + levels.get(n..).unwrap_or_default().iter().take_while(|&&level| level == first).count()
}

/// Appends packed groups of eight. The last one is padded with zeros.
fn literals(width: u8, levels: &[u8], out: &mut Vec<u8>) {
    if levels.is_empty() {
        return;
    }
    varint(out, (levels.len().div_ceil(8) as u64) << 1 | 1);
    let (eights, rest) = levels.as_chunks::<8>();
    let nbytes = usize::from(width);
    out.reserve(levels.len().div_ceil(8) * nbytes);
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    let packed = |eight: &[u8; 8]| {
        eight.iter().rev().fold(0u64, |word, &level| word << width | u64::from(level)).to_le_bytes()
    };
    for eight in eights {
        out.extend_from_slice(packed(eight).get(..nbytes).unwrap_or_default());
    }
    if !rest.is_empty() {
        out.extend_from_slice(packed(&last).get(..nbytes).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::super::pack::bits_of;
    use super::encode_nested;
    use crate::formats::parquet::rle_bit_packed::{RleBitPacked, RleBitPackedRun, each_group};

    #[test]
    fn levels_of_every_width_come_back() {
        for most in [1u8, 2, 3, 5, 9, 40, 255] {
            for n in [1usize, 7, 8, 9, 31, 64, 200, 1000] {
                for stretch in [1, 3, 9, 40, 300] {
                    let level = |k: usize| u8::try_from(k / stretch * 7 % (usize::from(most) + 1)).unwrap();
                    let levels: Vec<u8> = (0..n).map(level).collect();
                    let (mut bytes, mut back) = (Vec::new(), Vec::new());
                    encode_nested(&levels, most, &mut bytes);
                    let width = bits_of(u32::from(most));
                    let mut runs = RleBitPacked::new(&bytes, width, n).unwrap();
                    while let Some(run) = runs.next_run().unwrap() {
                        match run {
                            RleBitPackedRun::Same { value, n } => back.extend(std::iter::repeat_n(value, n)),
                            RleBitPackedRun::Packed { bytes, n } => each_group(width, bytes, n, |v| {
                                back.extend_from_slice(v);
                                Ok(())
                            })
                            .unwrap(),
                        }
                    }
                    let levels: Vec<u32> = levels.into_iter().map(u32::from).collect();
                    assert_eq!(back, levels, "up to {most}, {n} levels, runs of {stretch}");
                }
            }
        }
    }
}
