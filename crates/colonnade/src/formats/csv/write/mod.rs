//! Writes frames as CSV: plain, or with a schema in the first line or in a sidecar.

mod chunks;
mod encoding;
mod fields;
mod names;
pub mod options;
mod quoting;
mod records;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::arrow::index_names::{self, NamedColumn};
use crate::cells::text::TextStyle;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::text::header::{ExportedFrame, meta_of_field};
use crate::text::loss::{
    IndexPlace, Loss, NamePlace, PlainCsv, PlainText, losses as plain_losses, tells_nan_from_null,
};
use crate::text::pieces::{self, TextSection};

pub use chunks::CsvChunkWriter;
use options::{SchemaPlace, WriteOptions};
use quoting::Dialect;
use records::{CsvRecords, RecordColumn};

/// The format's name in errors.
pub(crate) const FORMAT: &str = "csv";

/// The start of the first line of a file with a schema. The header follows as JSON.
pub const COMMENT: &str = "# colonnade: ";

/// Encodes `frame`. With [`SchemaPlace::Sidecar`] the caller also writes the result of [`sidecar`].
///
/// # Errors
/// `Unrepresentable`, with column and reason: labels or cells that have no text. Errors of the sink.
pub fn encode(
    frame: &Frame,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let exported = ExportedFrame::new(frame)?;
    let header = match options.schema {
        SchemaPlace::Header => Some(header(&exported, options, true)?),
        _ => None,
    };
    write(frame, &exported, FileStart { whole: true, header: header.as_deref() }, options, sink, progress)
}

/// Returns what these options lose of `frame`: nothing with a schema.
///
/// # Errors
/// As [`plain_losses`].
pub fn losses(frame: &Frame, options: &WriteOptions) -> Result<Vec<Loss>> {
    if options.schema != SchemaPlace::Nowhere {
        return Ok(Vec::new());
    }
    let plain = PlainText {
        csv: Some(PlainCsv { na_rep: &options.na_rep, decimal: options.decimal }),
        nonfinite_is_null: false,
        index: if options.index.is_none() { IndexPlace::Columns } else { IndexPlace::ByOption },
        names: if options.header { NamePlace::Front } else { NamePlace::Nowhere },
        is_typed: false,
        threads: options.threads,
    };
    plain_losses(frame, &plain)
}

/// The content of the sidecar of a file that is written with these options: the header as JSON, and a line end.
///
/// # Errors
/// `Unrepresentable`: labels, categories or dtypes that have no text.
pub fn sidecar(frame: &Frame, options: &WriteOptions) -> Result<Vec<u8>> {
    let mut text = header(&ExportedFrame::new(frame)?, options, true)?.into_bytes();
    text.push(b'\n');
    Ok(text)
}

/// The start of a file.
#[derive(Debug, Clone, Copy)]
struct FileStart<'a> {
    /// Byte order mark and names.
    whole: bool,
    /// The header's JSON, for the first line.
    header: Option<&'a str>,
}

/// The header. `whole`: whether the frame has all rows of the file.
fn header(exported: &ExportedFrame, options: &WriteOptions, whole: bool) -> Result<String> {
    let mut header = exported.header("csv");
    if !whole {
        header.nrows = None;
    }
    let char = |byte: u8| String::from(char::from(byte));
    let mut dialect = Map::new();
    dialect.insert("delimiter".into(), json!(char(options.delimiter)));
    dialect.insert("quotechar".into(), json!(char(options.quotechar)));
    dialect.insert("decimal".into(), json!(char(options.decimal)));
    dialect.insert("null".into(), json!(null_text(exported.arrays.len(), options)));
    dialect.insert("encoding".into(), json!(options.encoding.name()));
    header.extra.insert("csv".into(), Value::Object(dialect));
    header.to_json(TextStyle::json(FORMAT))
}

/// The text of null. A file of one column has `NA` instead of an empty text, because readers skip empty lines.
fn null_text(ncolumns: usize, options: &WriteOptions) -> &str {
    if ncolumns == 1 && options.na_rep.is_empty() { "NA" } else { &options.na_rep }
}

