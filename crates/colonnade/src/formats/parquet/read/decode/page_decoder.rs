//! Decodes the pages of a chunk to fixed-width rows; the part that is common to all widths.

use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::formats::parquet::codec::PageCodec;
use crate::formats::parquet::delta::DeltaDecoder;
use crate::formats::parquet::levels::{LevelRuns, Validity, ValidityStrip, low_bits};
use crate::formats::parquet::page::{PageEncoding, PageType};
use crate::formats::parquet::rle_bit_packed::{RleBitPacked, RleBitPackedRun};

use super::super::chunk::Pages;
use super::super::page::{PageParts, StoredPage};
use super::RowPiece;

/// A PLAIN page with at most this many bytes of levels before its values may be decompressed in place.
const MAX_FRONT_NBYTES: usize = 64;

/// Buffers that tasks reuse: a page, rows outside the selection, a dictionary.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) page: Vec<u8>,
    pub(super) rows: Vec<u128>,
    pub(super) dictionary: Vec<u128>,
}

/// A pool with one scratch for each working thread.
#[derive(Debug, Default)]
pub(super) struct Scratches(Mutex<Vec<Scratch>>);

impl Scratches {
    /// Runs `work` with a scratch of the pool.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = free().pop().unwrap_or_default();
        let out = work(&mut scratch);
        free().push(scratch);
        out
    }
}

/// A null mask, allocated when the first null appears.
#[derive(Debug, Default)]
pub(super) struct NullMask {
    bits: Option<Validity>,
    seen: usize,
}

impl NullMask {
    /// Appends `n` rows without nulls.
    pub(super) fn push_valid(&mut self, n: usize) {
        match &mut self.bits {
            Some(bits) => bits.push_same(true, n),
            None => self.seen += n,
        }
    }

    /// Returns the mask, to which the caller appends the next rows.
    pub(super) fn begin(&mut self) -> &mut Validity {
        self.bits.get_or_insert_with(|| {
            let mut bits = Validity::default();
            bits.push_same(true, self.seen);
            bits
        })
    }

    /// Returns the validity of all rows; `None` if there is no null.
    pub(super) fn finish(self) -> Option<Validity> {
        self.bits.filter(|bits| bits.nulls > 0)
    }
}

/// A decoder of a page's values to rows.
pub(super) trait Decoder {
    /// The position within a page.
    type State<'p>
    where
        Self: 'p;

    /// Bytes of a row.
    fn item(&self) -> usize;

    /// Decodes the dictionary.
    fn dictionary(&mut self, page: &StoredPage<'_>, scratch: &mut Vec<u8>) -> Result<()>;

    /// Begins a page.
    fn begin<'p>(&'p self, parts: &'p PageParts<'_>, optional: bool) -> Result<Self::State<'p>>;

    /// Writes the page's next rows to `out`.
    fn fill<'p>(
        &'p self,
        state: &mut Self::State<'p>,
        out: &mut [u8],
        nulls: Option<&mut NullMask>,
    ) -> Result<()>;

    /// Bytes of a stored value, if a row has the same bytes.
    fn plain_nbytes(&self) -> Option<usize>;

    /// Bytes of a stored value, if DELTA_BYTE_ARRAY may encode it.
    fn width(&self) -> Option<usize>;
}

/// A range of rows of one chunk to decode.
#[derive(Debug)]
pub(super) struct Job<'a, 'p> {
    /// The dictionary, if `pages` begin after it.
    pub(super) dictionary: Option<StoredPage<'a>>,
    /// The pages from the first selected row on.
    pub(super) pages: Pages<'a>,
    /// The selected rows, counted from the first row of `pages`; they are in order there and adjacent in the result.
    pub(super) pieces: &'p [RowPiece],
    /// Whether the column is nullable.
    pub(super) optional: bool,
}

