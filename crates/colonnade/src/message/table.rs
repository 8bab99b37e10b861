//! An incoming CSV or NDJSON table. Its first line, the header, declares the number of rows.

use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::memory::Buffer;
use crate::text::header::KEY;

/// The start of a CSV header line.
const COMMENT: &[u8] = b"# colonnade: ";

/// The formats that declare the number of rows first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// A comment, a record of names, and one record for each row.
    Csv,
    /// A header line, and one line for each row.
    Ndjson,
}

/// A table whose bytes are arriving.
#[derive(Debug)]
pub(super) struct IncomingTable {
    format: TableFormat,
    bytes: Vec<u8>,
    limits: Limits,
    /// The number of lines still to come, once the header has arrived.
    left: Option<u64>,
    quote: u8,
    quoted: bool,
}

/// The format of a message that begins with `marker`. In MessagePack these bytes are single numbers, which are no frame.
pub(super) fn is_table(marker: u8) -> Option<TableFormat> {
    match marker {
        b'#' => Some(TableFormat::Csv),
        b'{' => Some(TableFormat::Ndjson),
        _ => None,
    }
}

impl IncomingTable {
    pub(super) fn new(format: TableFormat, limits: Limits) -> Self {
        Self { format, bytes: Vec::new(), limits, left: None, quote: b'"', quoted: false }
    }

    /// The bytes received so far.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn is_whole(&self) -> bool {
        self.left == Some(0)
    }

    /// Returns the number of bytes received, and the number expected at least: one more byte for each missing line end.
    pub(super) fn so_far(&self) -> (u64, u64) {
        let had = self.bytes.len() as u64;
        (had, had + self.left.unwrap_or(1))
    }

    /// Takes the bytes of the table from the front of `bytes`, and returns their number.
    ///
    /// # Errors
    /// A header without a number of rows; a limit.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<usize> {
        let count = match self.left {
            None => match bytes.iter().position(|&byte| byte == b'\n') {
                Some(end) => {
                    self.append(bytes, end + 1)?;
                    self.read_header()?;
                    return Ok(end + 1);
                }
                None => {
                    let so_far = (self.bytes.len() + bytes.len()) as u64;
                    if so_far > self.limits.max_meta_nbytes {
                        return Err(over(so_far, self.limits.max_meta_nbytes, "max_meta_nbytes"));
                    }
                    bytes.len()
                }
            },
            Some(left) => {
                let (count, ends) = match self.format {
                    TableFormat::Ndjson => lines(bytes, left),
                    TableFormat::Csv => self.records(bytes, left),
                };
                self.left = Some(left - ends);
                count
            }
        };
        self.append(bytes, count)?;
        Ok(count)
    }

    /// Returns the format and all bytes.
    pub(super) fn finish(self) -> (TableFormat, Buffer) {
        (self.format, Buffer::from_vec(self.bytes))
    }

    fn append(&mut self, bytes: &[u8], count: usize) -> Result<()> {
        self.bytes.extend_from_slice(bytes.get(..count).unwrap_or_default());
        let (_, needed) = self.so_far();
        if needed > self.limits.max_nbytes {
            return Err(over(needed, self.limits.max_nbytes, "max_nbytes"));
        }
        Ok(())
    }

    fn read_header(&mut self) -> Result<()> {
        let (name, line, more) = match self.format {
            TableFormat::Csv => ("csv", self.bytes.strip_prefix(COMMENT), 1),
            TableFormat::Ndjson => ("ndjson", Some(self.bytes.as_slice()), 0),
        };
        let header: Option<Value> = line.and_then(|line| serde_json::from_slice(line).ok());
        let header = match self.format {
            TableFormat::Csv => header.as_ref(),
            TableFormat::Ndjson => header.as_ref().and_then(|line| line.get(KEY)),
        };
        let Some(nrows) = header.and_then(|header| header.get("nrows")).and_then(Value::as_u64) else {
            let message = format!(
                "expected a table of {name} whose first line is a header with the number of rows, found another line. Send \
                 it as bytes, or with Colonnade's header."
            );
            return Err(Error::malformed("message", message));
        };
        let quote = header.and_then(|header| header.pointer("/csv/quotechar")).and_then(Value::as_str);
        if let Some([quote]) = quote.map(str::as_bytes) {
            self.quote = *quote;
        }
        // Rows without fields are not CSV records.
        let has_no_fields = header
            .and_then(|header| header.get("fields"))
            .and_then(Value::as_object)
            .is_some_and(Map::is_empty);
        let nrows = if has_no_fields && self.format == TableFormat::Csv { 0 } else { nrows };
        self.left = Some(nrows.saturating_add(more));
        Ok(())
    }

    /// Returns the number of bytes of at most `left` records, and the number of record ends among them. A line end inside
    /// quotes does not end a record.
    fn records(&mut self, bytes: &[u8], left: u64) -> (usize, u64) {
        let mut ends = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            if byte == self.quote {
                self.quoted = !self.quoted;
            } else if byte == b'\n' && !self.quoted {
                ends += 1;
                if ends == left {
                    return (at + 1, ends);
                }
            }
        }
        (bytes.len(), ends)
    }
}

