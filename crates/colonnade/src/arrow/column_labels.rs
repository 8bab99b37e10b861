//! Reads column labels from a schema: the names of its fields, or a small stream in its metadata.

use std::sync::Arc;

use arrow_array::{Array, LargeStringArray, StringArray};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::cells::{implied_dtype, to_block};
use super::fields::field_meta;
use super::meta::{LabelsMeta, SchemaAxisMeta};
use crate::arrow::ipc::{EmbeddedStream, decode_embedded_stream};
use crate::error::{Error, Result};
use crate::frame::{Axis, Block, ByteOrder, Column, DType, Grid, Labels, Level};
use crate::memory::Buffer;

/// Bytes of `<U` labels that any schema may declare. Above this size, the names must fill a reasonable part of the cells.
const UNCHECKED_NBYTES: usize = 16 << 20;

/// Accepted bytes of a `<U` cell for each byte of UTF-8: four a character, times the padding. `adapters/_unicode.py` writes
/// labels by the same rule.
const MAX_RATIO: usize = 16;

/// Below this size `<U` is always accepted.
const SMALL_NBYTES: usize = 4096;

/// Builds the labels of a foreign schema: the names of its fields, as text. `name`: the name of the axis, in tagged JSON.
///
/// # Errors
/// `LimitExceeded`: names of more bytes than this machine can address.
pub fn from_names(names: &[&str], name: String) -> Result<Axis> {
    let labels = Labels::Levels(vec![text_level(names)?]);
    Ok(Axis { labels, class: "Index".into(), classes: vec!["Index".into()], name, meta: None })
}

/// Converts names to text: `<U` cells if they are small, else Arrow's layout.
fn text_level(names: &[&str]) -> Result<Level> {
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(1);
    let utf8: usize = names.iter().map(|n| n.len()).sum();
    let cells = width.saturating_mul(4).saturating_mul(names.len());
    let cells_fit = cells <= (MAX_RATIO * utf8).max(SMALL_NBYTES) && !names.iter().any(|n| n.ends_with('\0'));
    let descr = format!("<U{width}");
    match DType::parse(&descr).filter(|_| cells_fit) {
        Some(dtype) => Ok(Level::Block(cells_of(names, dtype)?)),
        None => Ok(Level::Column(text_of(names, &DataType::LargeUtf8, None)?)),
    }
}

/// Builds the labels that the `colonnade` metadata describes.
pub(super) fn from_meta(names: &[&str], meta: &SchemaAxisMeta) -> Result<Axis> {
    let labels = match &meta.labels {
        LabelsMeta::Auto { start, step, .. } => {
            let stop = i64::try_from(names.len()).ok().and_then(|n| start.checked_add(step.checked_mul(n)?));
            let stop = stop.ok_or_else(|| {
                Error::malformed("arrow", "metadata colonnade: the range of column labels passes 64 bits.")
            })?;
            Labels::Auto { start: *start, stop, step: *step, count: names.len() }
        }
        LabelsMeta::Fixed(dtype) => {
            let points = dtype.itemsize as usize / 4;
            let fits = |name: &&str| name.chars().count() <= points && !name.ends_with('\0');
            // Another tool may have renamed fields, whose names may need wider cells.
            let level = match names.iter().all(fits) {
                true => Level::Block(cells_of(names, *dtype)?),
                false => text_level(names)?,
            };
            Labels::Levels(vec![level])
        }
        LabelsMeta::Text { data_type, tag } => {
            Labels::Levels(vec![Level::Column(text_of(names, data_type, tag.clone())?)])
        }
        LabelsMeta::Stream(text) => Labels::Levels(levels_of(text, names.len())?),
        LabelsMeta::Levels(_) => {
            return Err(Error::malformed("arrow", "metadata colonnade: columns have names, not levels."));
        }
    };
    let depth = if let Labels::Levels(levels) = &labels { levels.len() } else { 0 };
    if depth > 0 && meta.classes.len() != depth {
        let message = format!(
            "metadata colonnade: columns: expected a class for each of {depth} levels, found {}.",
            meta.classes.len()
        );
        return Err(Error::malformed("arrow", message));
    }
    let SchemaAxisMeta { class, classes, name, meta, .. } = meta.clone();
    Ok(Axis { labels, class, classes, name, meta })
}

