//! Bloom filters: whether a chunk may contain a value.
//!
//! Specification: <https://github.com/apache/parquet-format/blob/master/BloomFilter.md>

use crate::error::Result;
use crate::filter::Test;
use crate::formats::parquet::statistics::StatisticsValue;
use crate::formats::parquet::thrift::{Thrift, ThriftType};
use crate::formats::parquet::types::{LeafConversion, Physical};

use super::bounds::{StatisticsType, ValueBounds};

/// The maximum size of a header.
pub(super) const HEADER_NBYTES: u64 = 64;

/// Bytes of a block: eight 32-bit words.
const BLOCK_NBYTES: usize = 32;

const SALT: [u32; 8] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

/// Reads a header: returns its length and the length of the bitset after it; `None` for an unknown algorithm, hash or
/// compression.
pub(super) fn header(bytes: &[u8], base: u64) -> Result<Option<(usize, usize)>> {
    let mut thrift = Thrift::new(bytes, base, "a bloom filter");
    let t = &mut thrift;
    let (mut nbytes, mut known, mut last) = (None, [false; 3], 0);
    while let Some(field) = t.field(&mut last)? {
        match (field.id, field.wire) {
            (1, ThriftType::I32) => nbytes = usize::try_from(t.i32()?).ok(),
            // Algorithm, hash and compression are unions; the specification defines one variant of each.
            (2..=4, ThriftType::Struct) => {
                let (mut inner, mut kinds) = (0, 0);
                let mut is_first = false;
                while let Some(kind) = t.field(&mut inner)? {
                    is_first = kind.id == 1;
                    kinds += 1;
                    t.skip(kind.wire)?;
                }
                if let Some(known) = usize::try_from(field.id - 2).ok().and_then(|k| known.get_mut(k)) {
                    *known = is_first && kinds == 1;
                }
            }
            _ => t.skip(field.wire)?,
        }
    }
    let usable =
        nbytes.filter(|n| known == [true; 3] && *n >= BLOCK_NBYTES && n.is_multiple_of(BLOCK_NBYTES));
    Ok(usable.map(|n| (t.position(), n)))
}

/// Whether this bitset may belong to a chunk with these bounds: a filter has a bit set for each value, and for numbers both
/// bounds are values of the chunk.
pub(super) fn is_of(bits: &[u8], bounds: Option<&ValueBounds<'_>>, known: &StatisticsType) -> bool {
    let Some(bounds) = bounds else { return bits.iter().any(|byte| *byte != 0) };
    let has = |value: StatisticsValue<'_>| match value {
        StatisticsValue::Int(value) => {
            ints(known, value).is_none_or(|hashes| hashes.iter().any(|hash| has(bits, *hash)))
        }
        StatisticsValue::Float(value) => float(known.physical, value).is_none_or(|hash| has(bits, hash)),
        StatisticsValue::Wide(_) | StatisticsValue::Bytes(_) => true,
    };
    bits.iter().any(|byte| *byte != 0) && has(bounds.min) && has(bounds.max)
}

/// Whether the filter may contain a value that the test matches; `true` if it cannot decide.
pub(super) fn may_hold(bits: &[u8], test: &Test, known: &StatisticsType) -> bool {
    if !matches!(known.way, LeafConversion::Same | LeafConversion::Narrow(_)) {
        return true;
    }
    // A literal that has no encoding in this type has no hash to look up.
    match test {
        Test::Ints(shape) => shape.one_of().is_none_or(|those| {
            those.iter().any(|v| ints(known, *v).is_none_or(|hashes| hashes.iter().any(|h| has(bits, *h))))
        }),
        Test::Floats(shape) => shape
            .one_of()
            .is_none_or(|those| those.iter().any(|v| float(known.physical, *v).is_none_or(|h| has(bits, h)))),
        Test::Words(shape) => {
            shape.one_of().is_none_or(|those| those.iter().any(|word| has(bits, hash(word))))
        }
        Test::Wide(_) | Test::Null(_) => true,
    }
}

/// Returns the hashes of an integer. An integer that is stored by its low bytes has two, one for each sign.
#[allow(clippy::cast_possible_truncation)] // the file stores the low bytes, signed or not
fn ints(known: &StatisticsType, value: i128) -> Option<[u64; 2]> {
    let four = |value: i32| hash(&value.to_le_bytes());
    match (known.physical, known.way) {
        (Physical::Int32, LeafConversion::Narrow(1)) => {
            Some([four(i32::from(value as u8)), four(i32::from(value as i8))])
        }
        (Physical::Int32, LeafConversion::Narrow(2)) => {
            Some([four(i32::from(value as u16)), four(i32::from(value as i16))])
        }
        (Physical::Int32, LeafConversion::Same) => Some([four(value as i32); 2]),
        (Physical::Int64, LeafConversion::Same) => Some([hash(&(value as i64).to_le_bytes()); 2]),
        _ => None,
    }
}

/// Returns the hash of a float; none for zero, which has two signs.
#[allow(clippy::cast_possible_truncation)] // a value that is no float of this width is none of the column
fn float(physical: Physical, value: f64) -> Option<u64> {
    match physical {
        _ if value == 0.0 => None,
        Physical::Double => Some(hash(&value.to_le_bytes())),
        Physical::Float => Some(hash(&(value as f32).to_le_bytes())),
        _ => None,
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
