//! Dictionary encoding of fixed-width values: the distinct values in the order of first occurrence, and a key for each row.
//!
//! Values are equal if their bits are, so NaNs keep their payloads and -0.0 differs from 0.0. The caller gives the largest
//! number of distinct values, and encoding stops above it.

/// Number of values that are compared at once with the last value.
const BLOCK: usize = 8;

/// A value that is compared as one number.
pub(crate) trait DictionaryWord: Copy + Eq + Default {
    fn hash(self) -> u64;
    /// The difference to the least value, as integers.
    fn above(self, least: Self) -> u64;
}

impl DictionaryWord for u32 {
    #[inline]
    fn hash(self) -> u64 {
        u64::from(self).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
    #[inline]
    fn above(self, least: Self) -> u64 {
        u64::from(self.wrapping_sub(least))
    }
}

impl DictionaryWord for u64 {
    #[inline]
    fn hash(self) -> u64 {
        // Floats with few digits differ only in their high bits, which the multiplication would not spread.
        (self ^ self >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
    #[inline]
    fn above(self, least: Self) -> u64 {
        self.wrapping_sub(least)
    }
}

impl DictionaryWord for u128 {
    #[inline]
    fn hash(self) -> u64 {
        #[allow(clippy::cast_possible_truncation)] // both halves
        let (low, high) = (self as u64, (self >> 64) as u64);
        (low ^ high.rotate_left(29) ^ low >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
    #[inline]
    fn above(self, least: Self) -> u64 {
        u64::try_from(self.wrapping_sub(least)).unwrap_or(u64::MAX)
    }
}

/// Values within a smaller range are looked up in a table without hashing.
const TABLE: u64 = 1 << 16;

/// Encodes values: keys and distinct values; `None` above `most` distinct values. `least`: the least and greatest value, if known.
pub(crate) fn words<T: DictionaryWord>(
    values: &[T],
    least: Option<(T, T)>,
    most: usize,
) -> Option<(Vec<u32>, Vec<T>)> {
    if let Some((least, greatest)) = least {
        let range = greatest.above(least);
        if range < TABLE && range < 4 * values.len() as u64 {
            return table_lookup(values, least, usize::try_from(range).ok()? + 1, most);
        }
    }
    hash_lookup(values, most)
}

fn table_lookup<T: DictionaryWord>(
    values: &[T],
    least: T,
    range: usize,
    most: usize,
) -> Option<(Vec<u32>, Vec<T>)> {
    let mut slots = vec![0u32; range.next_power_of_two()];
    let mask = slots.len() - 1;
    let mut found = Vec::new();
    let mut keys = Vec::with_capacity(values.len());
    for block in values.chunks(4096) {
        for &value in block {
            #[allow(clippy::cast_possible_truncation)] // below the mask
            let slot = &mut slots[value.above(least) as usize & mask];
            if *slot == 0 {
                found.push(value);
                *slot = u32::try_from(found.len()).unwrap_or(u32::MAX);
            }
            keys.push(*slot - 1);
        }
        if found.len() > most {
            return None;
        }
    }
    Some((keys, found))
}

fn hash_lookup<T: DictionaryWord>(values: &[T], most: usize) -> Option<(Vec<u32>, Vec<T>)> {
    let mut dictionary = DictionaryBuilder::new(values.len());
    dictionary.add(values, most)?;
    dictionary.done(most)
}

/// Builds a dictionary with a hash table. Slots have a value and its key + 1; at most half of them are used.
pub(crate) struct DictionaryBuilder<T> {
    bits: u32,
    slots: Vec<(T, u32)>,
    found: Vec<T>,
    keys: Vec<u32>,
    last: (T, u32),
}

impl<T: DictionaryWord> DictionaryBuilder<T> {
    /// An empty dictionary for about `n` rows.
    pub(crate) fn new(n: usize) -> Self {
        let bits = (usize::BITS - n.leading_zeros() + 1).clamp(4, 10);
        let slots = vec![(T::default(), 0); 1 << bits];
        Self { bits, slots, found: Vec::new(), keys: Vec::with_capacity(n), last: (T::default(), 0) }
    }

    /// Adds rows; `None` above `most` distinct values.
    pub(crate) fn add(&mut self, values: &[T], most: usize) -> Option<()> {
        for block in values.chunks(BLOCK) {
            if !self.found.is_empty() && block.iter().all(|&value| value == self.last.0) {
                self.keys.extend(std::iter::repeat_n(self.last.1, block.len()));
                continue;
            }
            if self.found.len() + BLOCK > self.slots.len() / 2 {
                if self.found.len() > most {
                    return None;
                }
                self.grow();
            }
            let mask = self.slots.len() - 1;
            for &value in block {
                let mut at = place(value.hash(), self.bits);
                let key = loop {
                    let slot = &mut self.slots[at & mask];
                    if slot.1 != 0 && slot.0 == value {
                        break slot.1 - 1;
                    }
                    if slot.1 == 0 {
                        let key = u32::try_from(self.found.len()).unwrap_or(u32::MAX);
                        self.found.push(value);
                        *slot = (value, key + 1);
                        break key;
                    }
                    at += 1;
                };
                self.keys.push(key);
                self.last = (value, key);
            }
        }
        Some(())
    }

    fn grow(&mut self) {
        self.bits += 2;
        self.slots = vec![(T::default(), 0); 1 << self.bits];
        let mask = self.slots.len() - 1;
        for (key, &value) in self.found.iter().enumerate() {
            let mut at = place(value.hash(), self.bits);
            while self.slots[at & mask].1 != 0 {
                at += 1;
            }
            self.slots[at & mask] = (value, u32::try_from(key).unwrap_or(u32::MAX) + 1);
        }
    }

    /// Keys and distinct values; `None` above `most` distinct values.
    pub(crate) fn done(self, most: usize) -> Option<(Vec<u32>, Vec<T>)> {
        (self.found.len() <= most).then_some((self.keys, self.found))
    }
}

/// The slot of a hash in a table of `1 << bits`.
#[inline]
pub(crate) fn place(hash: u64, bits: u32) -> usize {
    usize::try_from(hash >> (64 - bits)).unwrap_or(0)
}
