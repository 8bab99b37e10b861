//! The texts of one page of any encoding but dictionary keys: measures the next ones, or copies them.

mod plain;

use crate::error::{Error, Result};
use crate::formats::parquet::page::PageEncoding;

use super::delta_byte_array::DeltaByteArray;
use super::delta_length_byte_array::DeltaLengthByteArray;
use super::dictionary::PAD;
use super::out::{Offset, Out, Stop};

/// Texts; each call gives the next.
#[derive(Debug)]
pub(crate) enum Cells<'p> {
    /// PLAIN: a length in front of each.
    Plain(&'p [u8]),
    /// DELTA_LENGTH_BYTE_ARRAY.
    DeltaLengthByteArray(Box<DeltaLengthByteArray<'p>>),
    /// DELTA_BYTE_ARRAY.
    DeltaByteArray(Box<DeltaByteArray<'p>>),
}

/// Texts up to so many bytes are copied without a loop; a dictionary has as many behind its last.
pub(super) const WIDE: usize = PAD;

#[cold]
fn ended(needed: usize, had: usize) -> Error {
    Error::truncated("parquet", "the texts of a page", needed as u64, had as u64)
}

impl<'p> Cells<'p> {
    /// The `n` texts (nulls are none) of the bytes `values`, which are no dictionary keys.
    ///
    /// # Errors
    /// Malformed; encodings that texts do not have.
    pub(crate) fn new(encoding: PageEncoding, values: &'p [u8], n: usize) -> Result<Self> {
        Ok(match encoding {
            PageEncoding::Plain => Self::Plain(values),
            // Where all are null some writers leave the lengths out.
            _ if n == 0 => Self::Plain(&[]),
            PageEncoding::DeltaLengthByteArray => {
                Self::DeltaLengthByteArray(Box::new(DeltaLengthByteArray::new(values, n)?))
            }
            PageEncoding::DeltaByteArray => Self::DeltaByteArray(Box::new(DeltaByteArray::new(values, n)?)),
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
    /// Truncated pages.
    pub(crate) fn measure(&mut self, n: usize) -> Result<usize> {
        match self {
            Self::Plain(page) => plain::measure(page, n),
            Self::DeltaLengthByteArray(texts) => texts.measure(n),
            Self::DeltaByteArray(texts) => texts.measure(n),
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
            Self::DeltaLengthByteArray(texts) => texts.each(n, take),
            Self::DeltaByteArray(texts) => {
                for _ in 0..n {
                    take(texts.next()?)?;
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
            Self::Plain(page) => plain::put(page, n, out),
            Self::DeltaLengthByteArray(texts) => texts.put(n, out),
            Self::DeltaByteArray(texts) => texts.put(n, out),
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
            Self::Plain(page) => plain::mixed(page, mask, n, out),
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

/// Copies `nbytes` from `from` to the front of `to`, more than that where both have it.
#[inline(always)]
pub(super) fn copy(from: &[u8], to: &mut [u8], nbytes: usize) -> Option<()> {
    if nbytes <= WIDE
        && let (Some(from), Some(to)) = (from.first_chunk::<WIDE>(), to.first_chunk_mut::<WIDE>())
    {
        *to = *from;
        return Some(());
    }
    to.get_mut(..nbytes)?.copy_from_slice(from.get(..nbytes)?);
    Some(())
}
