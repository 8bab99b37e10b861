//! Scans rows in ranges of the input, one task each, and joins the columns in order.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::infer::columns::InferredColumn;
use crate::memory::Growth;
use crate::parallel::{Task, run};
use crate::progress::Progress;

use super::declared::DeclaredColumns;
use super::inference::{RangeColumn, empty_column};
use super::keys::RowKeys;
use super::rows::{JsonRows, RowContainer, scan_rows};
use super::walk::{RowForm, RowScanner, add_missing};
use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::json::value::{JsonRules, too_many_columns};

/// A scanned range.
#[derive(Debug)]
struct ScannedRange {
    walk: RowScanner<RangeColumn>,
    start: usize,
    /// The start of the next range's first row, or the end of the rows.
    end: usize,
    /// Whether the rows end in this range.
    is_last: bool,
}

/// Guesses where ranges of about `nbytes` begin. A right guess is the start of a row.
fn cuts(bytes: &[u8], source: &JsonRows, nbytes: usize) -> Vec<usize> {
    let mut out = vec![source.start];
    let mut at = source.start;
    while let Some(next) = at
        .checked_add(nbytes)
        .filter(|n| *n < bytes.len() && matches!(source.rows, RowContainer::Lines | RowContainer::Array))
    {
        let rest = bytes.get(next..).unwrap_or(&[]);
        let found = match source.rows {
            RowContainer::Lines => rest.iter().position(|&b| b == b'\n').map(|i| i + 1),
            _ => guess(rest.get(..WINDOW_NBYTES).unwrap_or(rest), source.row),
        };
        match found.map(|f| next + f).filter(|f| *f < bytes.len()) {
            Some(found) => {
                out.push(found);
                at = found;
            }
            // The row is longer than the window; the next range begins after it.
            None if source.rows == RowContainer::Array => at = (next + WINDOW_NBYTES).saturating_sub(nbytes),
            None => break,
        }
    }
    out
}

/// The number of bytes that are searched for the start of a row.
const WINDOW_NBYTES: usize = crate::parallel::split_from(1 << 20);

/// How far a range with a guessed start may read, in ranges. Inside a string, or in arrays inside a row, an apparent row
/// may never end; without the limit each range would be read to the end of the input.
const SIGHT: usize = 4;

/// Returns the bytes that a range may read: all of them if its start is certain.
fn sight<'b>(bytes: &'b [u8], source: &JsonRows, (i, start, limit): (usize, usize, usize)) -> &'b [u8] {
    let end = limit.saturating_add(limit.saturating_sub(start).saturating_mul(SIGHT));
    match source.rows {
        RowContainer::Array if i > 0 => bytes.get(..end).unwrap_or(bytes),
        _ => bytes,
    }
}

/// Guesses the start of a row in an array: after the end of another row and a comma. The scan of the preceding rows
/// confirms the guess.
fn guess(bytes: &[u8], row: RowForm) -> Option<usize> {
    let (open, close) = if row == RowForm::Named { (b'{', b'}') } else { (b'[', b']') };
    let mut state = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        state = match (state, byte) {
            (_, b) if b == close => 1,
            (1, b',') => 2,
            (2, b) if b == open => return Some(i),
            (s, b' ' | b'\n' | b'\r' | b'\t') => s,
            _ => 0,
        };
    }
    None
}

/// The columns of all rows.
#[derive(Debug, Default)]
pub(crate) struct ScannedRows {
    pub(crate) keys: RowKeys,
    pub(crate) columns: Vec<InferredColumn>,
    pub(crate) rows: usize,
    pub(crate) labels: Option<RowKeys>,
    /// Number of missing cells.
    pub(crate) missing: u64,
    /// The end of the rows, once known.
    pub(crate) end: usize,
    pub(crate) is_done: bool,
    /// Bytes scanned, including those after wrong guesses and those scanned again.
    #[cfg(test)]
    pub(crate) work_nbytes: usize,
}

