//! The pages of a column chunk, one after the other: what their headers claim is checked before anything is made of them.

use crate::error::{Error, Result};
use crate::formats::parquet::codec::PageCodec;
use crate::formats::parquet::page::{PageHeader, PageType};

use super::level_streams::Levels;
use super::limits::Bounds;
use super::page::Page;

/// Walks the pages of one column chunk.
#[derive(Debug, Clone)]
pub(crate) struct Pages<'a> {
    /// The chunk's bytes, and those behind it that a size told too small may leave out.
    bytes: &'a [u8],
    /// Where they stand in the file.
    base: u64,
    at: usize,
    /// Values that no page has given yet.
    left: u64,
    codec: PageCodec,
    levels: Levels,
    verify: bool,
    bounds: Bounds,
    /// Pages that were walked before; none of the bytes is looked at then.
    listed: Option<std::slice::Iter<'a, Page<'a>>>,
}

/// What is known of a chunk before its pages are walked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkAt<'a> {
    /// From its first page on.
    pub(crate) bytes: &'a [u8],
    /// Where they stand in the file.
    pub(crate) base: u64,
    /// Its codec.
    pub(crate) codec: PageCodec,
    /// Values, nulls included.
    pub(crate) nvalues: u64,
    /// Its highest levels.
    pub(crate) levels: Levels,
}

impl<'a> Pages<'a> {
    /// The pages of `chunk`. `verify`: their checksums are compared.
    pub(crate) fn new(chunk: &ChunkAt<'a>, verify: bool, bounds: Bounds) -> Self {
        let ChunkAt { bytes, base, codec, nvalues, levels } = *chunk;
        Self { bytes, base, at: 0, left: nvalues, codec, levels, verify, bounds, listed: None }
    }

    /// Pages that were walked and checked before.
    pub(crate) fn listed(pages: &'a [Page<'a>], bounds: Bounds) -> Self {
        let (bytes, base, at, left) = (&[][..], 0, 0, 0);
        let levels = Levels { definition: 0, repetition: 0 };
        let listed = Some(pages.iter());
        Self { bytes, base, at, left, codec: PageCodec::None, levels, verify: false, bounds, listed }
    }

    /// The same from a place on, with as many values left: what [`Pages::place`] said.
    pub(crate) fn from(&self, at: usize, left: u64) -> Self {
        Self { at, left, ..self.clone() }
    }

    /// The same, checksums not looked at.
    pub(crate) fn unverified(self) -> Self {
        Self { verify: false, ..self }
    }

    /// Refuses `n` values of `width` bytes, made of beginnings that they share, where they are over the limit of a page.
    pub(crate) fn check_made(&self, n: usize, width: usize) -> Result<()> {
        let nbytes = (n as u64).saturating_mul(width as u64);
        self.bounds.check("values with shared beginnings", nbytes, n as u64)
    }

    /// Where the next header begins (in the chunk), and the values that are left.
    pub(crate) fn place(&self) -> (usize, u64) {
        (self.at, self.left)
    }

    /// The next dictionary or data page; `None` once all values were given.
    ///
    /// # Errors
    /// Malformed and truncated headers; more values than the chunk says, or than its codec can make of the bytes; a wrong
    /// checksum; a limit.
    #[inline]
    pub(crate) fn next_page(&mut self) -> Result<Option<Page<'a>>> {
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
            let page = Page::new(header, body, at, self.codec, self.levels);
            self.check(&page).map_err(|e| e.at(at))?;
            if !matches!(header.kind, PageType::Dictionary { .. }) {
                self.left -= u64::from(header.nvalues);
            }
            return Ok(Some(page));
        }
        Ok(None)
    }

    fn check(&self, page: &Page<'_>) -> Result<()> {
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
        if let Some(told) = crc.filter(|_| self.verify) {
            let found = crc32fast::hash(page.body);
            if found != told {
                let message = format!(
                    "a page's checksum is {told:08x}, its bytes have {found:08x}. The file is damaged; fetch or write it again."
                );
                return Err(Error::malformed("parquet", message));
            }
        }
        Ok(())
    }
}
