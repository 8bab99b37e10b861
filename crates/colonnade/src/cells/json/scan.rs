//! The scanner of JSON: reads strict RFC 8259 token by token.

use std::borrow::Cow;
use std::ops::Range;

use crate::ErrorKind;

use crate::cells::json::fault::{JsonFault, Scanned};

/// A position in UTF-8 bytes.
#[derive(Debug, Clone)]
pub(crate) struct Scan<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) at: usize,
    /// Whether a line end also ends the value, as in NDJSON, instead of counting as white space.
    pub(crate) lines: bool,
}

/// The raw text between two quotes, escapes included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuotedText {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether the text contains escapes.
    pub(crate) escaped: bool,
}

impl<'b> Scan<'b> {
    pub(crate) fn new(bytes: &'b [u8], at: usize, lines: bool) -> Self {
        Self { bytes, at, lines }
    }

    /// Returns the current byte, or NUL at the end. NUL is never valid JSON.
    #[inline(always)]
    pub(crate) fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// Returns the bytes from the current position on.
    #[inline(always)]
    pub(crate) fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    /// Returns a scanned range as text.
    pub(crate) fn text(&self, range: Range<usize>) -> &'b str {
        // Scanned bytes are UTF-8, and tokens end between characters.
        std::str::from_utf8(self.bytes.get(range).unwrap_or(&[])).unwrap_or("")
    }

    /// Skips white space.
    #[inline(always)]
    pub(crate) fn space(&mut self) {
        if self.peek() <= b' ' {
            self.spaces();
        }
    }

    #[inline(never)]
    fn spaces(&mut self) {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' if !self.lines => self.at += 1,
                _ => return,
            }
        }
    }

    /// Skips `byte`; `what` describes it in the error.
    #[inline(always)]
    pub(crate) fn expect(&mut self, byte: u8, what: &str) -> Scanned<()> {
        if self.peek() != byte {
            return Err(self.unexpected(what));
        }
        self.at += 1;
        Ok(())
    }

    /// Skips the separator after an entry of the array or object that ends with `close`. Returns true after a comma, false
    /// after the end.
    #[inline(always)]
    pub(crate) fn more(&mut self, close: u8) -> Scanned<bool> {
        self.space();
        match self.peek() {
            b',' => {
                self.at += 1;
                self.space();
                Ok(true)
            }
            byte if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ if close == b'}' => Err(self.unexpected("a comma or the end of the object")),
            _ => Err(self.unexpected("a comma or the end of the array")),
        }
    }

    /// Skips a literal whose first byte has been seen.
    #[inline]
    pub(crate) fn literal(&mut self, word: &str) -> Scanned<()> {
        if !self.rest().starts_with(word.as_bytes()) {
            let same = self.rest().iter().zip(word.bytes()).take_while(|(a, b)| **a == *b).count();
            self.at += same;
            return Err(self.unexpected(&format!("the word {word}")));
        }
        self.at += word.len();
        Ok(())
    }

    /// Scans the string at the current position with its quotes.
    #[inline(always)]
    pub(crate) fn quoted(&mut self) -> Scanned<QuotedText> {
        let start = self.at + 1;
        let end = start + crate::cells::json::quote::plain_prefix_len(self.bytes.get(start..).unwrap_or(&[]));
        if self.bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(QuotedText { start, end, escaped: false });
        }
        self.escaped(start, end)
    }

    /// Scans the rest of a string from the escape or illegal byte at `at`.
    #[inline(never)]
    fn escaped(&mut self, start: usize, mut at: usize) -> Scanned<QuotedText> {
        loop {
            at += crate::cells::json::quote::plain_prefix_len(self.bytes.get(at..).unwrap_or(&[]));
            match self.bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(QuotedText { start, end: at, escaped: true });
                }
                Some(b'\\') => {
                    at += crate::cells::json::quote::escape(self.bytes.get(at..).unwrap_or(&[]))
                        .map_err(|f| f.after(at))?
                        .1
                }
                Some(b'\n') if self.lines => {
                    self.at = at;
                    return Err(self.unexpected("the closing quote of a text"));
                }
                Some(byte) => {
                    let message = format!(
                        "expected text without control characters, found {byte:#04x}. Write it as \\u{byte:04x}."
                    );
                    return Err(JsonFault::malformed(at, message));
                }
                None => {
                    self.at = at;
                    return Err(self.unexpected("the closing quote of a text"));
                }
            }
        }
    }

    /// Returns the decoded text of a string from [`Scan::quoted`].
    pub(crate) fn unquoted(&self, quoted: QuotedText) -> Cow<'b, str> {
        let text = self.text(quoted.start..quoted.end);
        if quoted.escaped {
            Cow::Owned(crate::cells::json::quote::unescape(text))
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Returns the error for another byte than `what`, or for the end of the input.
    #[cold]
    #[inline(never)]
    pub(crate) fn unexpected(&self, what: &str) -> Box<JsonFault> {
        let at = self.at;
        match self.text_from(at).chars().next() {
            None => {
                let had = self.bytes.len() as u64;
                let message =
                    format!("expected {what}, found the end. It was cut short: fetch or write it again.");
                JsonFault::new(ErrorKind::Truncated { needed: had + 1, had }, at, message)
            }
            Some('\n') if self.lines => {
                let message = format!(
                    "expected {what}, found the end of the line. Each line of NDJSON is one value, whole."
                );
                JsonFault::malformed(at, message)
            }
            Some(found) => JsonFault::malformed(at, format!("expected {what}, found {found:?}.")),
        }
    }

    /// Returns a short excerpt of the text at `at`.
    fn text_from(&self, at: usize) -> &'b str {
        let few = self.bytes.get(at..self.bytes.len().min(at + 4)).unwrap_or(&[]);
        match std::str::from_utf8(few) {
            Ok(text) => text,
            Err(e) => std::str::from_utf8(few.get(..e.valid_up_to()).unwrap_or(&[])).unwrap_or(""),
        }
    }
}
