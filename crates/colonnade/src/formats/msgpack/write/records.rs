//! Rows as maps: `[{key: cell, ...}, ...]`, with a header `{"__colonnade__": header, "records": [...]}`.

use crate::error::Result;

use super::section::{RowSection, SectionColumn};
use crate::cells::msgpack::heads;

/// Returns the section of the rows. `header`: the encoded entry of the header, its key and its value.
///
/// # Errors
/// `Unrepresentable`: too many rows or columns for MessagePack.
pub fn section<'a>(
    columns: Vec<SectionColumn<'a>>,
    nrows: usize,
    header: Option<&[u8]>,
    compatible: bool,
) -> Result<RowSection<'a>> {
    let mut opening = Vec::new();
    if let Some(header) = header {
        heads::map(&mut opening, 2)?;
        opening.extend_from_slice(header);
        heads::text(&mut opening, "records", compatible)?;
    }
    heads::array(&mut opening, nrows)?;
    let mut row_head = Vec::new();
    heads::map(&mut row_head, columns.len())?;
    let keyed = |mut column: SectionColumn<'a>| {
        heads::text(&mut column.key, &column.name, compatible)?;
        Ok(column)
    };
    let columns = columns.into_iter().map(keyed).collect::<Result<_>>()?;
    Ok(RowSection { opening, row_head, columns, nrows })
}
