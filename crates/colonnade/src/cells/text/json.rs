//! The JSON value of one cell, token by token.

use std::borrow::Cow;

use crate::cells::json::scan::Scan;
use crate::cells::json::value::{Rules, Token as Scanned};

use super::{Cell, CellFault};

/// What a value begins with.
#[derive(Debug, PartialEq)]
pub(super) enum Token<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    Str(Cow<'a, str>),
    /// Entries follow: [`Json::entry`].
    Array,
    /// Pairs follow: [`Json::key`].
    Object,
}

impl Token<'_> {
    /// What it is, for messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Bool(value) => value.to_string(),
            Self::Number(text) => crate::shown::number_excerpt(text),
            Self::Str(text) => format!("the text {}", crate::shown::shown(text)),
            Self::Array => "an array".into(),
            Self::Object => "an object".into(),
        }
    }
}

/// Arrays and objects in each other, whatever a limit says: the reader of a cell takes some stack for each.
pub(super) const MOST_DEPTH: u64 = 512;

/// What stands in a cell was checked before: `Infinity` and long integers are for its type to judge.
pub(super) const RULES: Rules = Rules {
    max_depth: u64::MAX,
    max_columns: u64::MAX,
    max_missing: u64::MAX,
    nbytes: 0,
    nonfinite: true,
    decimals: true,
};

/// Reads one value front to back.
pub(super) struct Json<'a> {
    scan: Scan<'a>,
    depth: u64,
    max_depth: u64,
    /// A token that stands before the text.
    first: Option<Token<'a>>,
}

type Read<T> = std::result::Result<T, CellFault>;

impl<'a> Json<'a> {
    pub(super) fn new(text: &'a str, max_depth: u64) -> Self {
        Self { scan: Scan::new(text.as_bytes(), 0, false), depth: 0, max_depth, first: None }
    }

    /// The value of a cell.
    pub(super) fn of(cell: Cell<'a>, max_depth: u64) -> Self {
        let (text, first) = match cell {
            Cell::Raw(text) => (text, None),
            Cell::Null => ("", Some(Token::Null)),
            Cell::Bool(value) => ("", Some(Token::Bool(value))),
            Cell::Number(text) => ("", Some(Token::Number(text))),
            Cell::Str(text) => ("", Some(Token::Str(Cow::Borrowed(text)))),
        };
        Self { first, ..Self::new(text, max_depth) }
    }

    #[cold]
    fn broken(&self, at: usize) -> CellFault {
        let rest = self.scan.text(at..self.scan.bytes.len());
        CellFault::malformed(format!("expected JSON, found {}.", crate::shown::shown(rest)))
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.scan.space();
        let found = self.scan.peek() == byte;
        self.scan.at += usize::from(found);
        found
    }

    fn enter(&mut self) -> Read<()> {
        self.scan.at += 1;
        self.depth += 1;
        if self.depth > self.max_depth.min(MOST_DEPTH) {
            return Err(too_deep(self.max_depth));
        }
        Ok(())
    }

    /// Puts back the token that was read last.
    pub(super) fn put_back(&mut self, token: Token<'a>) {
        self.first = Some(token);
    }

    /// The next token.
    pub(super) fn token(&mut self) -> Read<Token<'a>> {
        if let Some(first) = self.first.take() {
            return Ok(first);
        }
        self.scan.space();
        let start = self.scan.at;
        Ok(match self.scan.token(&RULES).map_err(|_| self.broken(start))? {
            Scanned::Null => Token::Null,
            Scanned::Bool(value) => Token::Bool(value),
            Scanned::Number(_) => Token::Number(self.scan.text(start..self.scan.at)),
            Scanned::Str(quoted) => Token::Str(self.scan.unquoted(quoted)),
            Scanned::Open(open) => {
                self.enter()?;
                if open == b'[' { Token::Array } else { Token::Object }
            }
        })
    }

    /// Whether another entry of an array follows; `first`: whether none was read yet.
    pub(super) fn entry(&mut self, first: bool) -> Read<bool> {
        self.more(first, b']')
    }

    fn more(&mut self, first: bool, close: u8) -> Read<bool> {
        if self.eat(close) {
            self.depth -= 1;
            return Ok(false);
        }
        if !first && !self.eat(b',') {
            return Err(self.broken(self.scan.at));
        }
        Ok(true)
    }

    /// The next key of an object.
    pub(super) fn key(&mut self, first: bool) -> Read<Option<Cow<'a, str>>> {
        if !self.more(first, b'}')? {
            return Ok(None);
        }
        self.scan.space();
        let start = self.scan.at;
        if self.scan.peek() != b'"' {
            return Err(self.broken(start));
        }
        let quoted = self.scan.quoted().map_err(|_| self.broken(start))?;
        if self.eat(b':') { Ok(Some(self.scan.unquoted(quoted))) } else { Err(self.broken(self.scan.at)) }
    }

    /// Checks that nothing follows.
    pub(super) fn end(&mut self) -> Read<()> {
        self.scan.space();
        if self.scan.rest().is_empty() { Ok(()) } else { Err(self.broken(self.scan.at)) }
    }
}

/// A value that nests deeper than `max_depth`, or than the reader of a cell goes.
#[cold]
pub(super) fn too_deep(max_depth: u64) -> CellFault {
    let message = match max_depth {
        ..MOST_DEPTH => format!("the value nests deeper than {max_depth}. Raise max_depth to read it."),
        _ => format!("the value nests deeper than {MOST_DEPTH}, the most of a cell of text."),
    };
    CellFault { kind: crate::ErrorKind::LimitExceeded, ..CellFault::malformed(message) }
}
