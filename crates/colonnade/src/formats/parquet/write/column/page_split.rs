//! Splits the rows of a column chunk into pages.

use std::ops::Range;

use crate::error::{Error, Result};

use super::leaf::{LeafColumn, NestedLevels, Physical};
use super::non_null_values::NonNullValues;
use super::settings::Settings;
use super::width;

/// The extent of a page.
pub(super) struct PageSplit {
    /// Entries, nulls included: rows of a flat leaf, positions in the levels of a nested one.
    pub(super) entries: Range<usize>,
    /// First row, counted from the start of the row group.
    pub(super) first_row: usize,
    /// Number of rows.
    pub(super) nrows: usize,
    /// Range of the non-null values.
    pub(super) values: Range<usize>,
}

/// Splits a leaf into pages: a flat one by its rows, a nested one by its levels.
///
/// # Errors
/// Levels that do not match the number of values.
pub(super) fn page_split(
    leaf: &LeafColumn<'_>,
    values: &NonNullValues<'_>,
    rows: &Range<usize>,
    levels: Option<&NestedLevels<'_>>,
    settings: &Settings,
) -> Result<Vec<PageSplit>> {
    let step = page_rows(leaf, values, settings);
    let pages = match levels {
        None => flat(leaf, values, rows, step, settings),
        Some(levels) => nested(levels, values, step, settings),
    };
    if pages.last().map_or(0, |page| page.values.end) != values.len() {
        return Err(Error::malformed("parquet", "a column's levels do not fit its values."));
    }
    Ok(pages)
}

fn flat(
    leaf: &LeafColumn<'_>,
    values: &NonNullValues<'_>,
    rows: &Range<usize>,
    step: usize,
    settings: &Settings,
) -> Vec<PageSplit> {
    let (mut out, mut row, mut given) = (Vec::new(), rows.start, 0);
    while row < rows.end {
        let mut now = row..row.saturating_add(step).min(rows.end);
        let mut n = leaf.validity.map_or(now.len(), |bits| bits.count(now.clone()));
        while now.len() > 1 && is_long(values, given..given + n, settings) {
            now.end = now.start + now.len() / 2;
            n = leaf.validity.map_or(now.len(), |bits| bits.count(now.clone()));
        }
        row = now.end;
        let (first_row, nrows) = (now.start - rows.start, now.len());
        out.push(PageSplit { entries: now, first_row, nrows, values: given..given + n });
        given += n;
    }
    out
}

/// Splits levels into pages of whole rows, which readers of the page index require.
fn nested(
    levels: &NestedLevels<'_>,
    values: &NonNullValues<'_>,
    step: usize,
    settings: &Settings,
) -> Vec<PageSplit> {
    let (mut out, mut at, mut row, mut given) = (Vec::new(), 0, 0, 0);
    while at < levels.definition.len() {
        let mut end = levels.next_row(at.saturating_add(step));
        let mut n = levels.count_values(at..end);
        while is_long(values, given..given + n, settings) {
            let half = levels.next_row(at + (end - at).div_ceil(2));
            if half >= end {
                break;
            }
            end = half;
            n = levels.count_values(at..end);
        }
        let nrows = levels.rows(at..end);
        out.push(PageSplit { entries: at..end, first_row: row, nrows, values: given..given + n });
        (at, row, given) = (end, row + nrows, given + n);
    }
    out
}

/// Whether a page of variable-length values is too large. Such a page is halved until it fits.
fn is_long(values: &NonNullValues<'_>, range: Range<usize>, settings: &Settings) -> bool {
    let NonNullValues::Text(texts) = values else { return false };
    let these = texts.get(range).unwrap_or_default();
    these.iter().map(|text| text.len() + 4).sum::<usize>() > 2 * settings.page_nbytes
}

/// Returns the number of rows per page.
fn page_rows(leaf: &LeafColumn<'_>, values: &NonNullValues<'_>, settings: &Settings) -> usize {
    let width = match (leaf.physical, values) {
        (Physical::Bytes, NonNullValues::Text(texts)) => {
            texts.iter().map(|t| t.len() + 4).sum::<usize>() / texts.len().max(1)
        }
        (Physical::Bytes, _) => 4,
        (other, _) => width(other),
    };
    (settings.page_nbytes / width.max(1)).clamp(1, settings.page_rows.max(1))
}
