//! The pages of a column chunk that have wanted rows: finds how many bytes these rows take, then fills them.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::formats::parquet::levels::Validity;
use crate::formats::parquet::page::{PageEncoding, PageType};
use crate::formats::parquet::read::chunk::Pages;
use crate::formats::parquet::read::page::{Page, Parts};
use crate::memory::Scatter;

use super::super::Piece;
use super::cells::Cells;
use super::codes;
use super::dictionary::{Dictionary, no_text};
use super::out::{Offset, Out, Stop};
use super::rows::{Rows, validity};

/// The wanted rows of one page.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    pub(crate) page: Page<'a>,
    /// Which chunk of those that were walked it is of: the dictionary is that one's.
    pub(crate) chunk: usize,
    /// First row and the row behind the last of each run of wanted rows.
    pub(crate) spans: Vec<(usize, usize)>,
    /// Wanted rows.
    pub(crate) nrows: usize,
    /// The first of them in the result.
    pub(crate) at: usize,
    /// Bytes of their texts.
    pub(crate) nbytes: usize,
    /// Where these begin in the result.
    pub(crate) base: usize,
    /// Which rows have a value, of the page until it is filled, then of the wanted rows. `None`: no row is null.
    pub(crate) validity: Option<Validity>,
}

/// A walked chunk: its dictionary page, and the parts that are wanted of it.
#[derive(Debug, Default)]
pub(crate) struct Walked<'a> {
    pub(crate) dictionary: Option<Dictionary>,
    pub(crate) parts: Vec<Part<'a>>,
}

/// Walks the pages of a chunk as far as `pieces` need; `make` takes the values of a dictionary page, and how many they are, `charge` its
/// bytes before they are decompressed.
///
/// # Errors
/// Malformed pages; fewer rows than the pieces need.
pub(crate) fn walk<'a>(
    pages: &mut Pages<'a>,
    pieces: &[Piece],
    chunk: usize,
    make: &dyn Fn(&[u8], usize) -> Result<Dictionary>,
    charge: &dyn Fn(u64) -> Result<()>,
) -> Result<Walked<'a>> {
    let mut out = Walked::default();
    let (mut first, mut rest) = (0usize, pieces);
    // Rows of the piece at hand that earlier pages gave.
    let mut given = 0;
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
        let mut part = Part::new(page, chunk);
        while let Some((piece, later)) = rest.split_first() {
            let (start, stop) = (piece.skip + given, piece.skip + piece.nrows);
            if start >= end {
                break;
            }
            let now = stop.min(end);
            let at = piece.at + given;
            if part.nrows > 0 && part.at + part.nrows != at {
                out.parts.push(part);
                part = Part::new(page, chunk);
            }
            if part.nrows == 0 {
                part.at = at;
            }
            part.spans.push((start - first, now - first));
            part.nrows += now - start;
            if now < stop {
                given += now - start;
                break;
            }
            given = 0;
            rest = later;
        }
        if part.nrows > 0 {
            out.parts.push(part);
        }
        first = end;
    }
    Ok(out)
}

impl<'a> Part<'a> {
    /// A page of the walked chunk number `chunk`, of which no row is wanted yet.
    fn new(page: Page<'a>, chunk: usize) -> Self {
        Self { page, chunk, spans: Vec::new(), nrows: 0, at: 0, nbytes: 0, base: 0, validity: None }
    }

