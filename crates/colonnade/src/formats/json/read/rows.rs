//! Scans rows: lines, entries of an array, or members of an object whose keys are row labels.

use super::target::CellTarget;
use super::walk::{RowForm, RowScanner};
use crate::cells::json::fault::Scanned;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::{JsonRules, repeated_key};

/// The structure around the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowContainer {
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
pub(crate) struct JsonRows {
    /// The start of the first row, or the end of the array; in lines also white space before the row.
    pub(crate) start: usize,
    pub(crate) rows: RowContainer,
    pub(crate) row: RowForm,
    /// Number of arrays and objects around each row.
    pub(crate) depth: u64,
}

/// Scans rows from `start` on, until one begins at or after `limit`. Returns that position, and whether the rows have
/// ended.
pub(crate) fn scan_rows<T: CellTarget>(
    (bytes, source): (&[u8], &JsonRows),
    (start, limit): (usize, usize),
    walk: &mut RowScanner<T>,
    rules: &JsonRules,
    new: impl Fn(usize) -> T + Copy,
) -> Scanned<(usize, bool)> {
    let mut scan = Scan::new(bytes, start, source.rows == RowContainer::Lines);
    loop {
        match source.rows {
            RowContainer::Lines => loop {
                scan.space();
                if scan.peek() != b'\n' {
                    break;
                }
                scan.at += 1;
            },
            RowContainer::Array | RowContainer::Object | RowContainer::One => scan.space(),
        }
        if source.rows == RowContainer::Lines && scan.at >= scan.bytes.len() {
            return Ok((scan.at, true));
        }
        if scan.at >= limit {
            return Ok((scan.at, false));
        }
        if source.rows == RowContainer::Object {
            label(&mut scan, walk, rules)?;
        }
        match source.row {
            RowForm::Named => walk.scan_object(&mut scan, source.depth, rules, new)?,
            RowForm::Listed => walk.scan_array(&mut scan, source.depth, rules, new)?,
        }
        if source.rows == RowContainer::One {
            return Ok((scan.at, true));
        }
        scan.space();
        match (source.rows, scan.peek()) {
            (RowContainer::Lines, b'\n') | (RowContainer::Array | RowContainer::Object, b',') => scan.at += 1,
            (RowContainer::Array, b']') | (RowContainer::Object, b'}') => {
                scan.at += 1;
                return Ok((scan.at, true));
            }
            (RowContainer::Lines, 0) if scan.at >= scan.bytes.len() => return Ok((scan.at, true)),
            (RowContainer::Lines, _) => return Err(scan.unexpected("the end of the line")),
            (RowContainer::Array, _) => return Err(scan.unexpected("a comma or the end of the array")),
            (RowContainer::Object | RowContainer::One, _) => {
                return Err(scan.unexpected("a comma or the end of the object"));
            }
        }
    }
}

/// Scans a row's label, which must be new.
fn label<T: CellTarget>(scan: &mut Scan<'_>, walk: &mut RowScanner<T>, rules: &JsonRules) -> Scanned<()> {
    let labels = walk.labels.get_or_insert_default();
    let at = scan.at;
    let place =
        labels.take(scan, walk.rows.checked_sub(1), &JsonRules { max_columns: u64::MAX, ..*rules })?;
    if place < walk.rows { Err(repeated_key(at, labels.name(place))) } else { Ok(()) }
}
