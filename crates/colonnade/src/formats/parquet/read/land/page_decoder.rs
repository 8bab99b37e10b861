//! The pages of a chunk into rows: what is the same for values of every width.

use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::formats::parquet::codec::PageCodec;
use crate::formats::parquet::delta::DeltaDecoder;
use crate::formats::parquet::levels::{LevelRuns, Validity, level_too_large, levels_too_short};
use crate::formats::parquet::page::{PageEncoding, PageType};
use crate::formats::parquet::rle_bit_packed::{RleBitPacked, RleBitPackedRun};

use super::super::chunk::Pages;
use super::super::page::{Page, Parts};
use super::Piece;

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
}

/// Makes rows of pages.
pub(super) trait Decoder {
    /// Where a page stands.
    type State<'p>
    where
        Self: 'p;

    /// Bytes of a row.
    fn item(&self) -> usize;

    /// Takes a dictionary.
    fn dictionary(&mut self, page: &Page<'_>, scratch: &mut Vec<u8>) -> Result<()>;

    /// Begins a page.
    fn begin<'p>(&'p self, parts: &'p Parts<'_>, optional: bool) -> Result<Self::State<'p>>;

    /// Writes the page's next rows to `out`.
    fn fill<'p>(
        &'p self,
        state: &mut Self::State<'p>,
        out: &mut [u8],
        nulls: Option<&mut Nulls>,
    ) -> Result<()>;

    /// Bytes of a value in the file, where those are the row's own.
    fn same(&self) -> Option<usize>;

    /// Bytes of a value in the file, where it is told as bytes.
    fn width(&self) -> Option<usize>;
}

/// Some rows of one chunk.
#[derive(Debug)]
pub(super) struct Job<'a, 'p> {
    /// Its dictionary, where `pages` begin behind it.
    pub(super) dictionary: Option<Page<'a>>,
    /// The pages from the first wanted on.
    pub(super) pages: Pages<'a>,
    /// Rows that are wanted, counted from the first of `pages`; they follow each other there and in the result.
    pub(super) pieces: &'p [Piece],
    /// Whether rows may be null.
    pub(super) optional: bool,
}

impl Job<'_, '_> {
    /// Decodes the rows to `out`.
    ///
    /// # Errors
    /// Malformed or truncated pages.
    pub(super) fn decode<D: Decoder>(
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
        // Rows of the pages before, rows that stand in `out`, and the next wanted row.
        let (mut first, mut row, mut wanted) = (0usize, 0usize, Wanted::new(self.pieces));
        while let Some((from, _)) = wanted.next {
            let Some(page) = self.pages.next_page()? else {
                let message = format!(
                    "its pages have {first} rows, more are wanted. The file is damaged; write it again."
                );
                return Err(Error::malformed("parquet", message));
            };
            let named = |e: Error| e.at(page.at);
            if matches!(page.header.kind, PageType::Dictionary { .. }) {
                decoder.dictionary(&page, page_room).map_err(named)?;
                continue;
            }
            let n = page.n();
            let end = first + n;
            if from >= end {
                first = end;
                continue;
            }
            if wanted.is_all(first, end)
                && let Some(nbytes) = decoder.same()
                && in_place(&page, self.optional, nbytes, out, row * item).map_err(named)?
            {
                if let Some(nulls) = nulls.as_deref_mut() {
                    nulls.none(n);
                }
                row += n;
                wanted.pass(end);
                first = end;
                continue;
            }
            let parts = page.parts(page_room)?;
            let plain;
            let parts = match (parts.encoding, decoder.width()) {
                (PageEncoding::DeltaByteArray, Some(width)) => {
                    self.pages.check_made(parts.n, width).map_err(named)?;
                    plain = undelta(parts.values, parts.n, width).map_err(named)?;
                    Parts { values: &plain, encoding: PageEncoding::Plain, ..parts }
                }
                _ => parts,
            };
            let mut state = decoder.begin(&parts, self.optional).map_err(named)?;
            let mut at = first;
            while let Some((from, until)) = wanted.next.filter(|(from, _)| *from < end) {
                let until = until.min(end);
                let strip = (STRIP_NBYTES / item.max(1)).clamp(1, STRIP_ROWS);
                while at < from {
                    let now = (from - at).min(strip);
                    rows_room.resize((now * item).div_ceil(16).max(rows_room.len()), 0);
                    let room = bytes_of(rows_room).get_mut(..now * item).unwrap_or_default();
                    decoder.fill(&mut state, room, None).map_err(named)?;
                    at += now;
                }
                let now = until - from;
                let place = out.get_mut(row * item..(row + now) * item).unwrap_or_default();
                decoder.fill(&mut state, place, nulls.as_deref_mut()).map_err(named)?;
                row += now;
                at = until;
                wanted.pass(until);
            }
            first = end;
        }
        Ok(())
    }
}

/// Rows that nobody wants are decoded so many at a time.
const STRIP_ROWS: usize = 16 << 10;
/// And no more than so many bytes.
const STRIP_NBYTES: usize = 1 << 20;