    /// The codes and then the ends of the wanted rows. `ends` begin with the column's first offset, which is no row's.
    fn ends<'s, const N: usize>(&self, ends: Scatter<'s>) -> Result<&'s mut [[u8; N]]> {
        // SAFETY: each part has rows of its own, and one task at a time asks for them.
        let room = unsafe { ends.range((self.at + 1) * N, self.nrows * N) };
        Ok(room.ok_or_else(|| Error::too_large("parquet"))?.as_chunks_mut::<N>().0)
    }

    /// Whether the page has codes of a dictionary.
    pub(crate) fn has_codes(&self) -> bool {
        let (PageType::Data { encoding, .. } | PageType::DataV2 { encoding, .. }) = self.page.header.kind
        else {
            return false;
        };
        matches!(encoding, PageEncoding::PlainDictionary | PageEncoding::RleDictionary)
    }

    /// Decodes the codes of the wanted rows, see [`codes::decode`]; answers which of them have a value.
    ///
    /// # Errors
    /// Malformed pages; codes that the dictionary does not have.
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
        Ok(levels.map(|levels| self.wanted(levels)))
    }

    /// Finds the bytes of the texts of the wanted rows: by the page's size where that says them, unless `exact`. Of a page of
    /// codes these are decoded to `ends`, so that the page is not looked at again.
    ///
    /// # Errors
    /// Malformed pages.
    pub(crate) fn measure<const N: usize>(
        &mut self,
        optional: bool,
        dictionary: Option<&Dictionary>,
        exact: bool,
        scratch: &mut Vec<u8>,
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
        let (parts, mut total) = (self.page.parts(scratch)?, 0usize);
        self.validity = optional.then(|| validity(&parts.definition, parts.n)).transpose()?;
        let done = self.each(&parts, self.validity.as_ref(), &mut |wanted, rows, cells| {
            let n = cells.measure(rows.valid())?;
            if wanted {
                total = total.saturating_add(n);
            }
            Ok(())
        });
        self.nbytes = total;
        match done {
            Ok(()) | Err(Stop::Full) => Ok(()),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    /// A whole PLAIN page has its levels, four bytes of length a value, and texts. Of its compressed bytes only those of the
    /// levels are decompressed.
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

    /// The ends of the wanted rows to `ends`, their texts to `bytes`. Texts of a page of codes were checked with their
    /// dictionary; others must be UTF-8 where `text` says so.
    ///
    /// # Errors
    /// Malformed pages; `Full` where their size was told wrongly.
    pub(crate) fn fill<const N: usize>(
        &mut self,
        dictionary: Option<&Dictionary>,
        text: bool,
        scratch: &mut Vec<u8>,
        ends: Scatter<'_>,
        bytes: Scatter<'_>,
    ) -> std::result::Result<(), Stop>
    where
        [u8; N]: Offset,
    {
        let ends = self.ends::<N>(ends)?;
        // SAFETY: the bytes of a part begin where those of the part before end.
        let bytes = unsafe { bytes.range(self.base, self.nbytes) };
        let bytes = bytes.ok_or_else(|| Error::too_large("parquet"))?;
        let mut out = Out::new(ends, bytes, self.base);
        if self.has_codes() {
            let none = Dictionary::default();
            return Ok(codes::exchange(&mut out, dictionary.unwrap_or(&none))?);
        }
        let parts = self.page.parts(scratch)?;
        self.each(&parts, self.validity.as_ref(), &mut |wanted, rows, cells| {
            match rows {
                rows if !wanted => drop(cells.measure(rows.valid())?),
                Rows::Same(true, n) => cells.put(n, &mut out)?,
                Rows::Same(false, n) => out.nothing(n)?,
                Rows::Mixed(mask, n) => cells.mixed(mask, n, &mut out)?,
            }
            Ok(())
        })?;
        if !out.is_full() {
            return Err(Stop::Full);
        }
        if text {
            out.utf8().map_err(|k| no_text("row", self.at + k))?;
        }
        self.validity = self.validity.take().map(|validity| self.wanted(validity));
        Ok(())
    }

    /// What `validity` says of the page's rows, of the wanted ones.
    fn wanted(&self, validity: Validity) -> Validity {
        if self.nrows == validity.len() {
            return validity;
        }
        let mut out = Validity::default();
        self.spans.iter().for_each(|&(start, stop)| out.push_range(&validity, start, stop));
        out
    }

    /// Goes through the rows of the page up to the last wanted one, run by run. `parts` are the page's, and `validity` says
    /// which rows have a value; `None`: all.
    pub(crate) fn each(
        &self,
        parts: &Parts<'_>,
        validity: Option<&Validity>,
        work: &mut dyn FnMut(bool, Rows, &mut Cells<'_>) -> std::result::Result<(), Stop>,
    ) -> std::result::Result<(), Stop> {
        let n = validity.map_or(parts.n, |validity| parts.n - validity.nulls);
        let mut cells = Cells::new(parts.encoding, parts.values, n)?;
        let mut row = 0;
        for &(start, stop) in &self.spans {
            for (end, wanted) in [(start, false), (stop, true)] {
                while row < end {
                    let rows = Rows::next(validity, row, end);
                    row += rows.len();
                    work(wanted, rows, &mut cells)?;
                }
            }
        }
        Ok(())
    }
}
