//! Prunes row groups and pages by their statistics, indexes and bloom filters: only the remaining candidate rows are decoded.
//!
//! Statistics may be wrong. They prune rows only if nothing else that the file states about the same values contradicts them.

use std::ops::Range;

use arrow_schema::DataType;

use crate::error::Result;
use crate::filter::{CompiledTerms, Test};
use crate::formats::parquet::chunk::ColumnChunk;
use crate::formats::parquet::footer::RowGroup;
use crate::formats::parquet::statistics::Statistics;
use crate::formats::parquet::thrift::Thrift;

use super::bloom;
use super::bounds::{ChunkBounds, Contradiction, StatisticsType};
use super::pages::PageIndex;
use super::statistics_source::StatisticsSource;

/// Bloom filters beyond this size are not fetched.
const BLOOM_NBYTES: usize = 128 << 20;

/// A column of a filter.
#[derive(Debug)]
pub(crate) struct FilterColumn {
    /// Its name.
    pub(crate) name: String,
    /// Arrow type of its leaf.
    pub(crate) data_type: DataType,
    /// How its statistics are interpreted; `None` if they are not used.
    pub(crate) known: Option<StatisticsType>,
    /// Its position among the chunks of a row group.
    pub(crate) chunk: usize,
}

/// A test and the chunk that it applies to.
struct ChunkTest<'a> {
    test: &'a Test,
    known: &'a StatisticsType,
    chunk: &'a ColumnChunk<'a>,
    nrows: usize,
    place: &'a StatisticsSource<'a>,
}

/// Returns the candidate rows of each row group, in order.
///
/// # Errors
/// Malformed statistics and indexes.
pub(crate) fn candidates(
    terms: &CompiledTerms,
    columns: &[FilterColumn],
    groups: &[RowGroup<'_>],
    place: &StatisticsSource<'_>,
) -> Result<Vec<Vec<Range<usize>>>> {
    let mut out = Vec::with_capacity(groups.len());
    for group in groups {
        let nrows = usize::try_from(group.nrows).unwrap_or(usize::MAX);
        let mut any: Vec<Range<usize>> = Vec::new();
        for list in terms.any() {
            let mut rows = all_rows(nrows);
            for (k, test) in list {
                let Some(column) = columns.get(*k) else { continue };
                let (Some(known), Some(chunk)) = (&column.known, group.chunks.get(column.chunk)) else {
                    continue;
                };
                let named = |e: crate::Error| e.in_member(format!("column {}", column.name));
                let looked = ChunkTest { test, known, chunk, nrows, place };
                rows = intersection(&rows, &looked.rows().map_err(named)?);
                if rows.is_empty() {
                    break;
                }
            }
            any = union(any, rows);
        }
        out.push(any);
    }
    Ok(out)
}

impl<'a> ChunkTest<'a> {
    /// Returns the candidate rows of the chunk.
    fn rows(&self) -> Result<Vec<Range<usize>>> {
        let Self { test, chunk, nrows, place, .. } = *self;
        // Decoding reports the error of such a chunk.
        if chunk.nvalues != nrows as u64 || nrows == 0 {
            return Ok(all_rows(nrows));
        }
        let Ok((chunk_bounds, index)) = self.statistics()? else {
            return Ok(if self.bloom_may(None) { all_rows(nrows) } else { Vec::new() });
        };
        let is_null = chunk_bounds.nulls == Some(nrows as u64);
        if let Test::Null(wanted) = test {
            let is_valid = chunk_bounds.nulls == Some(0);
            return Ok(if (*wanted && is_valid) || (!wanted && is_null) {
                Vec::new()
            } else {
                all_rows(nrows)
            });
        }
        if is_null || chunk_bounds.bounds.as_ref().is_some_and(|bounds| !bounds.may_hold(test)) {
            return Ok(Vec::new());
        }
        if !self.bloom_may(Some(&chunk_bounds)) {
            return Ok(Vec::new());
        }
        let Some(index) = index else { return Ok(all_rows(nrows)) };
        let rows = union(Vec::new(), index.rows(|bounds| bounds.may_hold(test)));
        let prunes = rows.iter().map(ExactSizeIterator::len).sum::<usize>() < nrows;
        Ok(if prunes && !index.is_of(place, chunk) { all_rows(nrows) } else { rows })
    }

    /// Reads the statistics of the chunk and of its pages, which are consistent with each other.
    #[allow(clippy::type_complexity)] // a pair, or the contradiction in it
    fn statistics(
        &self,
    ) -> Result<std::result::Result<(ChunkBounds<'a>, Option<PageIndex<'a>>), Contradiction>> {
        let Self { known, chunk, nrows, place, .. } = *self;
        let chunk_bounds = match chunk.statistics {
            Some(at) => {
                let mut t = Thrift::new(place.footer.0, place.footer.1, "the footer");
                t.seek(at);
                ChunkBounds::new(&Statistics::read(&mut t)?, known, nrows)
            }
            None => Ok(ChunkBounds::default()),
        };
        let index = if place.indexes { PageIndex::new(place, chunk, known, nrows) } else { Ok(None) };
        let (Ok(chunk_bounds), Ok(index)) = (chunk_bounds, index) else { return Ok(Err(Contradiction)) };
        if index.as_ref().is_some_and(|index| !index.agrees(&chunk_bounds)) {
            return Ok(Err(Contradiction));
        }
        Ok(Ok((chunk_bounds, index)))
    }

    /// Whether the chunk's bloom filter may contain a matching value. `chunk_bounds`: the chunk's statistics.
    fn bloom_may(&self, chunk_bounds: Option<&ChunkBounds<'_>>) -> bool {
        let Self { test, known, chunk, place, .. } = *self;
        let Some((at, told_nbytes)) = chunk.bloom.filter(|_| place.indexes && has_literals(test)) else {
            return true;
        };
        let Some(bits) = self.bloom(at, told_nbytes) else { return true };
        let bounds = chunk_bounds.and_then(|chunk_bounds| chunk_bounds.bounds.as_ref());
        !bloom::is_of(bits, bounds, known) || bloom::may_hold(bits, test, known)
    }

    /// Returns the bitset of the bloom filter at byte `at`, if its header, the footer and the file agree on its length.
    fn bloom(&self, at: u64, declared: Option<u64>) -> Option<&'a [u8]> {
        let Self { chunk, place, .. } = *self;
        let (front, nbytes) = bloom::header(place.read(at, bloom::HEADER_NBYTES), at).ok().flatten()?;
        let whole = front as u64 + nbytes as u64;
        if nbytes > BLOOM_NBYTES || declared.is_some_and(|declared| declared != whole) {
            return None;
        }
        // The filter may overlap neither the footer nor the chunk's pages.
        let end = at.checked_add(whole)?;
        let pages = chunk.start()..chunk.start().saturating_add(chunk.compressed_nbytes);
        if at < 4 || end > place.footer.1 || at < pages.end && end > pages.start {
            return None;
        }
        let bits = place.read(at + front as u64, nbytes as u64);
        (bits.len() == nbytes).then_some(bits)
    }
}

