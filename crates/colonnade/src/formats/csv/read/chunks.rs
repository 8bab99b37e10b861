//! Decodes rows in chunks while the text arrives.
//!
//! A header, `dtypes` or the first rows determine the types. A later cell of another type is an error. All columns are in Arrow's
//! layout, so that chunks with and without nulls have the same type.

use super::kinds::InferredType;
use super::line_errors::TOO_LONG;
use super::lines::LineEnds;
use super::opening::{Preamble, open};
use super::options::ReadOptions;
use super::pass::max_line_nbytes;
use super::schema::{another_count, check_end};
use super::sniff::Sniffer;
use super::stream::TextStream;
use super::whole::{DecodedRows, InputReader};
use super::{FORMAT, category};
use crate::cells::place::TextPosition;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Frame, Labels};
use crate::limits::StreamLimit;
use crate::progress::NoProgress;

/// An incremental decoder from bytes to frames.
#[derive(Debug)]
pub struct CsvChunks {
    options: ReadOptions,
    /// Limits the text that is buffered.
    limit: StreamLimit,
    stream: TextStream,
    text: Vec<u8>,
    /// Bytes of `text` that are already decoded.
    taken: usize,
    ended: bool,
    /// The position of the first byte that is not decoded yet.
    place: TextPosition,
    sniffer: Option<Sniffer>,
    /// The preamble is parsed again only when the text has this length.
    try_at: usize,
    opened: Option<(Preamble, LineEnds)>,
    kinds: Option<Vec<Option<InferredType>>>,
    rows: usize,
    dropped: u64,
    nulled: u64,
    has_yielded: bool,
}

impl CsvChunks {
    /// A decoder without input.
    ///
    /// # Errors
    /// Options that contradict each other.
    pub fn new(options: ReadOptions) -> Result<Self> {
        options.check()?;
        if options.declared_dtypes().any(|dtype| dtype == category::NAME) {
            let named = options.dtypes.iter().find(|(_, dtype)| dtype == category::NAME);
            let name = named.map_or("all columns", |(name, _)| name.as_str());
            let message = "dtype: categories are those of all rows, which a reader of chunks does not know. Say \"str\", or \
                           read the file whole.";
            return Err(Error::invalid_option(FORMAT, message).in_member(name));
        }
        Ok(Self {
            limit: StreamLimit::new(&options.limits),
            stream: TextStream::new(options.encoding),
            options,
            text: Vec::new(),
            taken: 0,
            ended: false,
            place: TextPosition { line: 1, column: 1, byte: 0 },
            sniffer: None,
            try_at: 0,
            opened: None,
            kinds: None,
            rows: 0,
            dropped: 0,
            nulled: 0,
            has_yielded: false,
        })
    }