/// Which rows come next.
struct Wanted<'p> {
    rest: &'p [Piece],
    next: Option<(usize, usize)>,
}

impl<'p> Wanted<'p> {
    fn new(pieces: &'p [Piece]) -> Self {
        let mut out = Self { rest: pieces, next: None };
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

    /// Whether all rows of `first..end` are wanted, by one piece.
    fn is_all(&self, first: usize, end: usize) -> bool {
        self.next.is_some_and(|(from, until)| from == first && until >= end)
    }

    /// The rows before `end` were given.
    fn pass(&mut self, end: usize) {
        match self.next {
            Some((_, until)) if until > end => self.next = Some((end, until)),
            _ => self.advance(),
        }
    }
}

/// Where the values of a page and its levels stand; no levels: no row is null.
#[derive(Debug)]
pub(super) struct Rows<'p, V> {
    pub(super) values: V,
    pub(super) levels: Option<LevelRuns<'p>>,
}

impl<'p, V> Rows<'p, V> {
    pub(super) fn new(values: V, parts: &'p Parts<'_>, optional: bool) -> Result<Self> {
        let valid = !optional || all_valid(&parts.definition, parts.n);
        let levels = if valid {
            None
        } else {
            Some(LevelRuns::new(RleBitPacked::new(&parts.definition, 1, parts.n)?))
        };
        Ok(Self { values, levels })
    }
}

/// Rows of `item` bytes by their levels: `fill` writes those that are there, others are zero.
pub(super) fn by_rows(
    levels: Option<&mut LevelRuns<'_>>,
    item: usize,
    out: &mut [u8],
    nulls: Option<&mut Nulls>,
    mut fill: impl FnMut(&mut [u8]) -> Result<()>,
) -> Result<()> {
    let Some(levels) = levels else {
        if let Some(nulls) = nulls {
            nulls.none(out.len() / item);
        }
        return fill(out);
    };
    let (mut bits, mut out) = (nulls.map(Nulls::begin), out);
    while !out.is_empty() {
        let left = out.len() / item;
        let Some(run) = levels.next(left)? else {
            return Err(levels_too_short(left));
        };
        let n = run.len().min(left);
        let (now, later) = out.split_at_mut(n * item);
        match run {
            RleBitPackedRun::Same { value, .. } if value > 1 => return Err(level_too_large(value)),
            RleBitPackedRun::Same { value, .. } => {
                if value == 1 {
                    fill(now)?
                } else {
                    now.fill(0)
                }
                if let Some(bits) = bits.as_deref_mut() {
                    bits.push_same(value == 1, n);
                }
            }
            RleBitPackedRun::Packed { bytes, .. } => {
                for (row, to) in now.chunks_exact_mut(item).enumerate() {
                    let valid = bytes.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1);
                    if valid {
                        fill(to)?
                    } else {
                        to.fill(0)
                    }
                    if let Some(bits) = bits.as_deref_mut() {
                        bits.push(u64::from(valid), 1);
                    }
                }
            }
        }
        out = later;
    }
    Ok(())
}

/// Values of `width` bytes that share their beginnings with the ones before (DELTA_BYTE_ARRAY), as they are.
fn undelta(bytes: &[u8], n: usize, width: usize) -> Result<Vec<u8>> {
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
    let (shared, end) = lengths(bytes)?;
    let bytes = bytes.get(end..).unwrap_or_default();
    let (own, end) = lengths(bytes)?;
    let mut bytes = bytes.get(end..).unwrap_or_default();
    if shared.len() != own.len() {
        return Err(bad("values have other numbers of shared and of own lengths"));
    }
    // The first shares nothing, so its bytes are there; each of the others is as long.
    let mut out: Vec<u8> = Vec::new();
    for (&shared, &own) in shared.iter().zip(&own) {
        let lengths = (usize::try_from(shared).ok(), usize::try_from(own).ok());
        let (Some(shared), Some(own)) = lengths else { return Err(bad("a length is negative")) };
        let last = out.len().saturating_sub(width);
        if shared.checked_add(own) != Some(width) || last + shared > out.len() {
            return Err(bad(&format!("a value of {shared} shared and {own} own bytes, expected {width}")));
        }
        let Some((now, rest)) = bytes.split_at_checked(own) else {
            return Err(Error::truncated("parquet", "the values of a page", own as u64, bytes.len() as u64));
        };
        out.extend_from_within(last..last + shared);
        out.extend_from_slice(now);
        bytes = rest;
    }
    Ok(out)
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
    let mut kept = [0u8; MAX_FRONT_NBYTES];
    let Some(kept) = kept.get_mut(..front) else { return Ok(false) };
    kept.copy_from_slice(room.get(..front).unwrap_or_default());
    let outcome = page.codec().decompress(page.body, room);
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
    let Ok(mut runs) = RleBitPacked::new(levels, 1, n) else { return false };
    loop {
        match runs.next_run() {
            Ok(None) => return true,
            Ok(Some(RleBitPackedRun::Same { value: 1, .. })) => {}
            _ => return false,
        }
    }
}
