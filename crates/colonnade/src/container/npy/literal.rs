//! Parses the subset of Python literals that NPY headers use. Nothing is evaluated.

use super::{FORMAT, to_u64};
use crate::error::{Error, Result};

/// Deepest nesting accepted; NumPy's own headers nest a structured dtype two levels a field.
const MAX_DEPTH: usize = 32;

/// A literal and its offset in the NPY.
#[derive(Debug)]
pub(super) struct LiteralNode {
    pub(super) value: LiteralValue,
    pub(super) at: usize,
}

#[derive(Debug)]
pub(super) enum LiteralValue {
    Str(String),
    Int(i64),
    Bool(bool),
    None,
    Tuple(Vec<LiteralNode>),
    List(Vec<LiteralNode>),
    Dict(Vec<(LiteralNode, LiteralNode)>),
}

impl LiteralNode {
    /// The error "expected this, found that", at this literal.
    pub(super) fn unexpected(&self, expected: &str) -> Error {
        let found = match &self.value {
            LiteralValue::Str(text) => format!("{:?}", shortened(text)),
            LiteralValue::Int(value) => value.to_string(),
            LiteralValue::Bool(true) => "True".to_owned(),
            LiteralValue::Bool(false) => "False".to_owned(),
            LiteralValue::None => "None".to_owned(),
            LiteralValue::Tuple(items) => format!("a tuple of {}", items.len()),
            LiteralValue::List(items) => format!("a list of {}", items.len()),
            LiteralValue::Dict(items) => format!("a dict of {} keys", items.len()),
        };
        Error::malformed(FORMAT, format!("the header: expected {expected}, found {found}."))
            .at(to_u64(self.at))
    }
}

/// Enough of a text to recognise it in a message.
pub(super) fn shortened(text: &str) -> &str {
    text.char_indices().nth(40).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Parses the whole header text. `start` is its offset in the NPY. Version 3 is UTF-8; earlier versions are Latin-1, and may
/// have the `L` of Python 2's long integers.
pub(super) fn parse(text: &[u8], version: u8, start: usize) -> Result<LiteralNode> {
    let utf8 = version >= 3;
    if utf8 && let Err(error) = std::str::from_utf8(text) {
        let at = to_u64(start + error.valid_up_to());
        return Err(Error::malformed(
            FORMAT,
            "expected UTF-8 in a header of version 3.0, found other bytes.",
        )
        .at(at));
    }
    let mut parser = LiteralParser { text, position: 0, start, utf8 };
    let node = parser.value(0)?;
    parser.skip_space();
    if parser.position < text.len() {
        return Err(parser.error("the end of the header"));
    }
    Ok(node)
}

struct LiteralParser<'a> {
    text: &'a [u8],
    position: usize,
    start: usize,
    utf8: bool,
}

