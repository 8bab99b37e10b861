//! Writes frames in rows, and frames without a header.

use arrow_array::{Array, StringArray};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema};

use crate::cells::msgpack::column::{CellWriter, FORMAT};
use crate::cells::msgpack::options::Orient;
use crate::error::{Error, Result};
use crate::formats::msgpack::options::WriteOptions;
use crate::frame::{Axis, Frame};
use crate::progress::Progress;
use crate::sink::Sink;

use super::pieces::Pieces;
use super::plain::{self, Named};
use super::section::Cell;
use super::{records, split};

/// Returns the cell writer of a field.
pub type WriterOf<'w> = &'w dyn for<'a> Fn(&'a Field, &'a ArrayData) -> Result<Box<dyn CellWriter + 'a>>;

/// The result of an exporter for a frame.
#[derive(Debug, Clone, Copy)]
pub struct Exported<'a> {
    /// The fields.
    pub schema: &'a Schema,
    /// The arrays of the fields.
    pub arrays: &'a [ArrayData],
    /// The encoded entry of the header, its key and its value, and the keys of the fields; `None` without a header.
    pub header: Option<(&'a [u8], &'a [String])>,
}

/// Encodes `frame` in rows, or in columns without a header.
///
/// # Errors
/// `Unrepresentable`: a value that MessagePack cannot hold, with the name of its column; errors of the sink.
pub fn encode(
    frame: &Frame,
    exported: Exported<'_>,
    options: &WriteOptions,
    writer_of: WriterOf<'_>,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let Exported { schema, arrays, header } = exported;
    let (nrows, compatible) = (frame.nrows, options.compatible);
    let own: Vec<Named> = match header {
        Some((_, keys)) => described(schema, arrays, keys)?,
        None if options.orient == Orient::Split => {
            schema.fields().iter().zip(arrays).take(frame.ncols).map(|(f, a)| Named::new(f, a)).collect()
        }
        None => plain::columns(frame, schema, arrays)?,
    };
    if own.is_empty() && nrows > 0 && header.is_none() && options.orient == Orient::Columns {
        let message = format!(
            "{nrows} rows without columns: a map of columns has nothing that says how many rows there are. Write them with \
             the header, or orient=\"records\"."
        );
        return Err(Error::unrepresentable(FORMAT, message));
    }
    let (index, labels);
    let columns = cells(&own, writer_of)?;
    let sections = match (options.orient, header) {
        (Orient::Records, header) => {
            vec![records::section(columns, nrows, header.map(|(entry, _)| entry), compatible)?]
        }
        (Orient::Split, Some((entry, _))) => vec![split::described(columns, nrows, entry, compatible)?],
        (Orient::Split, None) => {
            index = plain::labels(&frame.index)?;
            labels = column_labels(&frame.columns, &own)?;
            let (index, labels) = (cells(&index, writer_of)?, cells(&labels, writer_of)?);
            split::plain(index, labels, columns, nrows, compatible)?
        }
        (Orient::Columns, None) => plain::sections(columns, nrows, compatible)?,
        (Orient::Columns, Some(_)) => {
            return Err(Error::unsupported(FORMAT, "columns behind a header are written elsewhere."));
        }
    };
    Pieces::of(sections)?.write(options.threads, sink, progress)
}

/// Returns all fields with their keys as names.
fn described(schema: &Schema, arrays: &[ArrayData], keys: &[String]) -> Result<Vec<Named>> {
    if keys.len() != schema.fields().len() || keys.len() != arrays.len() {
        let message = format!("expected {} keys and arrays, found {}.", schema.fields().len(), keys.len());
        return Err(Error::malformed(FORMAT, message));
    }
    let fields = schema.fields().iter().zip(arrays).zip(keys);
    Ok(fields.map(|((field, data), key)| Named { name: key.clone(), ..Named::new(field, data) }).collect())
}

fn cells<'a>(columns: &'a [Named], writer_of: WriterOf<'_>) -> Result<Vec<Cell<'a>>> {
    let cell = |named: &'a Named| {
        let cells =
            writer_of(&named.field, &named.data).map_err(|e: Error| e.in_member(named.name.as_str()))?;
        Ok(Cell { name: named.name.clone(), key: Vec::new(), cells })
    };
    columns.iter().map(cell).collect()
}

/// Returns the labels of columns: integers unchanged, others as the keys of maps.
fn column_labels(axis: &Axis, columns: &[Named]) -> Result<Vec<Named>> {
    let own = plain::labels(axis)?;
    if matches!(own.as_slice(), [only] if only.data.data_type().is_integer() && only.data.null_count() == 0) {
        return Ok(own);
    }
    let names = StringArray::from_iter_values(columns.iter().map(|column| &column.name)).into_data();
    Ok(vec![Named::new(&Field::new("columns", DataType::Utf8, false), &names)])
}
