//! Writes frames in rows, and frames without a header.

use arrow_array::{Array, StringArray};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema};

use crate::cells::msgpack::column::{CellWriter, FORMAT};
use crate::cells::msgpack::options::MsgpackOrient;
use crate::error::{Error, Result};
use crate::formats::msgpack::options::WriteOptions;
use crate::frame::{Axis, Frame};
use crate::progress::Progress;
use crate::sink::Sink;

use super::pieces::Pieces;
use super::section::SectionColumn;
use super::without_header::{self, NamedColumn};
use super::{records, split};

/// Returns the cell writer of a field.
pub type WriterOf<'w> = &'w dyn for<'a> Fn(&'a Field, &'a ArrayData) -> Result<Box<dyn CellWriter + 'a>>;

/// The result of an exporter for a frame.
#[derive(Debug, Clone, Copy)]
pub struct ExportedArrays<'a> {
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
    exported: ExportedArrays<'_>,
    options: &WriteOptions,
    writer_of: WriterOf<'_>,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let ExportedArrays { schema, arrays, header } = exported;
    let (nrows, compatible) = (frame.nrows, options.compatible);
    let named_columns: Vec<NamedColumn> = match header {
        Some((_, keys)) => with_keys(schema, arrays, keys)?,
        None if options.orient == MsgpackOrient::Split => schema
            .fields()
            .iter()
            .zip(arrays)
            .take(frame.ncols)
            .map(|(f, a)| NamedColumn::new(f, a))
            .collect(),
        None => without_header::columns(frame, schema, arrays)?,
    };
    if named_columns.is_empty() && nrows > 0 && header.is_none() && options.orient == MsgpackOrient::Columns {
        let message = format!(
            "{nrows} rows without columns: a map of columns has nothing that says how many rows there are. Write them with \
             the header, or orient=\"records\"."
        );
        return Err(Error::unrepresentable(FORMAT, message));
    }
    let (index, labels);
    let columns = cells(&named_columns, writer_of)?;
    let sections = match (options.orient, header) {
        (MsgpackOrient::Records, header) => {
            vec![records::section(columns, nrows, header.map(|(entry, _)| entry), compatible)?]
        }
        (MsgpackOrient::Split, Some((entry, _))) => {
            vec![split::sections_with_header(columns, nrows, entry, compatible)?]
        }
        (MsgpackOrient::Split, None) => {
            index = without_header::labels(&frame.index)?;
            labels = column_labels(&frame.columns, &named_columns)?;
            let (index, labels) = (cells(&index, writer_of)?, cells(&labels, writer_of)?);
            split::sections_without_header(index, labels, columns, nrows, compatible)?
        }
        (MsgpackOrient::Columns, None) => without_header::sections(columns, nrows, compatible)?,
        (MsgpackOrient::Columns, Some(_)) => {
            return Err(Error::unsupported(FORMAT, "columns behind a header are written elsewhere."));
        }
    };
    Pieces::of(sections)?.write(options.threads, sink, progress)
}

/// Returns all fields with their keys as names.
fn with_keys(schema: &Schema, arrays: &[ArrayData], keys: &[String]) -> Result<Vec<NamedColumn>> {
    if keys.len() != schema.fields().len() || keys.len() != arrays.len() {
        let message = format!("expected {} keys and arrays, found {}.", schema.fields().len(), keys.len());
        return Err(Error::malformed(FORMAT, message));
    }
    let fields = schema.fields().iter().zip(arrays).zip(keys);
    Ok(fields
        .map(|((field, data), key)| NamedColumn { name: key.clone(), ..NamedColumn::new(field, data) })
        .collect())
}

fn cells<'a>(columns: &'a [NamedColumn], writer_of: WriterOf<'_>) -> Result<Vec<SectionColumn<'a>>> {
    let cell = |named: &'a NamedColumn| {
        let cells =
            writer_of(&named.field, &named.data).map_err(|e: Error| e.in_member(named.name.as_str()))?;
        Ok(SectionColumn { name: named.name.clone(), key: Vec::new(), cells })
    };
    columns.iter().map(cell).collect()
}

/// Returns the labels of columns: integers unchanged, others as the keys of maps.
fn column_labels(axis: &Axis, columns: &[NamedColumn]) -> Result<Vec<NamedColumn>> {
    let labels = without_header::labels(axis)?;
    if matches!(labels.as_slice(), [only] if only.data.data_type().is_integer() && only.data.null_count() == 0)
    {
        return Ok(labels);
    }
    let names = StringArray::from_iter_values(columns.iter().map(|column| &column.name)).into_data();
    Ok(vec![NamedColumn::new(&Field::new("columns", DataType::Utf8, false), &names)])
}
