//! Decides which fields need quotes, and writes them.

use std::ops::Range;

use crate::cells::simd128;
use crate::cells::simd128::Needles;

use super::options::{Quoting, SchemaPlace, WriteOptions};

/// Characters that sniffers accept as delimiters. A field that contains any of them is quoted, so that only the real delimiter
/// occurs outside quotes.
const DELIMITERS: &[u8] = b",;\t|";

/// The dialect of the written file.
#[derive(Debug, Clone)]
pub struct Dialect {
    pub(super) delimiter: u8,
    pub(super) quote: u8,
    /// Bytes that make quotes necessary.
    special: [bool; 256],
    /// The same bytes for a vectorized search; `None` if there are too many.
    needles: Option<Needles>,
    pub(super) null: Vec<u8>,
    /// Whether text is always quoted.
    pub(super) text: bool,
    /// Whether numbers and booleans are always quoted.
    pub(super) numbers: bool,
    pub(super) line_end: &'static [u8],
    pub(super) decimal: u8,
}

impl Dialect {
    /// The dialect of some options. `null`: the text of null.
    #[must_use]
    pub fn new(options: &WriteOptions, null: &str) -> Self {
        let mut special = [false; 256];
        // Readers refuse NUL outside quotes, because it is a sign of another encoding.
        let syntax = [options.delimiter, options.quotechar, b'\r', b'\n', 0];
        // Readers that skip the header's comment treat `#` as a comment anywhere in a line.
        let comment: &[u8] = if options.schema == SchemaPlace::Header { b"#" } else { b"" };
        for &byte in syntax.iter().chain(DELIMITERS).chain(comment) {
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

    /// Whether a reader would misread the text without quotes: as several fields, null, a line end, a comment or a byte order
    /// mark.
    #[inline]
    #[must_use]
    pub fn is_special(&self, text: &[u8]) -> bool {
        self.has_special_meaning(text) || self.has_special(text)
    }

    /// Whether the start of the text, or the text as a whole, has a special meaning.
    #[inline]
    fn has_special_meaning(&self, text: &[u8]) -> bool {
        let Some(&first) = text.first() else { return true };
        // Readers skip lines that contain only white space.
        first == b'#'
            || (first <= b' ' || first >= 0xc2) && is_blank_or_marked(text)
            || text.len() == self.null.len() && text == self.null
    }

    fn has_special(&self, text: &[u8]) -> bool {
        text.iter().any(|&byte| self.special.get(usize::from(byte)) == Some(&true))
    }

    /// Appends text that is not null, with quotes if necessary.
    #[inline]
    pub fn put(&self, text: &[u8], out: &mut Vec<u8>) {
        self.put_part(text, 0..text.len(), out);
    }

    /// Appends `bytes[range]` like [`Dialect::put`]. One pass searches and copies.
    #[inline]
    pub fn put_part(&self, bytes: &[u8], range: Range<usize>, out: &mut Vec<u8>) {
        let Some(text) = bytes.get(range.clone()) else { return self.quote(&[], 0..0, out) };
        let needles = match &self.needles {
            Some(needles) if !(self.text || self.has_special_meaning(text)) => needles,
            None if !(self.text || self.is_special(text)) => return out.extend_from_slice(text),
            _ => return self.quote(bytes, range, out),
        };
        let start = out.len();
        let end = simd128::copy(bytes, range.clone(), out, |chunk| needles.or_control(chunk));
        if end < range.end {
            let rest = bytes.get(end..range.end).unwrap_or(&[]);
            // The search finds all control characters, but not all of them are special.
            if self.has_special(rest) {
                out.truncate(start);
                self.quote(bytes, range, out);
            } else {
                out.extend_from_slice(rest);
            }
        }
    }

    /// Quotes `out[start..]` if necessary, or `always`.
    pub fn quote_tail(&self, start: usize, always: bool, out: &mut Vec<u8>) {
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

/// Whether the text is only white space, or starts with a byte order mark.
fn is_blank_or_marked(text: &[u8]) -> bool {
    if text.starts_with("\u{feff}".as_bytes()) {
        return true;
    }
    // The loop ends at the first other character, which most texts begin with.
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
        let custom = WriteOptions { delimiter: b':', quotechar: b'\'', na_rep: "NA".into(), ..options };
        assert_eq!(put("it's", &custom), "'it''s'");
        assert_eq!(put("a:b", &custom), "'a:b'");
        assert_eq!(put("NA", &custom), "'NA'");
        assert_eq!(put("NAN", &custom), "NAN");
    }

    /// Quotes byte by byte.
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
            // One special byte more than the vectorized search supports.
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
