//! DELTA_BYTE_ARRAY: each text shares a prefix with the one before it.
//!
//! ```text
//! n prefix lengths, DELTA_BINARY_PACKED | n suffix lengths, DELTA_BINARY_PACKED | the suffixes
//! ```

use crate::error::{Error, Result};
use crate::formats::parquet::delta::DeltaDecoder;

use super::delta_length_byte_array::{negative, split};
use super::output::{FillError, Offset, TextOutput};

/// A reader of DELTA_BYTE_ARRAY texts.
#[derive(Debug)]
pub(crate) struct DeltaByteArray<'p> {
    prefix_lengths: DeltaDecoder<'p>,
    suffix_lengths: DeltaDecoder<'p>,
    bytes: &'p [u8],
    /// The previous text, if the texts are built.
    last: Vec<u8>,
    last_nbytes: usize,
}

impl<'p> DeltaByteArray<'p> {
    /// Reads the `n` texts of `page`.
    ///
    /// # Errors
    /// Malformed or truncated lengths.
    pub(crate) fn new(page: &'p [u8], n: usize) -> Result<Self> {
        let (prefix_lengths, rest) = split(page, n)?;
        let (suffix_lengths, bytes) = split(rest, n)?;
        Ok(Self { prefix_lengths, suffix_lengths, bytes, last: Vec::new(), last_nbytes: 0 })
    }

    /// Returns the next text.
    pub(super) fn next(&mut self) -> Result<&[u8]> {
        let (prefix_nbytes, suffix) = self.next_suffix()?;
        self.last.truncate(prefix_nbytes);
        self.last.extend_from_slice(suffix);
        Ok(&self.last)
    }

    /// Returns how many bytes the next text shares with the previous one, and its other bytes.
    fn next_suffix(&mut self) -> Result<(usize, &'p [u8])> {
        let (mut prefix_lengths, mut suffix_lengths) = ([0i64; 1], [0i64; 1]);
        self.prefix_lengths.fill(&mut prefix_lengths)?;
        self.suffix_lengths.fill(&mut suffix_lengths)?;
        let ([prefix], [suffix]) = (prefix_lengths, suffix_lengths);
        let sizes = usize::try_from(prefix).ok().zip(usize::try_from(suffix).ok());
        let (prefix_nbytes, suffix_nbytes) = sizes.ok_or_else(|| negative(prefix.min(suffix)))?;
        let previous_nbytes = self.last_nbytes;
        if prefix_nbytes > previous_nbytes {
            let message = format!(
                "a text begins as {prefix_nbytes} bytes of the one before, which has {previous_nbytes}. The file is damaged; write it again."
            );
            return Err(Error::malformed("parquet", message));
        }
        let Some((suffix, later)) = self.bytes.split_at_checked(suffix_nbytes) else {
            return Err(Error::truncated(
                "parquet",
                "the texts of a page",
                suffix_nbytes as u64,
                self.bytes.len() as u64,
            ));
        };
        self.bytes = later;
        self.last_nbytes = prefix_nbytes + suffix_nbytes;
        Ok((prefix_nbytes, suffix))
    }

    /// Skips the next `n` texts.
    pub(crate) fn skip(&mut self, n: usize) -> Result<()> {
        (0..n).try_for_each(|_| self.next().map(drop))
    }

    /// Returns the bytes of the next `n` texts. The texts are not built, so no method but this one may follow.
    pub(crate) fn measure(&mut self, n: usize) -> Result<usize> {
        let mut total = 0usize;
        for _ in 0..n {
            let (prefix_nbytes, suffix) = self.next_suffix()?;
            total = total.saturating_add(prefix_nbytes + suffix.len());
        }
        Ok(total)
    }

    /// Copies the next `n` texts.
    pub(crate) fn put<O: Offset>(
        &mut self,
        n: usize,
        out: &mut TextOutput<'_, O>,
    ) -> std::result::Result<(), FillError> {
        for _ in 0..n {
            out.push(self.next()?)?;
        }
        Ok(())
    }
}
