//! Decodes NDJSON incrementally into frames with a given number of rows. All have the types of the first frame.

use crate::cells::place::TextPosition;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::limits::StreamLimit;
use crate::progress::NoProgress;
use crate::text::header::{ExportedFrame, TextHeader};
use crate::text::input::TextEncoding;

use super::context::{Context, RANGE_NBYTES};
use super::declared::DeclaredColumns;
use super::lines::{FORMAT, first, table};
use super::options::{LinesReadOptions, ReadOptions};
use super::{frames, with_header};
use crate::cells::json::fault::JsonFault;

/// An incremental decoder of NDJSON.
#[derive(Debug)]
pub struct NdjsonDecoder {
    options: ReadOptions,
    /// The limit of buffered bytes.
    limit: StreamLimit,
    /// The received bytes; those from `taken` on belong to no frame yet.
    bytes: Vec<u8>,
    taken: usize,
    /// The end of the bytes whose line ends were counted, and their number.
    seen: usize,
    lines: usize,
    /// The place of `bytes[taken]` in the source.
    place: TextPosition,
    /// The types, from the header or from the first frame.
    header: Option<TextHeader>,
    /// Whether the types come from the first frame.
    is_inferred: bool,
    /// Number of rows so far.
    rows: usize,
    /// Whether the first line was parsed.
    has_begun: bool,
    is_finished: bool,
    /// Whether a frame was returned.
    has_answered: bool,
}

/// A decoder moves the buffered bytes to the front only once this many taken bytes precede them.
const MOVED_FROM_NBYTES: usize = 1 << 20;

impl NdjsonDecoder {
    /// Creates a decoder without bytes.
    ///
    /// # Errors
    /// Unsupported: an encoding that has no incremental reader.
    pub fn new(options: LinesReadOptions) -> Result<Self> {
        if options.encoding != TextEncoding::Utf8 {
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
            place: TextPosition { line: 1, column: 1, byte: 0 },
            header: None,
            is_inferred: false,
            rows: 0,
            has_begun: false,
            is_finished: false,
            has_answered: false,
        })
    }

    /// Appends the next bytes.
    ///
    /// # Errors
    /// Over the limit of buffered bytes.
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

    /// Marks the end of the input.
    ///
    /// # Errors
    /// None today; [`NdjsonDecoder::next`] reports errors in the last line.
    pub fn finish(&mut self) -> Result<()> {
        self.is_finished = true;
        Ok(())
    }

    /// Returns the next `max_rows` rows, or fewer at the end; `None` if more bytes are needed or no row is left. Input
    /// without rows gives one frame without rows.
    ///
    /// # Errors
    /// As for whole input; after the last row, a number of rows other than the header's; a cell that does not fit the first
    /// frame's types.
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
        // The error is returned once; the next call finds no more rows.
        let expected = self.header.as_mut().and_then(|header| header.nrows.take());
        if let Some(expected) = expected.filter(|&n| n != self.rows) {
            self.has_answered = true;
            return Err(with_header::row_count_error(FORMAT, expected, self.rows));
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

    /// Parses the first line once it is complete, and takes its header. Returns false if more bytes are needed.
    fn begin(&mut self) -> Result<bool> {
        // A loop instead of recursion, because there may be any number of blank lines.
        loop {
            if let Some(has_begun) = self.first()? {
                return Ok(has_begun);
            }
        }
    }

    /// Parses one line; `None` for a blank line.
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
        // JSON's own white space only: a form feed is not blank.
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

    /// Returns the end of the next `max_rows` lines, or of the remaining lines at the end of the input.
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

    /// Discards the bytes of taken rows.
    fn pass(&mut self, end: usize) {
        self.place = self.place.after(self.bytes.get(self.taken..end).unwrap_or(&[]));
        (self.taken, self.seen, self.lines) = (end, end, 0);
    }

    /// Decodes the rows up to `end`; `None` if there are only blank lines.
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
                let header = TextHeader { nrows: None, ..ExportedFrame::new(&frame)?.header("records") };
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

    fn declared(&self) -> DeclaredColumns {
        self.header
            .as_ref()
            .filter(|_| !self.is_inferred)
            .map_or_else(DeclaredColumns::default, |h| DeclaredColumns::of(&h.schema))
    }

    fn hint(&self) -> &'static str {
        match self.is_inferred {
            true => " Types are those of the first chunk of rows: read more rows at once, or all of them.",
            false => "",
        }
    }

    fn context<'a>(
        &'a self,
        bytes: &'a [u8],
        place: &'a dyn Fn(usize) -> TextPosition,
    ) -> Result<Context<'a>> {
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
            label: |_, _| None,
        };
        match simdutf8::compat::from_utf8(bytes) {
            Ok(_) => Ok(context),
            Err(e) => {
                let at = e.valid_up_to();
                let found = bytes.get(at).copied().unwrap_or(0);
                let message =
                    format!("expected UTF-8, found the byte {found:02X}. Write the file again as UTF-8.");
                Err(context.error(JsonFault::malformed(at, message)))
            }
        }
    }
}