impl ScannedRows {
    fn count(&mut self, start: usize, part: &Scanned<ScannedRange>) {
        #[cfg(test)]
        {
            let end = match part {
                Ok(part) => part.end,
                Err(fault) => fault.at,
            };
            self.work_nbytes += end.saturating_sub(start);
        }
        let _ = (start, part);
    }

    /// Appends a range's columns, in order.
    fn append(
        &mut self,
        part: &mut ScannedRange,
        (bytes, source): (&[u8], &JsonRows),
        rules: &JsonRules,
    ) -> Result<Scanned<()>> {
        let growth = Growth {
            done: part.end.saturating_sub(source.start),
            total: bytes.len().saturating_sub(source.start),
        };
        let ScannedRange { walk, start, .. } = part;
        if source.row == RowForm::Listed && self.rows == 0 {
            self.columns.resize_with(walk.columns.len(), empty_column);
        }
        for (place, column) in walk.columns.iter_mut().enumerate() {
            let to = match source.row {
                RowForm::Listed => place,
                RowForm::Named => {
                    let name = walk.keys.name(place);
                    match self.keys.place(name) {
                        Some(to) => to,
                        None => {
                            if self.keys.len() as u64 >= rules.max_columns {
                                return Ok(Err(too_many_columns(*start, rules)));
                            }
                            self.columns.push(empty_column());
                            self.keys.add(name, serde_json::Value::from(name).to_string().as_bytes())
                        }
                    }
                }
            };
            let Some(joined) = self.columns.get_mut(to) else { continue };
            if joined.len() < self.rows {
                let gap = self.rows - joined.len();
                match add_missing(self.missing, gap, *start, rules) {
                    Ok(missing) => self.missing = missing,
                    Err(fault) => return Ok(Err(fault)),
                }
                joined.nulls(gap)?;
            }
            joined.append(&mut column.column, growth)?;
        }
        self.rows += walk.rows;
        // Columns that this range lacks end where the range begins.
        let behind = self.columns.iter().map(|c| (self.rows - c.len()) as u64).sum::<u64>();
        self.missing += std::mem::take(&mut walk.missing);
        if let Err(fault) = add_missing(self.missing.saturating_add(behind), 0, part.end, rules) {
            return Ok(Err(fault));
        }
        self.labels = walk.labels.take();
        self.end = part.end;
        self.is_done = part.is_last;
        Ok(Ok(()))
    }

    /// Extends every column to the number of rows.
    pub(crate) fn fill(&mut self) -> Result<()> {
        for column in &mut self.columns {
            column.nulls(self.rows - column.len())?;
        }
        Ok(())
    }
}

/// Scanned ranges that wait for earlier ones.
struct Queue {
    next: usize,
    waiting: BTreeMap<usize, Scanned<ScannedRange>>,
    /// Columns whose memory is reused.
    spare: Vec<RowScanner<RangeColumn>>,
    out: ScannedRows,
    /// The fault or error that stopped the scan.
    fault: Option<Box<JsonFault>>,
    error: Option<Error>,
}

impl Queue {
    fn scan(
        &mut self,
        input: (&[u8], &JsonRows),
        extent: (usize, usize),
        walk: RowScanner<RangeColumn>,
        rules: &JsonRules,
    ) -> Scanned<ScannedRange> {
        let part = scan_part(input, extent, walk, rules);
        self.out.count(extent.0, &part);
        part
    }

