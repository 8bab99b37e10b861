//! Codes for the values of a column: values sorted by their bits, codes of one byte or two.

use crate::codec::dictionary::{Hashed, Word};
use crate::container::members::MOST_VALUES;
use crate::error::Result;
use crate::frame::Block;
use crate::parallel::Look;

/// A column's values and codes.
#[derive(Debug)]
pub(super) struct Codes {
    /// The values' bytes.
    pub(super) values: Vec<u8>,
    /// A code for each row.
    pub(super) bytes: Vec<u8>,
    /// Codes are of two bytes, low byte first.
    pub(super) wide: bool,
}

/// What a sample says of a dictionary of the whole.
pub(super) struct Sampled {
    /// The sample's codes.
    pub(super) codes: Vec<u8>,
    pub(super) wide: bool,
    /// How many values the whole may have.
    pub(super) values: f64,
}

/// The codes of a column of values of 4 or 8 bytes; `None` where there are too many values.
pub(super) fn build(block: &Block, look: Look<'_>) -> Result<Option<Codes>> {
    if block.grid.dtype.itemsize == 4 {
        return built::<u32, 4>(block, u32::from_le_bytes, u32::to_le_bytes, look);
    }
    built::<u64, 8>(block, u64::from_le_bytes, u64::to_le_bytes, look)
}

fn built<T: Word + Ord, const W: usize>(
    block: &Block,
    word: fn([u8; W]) -> T,
    bytes: fn(T) -> [u8; W],
    look: Look<'_>,
) -> Result<Option<Codes>> {
    let mut building = Hashed::new(block.grid.nrows);
    let mut words = Vec::new();
    let mut few = true;
    block.chunks(&mut |chunk| {
        for stretch in chunk.chunks(W << 12) {
            look()?;
            words.clear();
            words.extend(stretch.as_chunks::<W>().0.iter().map(|b| word(*b)));
            few = few && building.add(&words, MOST_VALUES).is_some();
        }
        Ok(())
    })?;
    let Some((keys, found)) = building.done(MOST_VALUES).filter(|_| few) else { return Ok(None) };
    let (order, places) = sorted(&found);
    let values = order.iter().filter_map(|&k| found.get(k)).flat_map(|v| bytes(*v)).collect();
    let (bytes, wide) = coded(&keys, &places);
    Ok(Some(Codes { values, bytes, wide }))
}

/// The order of the values, and the place of each in it.
fn sorted<T: Ord>(found: &[T]) -> (Vec<usize>, Vec<u16>) {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_unstable_by_key(|&k| found.get(k));
    let mut places = vec![0; found.len()];
    for (place, &k) in order.iter().enumerate() {
        if let Some(slot) = places.get_mut(k) {
            *slot = u16::try_from(place).unwrap_or(u16::MAX);
        }
    }
    (order, places)
}

fn coded(keys: &[u32], places: &[u16]) -> (Vec<u8>, bool) {
    let place = |key: &u32| places.get(*key as usize).copied().unwrap_or(0);
    if places.len() > 256 {
        return (keys.iter().flat_map(|key| place(key).to_le_bytes()).collect(), true);
    }
    (keys.iter().map(|key| place(key).to_le_bytes()[0]).collect(), false)
}

/// The codes of a sample of values of `width` 4 or 8 bytes, `whole` where it is all there is; `None` where the column
/// seems to have too many values, or hardly one twice.
pub(super) fn sampled(sample: &[u8], width: usize, whole: bool) -> Option<Sampled> {
    if width == 4 {
        let words: Vec<u32> = sample.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        return guessed(&words, whole);
    }
    let words: Vec<u64> = sample.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
    guessed(&words, whole)
}

fn guessed<T: Word + Ord>(words: &[T], whole: bool) -> Option<Sampled> {
    let mut building = Hashed::new(words.len());
    building.add(words, words.len() - words.len() / 8)?;
    let (keys, found) = building.done(MOST_VALUES)?;
    let mut counts = vec![0u32; found.len()];
    for key in &keys {
        if let Some(count) = counts.get_mut(*key as usize) {
            *count += 1;
        }
    }
    // Chao's lower bound: what was seen once and twice tells of what was not seen.
    let seen = |times: u32| counts.iter().filter(|&&count| count == times).count() as f64;
    let unseen = if whole { 0.0 } else { seen(1) * seen(1) / (2.0 * (seen(2) + 1.0)) };
    let values = found.len() as f64 + unseen;
    if values > MOST_VALUES as f64 {
        return None;
    }
    let (_, places) = sorted(&found);
    let (codes, wide) = coded(&keys, &places);
    Some(Sampled { codes, wide, values })
}
