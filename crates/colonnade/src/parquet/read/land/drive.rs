//! The pages of a chunk into rows: what is the same for values of every width.

use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::parquet::codec::Codec;
use crate::parquet::hybrid::{Hybrid, Run};
use crate::parquet::levels::Validity;
use crate::parquet::page::{Encoding, Kind};

use super::super::chunk::{Page, Pages, Parts};

/// Levels in front of a PLAIN page that are at most so long may be decompressed with it.
const MAX_FRONT_NBYTES: usize = 64;

/// Memory that tasks use again: a page, rows of one that is wanted in part, a dictionary.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) page: Vec<u8>,
    pub(super) rows: Vec<u128>,
    pub(super) dictionary: Vec<u128>,
}

/// One for each thread at work.
#[derive(Debug, Default)]
pub(super) struct Scratches(Mutex<Vec<Scratch>>);

impl Scratches {
    /// Does `work` with one of them.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = free().pop().unwrap_or_default();
        let out = work(&mut scratch);
        free().push(scratch);
        out
    }
}

/// Which rows of a chunk are null, told only once one is.
#[derive(Debug, Default)]
pub(super) struct Nulls {
    bits: Option<Validity>,
    seen: usize,
}

impl Nulls {
    /// `n` more rows, none of them null.
    pub(super) fn none(&mut self, n: usize) {
        match &mut self.bits {
            Some(bits) => bits.push_same(true, n),
            None => self.seen += n,
        }
    }

    /// To tell which of the next rows are null.
    pub(super) fn begin(&mut self) -> &mut Validity {
        self.bits.get_or_insert_with(|| {
            let mut bits = Validity::default();
            bits.push_same(true, self.seen);
            bits
        })
    }

    /// The validity of all rows; `None` where none is null.
    pub(super) fn finish(self) -> Option<Validity> {
        self.bits.filter(|bits| bits.nulls > 0)
    }

    /// Takes rows `skip..skip + n` of another.
    fn take(&mut self, other: &Self, skip: usize, n: usize) {
        let Some(bits) = other.bits.as_ref().filter(|bits| bits.nulls > 0) else { return self.none(n) };
        let own = self.begin();
        for row in skip..skip + n {
            let word = bits.words().get(row / 64).copied().unwrap_or(0);
            own.push(word >> (row % 64) & 1, 1);
        }
    }
}

/// Makes rows of pages.
pub(super) trait Decoder {
    /// Bytes of a row.
    fn item(&self) -> usize;
    /// Takes a dictionary.
    fn dictionary(&mut self, page: &Page<'_>, scratch: &mut Vec<u8>) -> Result<()>;
    /// Writes all rows of a page to `out`.
    fn page(
        &mut self,
        parts: &Parts<'_>,
        optional: bool,
        out: &mut [u8],
        nulls: Option<&mut Nulls>,
    ) -> Result<()>;
    /// Bytes of a value in the file, where those are the row's own.
    fn same(&self) -> Option<usize>;
}

/// Rows of one chunk.
#[derive(Debug)]
pub(super) struct Job<'a> {
    /// Its dictionary, where `pages` begin behind it.
    pub(super) dictionary: Option<Page<'a>>,
    /// The pages from the first wanted on.
    pub(super) pages: Pages<'a>,
    /// Rows of them before the first wanted.
    pub(super) skip: usize,
    /// Rows that are wanted.
    pub(super) nrows: usize,
    /// Whether rows may be null.
    pub(super) optional: bool,
}

