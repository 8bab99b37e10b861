//! The header records, which hold the column names.

use crate::arrow::index_names;
use crate::arrow::names;
use crate::cells::text;
use crate::cells::text::TextStyle;
use crate::error::{Error, Result};
use crate::frame::{Frame, Labels};

use super::quoting::Dialect;

/// The column labels as text, one list per level. A missing label is empty.
///
/// # Errors
/// `Unrepresentable`: labels without a text form.
pub fn labels(frame: &Frame) -> Result<Vec<Vec<String>>> {
    if !matches!(&frame.columns.labels, Labels::Levels(levels) if levels.len() > 1) {
        let texts = names::texts(&frame.columns)?;
        return Ok(vec![texts.into_iter().map(Option::unwrap_or_default).collect()]);
    }
    let mut out = Vec::new();
    for level in index_names::labels(&frame.columns)? {
        let writer = text::writer(&level.field, None, &level.data, TextStyle::csv(false))
            .map_err(|e: Error| e.in_member(level.name.as_str()))?;
        let mut texts = Vec::with_capacity(frame.ncols);
        for row in 0..frame.ncols {
            let mut text = Vec::new();
            writer.write(row, &mut text)?;
            texts.push(String::from_utf8_lossy(&text).into_owned());
        }
        out.push(texts);
    }
    Ok(out)
}

/// Writes one record per level: the names of the row labels (only in the first record), then those of the columns.
pub fn write(index: &[&str], columns: &[Vec<String>], dialect: &Dialect, out: &mut Vec<u8>) {
    for (i, level) in columns.iter().enumerate() {
        let index = index.iter().map(|name| if i == 0 { *name } else { "" });
        for (position, name) in index.chain(level.iter().map(String::as_str)).enumerate() {
            if position > 0 {
                out.push(dialect.delimiter);
            }
            dialect.put(name.as_bytes(), out);
        }
        out.extend_from_slice(dialect.line_end);
    }
}
