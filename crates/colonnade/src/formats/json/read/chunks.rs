//! Incremental decoder of NDJSON: frames of some rows each, all of the first frame's types.

use crate::cells::place::Place;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::limits::StreamLimit;
use crate::progress::NoProgress;
use crate::text::header::{Exported, Header};
use crate::text::input::Encoding;

use super::context::{Context, RANGE_NBYTES};
use super::declared::Declared;
use super::lines::{FORMAT, first, table};
use super::options::{LinesReadOptions, ReadOptions};
use super::{frames, with_header};
use crate::cells::json::fault::Fault;

/// A decoder that bytes are fed to.
#[derive(Debug)]
pub struct Chunks {
    options: ReadOptions,
    /// Of bytes that wait.
    limit: StreamLimit,
    /// What has come; what is behind `taken` is no row of a frame yet.
    bytes: Vec<u8>,
    taken: usize,
    /// Up to here line ends were counted, and so many were found.
    seen: usize,
    lines: usize,
    /// Where `bytes[taken]` stands in the source.
    place: Place,
    /// Types: of the header, or of the first frame.
    header: Option<Header>,
    /// Whether they are of the first frame.
    is_inferred: bool,
    /// Rows so far.
    rows: usize,
    /// Whether the first line was looked at.
    has_begun: bool,
    is_finished: bool,
    /// Whether there was a frame.
    has_answered: bool,
}

/// Bytes that wait for the end of a line before they are moved to the front.
const MOVED_FROM_NBYTES: usize = 1 << 20;

impl Chunks {
    /// A decoder without bytes.
    ///
    /// # Errors
    /// Unsupported: an encoding that is not read piece by piece.
    pub fn new(options: LinesReadOptions) -> Result<Self> {
        if options.encoding != Encoding::Utf8 {
            let message =
                "chunks of rows are read from UTF-8 only. Read it whole, or write it again as UTF-8.";
            return Err(Error::unsupported(FORMAT, message));
        }
        Ok(Self {
            limit: StreamLimit::new(&options.limits),
            options: options.into(),
            bytes: Vec::new(),
            taken: 0,
            seen: 0,
            lines: 0,
            place: Place { line: 1, column: 1, byte: 0 },
            header: None,
            is_inferred: false,
            rows: 0,
            has_begun: false,
            is_finished: false,
            has_answered: false,
        })
    }

