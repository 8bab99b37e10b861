//! The texts of one page in any encoding except dictionary keys; measures or copies the next ones.

mod plain;

use crate::error::{Error, Result};
use crate::formats::parquet::page::PageEncoding;

use super::delta_byte_array::DeltaByteArray;
use super::delta_length_byte_array::DeltaLengthByteArray;
use super::dictionary::PAD;
use super::output::{FillError, Offset, TextOutput};

/// A reader of the texts of a page.
#[derive(Debug)]
pub(crate) enum PageTexts<'p> {
    /// PLAIN: a length precedes each text.
    Plain(&'p [u8]),
    /// DELTA_LENGTH_BYTE_ARRAY.
    DeltaLengthByteArray(Box<DeltaLengthByteArray<'p>>),
    /// DELTA_BYTE_ARRAY.
    DeltaByteArray(Box<DeltaByteArray<'p>>),
}

/// Texts of at most this many bytes are copied without a loop; a dictionary has this much padding.
pub(super) const WIDE: usize = PAD;

#[cold]
fn truncated(needed: usize, found: usize) -> Error {
    Error::truncated("parquet", "the texts of a page", needed as u64, found as u64)
}

impl<'p> PageTexts<'p> {
    /// Reads the `n` texts (nulls excluded) of the bytes `values`, which are no dictionary keys.
    ///
    /// # Errors
    /// Malformed; encodings that texts cannot have.
    pub(crate) fn new(encoding: PageEncoding, values: &'p [u8], n: usize) -> Result<Self> {
        Ok(match encoding {
            PageEncoding::Plain => Self::Plain(values),
            // Some writers leave the lengths out if all rows are null.
            _ if n == 0 => Self::Plain(&[]),
            PageEncoding::DeltaLengthByteArray => {
                Self::DeltaLengthByteArray(Box::new(DeltaLengthByteArray::new(values, n)?))
            }
            PageEncoding::DeltaByteArray => Self::DeltaByteArray(Box::new(DeltaByteArray::new(values, n)?)),
            other => {
                let message = format!(
                    "text is encoded as {other:?}, which is no encoding of text. Write the file again."
                );
                return Err(Error::malformed("parquet", message));
            }
        })
    }

    /// Skips the next `n` texts.
    ///
    /// # Errors
    /// Truncated pages.
    pub(crate) fn skip(&mut self, n: usize) -> Result<()> {
        match self {
            Self::DeltaByteArray(texts) => texts.skip(n),
            _ => self.measure(n).map(drop),
        }
    }

    /// Returns the bytes of the next `n` texts. No method but this one may follow.
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

    /// Passes each of the next `n` texts to `take`.
    ///
    /// # Errors
    /// As [`PageTexts::measure`]; the errors of `take`.
    pub(crate) fn each(&mut self, n: usize, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        match self {
            Self::Plain(page) => {
                for _ in 0..n {
                    let (head, after) =
                        page.split_first_chunk::<4>().ok_or_else(|| truncated(4, page.len()))?;
                    let nbytes = u32::from_le_bytes(*head) as usize;
                    let cut = after.split_at_checked(nbytes);
                    let (value, later) = cut.ok_or_else(|| truncated(nbytes, after.len()))?;
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

    /// Copies the next `n` texts to consecutive rows.
    ///
    /// # Errors
    /// As [`PageTexts::measure`]; `SizeMismatch`.
    #[inline]
    pub(crate) fn put<O: Offset>(
        &mut self,
        n: usize,
        out: &mut TextOutput<'_, O>,
    ) -> std::result::Result<(), FillError> {
        match self {
            Self::Plain(page) => plain::put(page, n, out),
            Self::DeltaLengthByteArray(texts) => texts.put(n, out),
            Self::DeltaByteArray(texts) => texts.put(n, out),
        }
    }

    /// Copies `n` rows (at most 64): those with a bit in `mask` are the next texts; the others are null.
    ///
    /// # Errors
    /// As [`PageTexts::put`].
    #[inline]
    pub(crate) fn mixed<O: Offset>(
        &mut self,
        mask: u64,
        n: usize,
        out: &mut TextOutput<'_, O>,
    ) -> std::result::Result<(), FillError> {
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
                    out.push_empty(none)?;
                    rest = rest.checked_shr(u32::try_from(none).unwrap_or(64)).unwrap_or(0);
                    left -= none;
                }
                Ok(())
            }
        }
    }
}

/// Copies `nbytes` from `from` to the front of `to`; copies a fixed larger number if both have it.
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
