//! Frames without a header as maps of columns.

use crate::error::Result;

use super::section::{RowSection, SectionColumn};
use crate::cells::msgpack::heads;

pub use crate::arrow::index_names::{NamedColumn, columns, labels};

/// Returns the sections of a map of arrays, one for each column.
///
/// # Errors
/// `Unrepresentable`: too many rows or columns for MessagePack.
pub fn sections(
    columns: Vec<SectionColumn<'_>>,
    nrows: usize,
    compatible: bool,
) -> Result<Vec<RowSection<'_>>> {
    let mut opening = Vec::new();
    heads::map(&mut opening, columns.len())?;
    let mut out = Vec::with_capacity(columns.len());
    for column in columns {
        heads::text(&mut opening, &column.name, compatible)?;
        heads::array(&mut opening, nrows)?;
        out.push(RowSection {
            opening: std::mem::take(&mut opening),
            columns: vec![column],
            nrows,
            ..RowSection::default()
        });
    }
    if out.is_empty() {
        out.push(RowSection { opening, ..RowSection::default() });
    }
    Ok(out)
}
