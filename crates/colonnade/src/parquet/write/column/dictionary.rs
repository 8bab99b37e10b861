//! Dictionaries: each value that occurs once, in the order of its first occurrence, and a key for each row.
//!
//! Values are the same if their bits are: NaNs keep their payloads, and -0.0 is not 0.0. Whoever builds one says how many
//! values are too many, and building ends there.

/// Values that repeat are found a stretch at a time.
const STRETCH: usize = 8;

/// A value that is compared as one number.
pub(super) trait Word: Copy + Eq + Default {
    fn hash(self) -> u64;
    /// How far above the least one, as integers.
    fn above(self, least: Self) -> u64;
}

impl Word for u32 {
    #[inline]
    fn hash(self) -> u64 {
        u64::from(self).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
    #[inline]
    fn above(self, least: Self) -> u64 {
        u64::from(self.wrapping_sub(least))
    }
}

impl Word for u64 {
    #[inline]
    fn hash(self) -> u64 {
        // Floats of few digits differ in their high bits alone, which a product alone would not spread.
        (self ^ self >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
    #[inline]
    fn above(self, least: Self) -> u64 {
        self.wrapping_sub(least)
    }
}

impl Word for u128 {
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

/// Integers within this range are looked up in a table without hashing.
const TABLE: u64 = 1 << 16;

/// Keys and values; `None` where more than `most` values occur.
pub(super) fn words<T: Word>(values: &[T], least: Option<(T, T)>, most: usize) -> Option<(Vec<u32>, Vec<T>)> {
    if let Some((least, greatest)) = least {
        let range = greatest.above(least);
        if range < TABLE && range < 4 * values.len() as u64 {
            return table(values, least, usize::try_from(range).ok()? + 1, most);
        }
    }
    hashed(values, most)
}

fn table<T: Word>(values: &[T], least: T, range: usize, most: usize) -> Option<(Vec<u32>, Vec<T>)> {
    let mut slots = vec![0u32; range.next_power_of_two()];
    let mask = slots.len() - 1;
    let mut found = Vec::new();
    let mut keys = Vec::with_capacity(values.len());
    for stretch in values.chunks(4096) {
        for &value in stretch {
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

fn hashed<T: Word>(values: &[T], most: usize) -> Option<(Vec<u32>, Vec<T>)> {
    let mut building = Hashed::new(values.len());
    building.add(values, most)?;
    building.done(most)
}

/// A dictionary that is being built. Slots have a value and its key + 1; at most half of them are taken.
struct Hashed<T> {
    bits: u32,
    slots: Vec<(T, u32)>,
    found: Vec<T>,
    keys: Vec<u32>,
    last: (T, u32),
}

impl<T: Word> Hashed<T> {
    fn new(n: usize) -> Self {
        let bits = (usize::BITS - n.leading_zeros() + 1).clamp(4, 10);
        let slots = vec![(T::default(), 0); 1 << bits];
        Self { bits, slots, found: Vec::new(), keys: Vec::with_capacity(n), last: (T::default(), 0) }
    }

    /// Adds values; `None` once there are too many.
    fn add(&mut self, values: &[T], most: usize) -> Option<()> {
        for stretch in values.chunks(STRETCH) {
            if !self.found.is_empty() && stretch.iter().all(|&value| value == self.last.0) {
                self.keys.extend(std::iter::repeat_n(self.last.1, stretch.len()));
                continue;
            }
            if self.found.len() + STRETCH > self.slots.len() / 2 {
                if self.found.len() > most {
                    return None;
                }
                self.grow();
            }
            let mask = self.slots.len() - 1;
            for &value in stretch {
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

    fn done(self, most: usize) -> Option<(Vec<u32>, Vec<T>)> {
        (self.found.len() <= most).then_some((self.keys, self.found))
    }
}

/// Keys of text by numbers that stand for it, a part at a time.
fn numbered<T: Word>(texts: &[&[u8]], most: usize, number: impl Fn(&[u8]) -> T) -> Option<(Vec<u32>, usize)> {
    const PART: usize = 1024;
    let mut building = Hashed::new(texts.len());
    let mut numbers = [T::default(); PART];
    for part in texts.chunks(PART) {
        for (to, text) in numbers.iter_mut().zip(part) {
            *to = number(text);
        }
        building.add(numbers.get(..part.len()).unwrap_or_default(), most)?;
    }
    building.done(most).map(|(keys, found)| (keys, found.len()))
}

#[inline]
fn place(hash: u64, bits: u32) -> usize {
    usize::try_from(hash >> (64 - bits)).unwrap_or(0)
}

/// Text of at most seven bytes and its length as one number.
#[inline]
fn seven(text: &[u8]) -> u64 {
    let n = text.len();
    let letters = if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        // Letters that both have are the same.
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (n - 4))
    } else {
        let letter = |k: usize| u64::from(text.get(k).copied().unwrap_or(0)) << (8 * k);
        letter(0) | letter(1) | letter(2)
    };
    letters | (n as u64) << 56
}

/// Text of at most fifteen bytes and its length as one number.
#[inline]
fn fifteen(text: &[u8]) -> u128 {
    let n = text.len();
    match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
            u128::from(first) | u128::from(last) << (8 * (n - 8)) | (n as u128) << 120
        }
        _ => u128::from(seven(text)),
    }
}

/// Keys and values of text; `None` where more than `most` values occur, or where they have more than `most_nbytes`.
pub(super) fn texts<'a>(
    texts: &[&'a [u8]],
    most: usize,
    most_nbytes: usize,
) -> Option<(Vec<u32>, Vec<&'a [u8]>)> {
    let longest = texts.iter().map(|text| text.len()).max()?;
    let (keys, n) = match longest {
        0..=7 => numbered(texts, most, seven)?,
        8..=15 => numbered(texts, most, fifteen)?,
        _ => return long(texts, most, most_nbytes),
    };
    let mut found: Vec<&'a [u8]> = Vec::with_capacity(n);
    for (&key, &text) in keys.iter().zip(texts) {
        if key as usize == found.len() {
            found.push(text);
        }
    }
    let nbytes: usize = found.iter().map(|text| text.len() + 4).sum();
    (nbytes <= most_nbytes).then_some((keys, found))
}

fn long<'a>(texts: &[&'a [u8]], most: usize, most_nbytes: usize) -> Option<(Vec<u32>, Vec<&'a [u8]>)> {
    let mut bits = 10u32;
    // Slots of the hash's low half and key + 1.
    let mut slots: Vec<(u32, u32)> = vec![(0, 0); 1 << bits];
    let mut found: Vec<&'a [u8]> = Vec::new();
    let mut hashes: Vec<u64> = Vec::new();
    let mut keys: Vec<u32> = Vec::with_capacity(texts.len());
    let mut nbytes = 0;
    for &text in texts {
        if found.len() >= slots.len() / 2 {
            if found.len() > most || nbytes > most_nbytes {
                return None;
            }
            bits += 2;
            slots = vec![(0, 0); 1 << bits];
            let mask = slots.len() - 1;
            for (key, &hash) in hashes.iter().enumerate() {
                let mut at = place(hash, bits);
                while slots[at & mask].1 != 0 {
                    at += 1;
                }
                slots[at & mask] = (low(hash), u32::try_from(key).unwrap_or(u32::MAX) + 1);
            }
        }
        let mask = slots.len() - 1;
        let hash = hash(text);
        let mut at = place(hash, bits);
        let key = loop {
            let slot = &mut slots[at & mask];
            if slot.1 == 0 {
                let key = u32::try_from(found.len()).unwrap_or(u32::MAX);
                nbytes += text.len() + 4;
                found.push(text);
                hashes.push(hash);
                *slot = (low(hash), key + 1);
                break key;
            }
            if slot.0 == low(hash) && found.get((slot.1 - 1) as usize) == Some(&text) {
                break slot.1 - 1;
            }
            at += 1;
        };
        keys.push(key);
    }
    (found.len() <= most && nbytes <= most_nbytes).then_some((keys, found))
}

#[inline]
fn low(hash: u64) -> u32 {
    #[allow(clippy::cast_possible_truncation)] // the low half
    let low = hash as u32;
    low
}

/// A hash of bytes: the same on every machine, so that nothing depends on where it runs.
#[inline]
pub(super) fn hash(text: &[u8]) -> u64 {
    const A: u64 = 0x9e37_79b9_7f4a_7c15;
    const B: u64 = 0xd6e8_feb8_6659_fd93;
    let mix = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        #[allow(clippy::cast_possible_truncation)] // both halves
        let folded = product as u64 ^ (product >> 64) as u64;
        folded
    };
    let n = text.len() as u64;
    let word =
        |at: usize| text.get(at..).and_then(|t| t.first_chunk::<8>()).map_or(0, |b| u64::from_le_bytes(*b));
    if text.len() <= 16 {
        let (a, b) = if text.len() >= 8 {
            (word(0), word(text.len() - 8))
        } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
            (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)))
        } else {
            let part = |k: usize| u64::from(text.get(k).copied().unwrap_or(0));
            (part(0) << 16 | part(text.len() / 2) << 8 | part(text.len().saturating_sub(1)), 0)
        };
        return mix(mix(a ^ A, b ^ B) ^ n, A);
    }
    let mut state = n ^ A;
    let (pairs, _) = text.as_chunks::<16>();
    for pair in pairs {
        let (a, b) = (u128::from_le_bytes(*pair), 64);
        #[allow(clippy::cast_possible_truncation)] // both halves
        let (low, high) = (a as u64, (a >> b) as u64);
        state = mix(low ^ state, high ^ B);
    }
    mix(mix(word(text.len() - 16) ^ state, word(text.len() - 8) ^ B), A ^ n)
}
