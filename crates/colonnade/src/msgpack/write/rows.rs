//! Frames in rows, and frames without a header: everything but our own columns.

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema};

use crate::error::{Error, Result};
use crate::frame::{Axis, Frame};
use crate::msgpack::cells::{CellWriter, FORMAT};
use crate::msgpack::options::{Orient, WriteOptions};

use super::pieces::Pieces;
use super::plain::{self, Named};
use super::section::Cell;
use super::{records, split};

/// What writes the cells of a field.
pub type WriterOf<'w> = &'w dyn Fn(&Field, &ArrayData) -> Result<Box<dyn CellWriter>>;

/// Encodes `frame` in rows, or in columns without a header: measured, to be written. `schema` and `arrays`: what an
/// exporter makes of it. `header`: the encoded entry of the header, its key and its value, and the keys of the fields;
/// `None` where there is none.
///
/// # Errors
/// `Unrepresentable`: a value that MessagePack cannot hold, with the name of its column.
pub fn measured(
    frame: &Frame,
    schema: &Schema,
    arrays: &[ArrayData],
    header: Option<(&[u8], &[String])>,
    options: &WriteOptions,
    writer_of: WriterOf<'_>,
) -> Result<Pieces> {
    let (nrows, compatible) = (frame.nrows, options.compatible);
    let plain = || cells(plain::columns(frame, schema, arrays)?, writer_of);
    let sections = match (options.orient, header) {
        (Orient::Records, None) => vec![records::section(plain()?, nrows, None, compatible)?],
        (Orient::Records, Some((header, keys))) => {
            let columns = cells(described(schema, arrays, keys)?, writer_of)?;
            vec![records::section(columns, nrows, Some(header), compatible)?]
        }
        (Orient::Split, None) => {
            let fields = schema.fields().iter().zip(arrays).take(frame.ncols);
            let columns = cells(fields.map(|(field, data)| Named::new(field, data)).collect(), writer_of)?;
            let index = cells(plain::labels(&frame.index)?, writer_of)?;
            let labels = cells(column_labels(&frame.columns, &columns)?, writer_of)?;
            split::plain(index, labels, columns, nrows, compatible)?
        }
        (Orient::Split, Some((header, keys))) => {
            let columns = cells(described(schema, arrays, keys)?, writer_of)?;
            vec![split::described(columns, nrows, header, compatible)?]
        }
        (Orient::Columns, None) => plain::sections(plain()?, nrows, compatible)?,
        (Orient::Columns, Some(_)) => {
            return Err(Error::unsupported(FORMAT, "columns behind a header are written elsewhere."));
        }
    };
    Pieces::of(sections)
}

/// All fields under their keys.
fn described(schema: &Schema, arrays: &[ArrayData], keys: &[String]) -> Result<Vec<Named>> {
    if keys.len() != schema.fields().len() || keys.len() != arrays.len() {
        let message = format!("expected {} keys and arrays, found {}.", schema.fields().len(), keys.len());
        return Err(Error::malformed(FORMAT, message));
    }
    let fields = schema.fields().iter().zip(arrays).zip(keys);
    Ok(fields.map(|((field, data), key)| Named { name: key.clone(), ..Named::new(field, data) }).collect())
}

fn cells(columns: Vec<Named>, writer_of: WriterOf<'_>) -> Result<Vec<Cell>> {
    let cell = |Named { name, field, data }| {
        let cells = writer_of(&field, &data).map_err(|e: Error| e.in_member(&name))?;
        Ok(Cell { name, key: Vec::new(), cells })
    };
    columns.into_iter().map(cell).collect()
}

/// Labels of columns: integers as integers, all others as the keys of maps have them.
fn column_labels(axis: &Axis, columns: &[Cell]) -> Result<Vec<Named>> {
    let own = plain::labels(axis)?;
    if matches!(own.as_slice(), [only] if only.data.data_type().is_integer() && only.data.null_count() == 0) {
        return Ok(own);
    }
    let names = arrow_array::StringArray::from_iter_values(columns.iter().map(|column| &column.name));
    let field = Field::new("columns", DataType::Utf8, false);
    Ok(vec![Named::new(&field, &arrow_array::Array::to_data(&names))])
}