/// Converts names to `<U` cells; all of them fit.
fn cells_of(names: &[&str], dtype: DType) -> Result<Block> {
    let item = dtype.itemsize as usize;
    let nbytes = item.saturating_mul(names.len());
    let filled: usize = names.iter().map(|n| n.len()).sum();
    if nbytes > UNCHECKED_NBYTES.max(filled.saturating_mul(64)) {
        let message = format!(
            "metadata colonnade: column labels of {} need {nbytes} bytes, but their names have only {filled}.",
            dtype.descr()
        );
        return Err(Error::limit("arrow", message));
    }
    let mut bytes = vec![0u8; nbytes];
    for (cell, name) in bytes.chunks_exact_mut(item.max(1)).zip(names) {
        for (slot, point) in cell.as_chunks_mut::<4>().0.iter_mut().zip(name.chars()) {
            let point = u32::from(point);
            *slot = if dtype.order == ByteOrder::Big { point.to_be_bytes() } else { point.to_le_bytes() };
        }
    }
    Ok(Block { grid: Grid::column_major(dtype, names.len(), 1, 0), buffer: Buffer::from_vec(bytes) })
}

fn text_of(names: &[&str], data_type: &DataType, tag: Option<String>) -> Result<Column> {
    let data = match data_type {
        DataType::Utf8 => StringArray::from_iter_values(names).into_data(),
        DataType::LargeUtf8 => LargeStringArray::from_iter_values(names).into_data(),
        other => {
            let message = format!("metadata colonnade: expected names of a text type, found {other}.");
            return Err(Error::malformed("arrow", message));
        }
    };
    Ok(Column { tag, ..Column::new(data) })
}

/// Decodes a base64 stream of one batch, with all checks. `accepts` gets the number of rows before decoding.
///
/// # Errors
/// Malformed, with what was found instead.
pub(crate) fn stream_of(text: &str, accepts: &dyn Fn(usize) -> Result<()>) -> Result<EmbeddedStream> {
    let bytes = STANDARD
        .decode(text)
        .map_err(|e| Error::malformed("arrow", format!("expected base64, found other text: {e}.")))?;
    decode_embedded_stream(bytes, accepts)
}

/// Reads the columns of a base64 stream as levels. The stream is part of the schema; it is decoded with all checks, and has
/// no row labels.
fn levels_of(text: &str, count: usize) -> Result<Vec<Level>> {
    let malformed = |what: &str| {
        let message =
            format!("metadata colonnade: columns: expected a stream of {count} labels, found: {what}");
        Error::malformed("arrow", message)
    };
    let accepts = |nrows: usize| match nrows == count {
        true => Ok(()),
        false => Err(Error::malformed("arrow", format!("{nrows} rows."))),
    };
    let EmbeddedStream { schema, arrays } = stream_of(text, &accepts).map_err(|e| malformed(e.message()))?;
    if arrays.is_empty() {
        return Err(malformed("no level."));
    }
    let level = |(field, data): (&Arc<arrow_schema::Field>, ArrayData)| {
        let meta = field_meta(field)?;
        level(meta.dtype, meta.tag, is_ordered(field), data)
    };
    schema.fields().iter().zip(arrays).map(level).collect()
}

/// Builds a level: cells, if a declared or implied dtype can hold every row, else the unchanged column.
fn level(dtype: Option<DType>, tag: Option<String>, is_ordered: bool, data: ArrayData) -> Result<Level> {
    let dtype = dtype.or_else(|| implied_dtype(data.data_type()).filter(|_| tag.is_none()));
    if let Some(dtype) = dtype
        && let Some(block) = to_block(dtype, &data)?
    {
        return Ok(Level::Block(block));
    }
    Ok(Level::Column(Column { ordered: is_ordered, tag, ..Column::new(data) }))
}

/// Whether the order of a dictionary is significant. Only the field has this flag.
pub(super) fn is_ordered(field: &arrow_schema::Field) -> bool {
    #[allow(deprecated)]
    field.dict_is_ordered().unwrap_or(false)
}