impl<'a> Job<'a, '_> {
    /// Decodes the rows to `out`.
    ///
    /// # Errors
    /// Malformed or truncated pages.
    pub(super) fn decode<D: Decoder>(
        &mut self,
        decoder: &mut D,
        out: &mut [u8],
        mut nulls: Option<&mut NullMask>,
        page_room: &mut Vec<u8>,
        rows_room: &mut Vec<u128>,
    ) -> Result<()> {
        let item = decoder.item();
        let (mut row, mut selection) = (0usize, SelectionCursor::new(self.pieces));
        while let Some(page) = self.next_page(&mut selection)? {
            let named = |e: Error| e.at(page.at);
            if matches!(page.header.kind, PageType::Dictionary { .. }) {
                decoder.dictionary(&page, page_room).map_err(named)?;
                continue;
            }
            let n = page.n();
            let end = selection.at + n;
            if selection.is_all(end)
                && let Some(nbytes) = decoder.plain_nbytes()
                && in_place(&page, self.optional, nbytes, out, row * item).map_err(named)?
            {
                if let Some(nulls) = nulls.as_deref_mut() {
                    nulls.push_valid(n);
                }
                row += n;
                selection.pass(end);
                continue;
            }
            let parts = page.parts(page_room)?;
            let plain;
            let parts = match (parts.encoding, decoder.width()) {
                (PageEncoding::DeltaByteArray, Some(width)) => {
                    self.pages.check_expanded(parts.n, width).map_err(named)?;
                    plain = expand_delta_byte_array(parts.values, parts.n, width).map_err(named)?;
                    PageParts { values: &plain, encoding: PageEncoding::Plain, ..parts }
                }
                _ => parts,
            };
            let mut state = decoder.begin(&parts, self.optional).map_err(named)?;
            let strip = (STRIP_NBYTES / item.max(1)).clamp(1, STRIP_ROWS);
            while let Some((mut skip, now)) = selection.span(end) {
                while skip > 0 {
                    let now = skip.min(strip);
                    rows_room.resize((now * item).div_ceil(16).max(rows_room.len()), 0);
                    let room = bytes_of(rows_room).get_mut(..now * item).unwrap_or_default();
                    decoder.fill(&mut state, room, None).map_err(named)?;
                    skip -= now;
                }
                let place = out.get_mut(row * item..(row + now) * item).unwrap_or_default();
                decoder.fill(&mut state, place, nulls.as_deref_mut()).map_err(named)?;
                row += now;
            }
            selection.pass(end);
        }
        Ok(())
    }

    /// Returns the dictionary page, or the next page with selected rows; `None` after the last selected row.
    ///
    /// # Errors
    /// Malformed: the pages end before that.
    pub(super) fn next_page(
        &mut self,
        selection: &mut SelectionCursor<'_>,
    ) -> Result<Option<StoredPage<'a>>> {
        if let Some(dictionary) = self.dictionary.take() {
            return Ok(Some(dictionary));
        }
        while let Some((from, _)) = selection.next {
            let Some(page) = self.pages.next_page()? else {
                let message = format!(
                    "its pages have {} rows, more are wanted. The file is damaged; write it again.",
                    selection.at
                );
                return Err(Error::malformed("parquet", message));
            };
            let end = selection.at + page.n();
            if matches!(page.header.kind, PageType::Dictionary { .. }) || from < end {
                return Ok(Some(page));
            }
            selection.at = end;
        }
        Ok(None)
    }
}

/// Rows outside the selection are decoded in strips of at most this many rows.
const STRIP_ROWS: usize = 16 << 10;
/// The maximum bytes of a strip.
const STRIP_NBYTES: usize = 1 << 20;

/// An iterator over the ranges of selected rows.
pub(super) struct SelectionCursor<'p> {
    rest: &'p [RowPiece],
    /// The next selected rows.
    next: Option<(usize, usize)>,
    /// The first row of the next page, or the next row of the current one.
    pub(super) at: usize,
}

