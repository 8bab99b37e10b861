//! The columns that an orient has, and what writes their cells.

use std::collections::HashSet;

use arrow_data::ArrayData;
use arrow_schema::Field;

use crate::arrow::index_names::{self, NamedColumn};
use crate::arrow::names;
use crate::cells::text;
use crate::cells::text::Style;
use crate::error::{Error, Result};
use crate::frame::{DType, Frame};
use crate::text::header::{Exported, told};

use super::rows::Cell;

/// A column under the key that its cells have.
pub struct Column {
    /// Key.
    pub name: String,
    /// Type and metadata.
    pub field: Field,
    /// Rows.
    pub data: ArrayData,
    /// The NumPy dtype that the field's metadata says.
    says: Option<DType>,
}

impl Column {
    fn new(name: String, field: &Field, data: &ArrayData) -> Result<Self> {
        let says = told(field).map_err(|e| e.in_member(name.as_str()))?.dtype;
        Ok(Self { name, field: field.clone(), data: data.clone(), says })
    }

    fn of_named(named: NamedColumn) -> Result<Self> {
        Self::new(named.name, &named.field, &named.data)
    }

    /// Whether it is an array of NumPy, where what is missing is NaN.
    #[must_use]
    pub fn is_numpy(&self) -> bool {
        self.says.is_some()
    }

    /// What writes its cells.
    ///
    /// # Errors
    /// `Unrepresentable`: a type that the format cannot hold.
    pub fn cell(&self, style: Style) -> Result<Cell<'_>> {
        let values = text::writer(&self.field, self.says, &self.data, style);
        let values = values.map_err(|e: Error| e.in_member(self.name.as_str()))?;
        let nbytes = self.data.get_slice_memory_size().unwrap_or(0) / self.data.len().max(1);
        Ok(Cell { name: self.name.clone(), key: Vec::new(), values, nbytes: nbytes + 4 })
    }
}

/// All fields of what is written with a header, levels of row labels behind the columns.
///
/// # Errors
/// Malformed metadata.
pub fn described(exported: &Exported) -> Result<Vec<Column>> {
    let fields = exported.schema.fields().iter().zip(&exported.arrays).zip(exported.keys());
    fields.map(|((field, data), key)| Column::new(key, field, data)).collect()
}

/// The columns alone, under their labels as text.
///
/// # Errors
/// Labels that are no Unicode.
pub fn data(frame: &Frame, exported: &Exported) -> Result<Vec<Column>> {
    let texts = names::texts(&frame.columns)?;
    let fields = exported.schema.fields().iter().zip(&exported.arrays).zip(texts);
    fields
        .map(|((field, data), text)| Column::new(text.unwrap_or_else(|| "None".into()), field, data))
        .collect()
}

/// The same behind the row labels.
///
/// # Errors
/// As [`data`]; labels that no memory holds.
pub fn with_index(frame: &Frame, exported: &Exported) -> Result<Vec<Column>> {
    let columns = data(frame, exported)?;
    let mut levels = index_names::labels(&frame.index)?;
    index_names::rename(&mut levels, columns.iter().map(|column| column.name.as_str()));
    let levels = levels.into_iter().map(Column::of_named).collect::<Result<Vec<_>>>()?;
    Ok(levels.into_iter().chain(columns).collect())
}

/// Whether the row labels are 0, 1, 2...
#[must_use]
pub fn is_automatic(frame: &Frame) -> bool {
    matches!(frame.index.labels, crate::frame::Labels::Auto { start: 0, step: 1, .. })
}

/// The levels of row labels, ranges spelled out.
///
/// # Errors
/// Labels that no memory holds.
pub fn index(frame: &Frame) -> Result<Vec<Column>> {
    index_names::labels(&frame.index)?.into_iter().map(Column::of_named).collect()
}

/// The column labels as JSON: arrays where there are several levels.
///
/// # Errors
/// `Unrepresentable`: labels that JSON cannot hold.
pub fn names(frame: &Frame, style: Style) -> Result<String> {
    let levels =
        index_names::labels(&frame.columns)?.into_iter().map(Column::of_named).collect::<Result<Vec<_>>>()?;
    let cells = levels.iter().map(|level| level.cell(style)).collect::<Result<Vec<_>>>()?;
    let mut out = vec![b'['];
    for row in 0..frame.ncols {
        if row > 0 {
            out.push(b',');
        }
        if cells.len() > 1 {
            out.push(b'[');
        }
        for (i, cell) in cells.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            cell.values.write(row, &mut out)?;
        }
        if cells.len() > 1 {
            out.push(b']');
        }
    }
    out.push(b']');
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Refuses names that repeat.
///
/// # Errors
/// `Unrepresentable`.
pub fn check_names(columns: &[Column], format: &'static str) -> Result<()> {
    let mut seen = HashSet::with_capacity(columns.len());
    match columns.iter().find(|column| !seen.insert(column.name.as_str())) {
        None => Ok(()),
        Some(column) => {
            let message = format!(
                "expected names that do not repeat, as they are the keys of objects, found {:?} again. \
                 Rename the columns, or write header=True.",
                column.name
            );
            Err(Error::unrepresentable(format, message).in_member(column.name.as_str()))
        }
    }
}
