//! Frames without a header: what is a column, and under which name.

use crate::error::Result;

use super::section::{Cell, Section};
use crate::cells::msgpack::heads;

pub use crate::arrow::named::{Named, columns, labels};

/// A map of arrays: a section a column.
///
/// # Errors
/// `Unrepresentable`: more rows or columns than MessagePack counts.
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
