//! Rows that may be wanted, by what is said of their row groups and pages: none of the others is decoded.

use std::ops::Range;

use arrow_schema::DataType;

use crate::error::Result;
use crate::parquet::footer::{Chunk, Group};
use crate::parquet::statistics::{self, Statistics, Value};
use crate::parquet::thrift::Thrift;
use crate::parquet::types::{Physical, Way};

use super::compile::Test;
use super::{Filter, bloom, pages};

/// Bloom filters beyond this size are not fetched.
const BLOOM_NBYTES: usize = 128 << 20;

/// A column that a filter looks at.
#[derive(Debug)]
pub(crate) struct Judged {
    /// Its name.
    pub(crate) name: String,
    /// What its leaf becomes.
    pub(crate) data_type: DataType,
    /// What its leaf is; `None` where its bounds say nothing: nested, encrypted.
    pub(crate) leaf: Option<(Physical, Way)>,
    /// Its place among the chunks of a row group.
    pub(crate) chunk: usize,
}

/// A filter whose terms know their columns: the place among those judged, and the test.
pub(crate) struct Terms(Vec<Vec<(usize, Test)>>);

impl Terms {
    /// The filter's terms for these columns, which are all that it names.
    ///
    /// # Errors
    /// As [`Test::new`].
    pub(crate) fn new(filter: &Filter, columns: &[Judged]) -> Result<Self> {
        let term = |term: &super::Term| {
            let place = columns.iter().position(|c| c.name == term.column);
            place
                .zip(place.and_then(|p| columns.get(p)))
                .map(|(place, column)| Test::new(term, &column.data_type).map(|test| (place, test)))
        };
        let list = |list: &Vec<super::Term>| list.iter().filter_map(term).collect::<Result<Vec<_>>>();
        filter.any.iter().map(list).collect::<Result<_>>().map(Self)
    }

    /// The lists.
    pub(crate) fn any(&self) -> &[Vec<(usize, Test)>] {
        &self.0
    }
}

/// What candidates are looked for in.
pub(crate) struct Place<'a> {
    /// The footer's bytes, and where they begin in the file.
    pub(crate) footer: (&'a [u8], u64),
    /// All bytes of the file.
    pub(crate) bytes: &'a [u8],
    /// Whether indexes and bloom filters are worth looking at: not where each is a request over a network.
    pub(crate) indexes: bool,
}

impl<'a> Place<'a> {
    /// Bytes of the file, as far as it has them.
    fn read(&self, offset: u64, nbytes: u64) -> &'a [u8] {
        let place = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(self.bytes.len());
        self.bytes.get(place(offset)..place(offset.saturating_add(nbytes))).unwrap_or_default()
    }
}

/// A test, and the chunk of the column that it looks at.
struct Looked<'a> {
    test: &'a Test,
    column: &'a Judged,
    physical: Physical,
    way: Way,
    chunk: &'a Chunk<'a>,
    nrows: usize,
    place: &'a Place<'a>,
}

