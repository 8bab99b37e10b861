//! Finds the first lines of an input, as many as sniffing the dialect needs. Visits each byte once, even if the input arrives in
//! portions.

use super::COMMENT;
use super::options::{ReadOptions, SchemaOption};

/// Delimiters that are detected, the likelier ones first.
pub(super) const DELIMITERS: [u8; 4] = *b",\t;|";

/// Bytes and lines that are enough to detect the dialect.
const SNIFF_NBYTES: usize = 64 << 10;
const SNIFF_LINES: usize = 100;

/// Scans the first lines, each byte once. The result depends only on the bytes, not on the portions in which they arrive.
#[derive(Debug)]
pub(super) struct Sniffer {
    quote: Option<u8>,
    escape: Option<u8>,
    comment: Option<u8>,
    /// The delimiter, or all candidates if it is unknown.
    delimiters: Vec<u8>,
    /// Number of lines with content that are needed: while the delimiter is unknown, and if it is known.
    max_lines: usize,
    header_lines: usize,
    /// Number of lines to skip at the front; `None` until enough bytes have arrived.
    skip: Option<usize>,
    /// Offset of the first byte after them.
    front: usize,
    /// The end of the last complete line.
    end: usize,
    at: usize,
    lines: usize,
    inside: bool,
    /// Whether a quote may open.
    may_quote: bool,
    /// Whether the line is a comment, and whether it has content.
    is_comment: bool,
    has_content: bool,
    done: bool,
    ignores_header: bool,
    skip_rows: usize,
}

impl Sniffer {
    /// `rows`: the caller's rows per frame. Sniffing waits for no more rows than these.
    pub(super) fn new(options: &ReadOptions, rows: usize) -> Self {
        let names = options.header_rows.max(1);
        let is_known = options.delimiter.is_some()
            || (options.sidecar.is_some()
                && matches!(options.schema, SchemaOption::Found | SchemaOption::Sidecar));
        let lines = SNIFF_LINES.min(options.header_rows.saturating_add(rows)).max(names);
        Self {
            quote: options.quote,
            escape: options.escape,
            comment: options.comment,
            delimiters: options.delimiter.map_or_else(|| DELIMITERS.to_vec(), |one| vec![one]),
            max_lines: if is_known { names } else { lines },
            header_lines: names,
            skip: None,
            front: 0,
            end: 0,
            at: 0,
            lines: 0,
            inside: false,
            may_quote: true,
            is_comment: false,
            has_content: false,
            done: false,
            ignores_header: options.schema == SchemaOption::Ignore,
            skip_rows: options.skip_rows,
        }
    }

    /// The end of the skipped lines.
    pub(super) fn front(&self) -> usize {
        self.front
    }

    /// The end of the scanned lines.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// Whether `bytes`, which only grow, contain enough lines. `ended`: whether the input is complete.
    pub(super) fn enough(&mut self, bytes: &[u8], ended: bool) -> bool {
        if self.done {
            return true;
        }
        let Some(mut skip) = self.skip.or_else(|| self.begin(bytes, ended)) else { return false };
        while let Some(&byte) = bytes.get(self.at) {
            let next = bytes.get(self.at + 1).copied();
            // The next byte may belong to a line end or to an escape.
            if next.is_none() && !ended && (byte == b'\r' || self.escape == Some(byte)) {
                break;
            }
            self.at += 1;
            let ends = byte == b'\n' || (byte == b'\r' && next != Some(b'\n'));
            if skip > 0 {
                if ends {
                    skip -= 1;
                    (self.front, self.end) = (self.at, self.at);
                }
                continue;
            }
            if ends && !self.inside {
                self.lines += usize::from(self.has_content);
                (self.has_content, self.is_comment, self.end) = (false, false, self.at);
                self.may_quote = true;
            } else if !self.inside && self.comment == Some(byte) {
                self.is_comment = true;
            } else if !self.is_comment {
                self.at += usize::from(self.escape == Some(byte));
                // A quote inside a cell that does not begin with one is literal.
                let closes = self.inside && self.quote == Some(byte);
                let opens = !self.inside && self.may_quote && self.quote == Some(byte);
                self.inside ^= closes || opens;
                self.may_quote = closes || (!self.inside && self.delimiters.contains(&byte));
                self.has_content |= !matches!(byte, b' ' | b'\t' | b'\r');
            }
            let large = self.at - self.front >= SNIFF_NBYTES && self.end > self.front;
            if self.lines >= self.max_lines || large {
                self.done = true;
                break;
            }
        }
        self.skip = Some(skip);
        if ended && !self.done {
            (self.done, self.end) = (true, bytes.len());
            if skip > 0 {
                self.front = bytes.len();
            }
        }
        self.done
    }

    /// The number of lines to skip; `None` until it is known whether the first line is a Colonnade header.
    fn begin(&mut self, bytes: &[u8], ended: bool) -> Option<usize> {
        let head = || COMMENT.bytes().chain([b'{']);
        let matched = head().zip(bytes).take_while(|(a, b)| a == *b).count();
        if matched == bytes.len() && matched < head().count() && !ended {
            return None;
        }
        let header = matched == head().count();
        if header && !self.ignores_header {
            self.max_lines = self.header_lines;
        }
        Some(self.skip_rows + usize::from(header))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sniffed(text: &[u8], options: &ReadOptions, rows: usize) -> (usize, usize) {
        let mut sniffer = Sniffer::new(options, rows);
        assert!(sniffer.enough(text, true));
        (sniffer.front(), sniffer.end())
    }

    #[test]
    fn only_lines_with_content_count() {
        let options = ReadOptions { comment: Some(b'#'), skip_rows: 1, ..ReadOptions::default() };
        assert_eq!(sniffed(b"x\r\n#c\n\na,b\n \n1,\"2\n\"\n3,4\n", &options, 1), (3, 20));
        assert_eq!(sniffed(b"x", &options, 1), (1, 1));
        let plain = ReadOptions::default();
        assert_eq!(sniffed(b"a\rb\rc\rd\r", &plain, 2), (0, 6));
        assert_eq!(sniffed(b"# colonnade: {}\na\n1\n2\n", &plain, 2), (16, 18));
        assert_eq!(sniffed(b"", &plain, 2), (0, 0));
    }

    proptest! {
        #[test]
        fn portions_change_nothing(
            text in "[a,\"\\\\#\n\r ]{0,60}", portion in 1usize..9, rows in 0usize..5, skip_rows in 0usize..3
        ) {
            let options =
                ReadOptions { comment: Some(b'#'), escape: Some(b'\\'), skip_rows, ..ReadOptions::default() };
            let mut sniffer = Sniffer::new(&options, rows);
            let enough = (1..=text.len()).filter(|n| n % portion == 0)
                .any(|n| sniffer.enough(&text.as_bytes()[..n], false));
            if !enough {
                sniffer.enough(text.as_bytes(), true);
            }
            prop_assert_eq!((sniffer.front(), sniffer.end()), sniffed(text.as_bytes(), &options, rows));
        }
    }
}