impl LiteralParser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')) {
            self.position += 1;
        }
    }

    fn error(&self, expected: &str) -> Error {
        let rest = self.rest();
        let found = if rest.is_empty() {
            "the end of the header".to_owned()
        } else {
            format!("\"{}\"", rest.get(..rest.len().min(16)).unwrap_or_default().escape_ascii())
        };
        let at = to_u64(self.start + self.position);
        Error::malformed(FORMAT, format!("the header: expected {expected}, found {found}.")).at(at)
    }

    fn take(&mut self, byte: u8) -> bool {
        self.skip_space();
        let matches = self.peek() == Some(byte);
        self.position += usize::from(matches);
        matches
    }

    fn value(&mut self, depth: usize) -> Result<LiteralNode> {
        if depth > MAX_DEPTH {
            return Err(self.error("at most 32 levels of nesting"));
        }
        self.skip_space();
        let at = self.start + self.position;
        let value = match self.peek() {
            Some(b'{') => self.dict(depth)?,
            Some(b'[') => {
                self.position += 1;
                LiteralValue::List(self.items(b']', depth)?.0)
            }
            Some(b'(') => {
                self.position += 1;
                let (mut items, comma) = self.items(b')', depth)?;
                match items.pop() {
                    // Parentheses around one value without a comma are that value.
                    Some(only) if items.is_empty() && !comma => only.value,
                    Some(last) => {
                        items.push(last);
                        LiteralValue::Tuple(items)
                    }
                    None => LiteralValue::Tuple(items),
                }
            }
            Some(b'"' | b'\'') => LiteralValue::Str(self.string()?),
            Some(b'u') if matches!(self.text.get(self.position + 1), Some(b'"' | b'\'')) => {
                self.position += 1;
                LiteralValue::Str(self.string()?)
            }
            Some(b'0'..=b'9' | b'+' | b'-') => LiteralValue::Int(self.integer()?),
            _ => self.word()?,
        };
        Ok(LiteralNode { value, at })
    }

    fn word(&mut self) -> Result<LiteralValue> {
        let length =
            self.rest().iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let value = match self.rest().get(..length) {
            Some(b"True") => LiteralValue::Bool(true),
            Some(b"False") => LiteralValue::Bool(false),
            Some(b"None") => LiteralValue::None,
            _ => return Err(self.error("a string, an integer, True, False, None, a tuple, a list or a dict")),
        };
        self.position += length;
        Ok(value)
    }

    /// Items up to `close`, and whether the last one was followed by a comma.
    fn items(&mut self, close: u8, depth: usize) -> Result<(Vec<LiteralNode>, bool)> {
        let mut items = Vec::new();
        let mut comma = false;
        while !self.take(close) {
            if !items.is_empty() && !comma {
                return Err(self.error("a comma or a closing bracket"));
            }
            items.push(self.value(depth + 1)?);
            comma = self.take(b',');
        }
        Ok((items, comma))
    }

    fn dict(&mut self, depth: usize) -> Result<LiteralValue> {
        self.position += 1;
        let mut items = Vec::new();
        let mut comma = true;
        while !self.take(b'}') {
            if !comma {
                return Err(self.error("a comma or '}'"));
            }
            let key = self.value(depth + 1)?;
            if !self.take(b':') {
                return Err(self.error("':' after a key"));
            }
            items.push((key, self.value(depth + 1)?));
            comma = self.take(b',');
        }
        Ok(LiteralValue::Dict(items))
    }

    fn integer(&mut self) -> Result<i64> {
        let begin = self.position;
        let negative = self.peek() == Some(b'-');
        if matches!(self.peek(), Some(b'+' | b'-')) {
            self.position += 1;
        }
        let radix = match self.rest() {
            [b'0', b'x' | b'X', ..] => 16,
            [b'0', b'o' | b'O', ..] => 8,
            [b'0', b'b' | b'B', ..] => 2,
            _ => 10,
        };
        self.position += if radix == 10 { 0 } else { 2 };
        let length = self.rest().iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
        let digits =
            self.rest().get(..length).and_then(|digits| std::str::from_utf8(digits).ok()).unwrap_or_default();
        let ambiguous = radix == 10 && length > 1 && digits.starts_with('0');
        let value = if ambiguous { None } else { i64::from_str_radix(digits, radix).ok() };
        let Some(value) = value else {
            self.position = begin;
            return Err(self.error("an integer of at most 64 bits"));
        };
        self.position += length;
        if !self.utf8 && matches!(self.peek(), Some(b'L' | b'l')) {
            self.position += 1;
        }
        if self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')) {
            self.position = begin;
            return Err(self.error("an integer"));
        }
        Ok(if negative { -value } else { value })
    }

    fn string(&mut self) -> Result<String> {
        let quote = self.peek();
        self.position += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                None | Some(b'\n' | b'\r' | 0) => return Err(self.error("a closing quote")),
                byte if byte == quote => {
                    self.position += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => text.push(self.character()?),
            }
        }
    }

    fn character(&mut self) -> Result<char> {
        let first = self.peek().unwrap_or_default();
        let width = match first {
            0xC0..=0xDF if self.utf8 => 2,
            0xE0..=0xEF if self.utf8 => 3,
            0xF0..=0xFF if self.utf8 => 4,
            _ => {
                self.position += 1;
                return Ok(char::from(first));
            }
        };
        let bytes = self.text.get(self.position..self.position + width);
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        let character = text.and_then(|text| text.chars().next()).ok_or_else(|| self.error("UTF-8"))?;
        self.position += width;
        Ok(character)
    }

    fn escape(&mut self) -> Result<char> {
        let code = self.text.get(self.position + 1).copied().unwrap_or_default();
        let digits = match code {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        let character = match code {
            b'\\' | b'\'' | b'"' => Some(char::from(code)),
            b'n' => Some('\n'),
            b't' => Some('\t'),
            b'r' => Some('\r'),
            b'a' => Some('\x07'),
            b'b' => Some('\x08'),
            b'f' => Some('\x0c'),
            b'v' => Some('\x0b'),
            b'x' | b'u' | b'U' => {
                let hex = self.text.get(self.position + 2..self.position + 2 + digits).unwrap_or_default();
                let hex = std::str::from_utf8(hex)
                    .ok()
                    .filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()));
                hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32)
            }
            _ => None,
        };
        let character = character.ok_or_else(|| self.error("an escape of Python's strings"))?;
        self.position += 2 + digits;
        Ok(character)
    }
}