    /// Takes bytes that follow those before.
    ///
    /// # Errors
    /// Over the limit of bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        if self.taken >= MOVED_FROM_NBYTES && self.taken >= self.bytes.len() / 2 {
            self.bytes.drain(..self.taken);
            self.seen -= self.taken;
            self.taken = 0;
        }
        self.limit.check(FORMAT, (self.bytes.len() - self.taken) as u64 + bytes.len() as u64)?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Says that no more bytes come.
    ///
    /// # Errors
    /// None today; what is wrong with the last line, [`Chunks::next`] says.
    pub fn finish(&mut self) -> Result<()> {
        self.is_finished = true;
        Ok(())
    }

    /// The next `max_rows` rows, or fewer at the end; `None` where more bytes are needed, or none are left. Where no row came
    /// at all, one frame without rows.
    ///
    /// # Errors
    /// As of the whole; a number of rows that the header does not say, behind the last; a cell that is not of the first frame's types.
    pub fn next(&mut self, max_rows: usize) -> Result<Option<Frame>> {
        if !self.has_begun && !self.begin()? {
            return Ok(None);
        }
        while let Some(end) = self.end_of(max_rows.max(1)) {
            let frame = self.frame(end)?;
            self.pass(end);
            if let Some(frame) = frame {
                return Ok(Some(frame));
            }
        }
        if !self.is_finished {
            return Ok(None);
        }
        // Once: who asks again after the error is told that nothing is left.
        let expected = self.header.as_mut().and_then(|header| header.nrows.take());
        if let Some(expected) = expected.filter(|&n| n != self.rows) {
            self.has_answered = true;
            return Err(with_header::miscounted(FORMAT, expected, self.rows));
        }
        if self.has_answered {
            return Ok(None);
        }
        self.has_answered = true;
        let at = |_: usize| self.place;
        let context = self.context(&[], &at)?;
        let none = table(&context, 0, &self.declared())?;
        Ok(Some(match &self.header {
            Some(header) => with_header::chunk(&context, header, none, 0)?,
            None => frames::assemble(&context, none, None, None)?,
        }))
    }

    /// Looks at the first line, once it is there: a header is taken. False where more bytes are needed.
    fn begin(&mut self) -> Result<bool> {
        // Blank lines may be any number: no call for each.
        loop {
            if let Some(has_begun) = self.first()? {
                return Ok(has_begun);
            }
        }
    }

    /// Looks at one line; `None` where it says nothing.
    fn first(&mut self) -> Result<Option<bool>> {
        let rest = self.bytes.get(self.taken..).unwrap_or(&[]);
        if self.place.byte == 0 {
            const MARK: &[u8] = b"\xef\xbb\xbf";
            if rest.len() < MARK.len() && MARK.starts_with(rest) && !self.is_finished {
                return Ok(Some(false));
            }
            if rest.starts_with(MARK) {
                self.taken += MARK.len();
                self.seen = self.taken;
                self.place.byte = MARK.len() as u64;
                return Ok(None);
            }
        }
        let Some(end) = self.end_of(1) else {
            self.has_begun = self.is_finished;
            return Ok(Some(self.is_finished));
        };
        let line = self.bytes.get(self.taken..end).unwrap_or(&[]);
        // JSON's own white space and no more: a form feed is no blank.
        if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            self.pass(end);
            return Ok(None);
        }
        let place = |at: usize| self.place.after(line.get(..at).unwrap_or(line));
        let (header, _) = first(&self.context(line, &place)?)?;
        self.has_begun = true;
        if header.is_some() {
            self.header = header;
            self.pass(end);
        } else {
            (self.seen, self.lines) = (self.taken, 0);
        }
        Ok(Some(true))
    }

    /// Where `max_rows` more lines end: all that is left at the end of the input.
    fn end_of(&mut self, max_rows: usize) -> Option<usize> {
        while let Some(found) =
            self.bytes.get(self.seen..).and_then(|rest| rest.iter().position(|&b| b == b'\n'))
        {
            self.seen += found + 1;
            self.lines += 1;
            if self.lines >= max_rows {
                return Some(self.seen);
            }
        }
        self.seen = self.bytes.len();
        (self.is_finished && self.taken < self.bytes.len()).then_some(self.bytes.len())
    }

    /// Leaves what was taken behind.
    fn pass(&mut self, end: usize) {
        self.place = self.place.after(self.bytes.get(self.taken..end).unwrap_or(&[]));
        (self.taken, self.seen, self.lines) = (end, end, 0);
    }

    /// The rows up to `end`; `None` where there are only blank lines.
    fn frame(&mut self, end: usize) -> Result<Option<Frame>> {
        let bytes = self.bytes.get(self.taken..end).unwrap_or(&[]);
        let place = |at: usize| self.place.after(bytes.get(..at).unwrap_or(bytes));
        let context = self.context(bytes, &place)?;
        let rows = table(&context, 0, &self.declared())?;
        if rows.rows == 0 {
            return Ok(None);
        }
        let (frame, header) = match &self.header {
            Some(header) => (with_header::chunk(&context, header, rows, self.rows)?, None),
            None => {
                let frame = frames::assemble(&context, rows, None, None)?;
                let header = Header { nrows: None, ..Exported::new(&frame)?.header("records") };
                (frame, Some(header))
            }
        };
        if header.is_some() {
            (self.header, self.is_inferred) = (header, true);
        }
        self.rows += frame.nrows;
        self.has_answered = true;
        Ok(Some(frame))
    }

    fn declared(&self) -> Declared {
        self.header
            .as_ref()
            .filter(|_| !self.is_inferred)
            .map_or_else(Declared::default, |h| Declared::of(&h.schema))
    }

    fn hint(&self) -> &'static str {
        match self.is_inferred {
            true => " Types are those of the first chunk of rows: read more rows at once, or all of them.",
            false => "",
        }
    }

    fn context<'a>(&'a self, bytes: &'a [u8], place: &'a dyn Fn(usize) -> Place) -> Result<Context<'a>> {
        let (options, rules, range_nbytes) = (&self.options, self.options.rules(bytes.len()), RANGE_NBYTES);
        let context = Context {
            bytes,
            options,
            rules,
            format: FORMAT,
            range_nbytes,
            hint: self.hint(),
            progress: &NoProgress,
            place,
        };
        match simdutf8::compat::from_utf8(bytes) {
            Ok(_) => Ok(context),
            Err(e) => {
                let at = e.valid_up_to();
                let found = bytes.get(at).copied().unwrap_or(0);
                let message =
                    format!("expected UTF-8, found the byte {found:02X}. Write the file again as UTF-8.");
                Err(context.error(Fault::malformed(at, message)))
            }
        }
    }
}
