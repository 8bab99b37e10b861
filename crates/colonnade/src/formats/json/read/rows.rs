//! Scans rows: lines, entries of an array, or members of an object whose keys are row labels.

use super::target::Target;
use super::walk::{Row, Walk};
use crate::cells::json::fault::Scanned;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::{Rules, twice};

/// The structure around the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    /// One row per line.
    Lines,
    /// Entries of an array.
    Array,
    /// Members of an object, each after its label.
    Object,
    /// A single row.
    One,
}

/// The rows of an input and their position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source {
    /// The start of the first row, or the end of the array; in lines also white space before the row.
    pub(crate) start: usize,
    pub(crate) rows: Rows,
    pub(crate) row: Row,
    /// Number of arrays and objects around each row.
    pub(crate) depth: u64,
}

/// Scans rows from `start` on, until one begins at or after `limit`. Returns that position, and whether the rows have
/// ended.
pub(crate) fn scan_rows<T: Target>(
    (bytes, source): (&[u8], &Source),
    (start, limit): (usize, usize),
    walk: &mut Walk<T>,
    rules: &Rules,
    new: impl Fn(usize) -> T + Copy,
) -> Scanned<(usize, bool)> {
    let mut scan = Scan::new(bytes, start, source.rows == Rows::Lines);
    loop {
        match source.rows {
            Rows::Lines => loop {
                scan.space();
                if scan.peek() != b'\n' {
                    break;
                }
                scan.at += 1;
            },
            Rows::Array | Rows::Object | Rows::One => scan.space(),
        }
        if source.rows == Rows::Lines && scan.at >= scan.bytes.len() {
            return Ok((scan.at, true));
        }
        if scan.at >= limit {
            return Ok((scan.at, false));
        }
        if source.rows == Rows::Object {
            label(&mut scan, walk, rules)?;
        }
        match source.row {
            Row::Named => walk.named(&mut scan, source.depth, rules, new)?,
            Row::Listed => walk.listed(&mut scan, source.depth, rules, new)?,
        }
        if source.rows == Rows::One {
            return Ok((scan.at, true));
        }
        scan.space();
        match (source.rows, scan.peek()) {
            (Rows::Lines, b'\n') | (Rows::Array | Rows::Object, b',') => scan.at += 1,
            (Rows::Array, b']') | (Rows::Object, b'}') => {
                scan.at += 1;
                return Ok((scan.at, true));
            }
            (Rows::Lines, 0) if scan.at >= scan.bytes.len() => return Ok((scan.at, true)),
            (Rows::Lines, _) => return Err(scan.unexpected("the end of the line")),
            (Rows::Array, _) => return Err(scan.unexpected("a comma or the end of the array")),
            (Rows::Object | Rows::One, _) => return Err(scan.unexpected("a comma or the end of the object")),
        }
    }
}

/// Scans a row's label, which must be new.
fn label<T: Target>(scan: &mut Scan<'_>, walk: &mut Walk<T>, rules: &Rules) -> Scanned<()> {
    let labels = walk.labels.get_or_insert_default();
    let at = scan.at;
    let place = labels.take(scan, walk.rows.checked_sub(1), &Rules { max_columns: u64::MAX, ..*rules })?;
    if place < walk.rows { Err(twice(at, labels.name(place))) } else { Ok(()) }
}
