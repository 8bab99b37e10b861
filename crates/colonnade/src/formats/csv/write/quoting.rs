//! What a field may not hold bare, and how it is quoted.

use std::ops::Range;

use crate::cells::simd128;
use crate::cells::simd128::Needles;

use super::options::{Quoting, SchemaPlace, WriteOptions};

/// Characters that programs take for delimiters when they go by the look of a file. A field that holds one is quoted, whichever
/// is in use: so only the one in use occurs outside quotes.
const DELIMITERS: &[u8] = b",;\t|";

/// The dialect of a file being written.
#[derive(Debug, Clone)]
pub struct Dialect {
    pub(super) delimiter: u8,
    pub(super) quote: u8,
    /// Bytes that make quotes necessary.
    special: [bool; 256],
    /// The same bytes to look for all at once; `None` where they are too many.
    needles: Option<Needles>,
    pub(super) null: Vec<u8>,
    /// Whether text is always quoted.
    pub(super) text: bool,
    /// Whether numbers and booleans are.
    pub(super) numbers: bool,
    pub(super) line_end: &'static [u8],
    pub(super) decimal: u8,
}

impl Dialect {
    /// Those of some options; `null`: what stands for it.
    #[must_use]
    pub fn new(options: &WriteOptions, null: &str) -> Self {
        let mut special = [false; 256];
        // NUL outside quotes is what text of another encoding has: it is refused there.
        let own = [options.delimiter, options.quotechar, b'\r', b'\n', 0];
        // Readers that skip our comment take the sign for a comment's wherever it stands.
        let comment: &[u8] = if options.schema == SchemaPlace::Header { b"#" } else { b"" };
        for &byte in own.iter().chain(DELIMITERS).chain(comment) {
            if let Some(entry) = special.get_mut(usize::from(byte)) {
                *entry = true;
            }
        }
        let needles: Vec<u8> = (Needles::CONTROL + 1..0x80).filter(|&b| special[usize::from(b)]).collect();
        Self {
            needles: Needles::new(&needles),
            delimiter: options.delimiter,
            quote: options.quotechar,
            special,
            null: null.as_bytes().to_vec(),
            text: options.quoting != Quoting::Minimal,
            numbers: options.quoting == Quoting::All,
            line_end: if options.crlf { b"\r\n" } else { b"\n" },
            decimal: options.decimal,
        }
    }

    /// Whether text would be taken for something else if it stood bare: fields, null, the end of a line, a comment, a byte
    /// order mark.
    #[inline]
    #[must_use]
    pub fn is_special(&self, text: &[u8]) -> bool {
        self.is_odd(text) || self.has_special(text)
    }

    /// Whether text means something by the way it begins, or as a whole.
    #[inline]
    fn is_odd(&self, text: &[u8]) -> bool {
        let Some(&first) = text.first() else { return true };
        // Lines of blanks are no records.
        first == b'#'
            || (first <= b' ' || first >= 0xc2) && is_blank_or_marked(text)
            || text.len() == self.null.len() && text == self.null
    }

    fn has_special(&self, text: &[u8]) -> bool {
        text.iter().any(|&byte| self.special.get(usize::from(byte)) == Some(&true))
    }

    /// Appends text that is no null.
    #[inline]
    pub fn put(&self, text: &[u8], out: &mut Vec<u8>) {
        self.put_part(text, 0..text.len(), out);
    }

    /// The same, of the part `range` of `bytes`. It is copied while it is looked at.
    #[inline]
    pub fn put_part(&self, bytes: &[u8], range: Range<usize>, out: &mut Vec<u8>) {
        let Some(text) = bytes.get(range.clone()) else { return self.quote(&[], 0..0, out) };
        let needles = match &self.needles {
            Some(needles) if !(self.text || self.is_odd(text)) => needles,
            None if !(self.text || self.is_special(text)) => return out.extend_from_slice(text),
            _ => return self.quote(bytes, range, out),
        };
        let start = out.len();
        let end = simd128::copy(bytes, range.clone(), out, |chunk| needles.or_control(chunk));
        if end < range.end {
            let rest = bytes.get(end..range.end).unwrap_or(&[]);
            // Not every control character is special.
            if self.has_special(rest) {
                out.truncate(start);
                self.quote(bytes, range, out);
            } else {
                out.extend_from_slice(rest);
            }
        }
    }

    /// Puts what stands in `out` from `start` on between quotes where it has to stand there, or `always`.
    pub fn settle(&self, start: usize, always: bool, out: &mut Vec<u8>) {
        let Some(text) = out.get(start..) else { return };
        if always || self.is_special(text) {
            let text = text.to_vec();
            out.truncate(start);
            self.quote(&text, 0..text.len(), out);
        }
    }

