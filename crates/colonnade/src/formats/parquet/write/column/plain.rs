//! Encodes PLAIN.

use std::ops::Range;

use arrow_buffer::ToByteSlice;

use super::non_null_values::NonNullValues;

/// Appends values: bools as bits, variable-length values with a length prefix. Keys are written as their values.
pub(super) fn encode(values: &NonNullValues<'_>, range: Range<usize>, out: &mut Vec<u8>) {
    match values {
        NonNullValues::Bools(bools) => bits(bools.get(range).unwrap_or_default(), out),
        NonNullValues::Four(words) => {
            out.extend_from_slice(words.get(range).unwrap_or_default().to_byte_slice())
        }
        NonNullValues::Eight(words) => {
            out.extend_from_slice(words.get(range).unwrap_or_default().to_byte_slice())
        }
        NonNullValues::Wide(bytes, width) => {
            out.extend_from_slice(bytes.get(range.start * width..range.end * width).unwrap_or_default());
        }
        NonNullValues::Text(texts) => {
            let texts = texts.get(range).unwrap_or_default();
            out.reserve(texts.iter().map(|text| text.len() + 4).sum());
            for text in texts {
                out.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
                out.extend_from_slice(text);
            }
        }
        NonNullValues::Keys(keys, inner) => {
            for &key in keys.get(range).unwrap_or_default() {
                let key = key as usize;
                match inner.as_ref() {
                    NonNullValues::Bools(_) | NonNullValues::Keys(..) => {}
                    other => encode(other, key..key + 1, out),
                }
            }
        }
    }
}

/// Packs bytes of 0 and 1 to bits.
pub(super) fn bits(bools: &[u8], out: &mut Vec<u8>) {
    let (eights, rest) = bools.as_chunks::<8>();
    out.reserve(bools.len().div_ceil(8));
    // A multiplication gathers the lowest bit of each byte in the highest byte.
    out.extend(eights.iter().map(|eight| {
        (u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56).to_le_bytes()[0]
    }));
    if !rest.is_empty() {
        out.push(rest.iter().enumerate().fold(0, |byte, (k, bool)| byte | bool << k));
    }
}
