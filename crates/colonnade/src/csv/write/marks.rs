//! What a field may not hold bare, and how it is quoted.

use super::options::{Quoting, SchemaPlace, WriteOptions};

/// Characters that programs take for delimiters when they go by the look of a file. A field that holds one is quoted, whichever
/// is in use: so the one in use is the only one that stands bare.
const DELIMITERS: &[u8] = b",;\t|";

/// The dialect of a file being written.
#[derive(Debug, Clone)]
pub struct Marks {
    pub(super) delimiter: u8,
    pub(super) quote: u8,
    /// Bytes that make quotes necessary.
    special: [bool; 256],
    pub(super) null: Vec<u8>,
    /// Whether text is always quoted.
    pub(super) text: bool,
    /// Whether numbers and booleans are.
    pub(super) numbers: bool,
    pub(super) line_end: &'static [u8],
    pub(super) decimal: u8,
}

impl Marks {
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
        Self {
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
        let Some(&first) = text.first() else { return true };
        // Lines of blanks are no records.
        first == b'#'
            || (first <= b' ' || first >= 0xc2)
                && std::str::from_utf8(text).is_ok_and(|text| text.trim_start().is_empty())
            || first == 0xef && text.starts_with("\u{feff}".as_bytes())
            || text.iter().any(|&byte| self.special.get(usize::from(byte)) == Some(&true))
            || text == self.null
    }

    /// Appends text that is no null.
    #[inline]
    pub fn put(&self, text: &[u8], out: &mut Vec<u8>) {
        if self.text || self.is_special(text) {
            self.quote(text, out);
        } else {
            out.extend_from_slice(text);
        }
    }

    /// Puts what stands in `out` from `start` on between quotes where it has to stand there, or `always`.
    pub fn settle(&self, start: usize, always: bool, out: &mut Vec<u8>) {
        let Some(text) = out.get(start..) else { return };
        if always || self.is_special(text) {
            let text = text.to_vec();
            out.truncate(start);
            self.quote(&text, out);
        }
    }

    #[cold]
    fn quote(&self, text: &[u8], out: &mut Vec<u8>) {
        out.push(self.quote);
        let mut rest = text;
        while let Some(at) = rest.iter().position(|&byte| byte == self.quote) {
            let (before, behind) = rest.split_at(at + 1);
            out.extend_from_slice(before);
            out.push(self.quote);
            rest = behind;
        }
        out.extend_from_slice(rest);
        out.push(self.quote);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(text: &str, options: &WriteOptions) -> String {
        let mut out = Vec::new();
        Marks::new(options, &options.na_rep).put(text.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_could_be_taken_for_something_else_is_quoted() {
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
}