impl<'p> SelectionCursor<'p> {
    pub(super) fn new(pieces: &'p [RowPiece]) -> Self {
        let mut out = Self { rest: pieces, next: None, at: 0 };
        out.advance();
        out
    }

    fn advance(&mut self) {
        self.next = None;
        if let Some((piece, rest)) = self.rest.split_first() {
            self.next = Some((piece.skip, piece.skip + piece.nrows));
            self.rest = rest;
        }
    }

    /// Whether one piece selects all rows up to `end`.
    fn is_all(&self, end: usize) -> bool {
        self.next.is_some_and(|(from, until)| from == self.at && until >= end)
    }

    /// Advances to the next selected rows before `end`: returns how many rows precede them, and how many they are.
    pub(super) fn span(&mut self, end: usize) -> Option<(usize, usize)> {
        let (from, until) = self.next.filter(|(from, _)| *from < end)?;
        let (skip, until) = (from - self.at, until.min(end));
        self.pass(until);
        Some((skip, until - from))
    }

    /// Advances to row `end`.
    pub(super) fn pass(&mut self, end: usize) {
        self.at = end;
        match self.next {
            Some((from, until)) if until > end => self.next = Some((from.max(end), until)),
            Some((from, _)) if from < end => self.advance(),
            _ => {}
        }
    }
}

/// The read positions in a page's values and in its levels; without levels no row is null.
#[derive(Debug)]
pub(super) struct PageCursor<'p, V> {
    pub(super) values: V,
    pub(super) levels: Option<LevelRuns<'p>>,
}

impl<'p, V> PageCursor<'p, V> {
    pub(super) fn new(values: V, parts: &'p PageParts<'_>, optional: bool) -> Result<Self> {
        let valid = !optional || all_valid(&parts.definition, parts.n);
        let levels = if valid {
            None
        } else {
            Some(LevelRuns::new(RleBitPacked::new(&parts.definition, 1, parts.n)?))
        };
        Ok(Self { values, levels })
    }
}

/// Decodes rows of `item` bytes by their levels: `fill` writes the values, null rows are zero.
pub(super) fn fill_rows(
    levels: Option<&mut LevelRuns<'_>>,
    item: usize,
    out: &mut [u8],
    nulls: Option<&mut NullMask>,
    mut fill: impl FnMut(&mut [u8]) -> Result<()>,
) -> Result<()> {
    let Some(levels) = levels else {
        if let Some(nulls) = nulls {
            nulls.push_valid(out.len() / item);
        }
        return fill(out);
    };
    let (mut bits, mut out, mut strip) = (nulls.map(NullMask::begin), out, ValidityStrip::default());
    while !out.is_empty() {
        let read = strip.read(levels, out.len() / item);
        let (mut now, later) = out.split_at_mut(strip.len() * item);
        for (valid, n) in strip.words() {
            let (rows, after) = now.split_at_mut(n * item);
            if valid == low_bits(n) {
                fill(rows)?;
            } else {
                for (row, to) in rows.chunks_exact_mut(item).enumerate() {
                    if valid >> row & 1 == 1 {
                        fill(to)?;
                    } else {
                        to.fill(0);
                    }
                }
            }
            if let Some(bits) = bits.as_deref_mut() {
                bits.push(valid, n);
            }
            now = after;
        }
        read?;
        out = later;
    }
    Ok(())
}

