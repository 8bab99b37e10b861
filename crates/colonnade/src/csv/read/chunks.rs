//! Rows out of text as it comes in, some at a time.
//!
//! Types are told by a header, by `dtypes`, or by the first rows; a later cell that does not fit is an error. All columns are in
//! Arrow's layout, which holds nulls whether there are some or not.

use std::collections::VecDeque;

use super::FORMAT;
use super::fields::Trouble;
use super::kinds::Kind;
use super::opening::{Opening, open};
use super::options::ReadOptions;
use super::pass::LONGEST;
use super::stream::Stream;
use super::walk::Walk;
use super::whole::{Reading, Rows};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Frame, Labels};
use crate::plan::NoProgress;
use crate::text::place::Place;

/// Bytes that are waited for before the dialect is told by the look, unless the input ends.
const LOOK_NBYTES: usize = 64 << 10;

/// Takes bytes, gives frames.
#[derive(Debug)]
pub struct Chunks {
    options: ReadOptions,
    stream: Stream,
    /// Text that no frame has taken yet.
    text: Vec<u8>,
    ended: bool,
    /// The place of the first byte of `text`.
    place: Place,
    opening: Option<Opening>,
    /// Nothing is tried again before there is as much text.
    try_at: usize,
    /// Bytes of whole lines at the front of `text`, and where some of them end.
    walked: usize,
    lines: VecDeque<usize>,
    kinds: Option<Vec<Option<Kind>>>,
    rows: usize,
    dropped: u64,
    nulled: u64,
    given: bool,
}

impl Chunks {
    /// Nothing has come yet.
    ///
    /// # Errors
    /// Options that do not go together.
    pub fn new(options: ReadOptions) -> Result<Self> {
        options.check()?;
        Ok(Self {
            stream: Stream::new(options.encoding),
            options,
            text: Vec::new(),
            ended: false,
            place: Place { line: 1, column: 1, byte: 0 },
            opening: None,
            try_at: 0,
            walked: 0,
            lines: VecDeque::new(),
            kinds: None,
            rows: 0,
            dropped: 0,
            nulled: 0,
            given: false,
        })
    }