fn has_literals(test: &Test) -> bool {
    match test {
        Test::Ints(shape) => shape.one_of().is_some(),
        Test::Floats(shape) => shape.one_of().is_some(),
        Test::Words(shape) => shape.one_of().is_some(),
        Test::Wide(_) | Test::Null(_) => false,
    }
}

/// Returns all rows as one run.
fn all_rows(nrows: usize) -> Vec<Range<usize>> {
    std::iter::once(0..nrows).collect()
}

/// Intersects two lists of ranges.
fn intersection(one: &[Range<usize>], other: &[Range<usize>]) -> Vec<Range<usize>> {
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        let (start, end) = (a.start.max(b.start), a.end.min(b.end));
        if start < end {
            out.push(start..end);
        }
        if a.end <= b.end { i += 1 } else { j += 1 }
    }
    out
}

/// Unites two lists of ranges and joins adjacent ones.
fn union(mut one: Vec<Range<usize>>, other: Vec<Range<usize>>) -> Vec<Range<usize>> {
    one.extend(other);
    one.sort_unstable_by_key(|r| r.start);
    let mut out: Vec<Range<usize>> = Vec::with_capacity(one.len());
    for range in one.into_iter().filter(|r| !r.is_empty()) {
        match out.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_unite_and_intersect() {
        assert_eq!(union(vec![0..2, 5..9], vec![2..3, 4..6, 20..20]), [0..3, 4..9]);
        assert_eq!(intersection(&[0..5, 8..12], &[3..9, 11..20]), [3..5, 8..9, 11..12]);
        assert!(intersection(&[], &[0..9, 10..11]).is_empty());
    }
}
