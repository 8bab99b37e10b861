//! The pages of a column chunk that wanted rows stand in, and how many bytes those rows have.

use crate::error::{Error, Result};
use crate::formats::parquet::page::{Encoding, Kind};
use crate::formats::parquet::read::chunk::Pages;
use crate::formats::parquet::read::page::Page;

use super::super::Piece;
use super::cells::Cells;
use super::dictionary::Dictionary;
use super::out::{Offset, Out, Stop};
use super::rows::{Levels, Rows};

/// Levels of most pages: a run or two.
const FEW_LEVELS_NBYTES: usize = 64;

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
        if let Kind::Dictionary { .. } = page.header.kind {
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
        let mut part = Part { page, chunk, spans: Vec::new(), nrows: 0, at: 0, nbytes: 0, base: 0 };
        while let Some((piece, later)) = rest.split_first() {
            let (start, stop) = (piece.skip + given, piece.skip + piece.nrows);
            if start >= end {
                break;
            }
            let now = stop.min(end);
            let at = piece.at + given;
            if part.nrows > 0 && part.at + part.nrows != at {
                out.parts.push(part);
                part = Part { page, chunk, spans: Vec::new(), nrows: 0, at: 0, nbytes: 0, base: 0 };
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

impl Part<'_> {
    /// Bytes of the texts of the wanted rows, by the page's size where that tells them.
    ///
    /// # Errors
    /// Malformed pages.
    pub(crate) fn measure(
        &self,
        optional: bool,
        dictionary: Option<&Dictionary>,
        exact: bool,
        scratch: &mut Vec<u8>,
    ) -> Result<usize> {
        if !exact && let Some(told) = self.told(optional) {
            return Ok(told);
        }
        let mut total = 0usize;
        let done = self.each(optional, dictionary, scratch, &mut |wanted, rows, cells| {
            let n = cells.measure(rows.valid())?;
            if wanted {
                total = total.saturating_add(n);
            }
            Ok(())
        });
        match done {
            Ok(_) => Ok(total),
            Err(Stop::Error(error)) => Err(error.at(self.page.at)),
            Err(Stop::Full) => Ok(total),
        }
    }

    /// A whole PLAIN page has four bytes of length a value; the rest is texts. Of its compressed bytes the levels alone are
    /// looked at.
    fn told(&self, optional: bool) -> Option<usize> {
        let header = &self.page.header;
        let n = self.page.n();
        if self.nrows != n {
            return None;
        }
        if let Some(slots) = self.page.slots() {
            let (Kind::Data { encoding, .. } | Kind::DataV2 { encoding, .. }) = header.kind else {
                return None;
            };
            let lengths = slots.nvalid.checked_mul(4)?;
            let nbytes = header.nbytes.checked_sub(slots.front_nbytes)?.checked_sub(lengths)?;
            return (encoding == Encoding::Plain).then_some(nbytes);
        }
        let (front, valid) = match header.kind {
            Kind::Data { encoding: Encoding::Plain, .. } if !optional => (0, n),
            Kind::Data { encoding: Encoding::Plain, definition: Encoding::Rle, .. } => {
                let mut few = [0u8; FEW_LEVELS_NBYTES];
                let had = self.page.codec().first(self.page.body, &mut few)?;
                let nbytes = u32::from_le_bytes(*few.get(..had)?.first_chunk::<4>()?) as usize;
                let front = nbytes.checked_add(4).filter(|&front| front <= header.nbytes)?;
                let mut many;
                let levels = match few.get(4..front) {
                    Some(levels) if front <= had => levels,
                    _ => {
                        many = vec![0u8; front];
                        (self.page.codec().first(self.page.body, &mut many)? == front).then_some(())?;
                        many.get(4..)?
                    }
                };
                (front, valid(Some(levels), n).ok()?)
            }
            Kind::DataV2 {
                encoding: Encoding::Plain, nulls, definition_nbytes, repetition_nbytes, ..
            } => ((definition_nbytes as usize).checked_add(repetition_nbytes as usize)?, n - nulls as usize),
            _ => return None,
        };
        header.nbytes.checked_sub(front)?.checked_sub(valid.checked_mul(4)?)
    }

    /// The wanted rows to `out`; each run of rows is told to `validity`. Answers whether the texts were keys' (whose
    /// dictionary was checked).
    ///
    /// # Errors
    /// Malformed pages; `Full` where their size was told wrongly.
    pub(crate) fn fill<O: Offset>(
        &self,
        optional: bool,
        dictionary: Option<&Dictionary>,
        scratch: &mut Vec<u8>,
        out: &mut Out<'_, O>,
        validity: &mut dyn FnMut(Rows),
    ) -> std::result::Result<bool, Stop> {
        self.each(optional, dictionary, scratch, &mut |wanted, rows, cells| {
            if !wanted {
                cells.measure(rows.valid())?;
                return Ok(());
            }
            match rows {
                Rows::Same(true, n) => cells.put(n, out)?,
                Rows::Same(false, n) => out.nothing(n)?,
                Rows::Mixed(mask, n) => cells.mixed(mask, n, out)?,
            }
            validity(rows);
            Ok(())
        })
    }

    /// How many rows of the page have a value, by its levels.
    ///
    /// # Errors
    /// Malformed levels.
    pub(crate) fn valid(&self, levels: &[u8]) -> Result<usize> {
        valid(Some(levels), self.page.n())
    }

    /// Whether no row of the page has a value.
    ///
    /// # Errors
    /// Malformed pages.
    pub(crate) fn nulls_alone(&self, optional: bool) -> Result<bool> {
        let mut scratch = Vec::new();
        Ok(optional && self.valid(&self.page.parts(&mut scratch)?.definition)? == 0)
    }

    /// Goes through the rows of the page up to the last wanted one, run by run.
    pub(crate) fn each(
        &self,
        optional: bool,
        dictionary: Option<&Dictionary>,
        scratch: &mut Vec<u8>,
        work: &mut dyn FnMut(bool, Rows, &mut Cells<'_>) -> std::result::Result<(), Stop>,
    ) -> std::result::Result<bool, Stop> {
        let parts = self.page.parts(scratch)?;
        let levels = optional.then_some(&*parts.definition);
        let n = valid(levels, parts.n)?;
        let mut cells = Cells::new(parts.encoding, parts.values, n, dictionary)?;
        let mut levels = Levels::new(levels, parts.n)?;
        let mut row = 0;
        for &(start, stop) in &self.spans {
            for (end, wanted) in [(start, false), (stop, true)] {
                while row < end {
                    let Some(rows) = levels.next_rows(end - row)? else { return Err(Stop::Full) };
                    row += rows.len();
                    work(wanted, rows, &mut cells)?;
                }
            }
        }
        Ok(matches!(cells, Cells::Keys(..)))
    }
}

/// Rows with a value among the `n` of a page.
fn valid(levels: Option<&[u8]>, n: usize) -> Result<usize> {
    let mut levels = Levels::new(levels, n)?;
    let mut total = 0;
    while let Some(rows) = levels.next_rows(usize::MAX)? {
        total += rows.valid();
    }
    Ok(total)
}