    fn quote(&self, bytes: &[u8], range: Range<usize>, out: &mut Vec<u8>) {
        let Range { start: mut at, end } = range;
        out.push(self.quote);
        loop {
            at = simd128::copy(bytes, at..end, out, |chunk| simd128::equal(chunk, self.quote));
            if at >= end {
                break;
            }
            simd128::push(&[self.quote; 2], 2, out);
            at += 1;
        }
        out.push(self.quote);
    }
}

/// Whether there is nothing but white space, or a byte order mark in front.
fn is_blank_or_marked(text: &[u8]) -> bool {
    if text.starts_with("\u{feff}".as_bytes()) {
        return true;
    }
    // Most texts are told by their first character: long ones are not looked at whole.
    let mut rest = text;
    while let Some(&first) = rest.first() {
        let n = (first.leading_ones() as usize).max(1);
        let blank = |character: &[u8]| {
            std::str::from_utf8(character).is_ok_and(|character| character.trim_start().is_empty())
        };
        if !rest.get(..n).is_some_and(blank) {
            return false;
        }
        rest = rest.get(n..).unwrap_or(&[]);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(text: &str, options: &WriteOptions) -> String {
        let mut out = Vec::new();
        Dialect::new(options, &options.na_rep).put(text.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn ambiguous_text_is_quoted() {
        let options = WriteOptions::default();
        for bare in ["a", "a b", " a ", "1", "é", "a#b", "'", "a:b", "-"] {
            assert_eq!(put(bare, &options), bare);
        }
        for (text, expected) in [
            ("", "\"\""),
            ("a,b", "\"a,b\""),
            ("a;b", "\"a;b\""),
            ("a\tb", "\"a\tb\""),
            ("\"", "\"\"\"\""),
            ("a\"b\"\"c", "\"a\"\"b\"\"\"\"c\""),
            ("a\r", "\"a\r\""),
            ("a\nb", "\"a\nb\""),
            ("#a", "\"#a\""),
            ("\u{feff}a", "\"\u{feff}a\""),
            (" \u{3000}\u{a0}", "\" \u{3000}\u{a0}\""),
            ("\u{2003}é", "\u{2003}é"),
        ] {
            assert_eq!(put(text, &options), expected);
        }
        let header = WriteOptions { schema: SchemaPlace::Header, ..options.clone() };
        assert_eq!(put("a#b", &header), "\"a#b\"");
        let odd = WriteOptions { delimiter: b':', quotechar: b'\'', na_rep: "NA".into(), ..options };
        assert_eq!(put("it's", &odd), "'it''s'");
        assert_eq!(put("a:b", &odd), "'a:b'");
        assert_eq!(put("NA", &odd), "'NA'");
        assert_eq!(put("NAN", &odd), "NAN");
    }

    /// The fields byte by byte.
    fn plainly(dialect: &Dialect, text: &[u8]) -> Vec<u8> {
        if !dialect.is_special(text) {
            return text.to_vec();
        }
        let mut out = vec![dialect.quote];
        for &byte in text {
            out.push(byte);
            if byte == dialect.quote {
                out.push(byte);
            }
        }
        out.push(dialect.quote);
        out
    }

    #[test]
    fn a_special_byte_at_any_offset_is_quoted() {
        let options = WriteOptions::default();
        let all: [WriteOptions; 4] = [
            options.clone(),
            WriteOptions { schema: SchemaPlace::Header, ..options.clone() },
            WriteOptions { delimiter: b':', quotechar: b'\'', na_rep: "-".into(), ..options.clone() },
            // One byte more than are looked for at once.
            WriteOptions { delimiter: b':', quotechar: b'\'', schema: SchemaPlace::Header, ..options },
        ];
        for options in all {
            let dialect = Dialect::new(&options, &options.na_rep);
            for special in *b",;\t|\"'#:\r\n\0\x01\x0b \x1fx" {
                for len in 0..=100 {
                    for place in 0..len.max(1) {
                        let mut text = vec![b'x'; len];
                        if let Some(byte) = text.get_mut(place) {
                            *byte = special;
                        }
                        let around =
                            [b",\"", text.as_slice(), &b"\",\n;;;;;;;;;;;;;;;;;;;;"[..len % 22]].concat();
                        let mut out = b"before".to_vec();
                        dialect.put_part(&around, 2..2 + len, &mut out);
                        assert_eq!(out, [b"before", plainly(&dialect, &text).as_slice()].concat());
                    }
                }
            }
        }
    }

    #[test]
    fn all_of_many_quotes_are_doubled() {
        let dialect = Dialect::new(&WriteOptions::default(), "");
        let mut word = 7u64;
        for len in 0..300 {
            let text: Vec<u8> = (0..len)
                .map(|_| {
                    word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    b"\"\"ab,\n \xc3"[usize::try_from(word >> 61).unwrap()]
                })
                .collect();
            let mut out = Vec::new();
            dialect.put(&text, &mut out);
            assert_eq!(out, plainly(&dialect, &text));
        }
    }
}
