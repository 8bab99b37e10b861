//! Where lines end in text that comes in bit by bit: each byte is looked at once.
//!
//! Lines that cannot be read end somewhere too; the error comes when they are read.

use std::collections::VecDeque;

use super::rules::DialectRules;

/// What the bytes before the next one mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineState {
    /// A line end, or nothing.
    Line,
    /// A delimiter.
    Cell,
    /// Part of a cell.
    Inside,
    /// A quote that opens, or part of a cell between quotes.
    Quoted,
    /// A quote that closes, unless another follows.
    Closed,
    /// An escape character, outside quotes and between them.
    Escaped,
    QuotedEscaped,
    Comment,
}

/// Ends of lines.
#[derive(Debug)]
pub(super) struct LineEnds {
    state: LineState,
    /// Whether the line says something: blank lines and comments are no rows.
    says: bool,
    /// Whether blanks say nothing.
    blanks: bool,
    at: usize,
    /// The end of the last whole line.
    last: usize,
    /// Ends of lines that may be rows.
    ends: VecDeque<usize>,
}

impl LineEnds {
    /// Lines from `at` on, of rows of `ncols` cells.
    pub(super) fn new(at: usize, ncols: usize) -> Self {
        Self { state: LineState::Line, says: false, blanks: ncols > 1, at, last: at, ends: VecDeque::new() }
    }

    /// The end of the line that is number `wanted` (from 1), or `None` where it has not come. `text` only grows.
    pub(super) fn end(&mut self, text: &[u8], rules: &DialectRules, wanted: usize) -> Option<usize> {
        while self.ends.len() < wanted {
            let rest = text.get(self.at..).unwrap_or_default();
            // Nothing happens inside cells for many bytes.
            let skipped = match self.state {
                LineState::Inside if self.says => rest.iter().position(|b| {
                    *b == rules.delimiter || *b == rules.newline || *b == rules.comment || *b == rules.escape
                }),
                LineState::Quoted => rest.iter().position(|b| *b == rules.quote || *b == rules.escape),
                LineState::Comment => rest.iter().position(|b| *b == rules.newline),
                _ => Some(0),
            };
            let Some(&byte) = skipped.and_then(|n| rest.get(n)) else {
                self.at = text.len();
                return None;
            };
            self.at += skipped.unwrap_or(0) + 1;
            self.take(byte, rules);
        }
        self.ends.get(wanted.checked_sub(1)?).copied()
    }

    fn take(&mut self, byte: u8, rules: &DialectRules) {
        let blank = byte == b'\r' || (self.blanks && matches!(byte, b' ' | b'\t') && byte != rules.delimiter);
        let unquoted = |byte: u8| match byte {
            _ if byte == rules.newline => LineState::Line,
            _ if byte == rules.delimiter => LineState::Cell,
            _ if byte == rules.comment => LineState::Comment,
            _ if byte == rules.escape => LineState::Escaped,
            _ => LineState::Inside,
        };
        self.state = match self.state {
            LineState::Line if byte == rules.comment => LineState::Comment,
            LineState::Line | LineState::Cell if byte == rules.quote => LineState::Quoted,
            LineState::Closed if byte == rules.quote => LineState::Quoted,
            LineState::Line | LineState::Cell | LineState::Inside | LineState::Closed => unquoted(byte),
            LineState::Quoted if byte == rules.escape => LineState::QuotedEscaped,
            LineState::Quoted if byte == rules.quote && rules.doublequote => LineState::Closed,
            LineState::Quoted if byte == rules.quote => LineState::Inside,
            LineState::Quoted | LineState::QuotedEscaped => LineState::Quoted,
            LineState::Escaped => LineState::Inside,
            LineState::Comment if byte == rules.newline => LineState::Line,
            LineState::Comment => LineState::Comment,
        };
        match self.state {
            LineState::Line => {
                self.last = self.at;
                if std::mem::take(&mut self.says) {
                    self.ends.push_back(self.at);
                }
            }
            LineState::Comment => {}
            LineState::Inside if blank => {}
            _ => self.says = true,
        }
    }

    /// Where the last whole line ends.
    pub(super) fn last(&self) -> usize {
        self.last
    }

    /// Forgets the lines before `end`.
    pub(super) fn forget(&mut self, end: usize) {
        while self.ends.front().is_some_and(|line| *line <= end) {
            self.ends.pop_front();
        }
    }

    /// Says that `nbytes` at the front of the text are gone.
    pub(super) fn shift(&mut self, nbytes: usize) {
        self.at -= nbytes;
        self.last = self.last.saturating_sub(nbytes);
        self.ends.iter_mut().for_each(|end| *end -= nbytes);
    }
}
