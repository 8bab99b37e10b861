//! Reads the JSON value of one cell token by token.

use std::borrow::Cow;

use crate::cells::json::scan::Scan;
use crate::cells::json::value::{JsonRules, JsonToken as Scanned};

use super::{CellFault, TextCell};

/// The first token of a value.
#[derive(Debug, PartialEq)]
pub(super) enum CellToken<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    Str(Cow<'a, str>),
    /// An array; [`Json::entry`] reads its entries.
    Array,
    /// An object; [`Json::key`] reads its pairs.
    Object,
}

impl CellToken<'_> {
    /// Describes the token for messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Bool(value) => value.to_string(),
            Self::Number(text) => crate::excerpt::number_excerpt(text),
            Self::Str(text) => format!("the text {}", crate::excerpt::excerpt(text)),
            Self::Array => "an array".into(),
            Self::Object => "an object".into(),
        }
    }
}

/// The most nested arrays and objects, whatever the limit: the reader of a cell uses stack for each level.
pub(super) const MAX_CELL_DEPTH: u64 = 512;

/// The rules for a cell that was checked before. `Infinity` and long integers are left to the column's type.
pub(super) const RULES: JsonRules = JsonRules {
    max_depth: u64::MAX,
    max_columns: u64::MAX,
    max_missing: u64::MAX,
    nbytes: 0,
    nonfinite: true,
    decimals: true,
};

/// Reads one value from front to back.
pub(super) struct Json<'a> {
    scan: Scan<'a>,
    depth: u64,
    max_depth: u64,
    /// A token to return before reading on.
    next_token: Option<CellToken<'a>>,
}

type TokenResult<T> = std::result::Result<T, CellFault>;

impl<'a> Json<'a> {
    pub(super) fn new(text: &'a str, max_depth: u64) -> Self {
        Self { scan: Scan::new(text.as_bytes(), 0, false), depth: 0, max_depth, next_token: None }
    }

    /// Creates a reader of a cell's value.
    pub(super) fn of(cell: TextCell<'a>, max_depth: u64) -> Self {
        let (text, next_token) = match cell {
            TextCell::Raw(text) => (text, None),
            TextCell::Null => ("", Some(CellToken::Null)),
            TextCell::Bool(value) => ("", Some(CellToken::Bool(value))),
            TextCell::Number(text) => ("", Some(CellToken::Number(text))),
            TextCell::Str(text) => ("", Some(CellToken::Str(Cow::Borrowed(text)))),
        };
        Self { next_token, ..Self::new(text, max_depth) }
    }

    #[cold]
    fn invalid_json(&self, at: usize) -> CellFault {
        let rest = self.scan.text(at..self.scan.bytes.len());
        CellFault::malformed(format!("expected JSON, found {}.", crate::excerpt::excerpt(rest)))
    }

    fn skip_if(&mut self, byte: u8) -> bool {
        self.scan.space();
        let found = self.scan.peek() == byte;
        self.scan.at += usize::from(found);
        found
    }

    fn enter(&mut self) -> TokenResult<()> {
        self.scan.at += 1;
        self.depth += 1;
        if self.depth > self.max_depth.min(MAX_CELL_DEPTH) {
            return Err(too_deep(self.max_depth));
        }
        Ok(())
    }

    /// Puts back the token that was read last.
    pub(super) fn put_back(&mut self, token: CellToken<'a>) {
        self.next_token = Some(token);
    }

    /// Reads the next token.
    pub(super) fn token(&mut self) -> TokenResult<CellToken<'a>> {
        if let Some(next_token) = self.next_token.take() {
            return Ok(next_token);
        }
        self.scan.space();
        let start = self.scan.at;
        Ok(match self.scan.token(&RULES).map_err(|_| self.invalid_json(start))? {
            Scanned::Null => CellToken::Null,
            Scanned::Bool(value) => CellToken::Bool(value),
            Scanned::Number(_) => CellToken::Number(self.scan.text(start..self.scan.at)),
            Scanned::Str(quoted) => CellToken::Str(self.scan.unquoted(quoted)),
            Scanned::Open(open) => {
                self.enter()?;
                if open == b'[' { CellToken::Array } else { CellToken::Object }
            }
        })
    }

    /// Whether another entry of an array follows; `first`: whether no entry has been read.
    pub(super) fn entry(&mut self, first: bool) -> TokenResult<bool> {
        self.more(first, b']')
    }

    fn more(&mut self, first: bool, close: u8) -> TokenResult<bool> {
        if self.skip_if(close) {
            self.depth -= 1;
            return Ok(false);
        }
        if !first && !self.skip_if(b',') {
            return Err(self.invalid_json(self.scan.at));
        }
        Ok(true)
    }

    /// Reads the next key of an object.
    pub(super) fn key(&mut self, first: bool) -> TokenResult<Option<Cow<'a, str>>> {
        if !self.more(first, b'}')? {
            return Ok(None);
        }
        self.scan.space();
        let start = self.scan.at;
        if self.scan.peek() != b'"' {
            return Err(self.invalid_json(start));
        }
        let quoted = self.scan.quoted().map_err(|_| self.invalid_json(start))?;
        if self.skip_if(b':') {
            Ok(Some(self.scan.unquoted(quoted)))
        } else {
            Err(self.invalid_json(self.scan.at))
        }
    }

    /// Checks that the value ends here.
    pub(super) fn end(&mut self) -> TokenResult<()> {
        self.scan.space();
        if self.scan.rest().is_empty() { Ok(()) } else { Err(self.invalid_json(self.scan.at)) }
    }
}

/// Returns the fault of a value that nests deeper than `max_depth`, or deeper than the reader of a cell supports.
#[cold]
pub(super) fn too_deep(max_depth: u64) -> CellFault {
    let message = match max_depth {
        ..MAX_CELL_DEPTH => format!("the value nests deeper than {max_depth}. Raise max_depth to read it."),
        _ => format!("the value nests deeper than {MAX_CELL_DEPTH}, the limit for a cell of text."),
    };
    CellFault { kind: crate::ErrorKind::LimitExceeded, ..CellFault::malformed(message) }
}