fn write(
    frame: &Frame,
    exported: &ExportedFrame,
    opening: FileStart<'_>,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let plain = options.schema == SchemaPlace::Nowhere;
    let levels = if plain { plain_levels(frame, exported, options)? } else { described_levels(exported)? };
    let dialect = Dialect::new(options, null_text(levels.len() + exported.ncols, options));
    let mut front = Vec::new();
    if opening.whole {
        front.extend_from_slice(encoding::mark(options.encoding));
        if let Some(header) = opening.header {
            front.extend_from_slice(COMMENT.as_bytes());
            front.extend_from_slice(header.as_bytes());
            front.extend_from_slice(dialect.line_end);
        }
        if options.header {
            let columns = if plain { names::labels(frame)? } else { data_keys(exported) };
            let levels: Vec<&str> = levels.iter().map(|level| level.name.as_str()).collect();
            names::write(&levels, &columns, &dialect, &mut front);
        }
    }
    // Null only if the frame's library has no other missing value.
    let nan_is_null = plain && !tells_nan_from_null(frame);
    let style = TextStyle { nan_is_null, ..TextStyle::csv(!plain) };
    let data: Vec<NamedColumn> = exported
        .schema
        .fields()
        .iter()
        .zip(&exported.arrays)
        .take(exported.ncols)
        .map(|(field, data)| NamedColumn::new(field, data))
        .collect();
    let mut columns = Vec::with_capacity(levels.len() + exported.ncols);
    for level in &levels {
        columns.push(column(&level.name, level, style, &dialect)?);
    }
    for named in &data {
        columns.push(column(&named.name, named, style, &dialect)?);
    }
    // The header counts rows without fields. No empty lines are written for them.
    let nrows = if columns.is_empty() { 0 } else { frame.nrows };
    let sections: [Box<dyn TextSection + '_>; 1] =
        [Box::new(CsvRecords { opening: front, columns, dialect, nrows })];
    let encode = |piece: &mut Vec<u8>| encoding::encode(options.encoding, piece);
    let finish: Option<pieces::FinishPiece<'_>> =
        if encoding::is_utf8(options.encoding) { None } else { Some(&encode) };
    pieces::write(&sections, options.threads, finish, sink, progress)
}

fn column<'a>(
    name: &str,
    named: &'a NamedColumn,
    style: TextStyle,
    dialect: &Dialect,
) -> Result<RecordColumn<'a>> {
    let fields = meta_of_field(&named.field)
        .and_then(|meta| fields::fields(&named.field, meta.dtype, &named.data, style, dialect))
        .map_err(|e: Error| e.in_member(name))?;
    let nbytes = named.data.get_slice_memory_size().unwrap_or(0) / named.data.len().max(1);
    Ok(RecordColumn { name: name.to_owned(), fields, nbytes })
}

/// The names of data columns in a file with a header.
fn data_keys(exported: &ExportedFrame) -> Vec<String> {
    exported.keys().into_iter().take(exported.ncols).collect()
}

/// Row labels in a file with a header, under their keys.
fn described_levels(exported: &ExportedFrame) -> Result<Vec<NamedColumn>> {
    let fields = exported.schema.fields().iter().zip(&exported.arrays).zip(exported.keys());
    let levels = fields.skip(exported.ncols);
    Ok(levels.map(|((field, data), name)| NamedColumn { name, ..NamedColumn::new(field, data) }).collect())
}

/// Row labels of plain CSV: written if they are not automatic, or as the option says.
fn plain_levels(frame: &Frame, exported: &ExportedFrame, options: &WriteOptions) -> Result<Vec<NamedColumn>> {
    if !options.index.unwrap_or_else(|| !frame.index.counts_from_zero()) {
        return Ok(Vec::new());
    }
    let mut levels = index_names::labels(&frame.index)?;
    let columns = exported.schema.fields().iter().take(exported.ncols);
    index_names::rename(&mut levels, columns.map(|field| field.name().as_str()));
    Ok(levels)
}
