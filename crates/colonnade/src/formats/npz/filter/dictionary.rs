//! Dictionary encoding of a column: values sorted by their bits, codes of one byte or two.

use crate::codec::dictionary::{DictionaryBuilder, DictionaryWord};
use crate::container::members::MAX_VALUES;
use crate::error::Result;
use crate::frame::Block;
use crate::parallel::Cancel;

/// A column's values and codes.
#[derive(Debug)]
pub(super) struct DictionaryCodes {
    /// The values' bytes.
    pub(super) values: Vec<u8>,
    /// A code for each row.
    pub(super) bytes: Vec<u8>,
    /// Whether codes have two bytes, low byte first.
    pub(super) wide: bool,
}

/// The dictionary of the whole column, estimated from a sample.
pub(super) struct DictionaryEstimate {
    /// The sample's codes.
    pub(super) codes: Vec<u8>,
    pub(super) wide: bool,
    /// Estimated number of distinct values of the whole column.
    pub(super) values: f64,
}

/// Encodes a column of values of 4 or 8 bytes; `None` if it has too many distinct values.
pub(super) fn build(column: &Block, cancel: Cancel<'_>) -> Result<Option<DictionaryCodes>> {
    if column.grid.dtype.itemsize == 4 {
        return build_words::<u32, 4>(column, u32::from_le_bytes, u32::to_le_bytes, cancel);
    }
    build_words::<u64, 8>(column, u64::from_le_bytes, u64::to_le_bytes, cancel)
}

fn build_words<T: DictionaryWord + Ord, const W: usize>(
    column: &Block,
    word: fn([u8; W]) -> T,
    bytes: fn(T) -> [u8; W],
    cancel: Cancel<'_>,
) -> Result<Option<DictionaryCodes>> {
    let mut hashed = DictionaryBuilder::new(column.grid.nrows);
    let mut words = Vec::new();
    let mut fits = true;
    column.chunks(&mut |chunk| {
        for block in chunk.chunks(W << 12) {
            cancel()?;
            words.clear();
            words.extend(block.as_chunks::<W>().0.iter().map(|b| word(*b)));
            fits = fits && hashed.add(&words, MAX_VALUES).is_some();
        }
        Ok(())
    })?;
    let Some((keys, found)) = hashed.done(MAX_VALUES).filter(|_| fits) else { return Ok(None) };
    let (order, ranks) = sort_values(&found);
    let values = order.iter().filter_map(|&k| found.get(k)).flat_map(|v| bytes(*v)).collect();
    let (bytes, wide) = sorted_codes(&keys, &ranks);
    Ok(Some(DictionaryCodes { values, bytes, wide }))
}

/// Sorts the values: their order, and the rank of each.
fn sort_values<T: Ord>(found: &[T]) -> (Vec<usize>, Vec<u16>) {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_unstable_by_key(|&k| found.get(k));
    let mut ranks = vec![0; found.len()];
    for (rank, &k) in order.iter().enumerate() {
        if let Some(slot) = ranks.get_mut(k) {
            *slot = u16::try_from(rank).unwrap_or(u16::MAX);
        }
    }
    (order, ranks)
}

fn sorted_codes(keys: &[u32], ranks: &[u16]) -> (Vec<u8>, bool) {
    let rank = |key: &u32| ranks.get(*key as usize).copied().unwrap_or(0);
    if ranks.len() > 256 {
        return (keys.iter().flat_map(|key| rank(key).to_le_bytes()).collect(), true);
    }
    (keys.iter().map(|key| rank(key).to_le_bytes()[0]).collect(), false)
}

/// Estimates the dictionary from a sample of values of `width` 4 or 8 bytes. `whole`: the sample is the whole column. `None` if
/// the column seems to have too many distinct values, or few repeated ones.
pub(super) fn estimate(sample: &[u8], width: usize, whole: bool) -> Option<DictionaryEstimate> {
    if width == 4 {
        let words: Vec<u32> = sample.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        return estimate_words(&words, whole);
    }
    let words: Vec<u64> = sample.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
    estimate_words(&words, whole)
}

fn estimate_words<T: DictionaryWord + Ord>(words: &[T], whole: bool) -> Option<DictionaryEstimate> {
    let mut hashed = DictionaryBuilder::new(words.len());
    hashed.add(words, words.len() - words.len() / 8)?;
    let (keys, found) = hashed.done(MAX_VALUES)?;
    let mut counts = vec![0u32; found.len()];
    for key in &keys {
        if let Some(count) = counts.get_mut(*key as usize) {
            *count += 1;
        }
    }
    // Chao's lower bound estimates the unseen values from those seen once and twice.
    let occurring = |times: u32| counts.iter().filter(|&&count| count == times).count() as f64;
    let unseen = if whole { 0.0 } else { occurring(1) * occurring(1) / (2.0 * (occurring(2) + 1.0)) };
    let values = found.len() as f64 + unseen;
    if values > MAX_VALUES as f64 {
        return None;
    }
    let (_, ranks) = sort_values(&found);
    let (codes, wide) = sorted_codes(&keys, &ranks);
    Some(DictionaryEstimate { codes, wide, values })
}
