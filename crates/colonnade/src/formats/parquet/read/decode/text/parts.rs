//! The pages of a column chunk that have selected rows: finds the bytes of these rows, then fills them.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};
use crate::formats::parquet::codec::PageCodec;
use crate::formats::parquet::levels::Validity;
use crate::formats::parquet::page::{PageEncoding, PageType};
use crate::formats::parquet::read::chunk::Pages;
use crate::formats::parquet::read::page::{PageParts, StoredPage};
use crate::memory::Scatter;

use super::super::RowPiece;
use super::codes;
use super::dictionary::{Dictionary, no_text};
use super::output::{FillError, Offset, TextOutput};
use super::page_texts::PageTexts;
use super::rows::{RowRun, validity};
use super::views;

/// The selected rows of one page.
#[derive(Debug)]
pub(crate) struct PagePart<'a> {
    pub(crate) page: StoredPage<'a>,
    /// Index of its walked chunk, whose dictionary it uses.
    pub(crate) chunk: usize,
    /// First row and end row of each run of selected rows.
    pub(crate) spans: Vec<(usize, usize)>,
    /// Number of selected rows.
    pub(crate) nrows: usize,
    /// The first of them in the result.
    pub(crate) at: usize,
    /// Bytes of their texts.
    pub(crate) nbytes: usize,
    /// Position of these bytes in the result.
    pub(crate) base: usize,
    /// Which rows have a value: rows of the page until it is filled, then the selected rows. `None`: no row is null.
    pub(crate) validity: Option<Validity>,
    /// The decompressed page, if the first pass kept it.
    decompressed: Option<Vec<u8>>,
}

/// The memory that decompressed pages may take between the two passes.
#[derive(Debug)]
pub(crate) struct PageBudget {
    left: AtomicUsize,
}

/// Pages beyond this are decompressed again: 64 pages of 1 MiB, the size that usual writers aim at.
const PAGE_BUDGET_NBYTES: usize = 64 << 20;

impl PageBudget {
    pub(crate) fn new() -> Self {
        Self { left: AtomicUsize::new(PAGE_BUDGET_NBYTES) }
    }

    /// Whether `nbytes` more may be kept.
    fn take(&self, nbytes: usize) -> bool {
        let less = |left: usize| left.checked_sub(nbytes);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}

/// A walked chunk: its dictionary, and its pages with selected rows.
#[derive(Debug, Default)]
pub(crate) struct WalkedChunk<'a> {
    pub(crate) dictionary: Option<Dictionary>,
    pub(crate) parts: Vec<PagePart<'a>>,
}

/// Walks the pages of a chunk as far as `pieces` reach. `make` builds the dictionary of the bytes and number of a dictionary
/// page's values; `charge` adds the page's bytes to the limits before they are decompressed.
///
/// # Errors
/// Malformed pages; fewer rows than the pieces need.
pub(crate) fn walk<'a>(
    pages: &mut Pages<'a>,
    pieces: &[RowPiece],
    chunk: usize,
    make: &dyn Fn(&[u8], usize) -> Result<Dictionary>,
    charge: &dyn Fn(u64) -> Result<()>,
) -> Result<WalkedChunk<'a>> {
    let mut out = WalkedChunk::default();
    let (mut first, mut rest) = (0usize, pieces);
    // Rows of the current piece in earlier pages.
    let mut consumed = 0;
    let mut scratch = Vec::new();
    while let Some((piece, _)) = rest.split_first() {
        let Some(page) = pages.next_page()? else {
            let needed = (piece.skip + piece.nrows) as u64;
            return Err(Error::truncated("parquet", "the rows of a column chunk", needed, first as u64));
        };
        if let PageType::Dictionary { .. } = page.header.kind {
            if out.dictionary.is_some() || first > 0 {
                let message = "a dictionary page behind other pages. The file is damaged; write it again.";
                return Err(Error::malformed("parquet", message).at(page.at));
            }
            charge(page.header.nbytes as u64).map_err(|e| e.at(page.at))?;
            let (bytes, n) = page.dictionary(&mut scratch)?;
            out.dictionary = Some(make(bytes, n).map_err(|e| e.at(page.at))?);
            continue;
        }
        let end = first + page.n();
        let mut part = PagePart::new(page, chunk);
        while let Some((piece, later)) = rest.split_first() {
            let (start, stop) = (piece.skip + consumed, piece.skip + piece.nrows);
            if start >= end {
                break;
            }
            let now = stop.min(end);
            let at = piece.at + consumed;
            if part.nrows > 0 && part.at + part.nrows != at {
                out.parts.push(part);
                part = PagePart::new(page, chunk);
            }
            if part.nrows == 0 {
                part.at = at;
            }
            part.spans.push((start - first, now - first));
            part.nrows += now - start;
            if now < stop {
                consumed += now - start;
                break;
            }
            consumed = 0;
            rest = later;
        }
        if part.nrows > 0 {
            out.parts.push(part);
        }
        first = end;
    }
    Ok(out)
}

