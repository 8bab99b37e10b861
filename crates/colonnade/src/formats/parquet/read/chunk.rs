//! Walks the pages of a column chunk and checks what their headers claim before memory is allocated for it.

use crate::error::{Error, Result};
use crate::formats::parquet::codec::PageCodec;
use crate::formats::parquet::page::{PageHeader, PageType};

use super::level_streams::MaxLevels;
use super::limits::PageLimits;
use super::page::StoredPage;

/// An iterator over the pages of one column chunk.
#[derive(Debug, Clone)]
pub(crate) struct Pages<'a> {
    /// The chunk's bytes, and `SLACK_NBYTES` bytes more where the writer may have stored too small a size.
    bytes: &'a [u8],
    /// The offset of `bytes` in the file.
    base: u64,
    at: usize,
    /// Values of the pages that are still to come.
    left: u64,
    codec: PageCodec,
    levels: MaxLevels,
    verify: bool,
    bounds: PageLimits,
    /// Pages of an earlier walk, which replace a walk over the bytes.
    listed: Option<std::slice::Iter<'a, StoredPage<'a>>>,
}

/// The position and the declared properties of a column chunk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkInput<'a> {
    /// The bytes from its first page on.
    pub(crate) bytes: &'a [u8],
    /// The offset of `bytes` in the file.
    pub(crate) base: u64,
    /// Its codec.
    pub(crate) codec: PageCodec,
    /// Values, including nulls.
    pub(crate) nvalues: u64,
    /// Its maximum levels.
    pub(crate) levels: MaxLevels,
}

impl<'a> Pages<'a> {
    /// Walks the pages of `chunk`. `verify`: compares their checksums.
    pub(crate) fn new(chunk: &ChunkInput<'a>, verify: bool, bounds: PageLimits) -> Self {
        let ChunkInput { bytes, base, codec, nvalues, levels } = *chunk;
        Self { bytes, base, at: 0, left: nvalues, codec, levels, verify, bounds, listed: None }
    }

    /// Iterates over the pages of an earlier walk.
    pub(crate) fn from_pages(pages: &'a [StoredPage<'a>], bounds: PageLimits) -> Self {
        let (bytes, base, at, left) = (&[][..], 0, 0, 0);
        let levels = MaxLevels { definition: 0, repetition: 0 };
        let listed = Some(pages.iter());
        Self { bytes, base, at, left, codec: PageCodec::None, levels, verify: false, bounds, listed }
    }

    /// A walk that begins at a position that [`Pages::position`] returned.
    pub(crate) fn from(&self, at: usize, left: u64) -> Self {
        Self { at, left, ..self.clone() }
    }

    /// The same walk without checksums.
    pub(crate) fn unverified(self) -> Self {
        Self { verify: false, ..self }
    }

    /// Checks that the `n` values of `width` bytes that a page with shared prefixes expands to stay within a page's limit.
    pub(crate) fn check_expanded(&self, n: usize, width: usize) -> Result<()> {
        let nbytes = (n as u64).saturating_mul(width as u64);
        self.bounds.check("values with shared beginnings", nbytes, n as u64)
    }

    /// The offset of the next header in the chunk, and the number of values that are still to come.
    pub(crate) fn position(&self) -> (usize, u64) {
        (self.at, self.left)
    }

    /// Returns the next dictionary or data page; `None` after the last value.
    ///
    /// # Errors
    /// Malformed and truncated headers; more values than the chunk declares, or than its codec can produce from the bytes; a
    /// wrong checksum; a limit.
    #[inline]
    pub(crate) fn next_page(&mut self) -> Result<Option<StoredPage<'a>>> {
        if let Some(listed) = &mut self.listed {
            return Ok(listed.next().copied());
        }
        while self.left > 0 {
            let at = self.base + self.at as u64;
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let header = PageHeader::read(rest, at)?;
            let body = header.body(rest);
            if matches!(header.kind, PageType::Dictionary { .. }) && self.at > 0 {
                let message = "a dictionary page behind other pages. The file is damaged; write it again.";
                return Err(Error::malformed("parquet", message).at(at));
            }
            self.at += header.end();
            if header.kind == PageType::Other {
                continue;
            }
            let page = StoredPage::new(header, body, at, self.codec, self.levels);
            self.check(&page).map_err(|e| e.at(at))?;
            if !matches!(header.kind, PageType::Dictionary { .. }) {
                self.left -= u64::from(header.nvalues);
            }
            return Ok(Some(page));
        }
        Ok(None)
    }

    fn check(&self, page: &StoredPage<'_>) -> Result<()> {
        let PageHeader { nbytes, nvalues, compressed_nbytes, crc, kind, .. } = page.header;
        let most = self.codec.max_decompressed_nbytes(compressed_nbytes as u64);
        let whole = self.codec == PageCodec::None && !matches!(kind, PageType::DataV2 { .. });
        if nbytes as u64 > most || (whole && nbytes != compressed_nbytes) {
            let message = format!(
                "a page of {compressed_nbytes} bytes says it becomes {nbytes} with {}, {most} at most are possible. \
                 The file is damaged; write it again.",
                self.codec.name()
            );
            return Err(Error::malformed("parquet", message));
        }
        self.bounds.check("the values of a page", nbytes as u64, u64::from(nvalues))?;
        if !matches!(kind, PageType::Dictionary { .. }) && u64::from(nvalues) > self.left {
            let message = format!(
                "a page has {nvalues} values where its column chunk has {} left. The file is damaged; write it again.",
                self.left
            );
            return Err(Error::malformed("parquet", message));
        }
        if let Some(expected) = crc.filter(|_| self.verify) {
            let found = crc32fast::hash(page.body);
            if found != expected {
                let message = format!(
                    "a page's checksum is {expected:08x}, its bytes have {found:08x}. The file is damaged; fetch or write it again."
                );
                return Err(Error::malformed("parquet", message));
            }
        }
        Ok(())
    }
}