/// Expands values of `width` bytes with shared prefixes (DELTA_BYTE_ARRAY) to PLAIN values.
fn expand_delta_byte_array(bytes: &[u8], n: usize, width: usize) -> Result<Vec<u8>> {
    let bad =
        |what: &str| Error::malformed("parquet", format!("{what}. The file is damaged; write it again."));
    let lengths = |bytes: &[u8]| -> Result<(Vec<i64>, usize)> {
        let mut all = DeltaDecoder::new(bytes)?;
        if all.total > n {
            return Err(bad(&format!("a page of {n} values says {} lengths", all.total)));
        }
        let mut out = vec![0; all.total];
        all.fill(&mut out)?;
        Ok((out, all.end()))
    };
    let (prefix, end) = lengths(bytes)?;
    let bytes = bytes.get(end..).unwrap_or_default();
    let (suffix, end) = lengths(bytes)?;
    let mut bytes = bytes.get(end..).unwrap_or_default();
    if prefix.len() != suffix.len() {
        return Err(bad("values have other numbers of shared and of own lengths"));
    }
    // The first value shares nothing, so its bytes are present; all others have the same length.
    let mut out: Vec<u8> = Vec::new();
    for (&prefix, &suffix) in prefix.iter().zip(&suffix) {
        let lengths = (usize::try_from(prefix).ok(), usize::try_from(suffix).ok());
        let (Some(prefix), Some(suffix)) = lengths else { return Err(bad("a length is negative")) };
        let last = out.len().saturating_sub(width);
        if prefix.checked_add(suffix) != Some(width) || last + prefix > out.len() {
            return Err(bad(&format!("a value of {prefix} shared and {suffix} own bytes, expected {width}")));
        }
        let Some((now, rest)) = bytes.split_at_checked(suffix) else {
            return Err(Error::truncated(
                "parquet",
                "the values of a page",
                suffix as u64,
                bytes.len() as u64,
            ));
        };
        out.extend_from_within(last..last + prefix);
        out.extend_from_slice(now);
        bytes = rest;
    }
    Ok(out)
}

/// Returns the bytes of words.
pub(super) fn bytes_of(words: &mut [u128]) -> &mut [u8] {
    // SAFETY: every byte of a word is a byte, and any bytes are a word.
    let (_, bytes, _) = unsafe { words.align_to_mut::<u8>() };
    bytes
}

/// Decompresses a PLAIN page, whose values need no conversion, straight to its rows. The few levels before the values go to the
/// rows before, whose bytes are restored. Returns `false` if that is not possible; then only the page's own rows have changed.
fn in_place(
    page: &StoredPage<'_>,
    optional: bool,
    nbytes: usize,
    out: &mut [u8],
    start: usize,
) -> Result<bool> {
    let header = &page.header;
    let PageType::Data { encoding: PageEncoding::Plain, definition: PageEncoding::Rle, .. } = header.kind
    else {
        return Ok(false);
    };
    if page.codec() == PageCodec::None || page.slots().is_some() {
        return Ok(false);
    }
    let values = header.nvalues as usize * nbytes;
    let Some(front) = header.nbytes.checked_sub(values) else { return Ok(false) };
    if front > MAX_FRONT_NBYTES || front > start || (front > 0) != optional {
        return Ok(false);
    }
    let Some(room) = out.get_mut(start - front..start + values) else { return Ok(false) };
    let mut preceding = [0u8; MAX_FRONT_NBYTES];
    let Some(preceding) = preceding.get_mut(..front) else { return Ok(false) };
    preceding.copy_from_slice(room.get(..front).unwrap_or_default());
    let outcome = page.codec().decompress(page.body, room);
    let mut whole = true;
    if optional && outcome.is_ok() {
        whole = room.split_first_chunk::<4>().is_some_and(|(head, rest)| {
            let n = u32::from_le_bytes(*head) as usize;
            let levels = rest.get(..n).filter(|_| n + 4 == front);
            levels.is_some_and(|levels| all_valid(levels, header.nvalues as usize))
        });
    }
    room.get_mut(..front).unwrap_or_default().copy_from_slice(preceding);
    outcome?;
    Ok(whole)
}

/// Whether definition levels 0 or 1, by their RLE runs only, declare no row null.
pub(super) fn all_valid(levels: &[u8], n: usize) -> bool {
    let Ok(mut runs) = RleBitPacked::new(levels, 1, n) else { return false };
    loop {
        match runs.next_run() {
            Ok(None) => return true,
            Ok(Some(RleBitPackedRun::Same { value: 1, .. })) => {}
            _ => return false,
        }
    }
}
