//! Finds line ends in text that arrives incrementally, and visits each byte once.
//!
//! Lines that cannot be decoded have an end too. Decoding them reports the error.

use std::collections::VecDeque;

use super::rules::DialectRules;

/// The meaning of the last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineState {
    /// A line end, or the start of the text.
    Line,
    /// A delimiter.
    Cell,
    /// Part of a cell.
    Inside,
    /// An opening quote, or part of a quoted cell.
    Quoted,
    /// A closing quote, unless another quote follows.
    Closed,
    /// An escape character, outside quotes.
    Escaped,
    QuotedEscaped,
    Comment,
}

/// The ends of lines, found so far.
#[derive(Debug)]
pub(super) struct LineEnds {
    state: LineState,
    /// Whether the line has content. Blank lines and comments are not rows.
    says: bool,
    /// Whether spaces and tabs are not content.
    blanks: bool,
    at: usize,
    /// The end of the last complete line.
    last: usize,
    /// Ends of lines that may be rows.
    ends: VecDeque<usize>,
}

impl LineEnds {
    /// Starts at offset `at`. Rows have `ncols` cells.
    pub(super) fn new(at: usize, ncols: usize) -> Self {
        Self { state: LineState::Line, says: false, blanks: ncols > 1, at, last: at, ends: VecDeque::new() }
    }

    /// The end of line number `max_rows`, from 1; `None` if the line is incomplete. `text` only grows.
    pub(super) fn end(&mut self, text: &[u8], rules: &DialectRules, max_rows: usize) -> Option<usize> {
        while self.ends.len() < max_rows {
            let rest = text.get(self.at..).unwrap_or_default();
            // Most bytes of a cell leave the state unchanged.
            let skipped = match self.state {
                LineState::Inside if self.says => rest.iter().position(|b| {
                    let marks = rules.comment == Some(*b) || rules.escape == Some(*b);
                    *b == rules.delimiter || *b == rules.newline || marks
                }),
                LineState::Quoted => {
                    rest.iter().position(|b| rules.quote == Some(*b) || rules.escape == Some(*b))
                }
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
        self.ends.get(max_rows.checked_sub(1)?).copied()
    }

    fn take(&mut self, byte: u8, rules: &DialectRules) {
        let blank = byte == b'\r' || (self.blanks && matches!(byte, b' ' | b'\t') && byte != rules.delimiter);
        let unquoted = |byte: u8| match byte {
            _ if byte == rules.newline => LineState::Line,
            _ if byte == rules.delimiter => LineState::Cell,
            _ if rules.comment == Some(byte) => LineState::Comment,
            _ if rules.escape == Some(byte) => LineState::Escaped,
            _ => LineState::Inside,
        };
        self.state = match self.state {
            LineState::Line if rules.comment == Some(byte) => LineState::Comment,
            LineState::Line | LineState::Cell if rules.quote == Some(byte) => LineState::Quoted,
            LineState::Closed if rules.quote == Some(byte) => LineState::Quoted,
            LineState::Line | LineState::Cell | LineState::Inside | LineState::Closed => unquoted(byte),
            LineState::Quoted if rules.escape == Some(byte) => LineState::QuotedEscaped,
            LineState::Quoted if rules.quote == Some(byte) && rules.doublequote => LineState::Closed,
            LineState::Quoted if rules.quote == Some(byte) => LineState::Inside,
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

    /// The end of the last complete line.
    pub(super) fn last(&self) -> usize {
        self.last
    }

    /// Drops the lines before `end`.
    pub(super) fn forget(&mut self, end: usize) {
        while self.ends.front().is_some_and(|line| *line <= end) {
            self.ends.pop_front();
        }
    }

    /// Subtracts `nbytes`, which were removed from the front of the text.
    pub(super) fn shift(&mut self, nbytes: usize) {
        self.at -= nbytes;
        self.last = self.last.saturating_sub(nbytes);
        self.ends.iter_mut().for_each(|end| *end -= nbytes);
    }
}
