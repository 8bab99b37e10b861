//! DELTA_BYTE_ARRAY: each text shares a prefix with the one before it.
//!
//! ```text
//! n prefix lengths, DELTA_BINARY_PACKED | n suffix lengths, DELTA_BINARY_PACKED | the suffixes
//! ```

use crate::error::{Error, Result};
use crate::formats::parquet::delta::Delta;

use super::delta_length_byte_array::{negative, split};
use super::output::{FillError, Offset, TextOutput};

/// A reader of DELTA_BYTE_ARRAY texts.
#[derive(Debug)]
pub(crate) struct DeltaByteArray<'p> {
    shared: Delta<'p>,
    own: Delta<'p>,
    bytes: &'p [u8],
    /// The previous text.
    last: Vec<u8>,
}

impl<'p> DeltaByteArray<'p> {
    /// Reads the `n` texts of `page`.
    ///
    /// # Errors
    /// Malformed or truncated lengths.
    pub(crate) fn new(page: &'p [u8], n: usize) -> Result<Self> {
        let (shared, rest) = split(page, n)?;
        let (own, bytes) = split(rest, n)?;
        Ok(Self { shared, own, bytes, last: Vec::new() })
    }

    /// Returns the next text.
    pub(super) fn next(&mut self) -> Result<&[u8]> {
        let (mut shared, mut own) = ([0i64; 1], [0i64; 1]);
        self.shared.fill(&mut shared)?;
        self.own.fill(&mut own)?;
        let ([shared], [own]) = (shared, own);
        let sizes = usize::try_from(shared).ok().zip(usize::try_from(own).ok());
        let (shared, own) = sizes.ok_or_else(|| negative(shared.min(own)))?;
        let had = self.last.len();
        if shared > had {
            let message = format!(
                "a text begins as {shared} bytes of the one before, which has {had}. The file is damaged; write it again."
            );
            return Err(Error::malformed("parquet", message));
        }
        let Some((value, later)) = self.bytes.split_at_checked(own) else {
            return Err(Error::truncated(
                "parquet",
                "the texts of a page",
                own as u64,
                self.bytes.len() as u64,
            ));
        };
        self.last.truncate(shared);
        self.last.extend_from_slice(value);
        self.bytes = later;
        Ok(&self.last)
    }

    /// Skips the next `n` texts and returns their bytes.
    pub(crate) fn measure(&mut self, n: usize) -> Result<usize> {
        let mut total = 0usize;
        for _ in 0..n {
            total = total.saturating_add(self.next()?.len());
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
