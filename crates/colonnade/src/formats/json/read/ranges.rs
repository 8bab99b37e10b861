//! Scans rows in ranges of the input, a task each, and joins the columns in order.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::infer::columns::Inferred;
use crate::parallel::{Task, run};
use crate::progress::Progress;

use super::declared::Declared;
use super::inference::{Part, inferred};
use super::keys::Keys;
use super::rows::{Rows, Source, scan_rows};
use super::walk::{Row, Walk, counted};
use crate::cells::json::fault::{Fault, Scanned};
use crate::cells::json::value::{Rules, too_many};

/// A scanned range.
#[derive(Debug)]
struct Range {
    walk: Walk<Part>,
    start: usize,
    /// Where the next range's first row begins, or the end of all.
    end: usize,
    /// Whether the rows end here.
    is_last: bool,
}

/// Where ranges of about `nbytes` probably begin: at rows, if the guess is right.
fn cuts(bytes: &[u8], source: &Source, nbytes: usize) -> Vec<usize> {
    let mut out = vec![source.start];
    let mut at = source.start;
    while let Some(next) = at
        .checked_add(nbytes)
        .filter(|n| *n < bytes.len() && matches!(source.rows, Rows::Lines | Rows::Array))
    {
        let rest = bytes.get(next..).unwrap_or(&[]);
        let found = match source.rows {
            Rows::Lines => rest.iter().position(|&b| b == b'\n').map(|i| i + 1),
            _ => guess(rest.get(..WINDOW_NBYTES).unwrap_or(rest), source.row),
        };
        match found.map(|f| next + f).filter(|f| *f < bytes.len()) {
            Some(found) => {
                out.push(found);
                at = found;
            }
            // A row that is longer than the window: the next one begins behind it.
            None if source.rows == Rows::Array => at = (next + WINDOW_NBYTES).saturating_sub(nbytes),
            None => break,
        }
    }
    out
}

/// Bytes in which the beginning of a row is looked for.
const WINDOW_NBYTES: usize = 1 << 20;

/// How far a guess is followed behind its own range, in ranges. In a text, or in arrays inside a row, what looks like a row may
/// be one that never ends: each range would be read to the end of all.
const SIGHT: usize = 4;

/// What a range may look at: everything where it certainly begins with a row.
fn sight<'b>(bytes: &'b [u8], source: &Source, (i, start, limit): (usize, usize, usize)) -> &'b [u8] {
    let end = limit.saturating_add(limit.saturating_sub(start).saturating_mul(SIGHT));
    match source.rows {
        Rows::Array if i > 0 => bytes.get(..end).unwrap_or(bytes),
        _ => bytes,
    }
}

/// Where a row of an array begins, perhaps: behind the end of another and a comma. Whoever scans the rows before finds out.
fn guess(bytes: &[u8], row: Row) -> Option<usize> {
    let (open, close) = if row == Row::Named { (b'{', b'}') } else { (b'[', b']') };
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

/// Columns of all rows.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) keys: Keys,
    pub(crate) columns: Vec<Inferred>,
    pub(crate) rows: usize,
    pub(crate) labels: Option<Keys>,
    /// Cells of missing keys.
    pub(crate) missing: u64,
    /// Behind the rows, once they have ended.
    pub(crate) end: usize,
    pub(crate) is_done: bool,
    /// Bytes that were scanned, those behind wrong guesses and those scanned again among them.
    #[cfg(test)]
    pub(crate) work_nbytes: usize,
}