    /// Joins the scanned ranges in order.
    fn advance(&mut self, (bytes, source): (&[u8], &JsonRows), cuts: &[usize], rules: &JsonRules) {
        while self.fault.is_none() && self.error.is_none() && !self.out.is_done {
            let Some(part) = self.waiting.remove(&self.next) else { return };
            let limit = cuts.get(self.next + 1).copied().unwrap_or(usize::MAX);
            let from = if self.next == 0 { source.start } else { self.out.end };
            let start = cuts.get(self.next).copied().unwrap_or(usize::MAX);
            self.next += 1;
            // A wrong guess: the previous row continues past it. Or the range could not read all of its last row.
            let is_sound = start == from && (part.is_ok() || start == source.start);
            let part = if is_sound {
                part
            } else {
                let fresh = RowScanner::new(RowKeys::default(), Vec::new());
                self.scan((bytes, source), (from, limit), fresh, rules)
            };
            // All rows have the width of the earlier ranges; a single range knows only its width.
            let width = self.out.columns.len();
            let alone = match &part {
                Ok(part) => part.walk.rows == 0 || part.walk.columns.len() == width,
                Err(_) => false,
            };
            let part = if alone || self.out.rows == 0 || source.row == RowForm::Named {
                part
            } else {
                let columns = std::iter::repeat_with(RangeColumn::default).take(width).collect();
                let known = RowScanner { is_fixed: true, ..RowScanner::new(RowKeys::default(), columns) };
                self.scan((bytes, source), (from, limit), known, rules)
            };
            match part {
                Err(fault) => self.fault = Some(fault),
                Ok(mut part) => match self.out.append(&mut part, (bytes, source), rules) {
                    Ok(Ok(())) => {
                        let RowScanner { mut columns, keys, .. } = part.walk;
                        columns.iter_mut().for_each(RangeColumn::clear);
                        self.spare.push(RowScanner::new(keys, columns));
                    }
                    Ok(Err(fault)) => self.fault = Some(fault),
                    Err(error) => self.error = Some(error),
                },
            }
        }
    }
}

fn scan_part(
    input: (&[u8], &JsonRows),
    (start, limit): (usize, usize),
    mut walk: RowScanner<RangeColumn>,
    rules: &JsonRules,
) -> Scanned<ScannedRange> {
    let (end, is_last) = scan_rows(input, (start, limit), &mut walk, rules, |_| RangeColumn::default())?;
    walk.fill(end, rules)?;
    Ok(ScannedRange { walk, start, end, is_last })
}

/// Scans all rows.
pub(crate) fn collect(
    (bytes, source): (&[u8], &JsonRows),
    rules: &JsonRules,
    declared: &DeclaredColumns,
    (threads, range_nbytes): (usize, usize),
    progress: &dyn Progress,
) -> Result<Scanned<ScannedRows>> {
    let cuts = cuts(bytes, source, range_nbytes);
    let fresh =
        || if source.row == RowForm::Named { declared.object_scanner() } else { declared.array_scanner() };
    let queue = Mutex::new(Queue {
        next: 0,
        waiting: BTreeMap::new(),
        spare: Vec::new(),
        out: ScannedRows::default(),
        fault: None,
        error: None,
    });
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let tasks = cuts.iter().enumerate().map(|(i, &start)| {
        let limit = cuts.get(i + 1).copied().unwrap_or(usize::MAX);
        let (cuts, lock, fresh) = (&cuts, &lock, &fresh);
        Task::new(limit.min(bytes.len()).saturating_sub(start), move || {
            let walk = {
                let mut queue = lock();
                if queue.fault.is_some() || queue.error.is_some() || queue.out.is_done {
                    return Ok(());
                }
                queue.spare.pop().unwrap_or_else(fresh)
            };
            let seen = sight(bytes, source, (i, start, limit));
            let part = scan_part((seen, source), (start, limit), walk, rules);
            let mut queue = lock();
            queue.out.count(start, &part);
            queue.waiting.insert(i, part);
            queue.advance((bytes, source), cuts, rules);
            Ok(())
        })
    });
    run(tasks.collect(), threads, progress)?;
    let mut queue = queue.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = queue.error {
        return Err(error);
    }
    if let Some(fault) = queue.fault {
        return Ok(Err(fault));
    }
    let rows = queue.out.rows;
    queue.out.missing += queue.out.columns.iter().map(|c| (rows - c.len()) as u64).sum::<u64>();
    queue.out.fill()?;
    Ok(Ok(queue.out))
}
