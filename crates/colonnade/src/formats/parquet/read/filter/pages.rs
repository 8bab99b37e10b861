//! The page index: the offsets of pages and the bounds of their values. An index prunes pages only if it is consistent in
//! itself, with the chunk's statistics and with the page headers.

use std::ops::Range;

use crate::error::Result;
use crate::formats::parquet::chunk::ColumnChunk;
use crate::formats::parquet::page::{PageHeader, PageType};
use crate::formats::parquet::statistics::StatisticsValue;
use crate::formats::parquet::thrift::{Thrift, ThriftType};

use super::bounds::{ChunkBounds, Contradiction, StatisticsType, ValueBounds};
use super::statistics_source::StatisticsSource;

/// Boundary orders that an index may declare.
const UNORDERED: i32 = 0;
const ASCENDING: i32 = 1;
const DESCENDING: i32 = 2;

/// The column index and the offset index of one chunk, which are consistent with each other.
#[derive(Debug)]
pub(super) struct PageIndex<'a> {
    pages: Vec<IndexedPage<'a>>,
}

/// A page as the indexes describe it.
#[derive(Debug)]
struct IndexedPage<'a> {
    rows: Range<usize>,
    offset: u64,
    nbytes: u64,
    /// Whether all its values are null.
    is_null: bool,
    nulls: Option<u64>,
    bounds: Option<ValueBounds<'a>>,
}

impl<'a> PageIndex<'a> {
    /// Reads the indexes of a chunk of `nrows` rows.
    pub(super) fn new(
        place: &StatisticsSource<'a>,
        chunk: &ColumnChunk<'_>,
        known: &StatisticsType,
        nrows: usize,
    ) -> std::result::Result<Option<Self>, Contradiction> {
        let (Some(bounds), Some(offsets)) = (chunk.column_index, chunk.offset_index) else { return Ok(None) };
        let columns =
            ColumnIndex::read(place.read(bounds.0, bounds.1), bounds.0).map_err(|_| Contradiction)?;
        let locations = locations(place.read(offsets.0, offsets.1), offsets.0).map_err(|_| Contradiction)?;
        let n = columns.null_pages.len();
        let agree = |len: usize| len == 0 || len == n;
        if [columns.min.len(), columns.max.len(), locations.len()] != [n; 3] || !agree(columns.nulls.len()) {
            return Err(Contradiction);
        }
        let starts = locations.iter().map(|l| l.row).skip(1).chain([nrows as u64]);
        let mut pages = Vec::with_capacity(n);
        for (k, (location, end)) in locations.iter().zip(starts).enumerate() {
            let rows =
                usize::try_from(location.row).ok().zip(usize::try_from(end).ok()).ok_or(Contradiction)?;
            let Some(is_null) = columns.null_pages.get(k).copied().flatten() else {
                return Err(Contradiction);
            };
            let ends = columns.min.get(k).copied().unwrap_or_default();
            let ends = (ends, columns.max.get(k).copied().unwrap_or_default());
            let nulls =
                columns.nulls.get(k).map(|n| u64::try_from(*n).map_err(|_| Contradiction)).transpose()?;
            let count = rows.1.checked_sub(rows.0).filter(|n| *n > 0).ok_or(Contradiction)? as u64;
            let wrong = nulls.is_some_and(|nulls| (nulls == count) != is_null || nulls > count);
            let bounded = is_null && (!ends.0.is_empty() || !ends.1.is_empty());
            if wrong || bounded || k == 0 && rows.0 != 0 || is_null && !known.optional {
                return Err(Contradiction);
            }
            let bounds =
                if is_null || !known.ordered { None } else { known.bounds(ends.0, ends.1, false)? };
            let (offset, nbytes) = (location.offset, location.nbytes);
            pages.push(IndexedPage { rows: rows.0..rows.1, offset, nbytes, is_null, nulls, bounds });
        }
        let out = Self { pages };
        if !out.histograms_agree(&columns.histograms, known) || !out.are_in_order(columns.order) {
            return Err(Contradiction);
        }
        Ok(Some(out))
    }

    /// Whether the definition level histograms match the null counts of the pages: nulls, then values.
    fn histograms_agree(&self, counts: &[i64], known: &StatisticsType) -> bool {
        let levels = 1 + usize::from(known.optional);
        let all = counts.len() == levels * self.pages.len();
        counts.is_empty()
            || all
                && self.pages.iter().zip(counts.chunks_exact(levels)).all(|(page, counts)| {
                    let nulls = if known.optional { counts.first().copied().unwrap_or(0) } else { 0 };
                    let sum = counts.iter().try_fold(0i64, |sum, n| sum.checked_add(*n));
                    sum == i64::try_from(page.rows.len()).ok()
                        && nulls >= 0
                        && page.nulls.is_none_or(|n| n == nulls.cast_unsigned())
                })
    }

    /// Whether the bounds have the declared boundary order.
    fn are_in_order(&self, order: Option<i32>) -> bool {
        let bounds: Vec<&ValueBounds<'_>> =
            self.pages.iter().filter_map(|page| page.bounds.as_ref()).collect();
        let all = |holds: &dyn Fn(&StatisticsValue<'_>, &StatisticsValue<'_>) -> bool| {
            bounds.windows(2).all(|pair| match pair {
                [a, b] => holds(&a.min, &b.min) && holds(&a.max, &b.max),
                _ => true,
            })
        };
        match order {
            Some(UNORDERED) => true,
            Some(ASCENDING) => all(&|a, b| a <= b),
            Some(DESCENDING) => all(&|a, b| a >= b),
            _ => false,
        }
    }

