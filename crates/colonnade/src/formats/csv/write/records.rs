//! Writes records: the fields of a row, separated by delimiters.

use std::ops::Range;

use crate::error::Result;
use crate::text::pieces::TextSection;

use super::fields::FieldWriter;
use super::quoting::Dialect;

/// One column of records.
pub struct RecordColumn<'a> {
    /// Its name, for errors.
    pub name: String,
    /// Its fields.
    pub fields: Box<dyn FieldWriter + 'a>,
    /// Estimated bytes of a field.
    pub nbytes: usize,
}

/// The records of a file, and the bytes that precede them.
pub struct CsvRecords<'a> {
    /// Byte order mark, header, names.
    pub opening: Vec<u8>,
    /// The columns.
    pub columns: Vec<RecordColumn<'a>>,
    /// The dialect.
    pub dialect: Dialect,
    /// Number of rows.
    pub nrows: usize,
}

impl TextSection for CsvRecords<'_> {
    fn nrows(&self) -> usize {
        self.nrows
    }

    fn row_nbytes(&self) -> usize {
        self.columns.iter().map(|column| column.nbytes + 1).sum()
    }

    fn opening(&self) -> &[u8] {
        &self.opening
    }

    fn write(&self, rows: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        let dialect = &self.dialect;
        for row in rows {
            for (i, column) in self.columns.iter().enumerate() {
                if i > 0 {
                    out.push(dialect.delimiter);
                }
                column.fields.put(row, dialect, out).map_err(|e| e.in_member(column.name.as_str()))?;
            }
            out.extend_from_slice(dialect.line_end);
        }
        Ok(())
    }

    fn closing(&self) -> &[u8] {
        b""
    }
}