impl Collected {
    fn count(&mut self, start: usize, part: &Scanned<Range>) {
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
    fn append(&mut self, part: &mut Range, source: &Source, rules: &Rules) -> Result<Scanned<()>> {
        let Range { walk, start, .. } = part;
        if source.row == Row::Listed && self.rows == 0 {
            self.columns.resize_with(walk.columns.len(), inferred);
        }
        for (place, column) in walk.columns.iter_mut().enumerate() {
            let to = match source.row {
                Row::Listed => place,
                Row::Named => {
                    let name = walk.keys.name(place);
                    match self.keys.place(name) {
                        Some(to) => to,
                        None => {
                            if self.keys.len() as u64 >= rules.max_columns {
                                return Ok(Err(too_many(*start, rules)));
                            }
                            self.columns.push(inferred());
                            self.keys.add(name, serde_json::Value::from(name).to_string().as_bytes())
                        }
                    }
                }
            };
            let Some(joined) = self.columns.get_mut(to) else { continue };
            if joined.len() < self.rows {
                let gap = self.rows - joined.len();
                match counted(self.missing, gap, *start, rules) {
                    Ok(missing) => self.missing = missing,
                    Err(fault) => return Ok(Err(fault)),
                }
                joined.nulls(gap)?;
            }
            joined.append(&mut column.column)?;
        }
        self.rows += walk.rows;
        // Columns that this range does not know end where it begins.
        let behind = self.columns.iter().map(|c| (self.rows - c.len()) as u64).sum::<u64>();
        self.missing += std::mem::take(&mut walk.missing);
        if let Err(fault) = counted(self.missing.saturating_add(behind), 0, part.end, rules) {
            return Ok(Err(fault));
        }
        self.labels = walk.labels.take();
        self.end = part.end;
        self.is_done = part.is_last;
        Ok(Ok(()))
    }

    /// Gives every column as many cells as there are rows.
    pub(crate) fn fill(&mut self) -> Result<()> {
        for column in &mut self.columns {
            column.nulls(self.rows - column.len())?;
        }
        Ok(())
    }
}

/// Ranges that were scanned and wait for the ones before them.
struct Queue {
    next: usize,
    waiting: BTreeMap<usize, Scanned<Range>>,
    /// Columns whose memory serves again.
    spare: Vec<Walk<Part>>,
    out: Collected,
    /// What stopped everything: of the rows, or the system's.
    fault: Option<Box<Fault>>,
    error: Option<Error>,
}

impl Queue {
    fn scan(
        &mut self,
        input: (&[u8], &Source),
        extent: (usize, usize),
        walk: Walk<Part>,
        rules: &Rules,
    ) -> Scanned<Range> {
        let part = scan_part(input, extent, walk, rules);
        self.out.count(extent.0, &part);
        part
    }

    /// Joins what is there in order.
    fn advance(&mut self, (bytes, source): (&[u8], &Source), cuts: &[usize], rules: &Rules) {
        while self.fault.is_none() && self.error.is_none() && !self.out.is_done {
            let Some(part) = self.waiting.remove(&self.next) else { return };
            let limit = cuts.get(self.next + 1).copied().unwrap_or(usize::MAX);
            let from = if self.next == 0 { source.start } else { self.out.end };
            let start = cuts.get(self.next).copied().unwrap_or(usize::MAX);
            self.next += 1;
            // A guess that was wrong: the row before goes on behind it. Or one that did not see all of its last row.
            let is_sound = start == from && (part.is_ok() || start == source.start);
            let part = if is_sound {
                part
            } else {
                let fresh = Walk::new(Keys::default(), Vec::new());
                self.scan((bytes, source), (from, limit), fresh, rules)
            };
            // Rows of arrays are as long as those of the ranges before; a range by itself knows only its own.
            let width = self.out.columns.len();
            let alone = match &part {
                Ok(part) => part.walk.rows == 0 || part.walk.columns.len() == width,
                Err(_) => false,
            };
            let part = if alone || self.out.rows == 0 || source.row == Row::Named {
                part
            } else {
                let columns = std::iter::repeat_with(Part::default).take(width).collect();
                let known = Walk { is_fixed: true, ..Walk::new(Keys::default(), columns) };
                self.scan((bytes, source), (from, limit), known, rules)
            };
            match part {
                Err(fault) => self.fault = Some(fault),
                Ok(mut part) => match self.out.append(&mut part, source, rules) {
                    Ok(Ok(())) => {
                        let Walk { mut columns, keys, .. } = part.walk;
                        columns.iter_mut().for_each(Part::clear);
                        self.spare.push(Walk::new(keys, columns));
                    }
                    Ok(Err(fault)) => self.fault = Some(fault),
                    Err(error) => self.error = Some(error),
                },
            }
        }
    }
}

fn scan_part(
    input: (&[u8], &Source),
    (start, limit): (usize, usize),
    mut walk: Walk<Part>,
    rules: &Rules,
) -> Scanned<Range> {
    let (end, is_last) = scan_rows(input, (start, limit), &mut walk, rules, |_| Part::default())?;
    walk.fill(end, rules)?;
    Ok(Range { walk, start, end, is_last })
}

/// Scans all rows.
pub(crate) fn collect(
    (bytes, source): (&[u8], &Source),
    rules: &Rules,
    declared: &Declared,
    (threads, range_nbytes): (usize, usize),
    progress: &dyn Progress,
) -> Result<Scanned<Collected>> {
    let cuts = cuts(bytes, source, range_nbytes);
    let fresh = || if source.row == Row::Named { declared.named() } else { declared.listed() };
    let queue = Mutex::new(Queue {
        next: 0,
        waiting: BTreeMap::new(),
        spare: Vec::new(),
        out: Collected::default(),
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
