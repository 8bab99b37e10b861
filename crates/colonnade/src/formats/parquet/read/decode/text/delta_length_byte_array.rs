//! DELTA_LENGTH_BYTE_ARRAY: all lengths as DELTA_BINARY_PACKED, then the bytes of all texts.

use crate::error::{Error, Result};
use crate::formats::parquet::delta::DeltaDecoder;

use super::output::{FillError, Offset, TextOutput};

/// Lengths that are decoded together.
const LENGTHS: usize = 128;

/// A reader of DELTA_LENGTH_BYTE_ARRAY texts.
#[derive(Debug)]
pub(crate) struct DeltaLengthByteArray<'p> {
    lengths: DeltaDecoder<'p>,
    bytes: &'p [u8],
}

/// Splits `bytes` into at most `n` DELTA_BINARY_PACKED values and the rest.
pub(super) fn split(bytes: &[u8], n: usize) -> Result<(DeltaDecoder<'_>, &[u8])> {
    let mut all = DeltaDecoder::new(bytes)?;
    let declared = all.total;
    if declared > n {
        let message =
            format!("a page of {n} texts says {declared} lengths. The file is damaged; write it again.");
        return Err(Error::malformed("parquet", message));
    }
    let (mut left, mut some) = (declared, [0i64; LENGTHS]);
    while left > 0 {
        let now = left.min(LENGTHS);
        all.fill(some.get_mut(..now).unwrap_or_default())?;
        left -= now;
    }
    Ok((DeltaDecoder::new(bytes)?, bytes.get(all.end()..).unwrap_or_default()))
}

/// Returns the error of a negative length.
#[cold]
pub(super) fn negative(length: i64) -> Error {
    Error::malformed("parquet", format!("a text of {length} bytes. The file is damaged; write it again."))
}

#[cold]
fn truncated(needed: usize, found: usize) -> Error {
    Error::truncated("parquet", "the texts of a page", needed as u64, found as u64)
}

impl<'p> DeltaLengthByteArray<'p> {
    /// Reads the `n` texts of `page`.
    ///
    /// # Errors
    /// Malformed or truncated lengths.
    pub(crate) fn new(page: &'p [u8], n: usize) -> Result<Self> {
        let (lengths, bytes) = split(page, n)?;
        Ok(Self { lengths, bytes })
    }

    /// Returns the next lengths and their sum, and checks that the page has as many bytes.
    fn next<'s>(&mut self, some: &'s mut [i64; LENGTHS], n: usize) -> Result<(&'s [i64], usize)> {
        let now = some.get_mut(..n).unwrap_or_default();
        self.lengths.fill(now)?;
        let least = now.iter().fold(0, |a, &b| a.min(b));
        if least < 0 {
            return Err(negative(least));
        }
        let sum = now.iter().fold(0i64, |a, &b| a.saturating_add(b));
        let sum = usize::try_from(sum).unwrap_or(usize::MAX);
        if sum > self.bytes.len() {
            return Err(truncated(sum, self.bytes.len()));
        }
        Ok((now, sum))
    }

    /// Skips the next `n` texts and returns their bytes.
    pub(crate) fn measure(&mut self, n: usize) -> Result<usize> {
        let (mut left, mut total, mut some) = (n, 0, [0i64; LENGTHS]);
        while left > 0 {
            let (now, sum) = self.next(&mut some, left.min(LENGTHS))?;
            left -= now.len();
            total += sum;
            self.bytes = self.bytes.get(sum..).unwrap_or_default();
        }
        Ok(total)
    }

    /// Passes each of the next `n` texts to `take`.
    pub(crate) fn each(&mut self, n: usize, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut some = [0i64; LENGTHS];
        for _ in 0..n {
            let (_, sum) = self.next(&mut some, 1)?;
            let (value, later) = self.bytes.split_at(sum);
            take(value)?;
            self.bytes = later;
        }
        Ok(())
    }

    /// Copies the next `n` texts.
    pub(crate) fn put<O: Offset>(
        &mut self,
        n: usize,
        out: &mut TextOutput<'_, O>,
    ) -> std::result::Result<(), FillError> {
        let (mut left, mut some) = (n, [0i64; LENGTHS]);
        while left > 0 {
            let (now, sum) = self.next(&mut some, left.min(LENGTHS))?;
            let (ends, bytes, base) = out.next(now.len())?;
            let mut at = base;
            for (end, length) in ends.iter_mut().zip(now) {
                at += usize::try_from(*length).unwrap_or(0);
                *end = O::of(at);
            }
            let (value, later) = self.bytes.split_at(sum);
            bytes.get_mut(..sum).ok_or(FillError::SizeMismatch)?.copy_from_slice(value);
            self.bytes = later;
            left -= now.len();
            out.advance(now.len(), sum);
        }
        Ok(())
    }
}