    /// Takes what comes next.
    ///
    /// # Errors
    /// Malformed: bytes that the encoding has not; over the limit.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.feed(bytes, &mut self.text, self.place)?;
        let held = self.text.len() as u64;
        if held > self.options.limits.max_nbytes {
            let most = self.options.limits.max_nbytes;
            return Err(Error::limit(
                FORMAT,
                format!("{held} bytes wait, the limit is {most}. Take frames in between."),
            ));
        }
        Ok(())
    }

    /// No more bytes come.
    ///
    /// # Errors
    /// Malformed: the input ends inside a character.
    pub fn finish(&mut self) -> Result<()> {
        self.stream.finish(&mut self.text, self.place)?;
        self.ended = true;
        self.try_at = 0;
        Ok(())
    }

    /// Rows that were skipped so far.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Rows that were filled up and cells that became null so far.
    #[must_use]
    pub fn nulled(&self) -> u64 {
        self.nulled
    }

    /// The next rows, `max_rows` unless the input has ended; `None` where more bytes must come. Of an input without rows there
    /// is one frame, of none.
    ///
    /// # Errors
    /// Malformed, with line, column and byte; a cell that is not what the first rows were.
    pub fn next(&mut self, max_rows: usize) -> Result<Option<Frame>> {
        // Blank lines and skipped ones make no frame: the next lines are looked at, however many there are.
        loop {
            if let Some(found) = self.step(max_rows)? {
                return Ok(found);
            }
        }
    }

    /// The next rows as [`Chunks::next`] answers them; `None` where only lines that are no rows were taken.
    fn step(&mut self, max_rows: usize) -> Result<Option<Option<Frame>>> {
        if self.text.len() < self.try_at {
            return Ok(Some(None));
        }
        if self.opening.is_none() && !self.open()? {
            return Ok(Some(None));
        }
        let Some(opening) = &self.opening else { return Ok(Some(None)) };
        let wanted = max_rows.max(1);
        let mut end = self.text.len();
        if self.lines.len() < wanted
            && !walk(opening, &self.text, self.ended, &mut self.walked, &mut self.lines, wanted)
        {
            if !self.ended {
                let waiting = self.text.len() - self.walked;
                if waiting > LONGEST {
                    let message = "a line of more than 2**30 bytes.";
                    return Err(self.place_of(self.walked).error(
                        ErrorKind::LimitExceeded,
                        FORMAT,
                        None,
                        message,
                    ));
                }
                // A line that has not ended is looked at again once it has doubled: all looks together are linear.
                self.try_at = self.text.len() + waiting;
                return Ok(Some(None));
            }
        } else if self.lines.len() >= wanted {
            end = self.lines.get(wanted - 1).copied().unwrap_or(end);
        }
        if end == 0 && (self.given || !self.ended) {
            return Ok(Some(None));
        }
        let rows = self.take(end)?;
        self.lines.drain(..self.lines.len().min(wanted));
        self.lines.iter_mut().for_each(|line| *line -= end);
        self.walked = self.walked.saturating_sub(end);
        let empty = rows.nrows == 0;
        if empty && end > 0 {
            // Only blank lines or skipped ones.
            let waits = self.text.is_empty() && !self.ended;
            return Ok(if waits { Some(None) } else { None });
        }
        if empty && self.given {
            return Ok(Some(None));
        }
        self.given = true;
        Ok(Some(Some(rows)))
    }

    fn place_of(&self, at: usize) -> Place {
        self.place.after(self.text.get(..at).unwrap_or_default())
    }

    /// Reads what stands before the rows; whether it is all there.
    fn open(&mut self) -> Result<bool> {
        // A line feed may follow a carriage return that came last.
        let told = if self.ended { self.text.len() } else { self.text.len().saturating_sub(1) };
        let seen = self.text.get(..told).unwrap_or_default();
        let last = match self.text.last() {
            Some(b'\n') => Some(told),
            _ => seen.iter().rposition(|b| matches!(b, b'\n' | b'\r')),
        };
        let end = if self.ended { self.text.len() } else { last.map_or(0, |last| last + 1) };
        if !self.ended && (end == 0 || self.text.len() < LOOK_NBYTES) {
            self.try_at = (2 * self.text.len()).max(LOOK_NBYTES);
            return Ok(false);
        }
        let front = self.place;
        let text = self.text.get(..end).unwrap_or_default();
        let place = |at: usize| front.after(text.get(..at).unwrap_or_default());
        match open(text, &self.options, &place) {
            // Only blank lines and comments so far.
            Ok(opening) if opening.ncols == 0 && !self.ended => {
                self.try_at = 2 * self.text.len();
                Ok(false)
            }
            Ok(mut opening) => {
                self.place = self.place_of(opening.body);
                self.text.drain(..opening.body);
                opening.body = 0;
                self.opening = Some(opening);
                self.try_at = 0;
                Ok(true)
            }
            // The names may go on.
            Err(_) if !self.ended && self.text.len() < LONGEST => {
                self.try_at = 2 * self.text.len();
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// The rows of the first `end` bytes.
    fn take(&mut self, end: usize) -> Result<Frame> {
        let Some(opening) = &self.opening else {
            return Err(Error::malformed(FORMAT, "nothing was opened."));
        };
        let front = self.place;
        let bytes = self.text.get(..end).unwrap_or_default();
        let place = |at: usize| front.after(bytes.get(..at).unwrap_or_default());
        let reading =
            Reading { bytes, options: &self.options, opening, place: &place, chunk: Some(self.rows) };
        let read = match &opening.header {
            Some(_) => reading.told(&NoProgress)?,
            None => reading.inferred(self.kinds.as_deref(), &NoProgress)?,
        };
        let Rows { mut frame, dropped, nulled, kinds } = read;
        if self.kinds.is_none() && frame.nrows > 0 {
            self.kinds = Some(kinds);
        }
        let expected = opening.header.as_ref().and_then(|header| header.nrows);
        let so_far = self.rows + frame.nrows;
        let counted = so_far as u64 + self.dropped + dropped;
        let last = self.ended && end == self.text.len();
        if let Some(expected) = expected.filter(|n| *n as u64 != counted && (last || counted > *n as u64))
            && opening.ncols > 0
        {
            let message = format!(
                "the schema is not this file's: expected {expected} rows, found {counted}. The file was cut or changed: read it \
                 with schema=\"ignore\"."
            );
            return Err(place(end).error(ErrorKind::Malformed, FORMAT, None, message));
        }
        self.place = lines_on(self.place, bytes);
        self.text.drain(..end);
        if let Labels::Auto { start, stop, step: 1, .. } = &mut frame.index.labels
            && *start == 0
            && opening.header.is_none()
        {
            let first = i64::try_from(self.rows).unwrap_or(i64::MAX);
            (*start, *stop) = (first, stop.saturating_add(first));
        }
        self.rows = so_far;
        (self.dropped, self.nulled) = (self.dropped + dropped, self.nulled + nulled);
        Ok(frame)
    }
}

/// The place behind whole lines.
fn lines_on(place: Place, bytes: &[u8]) -> Place {
    if bytes.contains(&b'\r') {
        return place.after(bytes);
    }
    let lines = bytes.iter().filter(|b| **b == b'\n').count() as u64;
    match bytes.last() {
        Some(b'\n') => Place { line: place.line + lines, column: 1, byte: place.byte + bytes.len() as u64 },
        _ => place.after(bytes),
    }
}

/// Finds ends of whole lines until there are `wanted`; whether there are, or the rest cannot be read anyway.
fn walk(
    opening: &Opening,
    text: &[u8],
    ended: bool,
    walked: &mut usize,
    lines: &mut VecDeque<usize>,
    wanted: usize,
) -> bool {
    let mut walk = Walk::default();
    while lines.len() < wanted {
        let rest = text.get(*walked..).unwrap_or_default();
        if rest.is_empty() {
            return ended;
        }
        walk.clear();
        match walk.line(rest, 0, &opening.rules, LONGEST) {
            Ok(used) => {
                if !walk.ended && !ended {
                    return false;
                }
                *walked += used;
                lines.push_back(*walked);
            }
            // What has not come yet may mend it.
            Err(Trouble::Unclosed(_)) if !ended => return false,
            Err(Trouble::Return(at) | Trouble::Quote(at)) if !ended && at + 2 >= rest.len() => return false,
            Err(_) => {
                // All of it is read at once: what is wrong is told there.
                *walked = text.len();
                lines.push_back(*walked);
                return true;
            }
        }
    }
    true
}
