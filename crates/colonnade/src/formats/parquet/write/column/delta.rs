//! Encodes DELTA_BINARY_PACKED, and the text encodings that contain it.
//!
//! Blocks have 128 differences in four miniblocks of 32, as other writers use.

use super::pack::{GROUP, pack32};
use crate::formats::parquet::thrift_out::{varint, zigzag};

const BLOCK: usize = 128;
const PARTS: usize = BLOCK / GROUP;

/// Integers for DELTA_BINARY_PACKED. Differences wrap, and wrap back when they are decoded.
pub(super) trait DeltaInteger: Copy {
    fn wrapping_difference(self, other: Self) -> i64;
    fn to_i64(self) -> i64;
    /// A difference minus the block's least difference, as it is packed.
    fn packed_difference(difference: i64, least: i64) -> u64;
}

impl DeltaInteger for u32 {
    #[inline]
    fn wrapping_difference(self, other: Self) -> i64 {
        i64::from(self.wrapping_sub(other).cast_signed())
    }
    #[inline]
    fn to_i64(self) -> i64 {
        i64::from(self.cast_signed())
    }
    #[inline]
    fn packed_difference(difference: i64, least: i64) -> u64 {
        // Both have 32 bits, so the result is not negative and fits into 32 bits.
        (difference - least).cast_unsigned()
    }
}

impl DeltaInteger for u64 {
    #[inline]
    fn wrapping_difference(self, other: Self) -> i64 {
        self.wrapping_sub(other).cast_signed()
    }
    #[inline]
    fn to_i64(self) -> i64 {
        self.cast_signed()
    }
    #[inline]
    fn packed_difference(difference: i64, least: i64) -> u64 {
        difference.wrapping_sub(least).cast_unsigned()
    }
}

/// Appends a page of values in DELTA_BINARY_PACKED.
pub(super) fn encode<T: DeltaInteger>(values: &[T], out: &mut Vec<u8>) {
    varint(out, BLOCK as u64);
    varint(out, PARTS as u64);
    varint(out, values.len() as u64);
    let Some((&first, rest)) = values.split_first() else {
        varint(out, 0);
        return;
    };
    varint(out, zigzag(first.to_i64()));
    let mut previous = first;
    for block in rest.chunks(BLOCK) {
        let mut differences = [0i64; BLOCK];
        let mut last = previous;
        for (to, &value) in differences.iter_mut().zip(block) {
            *to = value.wrapping_difference(last);
            last = value;
        }
        previous = last;
        let there = differences.get(..block.len()).unwrap_or_default();
        let least = there.iter().copied().min().unwrap_or(0);
        varint(out, zigzag(least));
        let widths_at = out.len();
        out.extend_from_slice(&[0; PARTS]);
        // Positions after the last value are packed as zeros.
        let mut above = [0u64; BLOCK];
        for (to, &difference) in above.iter_mut().zip(there) {
            *to = T::packed_difference(difference, least);
        }
        for (k, part) in above.as_chunks::<GROUP>().0.iter().enumerate() {
            if k * GROUP >= block.len() {
                break;
            }
            let all = part.iter().fold(0, |all, value| all | value);
            let width = (64 - all.leading_zeros()).to_le_bytes()[0];
            if let Some(place) = out.get_mut(widths_at + k) {
                *place = width;
            }
            if width <= 32 {
                #[allow(clippy::cast_possible_truncation)] // 32 bits at most
                pack32(width, &part.map(|value| value as u32), out);
            } else {
                pack_wide(width, part, out);
            }
        }
    }
}

/// Packs 32 values of more than 32 bits.
fn pack_wide(width: u8, values: &[u64; GROUP], out: &mut Vec<u8>) {
    let (mut word, mut bits) = (0u128, 0u32);
    for &value in values {
        word |= u128::from(value) << bits;
        bits += u32::from(width);
        while bits >= 32 {
            out.extend_from_slice(word.to_le_bytes().get(..4).unwrap_or_default());
            word >>= 32;
            bits -= 32;
        }
    }
}

/// Returns the least difference, the largest difference and the number of differences of each block.
fn extremes<T: DeltaInteger>(values: &[T]) -> impl Iterator<Item = (i64, i64, usize)> + '_ {
    let rest = values.get(1..).unwrap_or_default();
    values.chunks(BLOCK).zip(rest.chunks(BLOCK)).map(|(before, block)| {
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        for (&before, &value) in before.iter().zip(block) {
            let difference = value.wrapping_difference(before);
            least = least.min(difference);
            most = most.max(difference);
        }
        (least, most, block.len())
    })
}

/// Estimates the bits per value in DELTA_BINARY_PACKED from a sample of neighbours.
pub(super) fn estimate<T: DeltaInteger>(values: &[T]) -> usize {
    let bits = extremes(values).map(|(least, most, n)| {
        let above = T::packed_difference(most, least);
        (64 - above.leading_zeros() as usize) * n + 32 + 64 - least.unsigned_abs().leading_zeros() as usize
    });
    bits.sum()
}

/// Returns the bits of the widest packed difference of a page.
pub(super) fn widest<T: DeltaInteger>(values: &[T]) -> u8 {
    let all = extremes(values).fold(0, |all, (least, most, _)| all | T::packed_difference(most, least));
    (64 - all.leading_zeros()).to_le_bytes()[0]
}

/// Appends DELTA_LENGTH_BYTE_ARRAY: the lengths as differences, then the bytes.
pub(super) fn lengths(texts: &[&[u8]], out: &mut Vec<u8>) {
    let lengths: Vec<u32> = texts.iter().map(|text| u32::try_from(text.len()).unwrap_or(u32::MAX)).collect();
    encode(&lengths, out);
    out.reserve(texts.iter().map(|text| text.len()).sum());
    texts.iter().for_each(|text| out.extend_from_slice(text));
}

/// Appends DELTA_BYTE_ARRAY: the lengths of shared prefixes as differences, then the suffixes in DELTA_LENGTH_BYTE_ARRAY.
pub(super) fn prefixes(texts: &[&[u8]], out: &mut Vec<u8>) {
    let mut before: &[u8] = &[];
    let mut shared = Vec::with_capacity(texts.len());
    let mut rests = Vec::with_capacity(texts.len());
    for &text in texts {
        let n = text.iter().zip(before).take_while(|(a, b)| a == b).count();
        shared.push(u32::try_from(n).unwrap_or(u32::MAX));
        rests.push(text.get(n..).unwrap_or_default());
        before = text;
    }
    encode(&shared, out);
    lengths(&rests, out);
}
