//! Scans one row and passes each cell to its column.

use crate::limits::over_missing;

use super::keys::RowKeys;
use super::target::CellTarget;
use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::json::scan::Scan;
use crate::cells::json::value::{JsonRules, repeated_key, too_many_columns};

/// The form of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowForm {
    /// An object: cells by name.
    Named,
    /// An array: cells by position.
    Listed,
}

/// The columns of rows.
#[derive(Debug)]
pub(crate) struct RowScanner<T> {
    pub(crate) keys: RowKeys,
    pub(crate) columns: Vec<T>,
    pub(crate) rows: usize,
    /// Number of missing cells so far.
    pub(crate) missing: u64,
    /// Whether rows that are arrays must have as many cells as there are columns, including the first row.
    pub(crate) is_fixed: bool,
    /// Row labels, if rows are members of an object.
    pub(crate) labels: Option<RowKeys>,
}

impl<T: CellTarget> RowScanner<T> {
    pub(crate) fn new(keys: RowKeys, columns: Vec<T>) -> Self {
        Self { keys, columns, rows: 0, missing: 0, is_fixed: false, labels: None }
    }

    /// Scans the object at the current position, inside `depth` arrays and objects. New keys get a column from `new`.
    #[inline(always)]
    pub(crate) fn scan_object(
        &mut self,
        scan: &mut Scan<'_>,
        depth: u64,
        rules: &JsonRules,
        new: impl Fn(usize) -> T,
    ) -> Scanned<()> {
        scan.deepen(depth, rules)?;
        scan.expect(b'{', "an object, as each row is one")?;
        scan.space();
        if scan.peek() == b'}' {
            scan.at += 1;
            self.rows += 1;
            return Ok(());
        }
        let mut before = None;
        loop {
            let at = scan.at;
            let place = self.keys.take(scan, before, rules)?;
            if place >= self.columns.len() {
                self.columns.push(new(place));
            }
            let Some(column) = self.columns.get_mut(place) else {
                return Err(scan.unexpected("a known key"));
            };
            if column.len() != self.rows {
                if column.len() > self.rows {
                    return Err(repeated_key(at, self.keys.name(place)));
                }
                let missing = self.rows - column.len();
                self.missing = add_missing(self.missing, missing, at, rules)?;
                column.gap(missing)?;
            }
            if let Err(fault) = column.cell(scan, depth + 1, rules) {
                return Err(fault.within(self.keys.name(place)));
            }
            before = Some(place);
            match scan.more(b'}') {
                Ok(true) => {}
                Ok(false) => {
                    self.rows += 1;
                    return Ok(());
                }
                Err(fault) => return Err(fault.within(self.keys.name(place))),
            }
        }
    }

    /// Scans the array at the current position. All arrays have the length of the first, or the number of known columns.
    pub(crate) fn scan_array(
        &mut self,
        scan: &mut Scan<'_>,
        depth: u64,
        rules: &JsonRules,
        new: impl Fn(usize) -> T,
    ) -> Scanned<()> {
        let start = scan.at;
        scan.deepen(depth, rules)?;
        scan.expect(b'[', "an array, as each row is one")?;
        scan.space();
        let mut place = 0;
        if scan.peek() == b']' {
            scan.at += 1;
        } else {
            loop {
                if place >= self.columns.len() {
                    if self.rows > 0 || self.is_fixed {
                        return Err(ragged(start, self.columns.len(), "more"));
                    }
                    if place as u64 >= rules.max_columns {
                        return Err(too_many_columns(scan.at, rules));
                    }
                    self.columns.push(new(place));
                }
                if let Some(column) = self.columns.get_mut(place)
                    && let Err(fault) = column.cell(scan, depth + 1, rules)
                {
                    let named = place < self.keys.len();
                    return Err(if named {
                        fault.within(self.keys.name(place))
                    } else {
                        fault.within(&place.to_string())
                    });
                }
                place += 1;
                if !scan.more(b']')? {
                    break;
                }
            }
        }
        if place != self.columns.len() {
            return Err(ragged(start, self.columns.len(), &place.to_string()));
        }
        self.rows += 1;
        Ok(())
    }

    /// Extends every column to the number of rows, which end at `at`.
    pub(crate) fn fill(&mut self, at: usize, rules: &JsonRules) -> Scanned<()> {
        for column in &mut self.columns {
            let missing = self.rows - column.len();
            if missing > 0 {
                self.missing = add_missing(self.missing, missing, at, rules)?;
                column.gap(missing)?;
            }
        }
        Ok(())
    }
}

/// Adds missing cells and checks the limit: a key in one row makes a cell in every row.
pub(crate) fn add_missing(before: u64, more: usize, at: usize, rules: &JsonRules) -> Scanned<u64> {
    let missing = before.saturating_add(more as u64);
    if missing <= rules.max_missing {
        return Ok(missing);
    }
    let message = over_missing(missing, rules.nbytes, rules.max_missing);
    Err(JsonFault::new(crate::ErrorKind::LimitExceeded, at, message))
}

#[cold]
fn ragged(at: usize, expected: usize, found: &str) -> Box<JsonFault> {
    let message = format!(
        "expected a row of {expected} cells as the rows before have, found {found}. Write null where a cell is missing."
    );
    JsonFault::malformed(at, message)
}
