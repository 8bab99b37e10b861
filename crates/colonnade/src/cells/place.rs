//! The line, column and byte of a position in text, computed only for errors.

use std::fmt;

use crate::error::{Error, ErrorKind};

/// A position in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPosition {
    /// From 1. Lines end with `\n`, `\r\n` or `\r`.
    pub line: u64,
    /// In characters, from 1.
    pub column: u64,
    /// From the start of the source.
    pub byte: u64,
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl TextPosition {
    /// Returns the place of `text[at]`, where `text` is the whole input.
    #[must_use]
    pub fn of(text: &[u8], at: usize) -> Self {
        Self { line: 1, column: 1, byte: 0 }.after(text.get(..at).unwrap_or(text))
    }

    /// Returns the place after `text`, which begins at this place. A `\r` at the end of `text` counts as a line end.
    #[must_use]
    pub fn after(self, text: &[u8]) -> Self {
        let mut lines = 0;
        let mut start = None;
        for (i, &byte) in text.iter().enumerate() {
            if byte == b'\n' || byte == b'\r' && text.get(i + 1) != Some(&b'\n') {
                lines += 1;
                start = Some(i + 1);
            }
        }
        let rest = text.get(start.unwrap_or(0)..).unwrap_or(&[]);
        let characters = rest.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64;
        let column = if start.is_some() { 1 } else { self.column };
        Self { line: self.line + lines, column: column + characters, byte: self.byte + text.len() as u64 }
    }

    /// Creates an error at this place. `member`: a path or a column's name.
    #[must_use]
    #[cold]
    pub fn error(
        self,
        kind: ErrorKind,
        format: &'static str,
        member: Option<&str>,
        message: impl fmt::Display,
    ) -> Error {
        let error = Error::new(kind, format, format!("{self}: {message}")).at(self.byte).on_line(self.line);
        match member {
            Some(member) => error.in_member(member),
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_end_counts_once() {
        let text = "a\nbé\r\nc\rd".as_bytes();
        let at = |i: usize| {
            let place = TextPosition::of(text, i);
            (place.line, place.column, place.byte)
        };
        assert_eq!(at(0), (1, 1, 0));
        assert_eq!(at(1), (1, 2, 1));
        assert_eq!(at(2), (2, 1, 2));
        assert_eq!(at(5), (2, 3, 5));
        assert_eq!(at(7), (3, 1, 7));
        assert_eq!(at(9), (4, 1, 9));
        assert_eq!(at(10), (4, 2, 10));
        assert_eq!(at(99), (4, 2, 10));
    }

    #[test]
    fn places_continue_after_other_text() {
        let first = TextPosition::of(b"ab\nc", 4);
        assert_eq!(first.after(b"d"), TextPosition { line: 2, column: 3, byte: 5 });
        assert_eq!(first.after(b"\nd"), TextPosition { line: 3, column: 2, byte: 6 });
    }

    #[test]
    fn errors_say_line_column_and_byte() {
        let error =
            TextPosition { line: 2, column: 3, byte: 9 }.error(ErrorKind::Malformed, "csv", Some("x"), "no.");
        assert_eq!(error.to_string(), "csv: \"x\": at byte 9: line 2, column 3: no.");
    }
}
