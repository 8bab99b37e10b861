//! Sections of JSON rows: keys, values, and the punctuation around them. Every orient consists of a few sections.

use std::ops::Range;
use std::sync::Arc;

use crate::cells::simd128;
use crate::cells::text::TextWriter;
use crate::error::Result;
use crate::text::pieces::TextSection;

use super::labels::LabelKeys;

/// One column of a section.
pub struct JsonCells<'a> {
    /// The column's name, for errors.
    pub name: String,
    /// The text before each value: the comma, and the key if rows are objects.
    pub key: Vec<u8>,
    /// The writer of the values.
    pub values: Box<dyn TextWriter + 'a>,
    /// The approximate number of bytes of a value.
    pub nbytes: usize,
}

/// The number of bytes of a short key.
const KEY_NBYTES: usize = 32;

/// A text that is copied for each row. A short one has a constant size, so that the copy is one move instead of a call.
struct KeyText<'a> {
    text: &'a [u8],
    padded: [u8; KEY_NBYTES],
}

impl<'a> KeyText<'a> {
    fn new(text: &'a [u8]) -> Self {
        let mut padded = [0; KEY_NBYTES];
        padded.iter_mut().zip(text).for_each(|(place, byte)| *place = *byte);
        Self { text, padded }
    }

    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        if self.text.len() > KEY_NBYTES {
            out.extend_from_slice(self.text);
        } else if !self.text.is_empty() {
            simd128::push(&self.padded, self.text.len(), out);
        }
    }
}

/// Rows and the text around them.
pub struct JsonSection<'a> {
    /// The text before the first row.
    pub opening: Vec<u8>,
    /// The keys of the rows, if rows are members of an object.
    pub labels: Option<Arc<LabelKeys>>,
    /// The text before the first value of a row.
    pub row_opening: &'static [u8],
    /// The values of a row.
    pub columns: Vec<JsonCells<'a>>,
    /// The text after the last value of a row.
    pub row_closing: &'static [u8],
    /// The text between two rows.
    pub between: &'static [u8],
    /// The text after the last row.
    pub closing: Vec<u8>,
    /// Number of rows.
    pub nrows: usize,
}

impl Default for JsonSection<'_> {
    fn default() -> Self {
        Self {
            opening: Vec::new(),
            labels: None,
            row_opening: b"",
            columns: Vec::new(),
            row_closing: b"",
            between: b",",
            closing: Vec::new(),
            nrows: 0,
        }
    }
}

impl TextSection for JsonSection<'_> {
    fn nrows(&self) -> usize {
        self.nrows
    }

    fn row_nbytes(&self) -> usize {
        let label = self.labels.as_ref().map_or(0, |labels| labels.nbytes());
        let around = self.row_opening.len() + self.row_closing.len() + self.between.len();
        self.columns.iter().map(|c| c.key.len() + c.nbytes).sum::<usize>() + around + label
    }

    fn opening(&self) -> &[u8] {
        &self.opening
    }

    fn write(&self, rows: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        let [between, opening, closing] =
            [self.between, self.row_opening, self.row_closing].map(KeyText::new);
        let keys: Vec<KeyText<'_>> = self.columns.iter().map(|column| KeyText::new(&column.key)).collect();
        for row in rows {
            if row > 0 {
                between.put(out);
            }
            if let Some(labels) = &self.labels {
                labels.write(row, out);
            }
            opening.put(out);
            for (column, key) in self.columns.iter().zip(&keys) {
                key.put(out);
                let written = column.values.write(row, out);
                written.map_err(|e| e.in_row(row).in_member(column.name.as_str()))?;
            }
            closing.put(out);
        }
        Ok(())
    }

    fn closing(&self) -> &[u8] {
        &self.closing
    }
}
