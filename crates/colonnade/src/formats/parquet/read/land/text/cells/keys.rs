//! Texts that are named by keys of a dictionary.

use crate::error::Result;
use crate::formats::parquet::keys::{Keys, Piece};

use super::super::dictionary::{Dictionary, Entry};
use super::super::out::{Offset, Out};
use super::{Stop, WIDE, copy, ended, no_key};

/// Proves that the dictionary has all these keys.
#[inline]
fn check(keys: &[u32], n: usize) -> Result<()> {
    let largest = keys.iter().fold(0, |a, &b| a.max(b));
    if largest as usize >= n { Err(no_key(largest, n)) } else { Ok(()) }
}

pub(super) fn measure(keys: &mut Keys<'_>, entries: &[Entry], n: usize) -> Result<usize> {
    let (mut left, mut total) = (n, 0usize);
    while left > 0 {
        match keys.take(left)? {
            None => return Err(ended(left, 0)),
            Some(Piece::Same(key, times)) => {
                let entry = entries.get(key as usize).ok_or_else(|| no_key(key, entries.len()))?;
                total = total.saturating_add((entry.nbytes as usize).saturating_mul(times));
                left -= times;
            }
            Some(Piece::Many(some)) => {
                check(some, entries.len())?;
                let sum: u64 = some
                    .iter()
                    // SAFETY: `check` has proven all keys.
                    .map(|&key| u64::from(unsafe { entries.get_unchecked(key as usize) }.nbytes))
                    .sum();
                total = total.saturating_add(usize::try_from(sum).unwrap_or(usize::MAX));
                left -= some.len();
            }
        }
    }
    Ok(total)
}

#[inline]
pub(super) fn put<O: Offset>(
    keys: &mut Keys<'_>,
    dictionary: &Dictionary,
    n: usize,
    out: &mut Out<'_, O>,
) -> std::result::Result<(), Stop> {
    let mut left = n;
    while left > 0 {
        match keys.take(left)? {
            None => return Err(ended(left, 0).into()),
            Some(Piece::Same(key, times)) => {
                let value = dictionary.value(key as usize);
                out.same(value.ok_or_else(|| no_key(key, dictionary.entries().len()))?, times)?;
                left -= times;
            }
            Some(Piece::Many(some)) => {
                check(some, dictionary.entries().len())?;
                named(some, u64::MAX, some.len(), dictionary, out)?;
                left -= some.len();
            }
        }
    }
    Ok(())
}

#[inline]
pub(super) fn mixed<O: Offset>(
    keys: &mut Keys<'_>,
    dictionary: &Dictionary,
    mask: u64,
    n: usize,
    out: &mut Out<'_, O>,
) -> std::result::Result<(), Stop> {
    // One more, which is looked at and not used behind the last.
    let mut some = [0u32; 65];
    let wanted = mask.count_ones() as usize;
    let mut rest = some.get_mut(..wanted).unwrap_or_default();
    while !rest.is_empty() {
        let (now, later);
        match keys.take(rest.len())? {
            None => return Err(ended(rest.len(), 0).into()),
            Some(Piece::Same(key, times)) => {
                (now, later) = rest.split_at_mut(times);
                now.fill(key);
            }
            Some(Piece::Many(some)) => {
                (now, later) = rest.split_at_mut(some.len());
                now.copy_from_slice(some);
            }
        }
        rest = later;
    }
    check(&some, dictionary.entries().len())?;
    named(&some, mask, n, dictionary, out)
}

/// `n` rows: those with a bit in `mask` are what the next of `keys` name, all of which the dictionary has; the others are
/// null. Of keys there are `n` or one more than bits in the mask.
#[inline(always)]
fn named<O: Offset>(
    keys: &[u32],
    mask: u64,
    n: usize,
    dictionary: &Dictionary,
    out: &mut Out<'_, O>,
) -> std::result::Result<(), Stop> {
    let room = out.room();
    let (ends, bytes, base) = out.next(n)?;
    let (entries, values, longest) = (dictionary.entries(), dictionary.bytes(), dictionary.longest());
    let (mut k, mut at, mut mask) = (0, 0, mask);
    let wide = longest <= WIDE && room >= n * longest + WIDE;
    for end in ends {
        let valid = (mask & 1) as usize;
        mask >>= 1;
        let Some(&key) = keys.get(k) else { return Err(Stop::Full) };
        // SAFETY: the caller has proven all keys.
        let entry = unsafe { *entries.get_unchecked(key as usize) };
        let nbytes = entry.nbytes as usize * valid;
        if wide {
            // SAFETY: the dictionary has `WIDE` bytes behind each of its texts' beginnings, and there is room for the longest
            // text of every row and `WIDE` bytes.
            unsafe {
                let (from, to) = (values.as_ptr().add(entry.start as usize), bytes.as_mut_ptr().add(at));
                std::ptr::copy_nonoverlapping(from, to, WIDE);
            }
        } else {
            let from = values.get(entry.start as usize..).unwrap_or_default();
            let to = bytes.get_mut(at..).ok_or(Stop::Full)?;
            copy(from, to, nbytes).ok_or(Stop::Full)?;
        }
        k += valid;
        at += nbytes;
        *end = O::of(base + at);
    }
    out.advance(n, at);
    Ok(())
}
