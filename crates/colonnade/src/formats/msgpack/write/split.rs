//! The split layout, with separate names, labels and rows: `{"columns": [key, ...], "data": [[cell, ...], ...]}` after a
//! header, and `{"index": [label, ...], "columns": [...], "data": [...]}` without one, as in
//! `DataFrame.to_dict(orient="split")`.

use crate::error::Result;

use super::section::{RowSection, SectionColumn};
use crate::cells::msgpack::heads;

/// Returns the sections of a frame with a header; row labels are columns. `header`: its encoded entry, key and value.
///
/// # Errors
/// `Unrepresentable`: too many rows or columns for MessagePack.
pub fn sections_with_header<'a>(
    columns: Vec<SectionColumn<'a>>,
    nrows: usize,
    header: &[u8],
    compatible: bool,
) -> Result<RowSection<'a>> {
    let mut opening = Vec::new();
    heads::map(&mut opening, 3)?;
    opening.extend_from_slice(header);
    heads::text(&mut opening, "columns", compatible)?;
    heads::array(&mut opening, columns.len())?;
    for column in &columns {
        heads::text(&mut opening, &column.name, compatible)?;
    }
    data(opening, columns, nrows, compatible)
}

/// Returns the sections of a frame without a header: row labels, column labels, data. Labels of several levels are arrays.
///
/// # Errors
/// As [`sections_with_header`].
pub fn sections_without_header<'a>(
    index: Vec<SectionColumn<'a>>,
    labels: Vec<SectionColumn<'a>>,
    columns: Vec<SectionColumn<'a>>,
    nrows: usize,
    compatible: bool,
) -> Result<Vec<RowSection<'a>>> {
    let mut opening = Vec::new();
    heads::map(&mut opening, 3)?;
    heads::text(&mut opening, "index", compatible)?;
    let index = list(opening, index, nrows)?;
    let mut opening = Vec::new();
    heads::text(&mut opening, "columns", compatible)?;
    let labels = list(opening, labels, columns.len())?;
    Ok(vec![index, labels, data(Vec::new(), columns, nrows, compatible)?])
}

fn data(
    mut opening: Vec<u8>,
    columns: Vec<SectionColumn<'_>>,
    nrows: usize,
    compatible: bool,
) -> Result<RowSection<'_>> {
    heads::text(&mut opening, "data", compatible)?;
    heads::array(&mut opening, nrows)?;
    let mut row_head = Vec::new();
    heads::array(&mut row_head, columns.len())?;
    Ok(RowSection { opening, row_head, columns, nrows })
}

/// Returns the section of labels, with an array for each label of several levels.
fn list(mut opening: Vec<u8>, levels: Vec<SectionColumn<'_>>, count: usize) -> Result<RowSection<'_>> {
    heads::array(&mut opening, count)?;
    let mut row_head = Vec::new();
    if levels.len() > 1 {
        heads::array(&mut row_head, levels.len())?;
    }
    Ok(RowSection { opening, row_head, columns: levels, nrows: count })
}