impl<'a> PagePart<'a> {
    /// A page of the walked chunk number `chunk`, without selected rows so far.
    fn new(page: StoredPage<'a>, chunk: usize) -> Self {
        Self {
            page,
            chunk,
            spans: Vec::new(),
            nrows: 0,
            at: 0,
            nbytes: 0,
            base: 0,
            validity: None,
            decompressed: None,
        }
    }

    /// Returns the memory for the codes and later the ends of the selected rows. `ends` begins with the column's first offset,
    /// which belongs to no row.
    fn ends<'s, const N: usize>(&self, ends: Scatter<'s>) -> Result<&'s mut [[u8; N]]> {
        // SAFETY: each part has rows that no other part has, and only one task at a time accesses a part.
        let room = unsafe { ends.range((self.at + 1) * N, self.nrows * N) };
        Ok(room.ok_or_else(|| Error::too_large("parquet"))?.as_chunks_mut::<N>().0)
    }

    /// Whether the page holds dictionary codes.
    pub(crate) fn has_codes(&self) -> bool {
        let (PageType::Data { encoding, .. } | PageType::DataV2 { encoding, .. }) = self.page.header.kind
        else {
            return false;
        };
        matches!(encoding, PageEncoding::PlainDictionary | PageEncoding::RleDictionary)
    }

    /// Returns the parts of the page: of `decompressed` if the page was decompressed before, else through `scratch`.
    fn parts<'s>(&self, decompressed: Option<&'s [u8]>, scratch: &'s mut Vec<u8>) -> Result<PageParts<'s>>
    where
        'a: 's,
    {
        match decompressed {
            Some(bytes) => self.page.parts_of(bytes),
            None => self.page.parts(scratch),
        }
    }

    /// Decodes the codes of the selected rows, see [`codes::decode`]; returns which of them have a value.
    ///
    /// # Errors
    /// Malformed pages; codes outside the dictionary.
    pub(crate) fn codes<const N: usize>(
        &self,
        nvalues: Option<usize>,
        code: impl Fn(u32) -> [u8; N],
        null: [u8; N],
        optional: bool,
        scratch: &mut Vec<u8>,
        out: &mut [[u8; N]],
    ) -> Result<Option<Validity>> {
        let parts = self.page.parts(scratch)?;
        let levels = codes::decode(&parts, &self.spans, nvalues, code, null, optional, out)?;
        Ok(levels.map(|levels| self.select(levels)))
    }

    /// Writes the views of the selected rows' codes to `out`. `views` has one for each value of the dictionary.
    ///
    /// # Errors
    /// Malformed pages; codes outside the dictionary.
    pub(crate) fn views(
        &mut self,
        views: Option<&[[u8; views::NBYTES]]>,
        optional: bool,
        scratch: &mut Vec<u8>,
        out: Scatter<'_>,
    ) -> Result<()> {
        // SAFETY: each part has rows that no other part has, and only one task at a time accesses a part.
        let room = unsafe { out.range(self.at * views::NBYTES, self.nrows * views::NBYTES) };
        let rows = room.ok_or_else(|| Error::too_large("parquet"))?.as_chunks_mut().0;
        let all = views.unwrap_or_default();
        let view = |key: u32| all.get(key as usize).copied().unwrap_or_default();
        self.validity =
            self.codes(views.map(<[_]>::len), view, [0; views::NBYTES], optional, scratch, rows)?;
        Ok(())
    }

    /// Finds the bytes of the selected rows' texts: by the page's size if that determines them, unless `exact`. Codes are
    /// decoded to `ends`, so that such a page is not read again. Other pages are kept decompressed as far as `budget` allows.
    ///
    /// # Errors
    /// Malformed pages.
    pub(crate) fn measure<const N: usize>(
        &mut self,
        optional: bool,
        dictionary: Option<&Dictionary>,
        exact: bool,
        scratch: &mut Vec<u8>,
        budget: &PageBudget,
        ends: Scatter<'_>,
    ) -> Result<()>
    where
        [u8; N]: Offset,
    {
        if self.has_codes() {
            let codes = self.ends::<N>(ends)?;
            let n = dictionary.map(Dictionary::len);
            let code = |key: u32| <[u8; N]>::of(key as usize);
            self.validity = self.codes(n, code, <[u8; N]>::of(n.unwrap_or(0)), optional, scratch, codes)?;
            self.nbytes = dictionary.map_or(0, |dictionary| codes::measure(codes, dictionary));
            return Ok(());
        }
        if !exact && let Some(nbytes) = self.nbytes_of_header(optional, scratch) {
            self.nbytes = nbytes;
            return Ok(());
        }
        let (decompressed, mut page_buffer, mut total) = (self.decompressed.take(), Vec::new(), 0usize);
        let keep = decompressed.is_none()
            && self.page.codec() != PageCodec::None
            && budget.take(self.page.header.nbytes);
        let parts = self.parts(decompressed.as_deref(), if keep { &mut page_buffer } else { scratch })?;
        self.validity = optional.then(|| validity(&parts.definition, parts.n)).transpose()?;
        let done = self.each(&parts, self.validity.as_ref(), &mut |is_selected, rows, cells| {
            let n = cells.measure(rows.valid())?;
            if is_selected {
                total = total.saturating_add(n);
            }
            Ok(())
        });
        self.nbytes = total;
        self.decompressed = decompressed.or(keep.then_some(page_buffer));
        match done {
            Ok(()) | Err(FillError::SizeMismatch) => Ok(()),
            Err(FillError::Error(error)) => Err(error),
        }
    }

    /// Derives the bytes of the texts of a whole PLAIN page from its size: it holds the levels, a four-byte length for each
    /// value, and the texts. Only the levels are decompressed.
    fn nbytes_of_header(&mut self, optional: bool, scratch: &mut Vec<u8>) -> Option<usize> {
        let header = &self.page.header;
        let (PageType::Data { encoding: PageEncoding::Plain, .. }
        | PageType::DataV2 { encoding: PageEncoding::Plain, .. }) = header.kind
        else {
            return None;
        };
        if self.nrows != self.page.n() {
            return None;
        }
        let (levels_nbytes, definition) = match self.page.slots() {
            Some(slots) => (slots.levels_nbytes, Cow::Borrowed(slots.definition.as_slice())),
            None if optional => {
                let streams = self.page.level_streams(scratch).ok()?;
                (streams.nbytes, streams.definition)
            }
            None => (0, Cow::default()),
        };
        self.validity = optional.then(|| validity(&definition, self.nrows)).transpose().ok()?;
        let nvalid = self.nrows - self.validity.as_ref().map_or(0, |validity| validity.nulls);
        header.nbytes.checked_sub(levels_nbytes)?.checked_sub(nvalid.checked_mul(4)?)
    }

    /// Writes the ends of the selected rows to `ends` and their texts to `bytes`. Texts of a dictionary are already checked;
    /// others must be UTF-8 if `text` is set.
    ///
    /// # Errors
    /// Malformed pages; `SizeMismatch` if the declared size is wrong.
    pub(crate) fn fill<const N: usize>(
        &mut self,
        dictionary: Option<&Dictionary>,
        text: bool,
        scratch: &mut Vec<u8>,
        ends: Scatter<'_>,
        bytes: Scatter<'_>,
    ) -> std::result::Result<(), FillError>
    where
        [u8; N]: Offset,
    {
        let ends = self.ends::<N>(ends)?;
        // SAFETY: the bytes of a part begin where those of the part before end.
        let bytes = unsafe { bytes.range(self.base, self.nbytes) };
        let bytes = bytes.ok_or_else(|| Error::too_large("parquet"))?;
        let mut out = TextOutput::new(ends, bytes, self.base);
        if self.has_codes() {
            let none = Dictionary::default();
            return Ok(codes::exchange(&mut out, dictionary.unwrap_or(&none))?);
        }
        let decompressed = self.decompressed.take();
        let parts = self.parts(decompressed.as_deref(), scratch)?;
        self.each(&parts, self.validity.as_ref(), &mut |is_selected, rows, cells| {
            match rows {
                rows if !is_selected => cells.skip(rows.valid())?,
                RowRun::Same(true, n) => cells.put(n, &mut out)?,
                RowRun::Same(false, n) => out.push_empty(n)?,
                RowRun::Mixed(mask, n) => cells.mixed(mask, n, &mut out)?,
            }
            Ok(())
        })?;
        if !out.is_full() {
            return Err(FillError::SizeMismatch);
        }
        if text {
            out.utf8().map_err(|k| no_text("row", self.at + k))?;
        }
        self.validity = self.validity.take().map(|validity| self.select(validity));
        Ok(())
    }

    /// Reduces the validity of the page's rows to the selected rows.
    fn select(&self, validity: Validity) -> Validity {
        if self.nrows == validity.len() {
            return validity;
        }
        let mut out = Validity::default();
        self.spans.iter().for_each(|&(start, stop)| out.push_range(&validity, start, stop));
        out
    }

    /// Passes the rows of the page up to the last selected one to `work`, run by run. `parts` are the page's; `validity` says
    /// which rows have a value; `None`: all.
    pub(crate) fn each(
        &self,
        parts: &PageParts<'_>,
        validity: Option<&Validity>,
        work: &mut dyn FnMut(bool, RowRun, &mut PageTexts<'_>) -> std::result::Result<(), FillError>,
    ) -> std::result::Result<(), FillError> {
        let n = validity.map_or(parts.n, |validity| parts.n - validity.nulls);
        let mut cells = PageTexts::new(parts.encoding, parts.values, n)?;
        let mut row = 0;
        for &(start, stop) in &self.spans {
            for (end, is_selected) in [(start, false), (stop, true)] {
                while row < end {
                    let rows = RowRun::next(validity, row, end);
                    row += rows.len();
                    work(is_selected, rows, &mut cells)?;
                }
            }
        }
        Ok(())
    }
}