impl Job<'_> {
    /// Decodes the rows to `out`.
    ///
    /// # Errors
    /// Malformed or truncated pages.
    pub(super) fn drive<D: Decoder>(
        &mut self,
        decoder: &mut D,
        out: &mut [u8],
        mut nulls: Option<&mut Nulls>,
        page_room: &mut Vec<u8>,
        rows_room: &mut Vec<u128>,
    ) -> Result<()> {
        let item = decoder.item();
        if let Some(page) = &self.dictionary {
            decoder.dictionary(page, page_room).map_err(|e| e.at(page.at))?;
        }
        let (mut row, mut skip) = (0usize, self.skip);
        while row < self.nrows {
            let Some(page) = self.pages.next_page()? else {
                let (wanted, had) = (self.nrows as u64, row as u64);
                let message =
                    format!("its pages have {had} rows of {wanted}. The file is damaged; write it again.");
                return Err(Error::malformed("parquet", message));
            };
            let named = |e: Error| e.at(page.at);
            if matches!(page.header.kind, Kind::Dictionary { .. }) {
                decoder.dictionary(&page, page_room).map_err(named)?;
                continue;
            }
            let n = page.header.nvalues as usize;
            if skip >= n {
                skip -= n;
                continue;
            }
            let now = (n - skip).min(self.nrows - row);
            let (start, end) = (row * item, (row + now) * item);
            if now == n {
                if let Some(nbytes) = decoder.same()
                    && in_place(&page, self.optional, nbytes, out, start).map_err(named)?
                {
                    if let Some(nulls) = nulls.as_deref_mut() {
                        nulls.none(n);
                    }
                } else {
                    let parts = page.parts(page_room)?;
                    let place = out.get_mut(start..end).unwrap_or_default();
                    decoder.page(&parts, self.optional, place, nulls.as_deref_mut()).map_err(named)?;
                }
            } else {
                let parts = page.parts(page_room)?;
                check_rows(n, parts.values.len()).map_err(named)?;
                rows_room.clear();
                rows_room.resize((n * item).div_ceil(16), 0);
                let room = bytes_of(rows_room).get_mut(..n * item).unwrap_or_default();
                let mut own = Nulls::default();
                decoder.page(&parts, self.optional, room, Some(&mut own)).map_err(named)?;
                let place = out.get_mut(start..end).unwrap_or_default();
                place.copy_from_slice(room.get(skip * item..(skip + now) * item).unwrap_or_default());
                if let Some(nulls) = nulls.as_deref_mut() {
                    nulls.take(&own, skip, now);
                }
            }
            row += now;
            skip = 0;
        }
        Ok(())
    }
}

/// Room for a page that is wanted in part is taken on its header's word: no more rows than bytes make likely.
fn check_rows(n: usize, nbytes: usize) -> Result<()> {
    const UNASKED: usize = 4 << 20;
    if n <= UNASKED.max(nbytes.saturating_mul(1024)) {
        return Ok(());
    }
    let message = format!("a page of {n} rows in {nbytes} bytes is read whole alone: leave rows= out.");
    Err(Error::limit("parquet", message))
}

/// The bytes of words.
pub(super) fn bytes_of(words: &mut [u128]) -> &mut [u8] {
    // SAFETY: every byte of a word is a byte, and any bytes are a word.
    let (_, bytes, _) = unsafe { words.align_to_mut::<u8>() };
    bytes
}

/// A PLAIN page of values that are rows as they are: decompressed where they belong, the few levels in front of them into
/// the rows before, whose bytes are put back. `false` where it cannot be so; nothing but the page's own rows changed then.
fn in_place(page: &Page<'_>, optional: bool, nbytes: usize, out: &mut [u8], start: usize) -> Result<bool> {
    let header = &page.header;
    let Kind::Data { encoding: Encoding::Plain, definition: Encoding::Rle, .. } = header.kind else {
        return Ok(false);
    };
    if page.codec() == Codec::None {
        return Ok(false);
    }
    let values = header.nvalues as usize * nbytes;
    let Some(front) = header.nbytes.checked_sub(values) else { return Ok(false) };
    if front > MAX_FRONT_NBYTES || front > start || (front > 0) != optional {
        return Ok(false);
    }
    let Some(room) = out.get_mut(start - front..start + values) else { return Ok(false) };
    let mut kept = [0u8; MAX_FRONT_NBYTES];
    let Some(kept) = kept.get_mut(..front) else { return Ok(false) };
    kept.copy_from_slice(room.get(..front).unwrap_or_default());
    let outcome = page.codec().into(page.body, room);
    let mut whole = true;
    if optional && outcome.is_ok() {
        whole = room.split_first_chunk::<4>().is_some_and(|(head, rest)| {
            let n = u32::from_le_bytes(*head) as usize;
            let levels = rest.get(..n).filter(|_| n + 4 == front);
            levels.is_some_and(|levels| all_valid(levels, header.nvalues as usize))
        });
    }
    room.get_mut(..front).unwrap_or_default().copy_from_slice(kept);
    outcome?;
    Ok(whole)
}

/// Whether definition levels 0 or 1 say that no row is null, told by runs alone.
pub(super) fn all_valid(levels: &[u8], n: usize) -> bool {
    let Ok(mut runs) = Hybrid::new(levels, 1, n) else { return false };
    loop {
        match runs.next_run() {
            Ok(None) => return true,
            Ok(Some(Run::Same { value: 1, .. })) => {}
            _ => return false,
        }
    }
}