/// Returns the number of bytes of at most `left` lines, and the number of line ends among them.
fn lines(bytes: &[u8], left: u64) -> (usize, u64) {
    let ends = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
    if ends < left {
        return (bytes.len(), ends);
    }
    let mut ends = 0;
    let last = bytes.iter().position(|&byte| {
        ends += u64::from(byte == b'\n');
        ends == left
    });
    (last.map_or(bytes.len(), |at| at + 1), left)
}

fn over(nbytes: u64, limit: u64, name: &str) -> Error {
    let message = format!(
        "a message of {nbytes} bytes at least, over the limit of {limit}. Raise {name} to receive it."
    );
    Error::limit("message", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(text: &[u8], step: usize) -> Result<(Vec<u8>, usize)> {
        let format = is_table(text[0]).unwrap();
        let mut table = IncomingTable::new(format, Limits::default());
        let mut at = 0;
        while at < text.len() && !table.is_whole() {
            at += table.feed(&text[at..(at + step).min(text.len())])?;
        }
        assert_eq!(table.is_whole(), table.left == Some(0));
        let (_, bytes) = table.finish();
        Ok((bytes.as_slice().to_vec(), at))
    }

    #[test]
    fn a_table_ends_after_its_last_row() {
        let ndjson = "{\"__colonnade__\":{\"nrows\":2}}\n{\"a\":\"x\"}\n{}\n";
        let csv = "# colonnade: {\"nrows\":2,\"csv\":{\"quotechar\":\"'\"}}\na,b\n1,'x\n''y\n'\n2,\"\n";
        for text in [ndjson, csv] {
            let with_more = format!("{text}{text}");
            for step in [1, 2, 7, 1000] {
                let (bytes, count) = fed(with_more.as_bytes(), step).unwrap();
                assert_eq!((bytes.as_slice(), count), (text.as_bytes(), text.len()), "{step}");
            }
        }
        let empty = b"{\"__colonnade__\":{\"nrows\":0}}\n{\"next\"";
        assert_eq!(fed(empty, 9).unwrap().1, 30);
    }

    #[test]
    fn a_csv_table_without_fields_has_no_records() {
        let csv = "# colonnade: {\"nrows\":2,\"fields\":{}}\n\n";
        let ndjson = "{\"__colonnade__\":{\"nrows\":2,\"fields\":{}}}\n{}\n{}\n";
        for text in [csv, ndjson] {
            assert_eq!(fed(format!("{text}{text}").as_bytes(), 5).unwrap().1, text.len(), "{text}");
        }
    }

    #[test]
    fn a_header_must_declare_the_rows() {
        for text in [
            "{\"a\":1}\n",
            "{}\n",
            "{\n",
            "# a\n",
            "# colonnade: {}\n",
            "{\"__colonnade__\":{\"nrows\":-1}}\n",
        ] {
            assert!(fed(text.as_bytes(), 3).unwrap_err().to_string().contains("header"), "{text}");
        }
        let mut table =
            IncomingTable::new(TableFormat::Ndjson, Limits { max_meta_nbytes: 10, ..Limits::default() });
        assert!(table.feed(b"{\"a long key").unwrap_err().to_string().contains("max_meta_nbytes"));
        let mut table =
            IncomingTable::new(TableFormat::Ndjson, Limits { max_nbytes: 40, ..Limits::default() });
        assert!(table.feed(b"{\"__colonnade__\":{\"nrows\":99}}\n").is_ok());
        assert!(table.feed(b"{}\n").unwrap_err().to_string().contains("max_nbytes"));
    }
}
