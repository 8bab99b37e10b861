//! The columns of an orient, and the writers of their cells.

use arrow_data::ArrayData;
use arrow_schema::Field;

use crate::arrow::index_names::{self, NamedColumn};
use crate::arrow::names;
use crate::cells::text;
use crate::cells::text::TextStyle;
use crate::error::{Error, Result};
use crate::frame::{DType, Frame};
use crate::text::header::{ExportedFrame, meta_of_field};

use super::rows::JsonCells;

/// A column with its key.
pub struct JsonColumn {
    /// The key.
    pub name: String,
    /// Type and metadata.
    pub field: Field,
    /// The values.
    pub data: ArrayData,
    /// The NumPy dtype in the field's metadata.
    numpy_dtype: Option<DType>,
}

impl JsonColumn {
    fn new(name: String, field: &Field, data: &ArrayData) -> Result<Self> {
        let numpy_dtype = meta_of_field(field).map_err(|e| e.in_member(name.as_str()))?.dtype;
        Ok(Self { name, field: field.clone(), data: data.clone(), numpy_dtype })
    }

    fn of_named(named: NamedColumn) -> Result<Self> {
        Self::new(named.name, &named.field, &named.data)
    }

    /// Whether the column is a NumPy array, whose missing values are NaN.
    #[must_use]
    pub fn is_numpy(&self) -> bool {
        self.numpy_dtype.is_some()
    }

    /// Creates the writer of the column's cells.
    ///
    /// # Errors
    /// `Unrepresentable`: a type that the format cannot hold.
    pub fn cell(&self, style: TextStyle) -> Result<JsonCells<'_>> {
        let values = text::writer(&self.field, self.numpy_dtype, &self.data, style);
        let values = values.map_err(|e: Error| e.in_member(self.name.as_str()))?;
        let nbytes = self.data.get_slice_memory_size().unwrap_or(0) / self.data.len().max(1);
        Ok(JsonCells { name: self.name.clone(), key: Vec::new(), values, nbytes: nbytes + 4 })
    }
}

/// Returns all fields for output with a header: the columns, then the levels of the row labels.
///
/// # Errors
/// Malformed metadata.
pub fn all_fields(exported: &ExportedFrame) -> Result<Vec<JsonColumn>> {
    let fields = exported.schema.fields().iter().zip(&exported.arrays).zip(exported.keys());
    fields.map(|((field, data), key)| JsonColumn::new(key, field, data)).collect()
}

/// Returns the data columns. Their keys are the labels as text, those that repeat with a number.
///
/// # Errors
/// Labels that are not Unicode.
pub fn data(frame: &Frame, exported: &ExportedFrame) -> Result<Vec<JsonColumn>> {
    let keys = names::keys(&frame.columns)?;
    let fields = exported.schema.fields().iter().zip(&exported.arrays).zip(keys);
    fields.map(|((field, data), key)| JsonColumn::new(key, field, data)).collect()
}

/// Returns the row labels followed by the data columns.
///
/// # Errors
/// As [`data`]; labels too large for memory.
pub fn with_index(frame: &Frame, exported: &ExportedFrame) -> Result<Vec<JsonColumn>> {
    let columns = data(frame, exported)?;
    let mut levels = index_names::labels(&frame.index)?;
    index_names::rename(&mut levels, columns.iter().map(|column| column.name.as_str()));
    let levels = levels.into_iter().map(JsonColumn::of_named).collect::<Result<Vec<_>>>()?;
    Ok(levels.into_iter().chain(columns).collect())
}

/// Returns the levels of the row labels; ranges are expanded.
///
/// # Errors
/// Labels too large for memory.
pub fn index(frame: &Frame) -> Result<Vec<JsonColumn>> {
    index_names::labels(&frame.index)?.into_iter().map(JsonColumn::of_named).collect()
}

/// Returns the column labels as JSON, as arrays if there are several levels.
///
/// # Errors
/// `Unrepresentable`: labels that JSON cannot hold.
pub fn names(frame: &Frame, style: TextStyle) -> Result<String> {
    let levels = index_names::labels(&frame.columns)?
        .into_iter()
        .map(JsonColumn::of_named)
        .collect::<Result<Vec<_>>>()?;
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
            cell.values.write(row, &mut out).map_err(|e| e.in_member("columns").in_row(row))?;
        }
        if cells.len() > 1 {
            out.push(b']');
        }
    }
    out.push(b']');
    Ok(String::from_utf8_lossy(&out).into_owned())
}