/// Rows of each row group that may be wanted, in order.
///
/// # Errors
/// Malformed statistics and indexes.
pub(crate) fn candidates(
    terms: &Terms,
    columns: &[Judged],
    groups: &[Group<'_>],
    place: &Place<'_>,
) -> Result<Vec<Vec<Range<usize>>>> {
    let mut out = Vec::with_capacity(groups.len());
    for group in groups {
        let nrows = usize::try_from(group.nrows).unwrap_or(usize::MAX);
        let mut any: Vec<Range<usize>> = Vec::new();
        for list in terms.any() {
            let mut rows = all_rows(nrows);
            for (k, test) in list {
                let Some(column) = columns.get(*k) else { continue };
                let (Some((physical, way)), Some(chunk)) = (column.leaf, group.chunks.get(column.chunk))
                else {
                    continue;
                };
                let named = |e: crate::Error| e.in_member(format!("column {}", column.name));
                let looked = Looked { test, column, physical, way, chunk, nrows, place };
                if !looked.chunk_may().map_err(named)? {
                    rows.clear();
                    break;
                }
                rows = both(&rows, &looked.pages_may().map_err(named)?);
            }
            any = either(any, rows);
        }
        out.push(any);
    }
    Ok(out)
}

impl Looked<'_> {
    /// Whether any row of the chunk may be wanted.
    fn chunk_may(&self) -> Result<bool> {
        let Self { test, column, physical, way, chunk, nrows, place } = *self;
        if let Some(at) = chunk.statistics {
            let mut t = Thrift::new(place.footer.0, place.footer.1, "the footer");
            t.seek(at);
            let said = Statistics::read(&mut t)?;
            if said.nulls == Some(nrows as u64) && nrows > 0 {
                return Ok(false);
            }
            if let Some((min, max)) = said.bounds(&column.data_type, physical, way)
                && !between(test, min, max)
            {
                return Ok(false);
            }
        }
        let Some((at, _)) = chunk.bloom.filter(|_| place.indexes && looks_for_some(test)) else {
            return Ok(true);
        };
        let head = place.read(at, bloom::HEADER_NBYTES);
        let Some((front, nbytes)) = bloom::header(head, at)?.filter(|(_, n)| *n <= BLOOM_NBYTES) else {
            return Ok(true);
        };
        let bits = place.read(at + front as u64, nbytes as u64);
        Ok(bits.len() < nbytes || bloom::may_hold(bits, test, physical, way))
    }

    /// Rows of the pages that may have wanted ones.
    fn pages_may(&self) -> Result<Vec<Range<usize>>> {
        let Self { test, column, physical, way, chunk, nrows, place } = *self;
        let (Some(bounds), Some(offsets), true) = (chunk.column_index, chunk.offset_index, place.indexes)
        else {
            return Ok(all_rows(nrows));
        };
        let index = pages::ColumnIndex::read(place.read(bounds.0, bounds.1), bounds.0)?;
        let rows = pages::first_rows(place.read(offsets.0, offsets.1), offsets.0, nrows)?;
        if rows.len() != index.empty.len() {
            return Ok(all_rows(nrows));
        }
        let pages = index.empty.iter().zip(index.min.iter().zip(&index.max)).zip(rows);
        let mut out = Vec::new();
        for ((&empty, (&min, &max)), rows) in pages {
            let bounds = statistics::bounds(min, max, &column.data_type, physical, way);
            if !empty && bounds.is_none_or(|(min, max)| between(test, min, max)) {
                out.push(rows);
            }
        }
        Ok(either(Vec::new(), out))
    }
}

fn looks_for_some(test: &Test) -> bool {
    match test {
        Test::Ints(shape) => shape.one_of().is_some(),
        Test::Floats(shape) => shape.one_of().is_some(),
        Test::Words(shape) => shape.one_of().is_some(),
        Test::Wide(_) => false,
    }
}

/// Whether the test may hold of a value between two bounds.
fn between(test: &Test, min: Value<'_>, max: Value<'_>) -> bool {
    match (test, min, max) {
        (Test::Ints(shape), Value::Int(min), Value::Int(max)) => shape.may_hold(&min, &max),
        (Test::Wide(shape), Value::Wide(min), Value::Wide(max)) => shape.may_hold(&min, &max),
        // Bounds pass NaN by, of which `!=` holds.
        (Test::Floats(shape), Value::Float(min), Value::Float(max)) => {
            shape.holds(&f64::NAN) || shape.may_hold(&min, &max)
        }
        (Test::Words(shape), Value::Bytes(min), Value::Bytes(max)) => {
            shape.may_hold(&min.to_vec(), &max.to_vec())
        }
        _ => true,
    }
}

/// All of them, as runs.
fn all_rows(nrows: usize) -> Vec<Range<usize>> {
    std::iter::once(0..nrows).collect()
}

/// Rows of both.
fn both(one: &[Range<usize>], other: &[Range<usize>]) -> Vec<Range<usize>> {
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

/// Rows of either, neighbours joined.
fn either(mut one: Vec<Range<usize>>, other: Vec<Range<usize>>) -> Vec<Range<usize>> {
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
    fn ranges_are_joined_and_cut() {
        assert_eq!(either(vec![0..2, 5..9], vec![2..3, 4..6, 20..20]), [0..3, 4..9]);
        assert_eq!(both(&[0..5, 8..12], &[3..9, 11..20]), [3..5, 8..9, 11..12]);
        assert!(both(&[], &[0..9, 10..11]).is_empty());
    }
}
