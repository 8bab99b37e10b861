//! The header record, which holds the column names.

use crate::arrow::names;
use crate::error::Result;
use crate::frame::Frame;

use super::quoting::Dialect;

/// The column labels as text; those of several levels as the text of a tuple. A missing label is empty.
///
/// # Errors
/// Labels that are not Unicode.
pub fn labels(frame: &Frame) -> Result<Vec<String>> {
    Ok(names::texts(&frame.columns)?.into_iter().map(Option::unwrap_or_default).collect())
}

/// Writes the names of the row labels, then those of the columns.
pub fn write(index: &[&str], columns: &[String], dialect: &Dialect, out: &mut Vec<u8>) {
    let names = index.iter().copied().chain(columns.iter().map(String::as_str));
    for (position, name) in names.enumerate() {
        if position > 0 {
            out.push(dialect.delimiter);
        }
        dialect.put(name.as_bytes(), out);
    }
    out.extend_from_slice(dialect.line_end);
}