    /// Adds the next bytes of the input.
    ///
    /// # Errors
    /// Malformed: bytes that are invalid in the encoding; the limit.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        if self.taken > 0 {
            self.text.drain(..self.taken);
            if let Some((_, lines)) = &mut self.opened {
                lines.shift(self.taken);
            }
            self.taken = 0;
        }
        self.stream.feed(bytes, &mut self.text, &mut self.place)?;
        // The buffer holds an incomplete line, or text that is not decoded yet. An endless source may send a line without an end.
        self.limit.check(FORMAT, self.text.len() as u64)
    }

    /// Ends the input.
    ///
    /// # Errors
    /// Malformed: the input ends inside a character.
    pub fn finish(&mut self) -> Result<()> {
        self.feed(&[])?;
        self.stream.finish(&mut self.text, &mut self.place)?;
        self.ended = true;
        Ok(())
    }

    /// Number of rows dropped so far.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Number of rows padded or cut, and of cells replaced by null, so far.
    #[must_use]
    pub fn nulled(&self) -> u64 {
        self.nulled
    }

    /// The next `max_rows` rows, or fewer at the end of the input; `None` if more bytes are needed. Rows are returned as soon as
    /// their last line is complete. An input without rows yields one frame without rows.
    ///
    /// # Errors
    /// Malformed, with line, column and byte; a cell of another type than the first rows.
    pub fn next(&mut self, max_rows: usize) -> Result<Option<Frame>> {
        let max_rows = max_rows.max(1);
        if !self.open(max_rows)? {
            return Ok(None);
        }
        // Blank lines and comments yield no frame, so the loop continues with the lines after them.
        while let Some(end) = self.end(max_rows)? {
            let frame = self.take(end)?;
            let last = self.ended && end == self.text.len();
            if frame.nrows > 0 || (last && !self.has_yielded) {
                self.has_yielded = true;
                return Ok(Some(frame));
            }
            if last {
                break;
            }
        }
        self.check_all()?;
        Ok(None)
    }

    /// Refuses an input with fewer rows than the header declares, when no rows are left to decode.
    fn check_all(&self) -> Result<()> {
        let Some((opening, _)) = self.opened.as_ref().filter(|_| self.ended && self.taken == self.text.len())
        else {
            return Ok(());
        };
        let counted = self.rows as u64 + self.dropped;
        match opening.header.as_ref().and_then(|header| header.nrows) {
            Some(expected) if expected as u64 != counted && opening.ncols > 0 => {
                let place = self.stream.after(self.place, &[]);
                Err(place.error(ErrorKind::Malformed, FORMAT, None, another_count(expected, counted)))
            }
            _ => Ok(()),
        }
    }

    /// The end of the next rows; `None` if they are incomplete, or if no rows are left.
    fn end(&mut self, max_rows: usize) -> Result<Option<usize>> {
        let Some((opening, lines)) = &mut self.opened else { return Ok(None) };
        if let Some(end) = lines.end(&self.text, &opening.rules, max_rows) {
            return Ok(Some(end));
        }
        if self.ended {
            let none = self.has_yielded && self.taken == self.text.len();
            return Ok((!none).then_some(self.text.len()));
        }
        let last = lines.last();
        self.not_too_long(last)?;
        Ok(None)
    }

    /// Refuses an incomplete line that begins at `start` and exceeds the limit.
    fn not_too_long(&self, start: usize) -> Result<()> {
        if self.text.len() - start <= max_line_nbytes() {
            return Ok(());
        }
        let before = self.text.get(self.taken..start).unwrap_or_default();
        let place = self.stream.after(self.place, before);
        Err(place.error(ErrorKind::LimitExceeded, FORMAT, None, TOO_LONG))
    }

    /// Parses the preamble. Returns whether it is complete.
    fn open(&mut self, max_rows: usize) -> Result<bool> {
        if self.opened.is_some() {
            return Ok(true);
        }
        let sniffer = self.sniffer.get_or_insert_with(|| Sniffer::new(&self.options, max_rows));
        if !sniffer.enough(&self.text, self.ended) {
            let start = sniffer.end();
            self.not_too_long(start)?;
            return Ok(false);
        }
        if self.text.len() < self.try_at && !self.ended {
            return Ok(false);
        }
        let (front, text, stream) = (self.place, &self.text, &self.stream);
        let place = |at: usize| stream.after(front, text.get(..at).unwrap_or_default());
        match open(text, &self.options, sniffer, self.ended, &place)? {
            // The rows of names are incomplete, or the text so far has only blank lines and comments.
            None => {
                let start = sniffer.front();
                self.try_at = 2 * self.text.len();
                self.not_too_long(start)?;
                Ok(false)
            }
            Some(opening) => {
                self.place = place(opening.body);
                self.taken = opening.body;
                let lines = LineEnds::new(opening.body, opening.ncols);
                self.opened = Some((opening, lines));
                Ok(true)
            }
        }
    }

    /// Decodes the rows up to `end`.
    fn take(&mut self, end: usize) -> Result<Frame> {
        let Some((opening, lines)) = &mut self.opened else {
            return Err(Error::malformed(FORMAT, "nothing was opened."));
        };
        let (front, stream) = (self.place, &self.stream);
        let bytes = self.text.get(self.taken..end).unwrap_or_default();
        let place = |at: usize| stream.after(front, bytes.get(..at).unwrap_or_default());
        // `bytes` starts at the first row.
        opening.body = 0;
        let reading = InputReader {
            bytes,
            options: &self.options,
            opening,
            place: &place,
            chunk: Some(self.rows),
            progress: &NoProgress,
        };
        let DecodedRows { mut frame, dropped, nulled, kinds } = reading.rows(self.kinds.as_deref())?;
        if self.kinds.is_none() && frame.nrows > 0 {
            self.kinds = Some(kinds);
        }
        let expected = opening.header.as_ref().and_then(|header| header.nrows);
        let so_far = self.rows + frame.nrows;
        let counted = so_far as u64 + self.dropped + dropped;
        let last = self.ended && end == self.text.len();
        if last && opening.header.is_some() {
            check_end(bytes, place(bytes.len()))?;
        }
        if let Some(expected) = expected.filter(|n| *n as u64 != counted && (last || counted > *n as u64))
            && opening.ncols > 0
        {
            let message = another_count(expected, counted);
            return Err(place(end).error(ErrorKind::Malformed, FORMAT, None, message));
        }
        if let Labels::Auto { start, stop, step: 1, .. } = &mut frame.index.labels
            && *start == 0
            && opening.header.is_none()
        {
            let first = i64::try_from(self.rows).unwrap_or(i64::MAX);
            (*start, *stop) = (first, stop.saturating_add(first));
        }
        lines.forget(end);
        self.place = stream.after_lines(front, bytes);
        (self.taken, self.rows) = (end, so_far);
        (self.dropped, self.nulled) = (self.dropped + dropped, self.nulled + nulled);
        Ok(frame)
    }
}
