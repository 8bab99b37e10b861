//! The names of the columns to read, as a set. The name of every column of a file is looked up in it, so its hash is cheap.
//! The set is small and comes from the caller, so no file can fill it with colliding names.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// A set of column names.
pub(crate) type ColumnNames<'a> = HashSet<&'a str, BuildHasherDefault<NameHasher>>;

/// A hash that multiplies blocks of eight bytes to twice their width and folds the product.
#[derive(Debug, Default, Clone)]
pub(crate) struct NameHasher(u64);

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl NameHasher {
    #[inline]
    fn mix(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word) * u128::from(FACTOR);
        #[allow(clippy::cast_possible_truncation)] // both halves are taken
        let low = wide as u64;
        #[allow(clippy::cast_possible_truncation)]
        let high = (wide >> 64) as u64;
        self.0 = low ^ high;
    }
}

impl Hasher for NameHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.mix(bytes.len() as u64 ^ FACTOR);
        let (words, _) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        // The last bytes; some are read twice, which saves a loop.
        let half = |b: &[u8; 4]| u64::from(u32::from_le_bytes(*b));
        self.mix(match (bytes.last_chunk::<8>(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            (Some(last), ..) => u64::from_le_bytes(*last),
            (None, Some(first), Some(last)) => half(first) | half(last) << 32,
            _ => bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        });
    }

    #[inline]
    fn write_u8(&mut self, byte: u8) {
        // `str` ends its bytes with this byte. The length has already been mixed in.
        self.0 ^= u64::from(byte);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, BuildHasherDefault};

    use super::{ColumnNames, NameHasher};

    #[test]
    fn column_names_contain_only_inserted_names() {
        let all: Vec<String> = (0..2000).map(|k| format!("{}c{k}", "x".repeat(k % 19))).collect();
        let some: ColumnNames<'_> = all.iter().step_by(2).map(String::as_str).collect();
        for (k, name) in all.iter().enumerate() {
            assert_eq!(some.contains(name.as_str()), k % 2 == 0);
        }
        let make = BuildHasherDefault::<NameHasher>::default();
        let hashes: std::collections::HashSet<u64> =
            all.iter().map(|name| make.hash_one(name.as_str())).collect();
        assert_eq!(hashes.len(), all.len());
    }
}
