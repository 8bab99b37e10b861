//! Decodes fixed-width values of one page, in any encoding.

use crate::error::{Error, Result};

use super::delta::DeltaDecoder;
use super::keys::{DictionaryKeys, KeyBatch};

/// A fixed-width, little-endian value as stored in the file.
pub trait FixedWidth: Copy {
    /// Bytes per value.
    const NBYTES: usize;
    /// Decodes the value. Bytes missing from `bytes` are 0.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// Converts a decoded difference. Only integers have this encoding.
    fn from_i64(value: i64) -> Self;
}

macro_rules! raw {
    ($($t:ty)*) => {$(
        impl FixedWidth for $t {
            const NBYTES: usize = size_of::<$t>();
            #[inline]
            fn from_bytes(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$t>()];
                if let Some(bytes) = bytes.get(..Self::NBYTES) {
                    own.copy_from_slice(bytes);
                }
                Self::from_le_bytes(own)
            }
            #[inline]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 32-bit columns wrap, as the specification says
            fn from_i64(value: i64) -> Self {
                value as Self
            }
        }
    )*};
}
raw!(u16 u32 u64 u128);

/// An INT96 timestamp: nanoseconds of the day, then the Julian day.
#[derive(Debug, Clone, Copy)]
pub struct Int96 {
    /// Days since 1970.
    days: i64,
    nanos: i64,
}

impl Int96 {
    /// Counts units of `nanos` nanoseconds since 1970; `None` beyond 64 bits.
    #[must_use]
    pub fn ticks(self, nanos: i64) -> Option<i64> {
        let all = i128::from(self.days) * 86_400_000_000_000 + i128::from(self.nanos);
        i64::try_from(if nanos == 1 { all } else { all.div_euclid(i128::from(nanos)) }).ok()
    }
}

impl FixedWidth for Int96 {
    const NBYTES: usize = 12;
    #[inline]
    fn from_bytes(bytes: &[u8]) -> Self {
        let (nanos, day) = bytes.split_at(bytes.len().min(8));
        let days = i64::from(u32::from_bytes(day).cast_signed()) - 2_440_588;
        Self { days, nanos: u64::from_bytes(nanos).cast_signed() }
    }
    fn from_i64(value: i64) -> Self {
        Self { days: 0, nanos: value }
    }
}

/// The values of one page; each call decodes the next. `T` is the type in memory, the parameter `R` of [`PageValues::fill`] the type
/// in the file.
#[derive(Debug)]
pub enum PageValues<'a, T> {
    /// PLAIN.
    Plain(&'a [u8]),
    /// BYTE_STREAM_SPLIT: all bytes, the number of values, the number of values returned.
    Split(&'a [u8], usize, usize),
    /// DELTA_BINARY_PACKED.
    Delta(Box<DeltaDecoder<'a>>),
    /// Dictionary keys, and the dictionary.
    Keys(Box<DictionaryKeys<'a>>, &'a [T]),
}

#[cold]
fn truncated(needed: usize, had: usize) -> Error {
    Error::truncated("parquet", "the values of a page", needed as u64, had as u64)
}

/// The error for a key outside of the dictionary.
#[cold]
pub(crate) fn key_out_of_range(key: u32, n: usize) -> Error {
    let message = format!("key {key} of a dictionary of {n} values. The file is damaged; write it again.");
    Error::malformed("parquet", message)
}

impl<T: Copy> PageValues<'_, T> {
    /// Decodes the next `out.len()` values.
    ///
    /// # Errors
    /// Truncated pages; keys outside of the dictionary.
    #[inline]
    pub fn fill<R: FixedWidth>(&mut self, out: &mut [T], cast: impl Fn(R) -> T + Copy) -> Result<()> {
        match self {
            Self::Plain(bytes) => {
                let nbytes =
                    out.len().checked_mul(R::NBYTES).ok_or_else(|| truncated(usize::MAX, bytes.len()))?;
                let Some((now, rest)) = bytes.split_at_checked(nbytes) else {
                    return Err(truncated(nbytes, bytes.len()));
                };
                for (to, from) in out.iter_mut().zip(now.chunks_exact(R::NBYTES)) {
                    *to = cast(R::from_bytes(from));
                }
                *bytes = rest;
            }
            Self::Split(bytes, n, given) => {
                if out.len() > *n - *given {
                    return Err(truncated(out.len() * R::NBYTES, (*n - *given) * R::NBYTES));
                }
                split::<R, T>(bytes, *n, *given, out, cast);
                *given += out.len();
            }
            Self::Delta(delta) => {
                let mut some = [0i64; 256];
                for part in out.chunks_mut(some.len()) {
                    let Some(now) = some.get_mut(..part.len()) else { continue };
                    delta.fill(now)?;
                    for (to, from) in part.iter_mut().zip(now) {
                        *to = cast(R::from_i64(*from));
                    }
                }
            }
            // SAFETY: `lookup_keys` passes only keys below the dictionary's length.
            Self::Keys(keys, dictionary) => lookup_keys(keys, dictionary.len(), out, |key| unsafe {
                *dictionary.get_unchecked(key as usize)
            })?,
        }
        Ok(())
    }
}

/// Reads the next keys and writes `value(key)` for each. `value` is called only with keys below `n`.
///
/// # Errors
/// Truncated pages; keys outside of a dictionary of `n` values.
#[inline]
pub(crate) fn lookup_keys<T: Copy>(
    keys: &mut DictionaryKeys<'_>,
    n: usize,
    out: &mut [T],
    value: impl Fn(u32) -> T,
) -> Result<()> {
    let mut out = out;
    while !out.is_empty() {
        match keys.take(out.len())? {
            None => return Err(truncated(out.len(), 0)),
            Some(KeyBatch::Same(key, times)) => {
                if key as usize >= n {
                    return Err(key_out_of_range(key, n));
                }
                let (now, later) = out.split_at_mut(times);
                now.fill(value(key));
                out = later;
            }
            Some(KeyBatch::Many(some)) => {
                let largest = some.iter().fold(0, |a, &b| a.max(b));
                if largest as usize >= n {
                    return Err(key_out_of_range(largest, n));
                }
                let (now, later) = out.split_at_mut(some.len());
                for (to, &key) in now.iter_mut().zip(some) {
                    *to = value(key);
                }
                out = later;
            }
        }
    }
    Ok(())
}

/// Decodes the values `given..` of `n` from BYTE_STREAM_SPLIT: one byte from each stream.
fn split<R: FixedWidth, T>(bytes: &[u8], n: usize, given: usize, out: &mut [T], cast: impl Fn(R) -> T) {
    const AT_ONCE: usize = 64;
    let mut rows = [0u8; 16 * AT_ONCE];
    let mut from = given;
    for part in out.chunks_mut(AT_ONCE) {
        for stream in 0..R::NBYTES {
            let some = bytes.get(stream * n + from..).unwrap_or_default();
            for (k, &byte) in some.iter().enumerate().take(part.len()) {
                if let Some(to) = rows.get_mut(k * R::NBYTES + stream) {
                    *to = byte;
                }
            }
        }
        for (to, row) in part.iter_mut().zip(rows.chunks_exact(R::NBYTES)) {
            *to = cast(R::from_bytes(row));
        }
        from += part.len();
    }
}