    /// Whether the chunk's statistics are consistent with these pages.
    pub(super) fn agrees(&self, chunk: &ChunkBounds<'_>) -> bool {
        let sum = self.pages.iter().map(|page| page.nulls).sum::<Option<u64>>();
        if sum.zip(chunk.nulls).is_some_and(|(pages, chunk)| pages != chunk) {
            return false;
        }
        let bounds = self.pages.iter().filter_map(|page| page.bounds.as_ref());
        chunk.bounds.as_ref().is_none_or(|chunk| bounds.into_iter().all(|page| page.are_within(chunk)))
    }

    /// Returns the rows of the pages whose bounds pass `predicate`.
    pub(super) fn rows(&self, predicate: impl Fn(&ValueBounds<'_>) -> bool) -> Vec<Range<usize>> {
        let pages =
            self.pages.iter().filter(|page| !page.is_null && page.bounds.as_ref().is_none_or(&predicate));
        pages.map(|page| page.rows.clone()).collect()
    }

    /// Whether the chunk's data pages match the index in their offsets, sizes and row counts.
    pub(super) fn is_of(&self, place: &StatisticsSource<'_>, chunk: &ColumnChunk<'_>) -> bool {
        let mut at = chunk.data_at;
        for page in &self.pages {
            let header = PageHeader::read(place.read(page.offset, page.nbytes), page.offset);
            let Ok(header) = header else { return false };
            let rows = match header.kind {
                PageType::Data { .. } => page.rows.len(),
                PageType::DataV2 { nulls, rows, .. } if page.nulls.is_none_or(|n| n == u64::from(nulls)) => {
                    rows as usize
                }
                _ => return false,
            };
            let n = header.nvalues as usize;
            if page.offset != at || header.end() as u64 != page.nbytes || [n, rows] != [page.rows.len(); 2] {
                return false;
            }
            at += page.nbytes;
        }
        at == chunk.start().saturating_add(chunk.compressed_nbytes)
    }
}

/// A stored ColumnIndex.
#[derive(Debug, Default)]
struct ColumnIndex<'a> {
    /// `None`: the byte means neither true nor false.
    null_pages: Vec<Option<bool>>,
    min: Vec<&'a [u8]>,
    max: Vec<&'a [u8]>,
    order: Option<i32>,
    nulls: Vec<i64>,
    /// Histograms of definition levels.
    histograms: Vec<i64>,
}

impl<'a> ColumnIndex<'a> {
    fn read(bytes: &'a [u8], base: u64) -> Result<Self> {
        let mut thrift = Thrift::new(bytes, base, "a column index");
        let t = &mut thrift;
        let (mut out, mut last) = (Self::default(), 0);
        while let Some(field) = t.field(&mut last)? {
            match (field.id, field.wire) {
                (1, ThriftType::List) => {
                    let (_, n) = t.list()?;
                    for _ in 0..n {
                        // Some writers store false as 0, some as 2.
                        let byte = t.byte()?;
                        out.null_pages.push((byte < 3).then_some(byte == 1));
                    }
                }
                (2, ThriftType::List) => binaries(t, &mut out.min)?,
                (3, ThriftType::List) => binaries(t, &mut out.max)?,
                (4, ThriftType::I32) => out.order = Some(t.i32()?),
                (5, ThriftType::List) => counts(t, &mut out.nulls)?,
                (7, ThriftType::List) => counts(t, &mut out.histograms)?,
                _ => t.skip(field.wire)?,
            }
        }
        Ok(out)
    }
}

fn binaries<'a>(t: &mut Thrift<'a>, out: &mut Vec<&'a [u8]>) -> Result<()> {
    match t.list()? {
        (ThriftType::Binary, n) => {
            for _ in 0..n {
                out.push(t.binary()?);
            }
            Ok(())
        }
        (_, 0) => Ok(()),
        (wire, _) => Err(t.fault(&format!("expected a list of bounds, found one of {wire:?}"))),
    }
}

fn counts(t: &mut Thrift<'_>, out: &mut Vec<i64>) -> Result<()> {
    match t.list()? {
        (ThriftType::I64, n) => {
            for _ in 0..n {
                out.push(t.i64()?);
            }
            Ok(())
        }
        (_, 0) => Ok(()),
        (wire, _) => Err(t.fault(&format!("expected a list of counts, found one of {wire:?}"))),
    }
}

/// A stored PageLocation.
#[derive(Debug)]
struct PageLocation {
    offset: u64,
    nbytes: u64,
    row: u64,
}

fn locations(bytes: &[u8], base: u64) -> Result<Vec<PageLocation>> {
    let mut thrift = Thrift::new(bytes, base, "an offset index");
    let t = &mut thrift;
    let (mut out, mut last) = (Vec::new(), 0);
    while let Some(field) = t.field(&mut last)? {
        if field.id != 1 || field.wire != ThriftType::List {
            t.skip(field.wire)?;
            continue;
        }
        for _ in 0..t.structs()? {
            let (mut found, mut inner) = ([None; 3], 0);
            while let Some(field) = t.field(&mut inner)? {
                match (field.id, field.wire) {
                    (1, ThriftType::I64) => found[0] = Some(t.count()?),
                    (2, ThriftType::I32) => found[1] = Some(t.count()?),
                    (3, ThriftType::I64) => found[2] = Some(t.count()?),
                    _ => t.skip(field.wire)?,
                }
            }
            let [Some(offset), Some(nbytes), Some(row)] = found else {
                return Err(t.fault("a page has no place, no size or no first row"));
            };
            out.push(PageLocation { offset, nbytes, row });
        }
    }
    Ok(out)
}
