//! Frames without a header as maps of columns.

use crate::error::Result;

use super::section::{Cell, Section};
use crate::cells::msgpack::heads;

pub use crate::arrow::named::{Named, columns, labels};

/// Returns the sections of a map of arrays, one for each column.
///
/// # Errors
/// `Unrepresentable`: too many rows or columns for MessagePack.
pub fn sections(columns: Vec<Cell<'_>>, nrows: usize, compatible: bool) -> Result<Vec<Section<'_>>> {
    let mut opening = Vec::new();
    heads::map(&mut opening, columns.len())?;
    let mut out = Vec::with_capacity(columns.len());
    for column in columns {
        heads::text(&mut opening, &column.name, compatible)?;
        heads::array(&mut opening, nrows)?;
        out.push(Section {
            opening: std::mem::take(&mut opening),
            columns: vec![column],
            nrows,
            ..Section::default()
        });
    }
    if out.is_empty() {
        out.push(Section { opening, ..Section::default() });
    }
    Ok(out)
}
