//! The texts of one page, whatever encoding it has: how many bytes the next ones have, or the bytes themselves.

use crate::error::{Error, Result};
use crate::parquet::hybrid::Hybrid;
use crate::parquet::keys::{Keys, Piece};
use crate::parquet::page::Encoding;

use super::dictionary::{Dictionary, Entry, PAD};
use super::front::Front;
use super::lengths::Lengths;
use super::out::{Full, Offset, Out};

/// Why filling stopped.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The page is damaged.
    Error(Error),
    /// It has more bytes than its size told.
    Full,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<Full> for Stop {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

/// Texts; each call gives the next.
#[derive(Debug)]
pub(crate) enum Cells<'p> {
    /// PLAIN: a length in front of each.
    Plain(&'p [u8]),
    /// Keys, and what they mean.
    Keys(Box<Keys<'p>>, &'p Dictionary),
    /// DELTA_LENGTH_BYTE_ARRAY.
    Lengths(Box<Lengths<'p>>),
    /// DELTA_BYTE_ARRAY.
    Front(Box<Front<'p>>),
}

/// Texts up to so many bytes are copied without a loop; a dictionary has as many behind its last.
const WIDE: usize = PAD;

#[cold]
fn ended(needed: usize, had: usize) -> Error {
    Error::truncated("parquet", "the texts of a page", needed as u64, had as u64)
}

#[cold]
fn no_key(key: u32, n: usize) -> Error {
    let message = format!("key {key} of a dictionary of {n} values. The file is damaged; write it again.");
    Error::malformed("parquet", message)
}

impl<'p> Cells<'p> {
    /// The `n` texts (nulls are none) of the bytes `values`.
    ///
    /// # Errors
    /// Malformed; keys without a dictionary; encodings that are none of texts.
    pub(crate) fn new(
        encoding: Encoding,
        values: &'p [u8],
        n: usize,
        dictionary: Option<&'p Dictionary>,
    ) -> Result<Self> {
        Ok(match encoding {
            Encoding::Plain => Self::Plain(values),
            // Where all are null some writers leave the dictionary out, and the width of the keys too.
            _ if n == 0 => Self::Plain(&[]),
            Encoding::PlainDictionary | Encoding::RleDictionary => {
                let (&width, keys) = values.split_first().unwrap_or((&0, &[]));
                let dictionary = dictionary.ok_or_else(|| {
                    let message = "a page of keys without a dictionary page before it. The file is damaged; write it again.";
                    Error::malformed("parquet", message)
                })?;
                Self::Keys(Box::new(Keys::new(Hybrid::new(keys, width, n)?)), dictionary)
            }
            Encoding::DeltaLengthByteArray => Self::Lengths(Box::new(Lengths::new(values, n)?)),
            Encoding::DeltaByteArray => Self::Front(Box::new(Front::new(values, n)?)),
            other => {
                let message =
                    format!("texts are encoded as {other:?}, which is none of theirs. Write the file again.");
                return Err(Error::malformed("parquet", message));
            }
        })
    }

    /// Bytes of the next `n`, which are passed by.
    ///
    /// # Errors
    /// Truncated pages, keys that the dictionary does not have.
    pub(crate) fn measure(&mut self, n: usize) -> Result<usize> {
        match self {
            Self::Plain(page) => measure_plain(page, n),
            Self::Keys(keys, dictionary) => measure_keys(keys, dictionary.entries(), n),
            Self::Lengths(lengths) => lengths.measure(n),
            Self::Front(front) => front.measure(n),
        }
    }

    /// Each of the next `n`.
    ///
    /// # Errors
    /// As [`Cells::measure`]; what `take` answers.
    pub(crate) fn each(&mut self, n: usize, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        match self {
            Self::Plain(page) => {
                for _ in 0..n {
                    let (head, after) = page.split_first_chunk::<4>().ok_or_else(|| ended(4, page.len()))?;
                    let nbytes = u32::from_le_bytes(*head) as usize;
                    let cut = after.split_at_checked(nbytes);
                    let (value, later) = cut.ok_or_else(|| ended(nbytes, after.len()))?;
                    take(value)?;
                    *page = later;
                }
                Ok(())
            }
            Self::Keys(keys, dictionary) => {
                let mut left = n;
                while left > 0 {
                    let (key, times) = match keys.take(1)? {
                        Some(Piece::Same(key, times)) => (key, times),
                        Some(Piece::Many(some)) => (some.first().copied().unwrap_or(u32::MAX), 1),
                        None => return Err(ended(left, 0)),
                    };
                    let value = dictionary.value(key as usize);
                    take(value.ok_or_else(|| no_key(key, dictionary.entries().len()))?)?;
                    left -= times;
                }
                Ok(())
            }
            Self::Lengths(lengths) => lengths.each(n, take),
            Self::Front(front) => {
                for _ in 0..n {
                    take(front.next()?)?;
                }
                Ok(())
            }
        }
    }

    /// The next `n`, side by side.
    ///
    /// # Errors
    /// As [`Cells::measure`]; `Full`.
    #[inline]
    pub(crate) fn put<O: Offset>(&mut self, n: usize, out: &mut Out<'_, O>) -> std::result::Result<(), Stop> {
        match self {
            Self::Plain(page) => put_plain(page, n, out),
            Self::Keys(keys, dictionary) => put_keys(keys, dictionary, n, out),
            Self::Lengths(lengths) => lengths.put(n, out),
            Self::Front(front) => front.put(n, out),
        }
    }

    /// `n` rows (64 at most), of which those with a bit in `mask` are the next texts; the others are null.
    ///
    /// # Errors
    /// As [`Cells::put`].
    #[inline]
    pub(crate) fn mixed<O: Offset>(
        &mut self,
        mask: u64,
        n: usize,
        out: &mut Out<'_, O>,
    ) -> std::result::Result<(), Stop> {
        match self {
            Self::Plain(page) => mixed_plain(page, mask, n, out),
            Self::Keys(keys, dictionary) => mixed_keys(keys, dictionary, mask, n, out),
            _ => {
                let (mut left, mut rest) = (n, mask);
                while left > 0 {
                    let some = (rest.trailing_ones() as usize).min(left);
                    self.put(some, out)?;
                    rest = rest.checked_shr(u32::try_from(some).unwrap_or(64)).unwrap_or(0);
                    left -= some;
                    let none = (rest.trailing_zeros() as usize).min(left);
                    out.nothing(none)?;
                    rest = rest.checked_shr(u32::try_from(none).unwrap_or(64)).unwrap_or(0);
                    left -= none;
                }
                Ok(())
            }
        }
    }
}

fn measure_plain(page: &mut &[u8], n: usize) -> Result<usize> {
    let (mut rest, mut total) = (*page, 0);
    for _ in 0..n {
        let Some((head, after)) = rest.split_first_chunk::<4>() else { return Err(ended(4, rest.len())) };
        let nbytes = u32::from_le_bytes(*head) as usize;
        let Some(after) = after.get(nbytes..) else { return Err(ended(nbytes, after.len())) };
        total += nbytes;
        rest = after;
    }
    *page = rest;
    Ok(total)
}

/// Copies `nbytes` from `from` to the front of `to`, more than that where both have it.
#[inline(always)]
fn copy(from: &[u8], to: &mut [u8], nbytes: usize) -> Option<()> {
    if nbytes <= WIDE
        && let (Some(from), Some(to)) = (from.first_chunk::<WIDE>(), to.first_chunk_mut::<WIDE>())
    {
        *to = *from;
        return Some(());
    }
    to.get_mut(..nbytes)?.copy_from_slice(from.get(..nbytes)?);
    Some(())
}

#[inline]
fn put_plain<O: Offset>(page: &mut &[u8], n: usize, out: &mut Out<'_, O>) -> std::result::Result<(), Stop> {
    let (ends, bytes, base) = out.next(n)?;
    let (mut rest, mut at) = (*page, 0);
    for end in ends {
        let Some((head, after)) = rest.split_first_chunk::<4>() else {
            return Err(ended(4, rest.len()).into());
        };
        let nbytes = u32::from_le_bytes(*head) as usize;
        let Some(later) = after.get(nbytes..) else { return Err(ended(nbytes, after.len()).into()) };
        let Some(to) = bytes.get_mut(at..) else { return Err(Stop::Full) };
        copy(after, to, nbytes).ok_or(Stop::Full)?;
        rest = later;
        at += nbytes;
        *end = O::of(base + at);
    }
    *page = rest;
    out.advance(n, at);
    Ok(())
}

#[inline]
fn mixed_plain<O: Offset>(
    page: &mut &[u8],
    mask: u64,
    n: usize,
    out: &mut Out<'_, O>,
) -> std::result::Result<(), Stop> {
    let (ends, bytes, base) = out.next(n)?;
    let (mut rest, mut at, mut mask) = (*page, 0, mask);
    for end in ends {
        let valid = (mask & 1) as usize;
        mask >>= 1;
        // Where there is room on both sides nothing is decided by whether the row is null: half-null columns have no
        // pattern that a processor could guess.
        let wide = rest
            .first_chunk::<{ 4 + WIDE }>()
            .zip(bytes.get_mut(at..).and_then(|b| b.first_chunk_mut::<WIDE>()));
        let nbytes = if let Some((from, to)) = wide {
            let [a, b, c, d, value @ ..] = from;
            let nbytes = u32::from_le_bytes([*a, *b, *c, *d]) as usize * valid;
            if nbytes <= WIDE {
                *to = *value;
                rest = rest.get(4 * valid + nbytes..).unwrap_or_default();
            } else {
                one_plain(&mut rest, bytes, at)?;
            }
            nbytes
        } else if valid == 1 {
            one_plain(&mut rest, bytes, at)?
        } else {
            0
        };
        at += nbytes;
        *end = O::of(base + at);
    }
    *page = rest;
    out.advance(n, at);
    Ok(())
}

/// One text of a PLAIN page to byte `at`.
fn one_plain(page: &mut &[u8], bytes: &mut [u8], at: usize) -> std::result::Result<usize, Stop> {
    let Some((head, after)) = page.split_first_chunk::<4>() else { return Err(ended(4, page.len()).into()) };
    let nbytes = u32::from_le_bytes(*head) as usize;
    let Some((value, later)) = after.split_at_checked(nbytes) else {
        return Err(ended(nbytes, after.len()).into());
    };
    let to = at.checked_add(nbytes).and_then(|end| bytes.get_mut(at..end)).ok_or(Stop::Full)?;
    to.copy_from_slice(value);
    *page = later;
    Ok(nbytes)
}

/// Proves that the dictionary has all these keys.
#[inline]
fn check(keys: &[u32], n: usize) -> Result<()> {
    let largest = keys.iter().fold(0, |a, &b| a.max(b));
    if largest as usize >= n { Err(no_key(largest, n)) } else { Ok(()) }
}

fn measure_keys(keys: &mut Keys<'_>, entries: &[Entry], n: usize) -> Result<usize> {
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
fn put_keys<O: Offset>(
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
fn mixed_keys<O: Offset>(
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
