//! DELTA_BYTE_ARRAY: each text shares a prefix with the one before it.
//!
//! ```text
//! n prefix lengths, DELTA_BINARY_PACKED | n suffix lengths, DELTA_BINARY_PACKED | the suffixes
//! ```

use crate::error::{Error, Result};
use crate::formats::parquet::delta::DeltaDecoder;

use super::delta_length_byte_array::{negative, split};
use super::out::{Offset, Out, Stop};

/// The texts of a page that share prefixes.
#[derive(Debug)]
pub(crate) struct DeltaByteArray<'p> {
    shared: DeltaDecoder<'p>,
    own: DeltaDecoder<'p>,
    bytes: &'p [u8],
    /// The text before.
    last: Vec<u8>,
}

impl<'p> DeltaByteArray<'p> {
    /// The `n` texts of `page`.
    ///
    /// # Errors
    /// Malformed or truncated lengths.
    pub(crate) fn new(page: &'p [u8], n: usize) -> Result<Self> {
        let (shared, rest) = split(page, n)?;
        let (own, bytes) = split(rest, n)?;
        Ok(Self { shared, own, bytes, last: Vec::new() })
    }

    /// The next text.
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

    /// Bytes of the next `n`, which are passed by.
    pub(crate) fn measure(&mut self, n: usize) -> Result<usize> {
        let mut total = 0usize;
        for _ in 0..n {
            total = total.saturating_add(self.next()?.len());
        }
        Ok(total)
    }

    /// The next `n`.
    pub(crate) fn put<O: Offset>(&mut self, n: usize, out: &mut Out<'_, O>) -> std::result::Result<(), Stop> {
        for _ in 0..n {
            out.one(self.next()?)?;
        }
        Ok(())
    }
}
