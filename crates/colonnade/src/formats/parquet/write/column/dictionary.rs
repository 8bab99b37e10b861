//! Builds dictionaries: each distinct value in the order of its first occurrence, and a key for each row.
//!
//! Values are equal if their bits are: NaNs keep their payloads, and -0.0 differs from 0.0. The caller sets a maximum number of
//! values, above which building stops.

use crate::codec::dictionary::{DictionaryBuilder, place};
pub(super) use crate::codec::dictionary::{DictionaryWord, words};

/// Builds keys of texts from the integers that `number` maps them to, in batches.
fn keys_of_short_texts<T: DictionaryWord>(
    texts: &[&[u8]],
    most: usize,
    number: impl Fn(&[u8]) -> T,
) -> Option<(Vec<u32>, usize)> {
    const PART: usize = 1024;
    let mut building = DictionaryBuilder::new(texts.len());
    let mut numbers = [T::default(); PART];
    for part in texts.chunks(PART) {
        for (to, text) in numbers.iter_mut().zip(part) {
            *to = number(text);
        }
        building.add(numbers.get(..part.len()).unwrap_or_default(), most)?;
    }
    building.done(most).map(|(keys, found)| (keys, found.len()))
}

/// Packs text of at most seven bytes and its length into one integer.
#[inline]
fn pack_7_bytes(text: &[u8]) -> u64 {
    let n = text.len();
    let letters = if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        // For four to seven bytes, the two loads overlap in bytes that are equal.
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (n - 4))
    } else {
        let letter = |k: usize| u64::from(text.get(k).copied().unwrap_or(0)) << (8 * k);
        letter(0) | letter(1) | letter(2)
    };
    letters | (n as u64) << 56
}

/// Packs text of at most fifteen bytes and its length into one integer.
#[inline]
fn pack_15_bytes(text: &[u8]) -> u128 {
    let n = text.len();
    match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
            u128::from(first) | u128::from(last) << (8 * (n - 8)) | (n as u128) << 120
        }
        _ => u128::from(pack_7_bytes(text)),
    }
}

/// Returns keys and values of text; `None` if there are more than `most` values, or if they have more than `most_nbytes` bytes.
pub(super) fn texts<'a>(
    texts: &[&'a [u8]],
    most: usize,
    most_nbytes: usize,
) -> Option<(Vec<u32>, Vec<&'a [u8]>)> {
    let longest = texts.iter().map(|text| text.len()).max()?;
    let (keys, n) = match longest {
        0..=7 => keys_of_short_texts(texts, most, pack_7_bytes)?,
        8..=15 => keys_of_short_texts(texts, most, pack_15_bytes)?,
        _ => return keys_of_long_texts(texts, most, most_nbytes),
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

fn keys_of_long_texts<'a>(
    texts: &[&'a [u8]],
    most: usize,
    most_nbytes: usize,
) -> Option<(Vec<u32>, Vec<&'a [u8]>)> {
    let mut bits = 10u32;
    // Slots with the low half of the hash, and key + 1.
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
                slots[at & mask] = (low_half(hash), u32::try_from(key).unwrap_or(u32::MAX) + 1);
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
                *slot = (low_half(hash), key + 1);
                break key;
            }
            if slot.0 == low_half(hash) && found.get((slot.1 - 1) as usize) == Some(&text) {
                break slot.1 - 1;
            }
            at += 1;
        };
        keys.push(key);
    }
    (found.len() <= most && nbytes <= most_nbytes).then_some((keys, found))
}

#[inline]
fn low_half(hash: u64) -> u32 {
    #[allow(clippy::cast_possible_truncation)] // the low half
    let low = hash as u32;
    low
}

/// A hash of bytes. It is the same on every machine, so that the output is deterministic.
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
