//! Sections: opening bytes, then rows of cells, with a head before each row and a key before each cell if the layout has
//! them. Every layout consists of sections: an array of maps is one section, a map of arrays has one for each column.

use std::ops::Range;

use crate::cells::msgpack::column::{CellWriter, changed};
use crate::error::Result;

/// One column of a section.
pub struct SectionColumn<'a> {
    /// The name, for errors.
    pub name: String,
    /// The bytes before each of its cells: the encoded key in maps, none in arrays.
    pub key: Vec<u8>,
    /// The cells.
    pub cells: Box<dyn CellWriter + 'a>,
}

/// Opening bytes, then rows.
#[derive(Default)]
pub struct RowSection<'a> {
    /// The bytes before the first row.
    pub opening: Vec<u8>,
    /// The bytes before each row.
    pub row_head: Vec<u8>,
    /// The cells of a row.
    pub columns: Vec<SectionColumn<'a>>,
    /// The number of rows.
    pub nrows: usize,
}

impl RowSection<'_> {
    /// Returns the exact number of bytes of these rows.
    pub(super) fn measure(&self, rows: Range<usize>) -> Result<usize> {
        let keys: usize = self.columns.iter().map(|c| c.key.len()).sum();
        let mut nbytes = (self.row_head.len() + keys).saturating_mul(rows.len());
        for column in &self.columns {
            nbytes += column.cells.measure(rows.clone()).map_err(|e| e.in_member(&*column.name))?;
        }
        Ok(nbytes)
    }

    /// Writes these rows to `out`, which has exactly their size.
    pub(super) fn write(&self, rows: Range<usize>, out: &mut [u8]) -> Result<()> {
        let expected = out.len();
        let written = match self.columns.as_slice() {
            [only] if self.row_head.is_empty() && only.key.is_empty() => {
                only.cells.write(rows, out).map_err(|e| e.in_member(&*only.name))?
            }
            _ => self.write_rows(rows, out)?,
        };
        if written == expected { Ok(()) } else { Err(changed()) }
    }

    fn write_rows(&self, rows: Range<usize>, out: &mut [u8]) -> Result<usize> {
        let mut at = 0;
        for row in rows {
            at += put(out, at, &self.row_head)?;
            for column in &self.columns {
                at += put(out, at, &column.key)?;
                let rest = out.get_mut(at..).ok_or_else(changed)?;
                at += column.cells.write(row..row + 1, rest).map_err(|e| e.in_member(&*column.name))?;
            }
        }
        Ok(at)
    }
}

#[inline]
fn put(out: &mut [u8], at: usize, bytes: &[u8]) -> Result<usize> {
    let place = at.checked_add(bytes.len()).and_then(|end| out.get_mut(at..end));
    place.ok_or_else(changed)?.copy_from_slice(bytes);
    Ok(bytes.len())
}
