//! Bloom filters: whether a chunk may hold a value at all.
//!
//! Specification: <https://github.com/apache/parquet-format/blob/master/BloomFilter.md>

use crate::error::Result;
use crate::parquet::thrift::{Thrift, Wire};
use crate::parquet::types::{Physical, Way};

use super::compile::Test;

/// Bytes that a header has at most.
pub(super) const HEADER_NBYTES: u64 = 64;

/// Bytes of a block: eight words.
const BLOCK_NBYTES: usize = 32;

const SALT: [u32; 8] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

/// What a header says: its own length and that of the bits behind it; `None` for a kind of filter that is not known here.
pub(super) fn header(bytes: &[u8], base: u64) -> Result<Option<(usize, usize)>> {
    let mut thrift = Thrift::new(bytes, base, "a bloom filter");
    let t = &mut thrift;
    let (mut nbytes, mut known, mut last) = (None, 0, 0);
    while let Some(field) = t.field(&mut last)? {
        match (field.id, field.wire) {
            (1, Wire::I32) => nbytes = usize::try_from(t.i32()?).ok(),
            // Each a union whose first kind is the only one that the specification has.
            (2..=4, Wire::Struct) => {
                let mut inner = 0;
                while let Some(kind) = t.field(&mut inner)? {
                    known += u8::from(kind.id == 1);
                    t.skip(kind.wire)?;
                }
            }
            _ => t.skip(field.wire)?,
        }
    }
    let usable = nbytes.filter(|n| known == 3 && *n >= BLOCK_NBYTES && n.is_multiple_of(BLOCK_NBYTES));
    Ok(usable.map(|n| (t.position(), n)))
}

/// Whether the filter of these bits may have a value that the test holds of: `true` where it cannot tell.
pub(super) fn may_hold(bits: &[u8], test: &Test, physical: Physical, way: Way) -> bool {
    if !matches!(way, Way::Same | Way::Narrow(_)) {
        return true;
    }
    let any = |values: Vec<Option<u64>>| {
        // What has no bytes in this type cannot be ruled out by them.
        values.into_iter().any(|hash| hash.is_none_or(|hash| has(bits, hash)))
    };
    match test {
        Test::Ints(shape) => shape.one_of().is_none_or(|those| {
            any(those
                .iter()
                .map(|v| match physical {
                    #[allow(clippy::cast_possible_truncation)]
                    // the low bytes are what is stored, signed or not
                    Physical::Int32 => Some(hash(&(*v as i32).to_le_bytes())),
                    #[allow(clippy::cast_possible_truncation)]
                    Physical::Int64 => Some(hash(&(*v as i64).to_le_bytes())),
                    _ => None,
                })
                .collect())
        }),
        Test::Floats(shape) => shape.one_of().is_none_or(|those| {
            any(those
                .iter()
                .map(|v| match physical {
                    // Zero has two signs.
                    _ if *v == 0.0 => None,
                    Physical::Double => Some(hash(&v.to_le_bytes())),
                    #[allow(clippy::cast_possible_truncation)]
                    Physical::Float => Some(hash(&(*v as f32).to_le_bytes())),
                    _ => None,
                })
                .collect())
        }),
        Test::Words(shape) => {
            shape.one_of().is_none_or(|those| any(those.iter().map(|word| Some(hash(word))).collect()))
        }
        Test::Wide(_) => true,
    }
}

fn hash(bytes: &[u8]) -> u64 {
    twox_hash::XxHash64::oneshot(0, bytes)
}

fn has(bits: &[u8], hash: u64) -> bool {
    let blocks = (bits.len() / BLOCK_NBYTES) as u64;
    let block = usize::try_from(((hash >> 32) * blocks) >> 32).unwrap_or(0) * BLOCK_NBYTES;
    let Some(block) = bits.get(block..block + BLOCK_NBYTES) else { return true };
    #[allow(clippy::cast_possible_truncation)] // the low half is the key
    let key = hash as u32;
    SALT.iter().zip(block.chunks_exact(4)).all(|(salt, word)| {
        let word = word.iter().rev().fold(0u32, |word, byte| word << 8 | u32::from(*byte));
        word >> (key.wrapping_mul(*salt) >> 27) & 1 == 1
    })
}
