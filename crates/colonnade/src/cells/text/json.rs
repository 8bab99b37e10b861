//! A JSON value, token by token: what stands in one cell.

use std::borrow::Cow;

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
            Self::Number(text) => crate::shown::shown_number(text),
            Self::Str(text) => format!("the text {}", crate::shown::shown(text)),
            Self::Array => "an array".into(),
            Self::Object => "an object".into(),
        }
    }
}

/// Arrays and objects in each other, whatever a limit says: who reads them is on the stack as often.
const MOST_DEPTH: u64 = 512;

/// Reads one value front to back.
pub(super) struct Json<'a> {
    text: &'a str,
    at: usize,
    depth: u64,
    max_depth: u64,
    /// A token that stands before the text.
    first: Option<Token<'a>>,
}

type Read<T> = std::result::Result<T, CellFault>;

impl<'a> Json<'a> {
    pub(super) fn new(text: &'a str, max_depth: u64) -> Self {
        Self { text, at: 0, depth: 0, max_depth, first: None }
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

    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
        self.text.as_bytes().get(self.at).copied()
    }

    #[cold]
    fn broken(&self) -> CellFault {
        let rest = self.text.get(self.at..).unwrap_or("");
        CellFault::malformed(format!("expected JSON, found {}.", crate::shown::shown(rest)))
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn enter(&mut self) -> Read<()> {
        self.at += 1;
        self.depth += 1;
        if self.depth > self.max_depth.min(MOST_DEPTH) {
            let message = match self.max_depth {
                ..MOST_DEPTH => {
                    format!("the value nests deeper than {}. Raise max_depth to read it.", self.max_depth)
                }
                _ => format!("the value nests deeper than {MOST_DEPTH}, the most of a cell of text."),
            };
            return Err(CellFault { kind: crate::ErrorKind::LimitExceeded, ..CellFault::malformed(message) });
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
        match self.peek() {
            Some(b'"') => self.string().map(Token::Str),
            Some(b'[') => self.enter().map(|()| Token::Array),
            Some(b'{') => self.enter().map(|()| Token::Object),
            Some(_) => {
                let rest = self.text.get(self.at..).unwrap_or("");
                let ends = |b: u8| matches!(b, b',' | b']' | b'}' | b':' | b' ' | b'\t' | b'\n' | b'\r');
                let word = rest.get(..rest.bytes().position(ends).unwrap_or(rest.len())).unwrap_or("");
                let token = match word {
                    "null" => Token::Null,
                    "true" => Token::Bool(true),
                    "false" => Token::Bool(false),
                    "NaN" | "Infinity" | "-Infinity" => Token::Number(word),
                    _ if is_number(word) => Token::Number(word),
                    _ => return Err(self.broken()),
                };
                self.at += word.len();
                Ok(token)
            }
            None => Err(self.broken()),
        }
    }

    fn string(&mut self) -> Read<Cow<'a, str>> {
        let start = self.at + 1;
        let rest = self.text.as_bytes().get(start..).unwrap_or(&[]);
        let mut escaped = false;
        let mut length = None;
        let mut i = 0;
        while let Some(&byte) = rest.get(i) {
            match byte {
                b'"' => {
                    length = Some(i);
                    break;
                }
                b'\\' => {
                    escaped = true;
                    i += 1;
                }
                0..0x20 => return Err(self.broken()),
                _ => {}
            }
            i += 1;
        }
        let end = start + length.ok_or_else(|| self.broken())?;
        let inner = self.text.get(start..end).ok_or_else(|| self.broken())?;
        let found = if escaped {
            // The one reader of escapes that the tree has.
            let quoted = self.text.get(self.at..=end).unwrap_or("");
            Cow::Owned(serde_json::from_str(quoted).map_err(|_| self.broken())?)
        } else {
            Cow::Borrowed(inner)
        };
        self.at = end + 1;
        Ok(found)
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
            return Err(self.broken());
        }
        Ok(true)
    }

    /// The next key of an object.
    pub(super) fn key(&mut self, first: bool) -> Read<Option<Cow<'a, str>>> {
        if !self.more(first, b'}')? {
            return Ok(None);
        }
        if self.peek() != Some(b'"') {
            return Err(self.broken());
        }
        let key = self.string()?;
        if self.eat(b':') { Ok(Some(key)) } else { Err(self.broken()) }
    }

    /// Checks that nothing follows.
    pub(super) fn end(&mut self) -> Read<()> {
        if self.peek().is_none() { Ok(()) } else { Err(self.broken()) }
    }
}

/// Whether `word` is a number of RFC 8259.
fn is_number(word: &str) -> bool {
    let digits = |text: &mut &[u8]| {
        let n = text.iter().take_while(|b| b.is_ascii_digit()).count();
        *text = text.get(n..).unwrap_or(&[]);
        n
    };
    let mut rest = word.as_bytes();
    rest = rest.strip_prefix(b"-").unwrap_or(rest);
    let leading = rest.first() == Some(&b'0');
    let whole = digits(&mut rest);
    if whole == 0 || leading && whole > 1 {
        return false;
    }
    if let Some(fraction) = rest.strip_prefix(b".") {
        rest = fraction;
        if digits(&mut rest) == 0 {
            return false;
        }
    }
    if let [b'e' | b'E', power @ ..] = rest {
        rest = match power {
            [b'+' | b'-', power @ ..] => power,
            power => power,
        };
        if digits(&mut rest) == 0 {
            return false;
        }
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_rfc() {
        for word in ["0", "-0", "1", "10", "-1.5", "1e5", "1E+5", "1.0e-5", "123456789012345678901234567890"]
        {
            assert!(is_number(word), "{word}");
        }
        for word in ["", "-", "01", "+1", ".5", "1.", "1e", "1e+", "0x1", "1a", "--1", "1.e5", "nan"] {
            assert!(!is_number(word), "{word}");
        }
    }
}
