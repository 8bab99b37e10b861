//! Reads the split layout: columns, optional row labels, and an array of rows.

use crate::cells::msgpack::column::{CellError, CellReader, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::ReadOptions;
use crate::error::{Error, Result};
use crate::frame::{Axis, Frame, Level};
use crate::infer::columns::{BlockOrColumn, InferredColumn};
use crate::progress::Progress;

use super::assemble;
use super::columns::options_below;
use super::keys::{ColumnKey, ColumnKeys, levels};
use super::records::{EncodedRows, take};
use super::rows::{RowGatherer, RowKind, expected};
use super::shape::{MapEntries, truncated_input};

/// Decodes a map of `columns`, `data` and optionally `index`. Returns the frame and the map's length.
pub(super) fn decode(
    bytes: &[u8],
    base: u64,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<(Frame, usize)> {
    let (mut columns, mut index, mut data) = (None, None, None);
    let mut entries = MapEntries::new(bytes, options);
    for entry in &mut entries {
        let entry = entry.map_err(|e| e.placed("$", base))?;
        let place = |e: CellError| e.after(0, entry.at).placed(&format!("${}", entry.key.step()), base);
        let slot = match &entry.key {
            ColumnKey::Text(name) if name == "columns" => &mut columns,
            ColumnKey::Text(name) if name == "index" => &mut index,
            ColumnKey::Text(name) if name == "data" => &mut data,
            _ => {
                let message =
                    "expected \"columns\", \"data\" and perhaps \"index\", as orient=\"split\" says.";
                return Err(place(malformed(0, message)));
            }
        };
        if slot.replace(entry.value.clone()).is_some() {
            return Err(place(super::keys::repeated_label()));
        }
    }
    let end = entries.end();
    let (Some(columns), Some(data)) = (columns, data) else {
        let message = "expected \"columns\" and \"data\", as orient=\"split\" says; one is missing.";
        return Err(malformed(0, message).placed("$", base));
    };
    let part = |range: std::ops::Range<usize>, path: &'static str| -> Result<EncodedRows<'_>> {
        let whole = bytes.get(range.clone()).unwrap_or(&[]);
        let begin = base + range.start as u64;
        let place = |e: CellError| e.placed(path, begin);
        match head(whole).map_err(place)? {
            Some((MsgpackHead::Array(n), length)) => Ok(EncodedRows {
                bytes: whole.get(length..).unwrap_or(&[]),
                rows: n as usize,
                path,
                base: begin + length as u64,
                outer: 2,
            }),
            Some((other, _)) => Err(place(expected("an array", other.name()))),
            None => Err(place(truncated_input(0, whole.len()))),
        }
    };
    let keys = labels(part(columns, "$.columns")?, options)?;
    let source = part(data, "$.data")?;
    let index = match index {
        Some(range) => Some(row_labels(part(range, "$.index")?, source.rows, options, progress)?),
        None => None,
    };
    let taken = take(source, RowGatherer::new(RowKind::Arrays, keys, 2, options), options, progress)?;
    let parts = finish(taken.columns)?;
    Ok((assemble(&taken.gather.keys, parts, source.rows, index)?, end))
}

fn finish(columns: Vec<InferredColumn>) -> Result<Vec<BlockOrColumn>> {
    columns.into_iter().map(InferredColumn::finish).collect()
}

fn labels(source: EncodedRows<'_>, options: &ReadOptions) -> Result<ColumnKeys> {
    let mut keys = ColumnKeys::default();
    let mut at = 0;
    for i in 0..source.rows {
        let rest = source.bytes.get(at..).unwrap_or(&[]);
        let place = |e: CellError| e.placed(&format!("{}[{i}]", source.path), source.base + at as u64);
        let (key, length) =
            ColumnKey::take(rest).map_err(place)?.ok_or_else(|| place(truncated_input(0, rest.len())))?;
        keys.push(key, &options.limits).map_err(place)?;
        at += length;
    }
    Ok(keys)
}

/// Decodes row labels; arrays of labels become levels.
fn row_labels(
    source: EncodedRows<'_>,
    rows: usize,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Axis> {
    let place = |e: CellError| -> Error { e.placed(source.path, source.base) };
    if source.rows != rows {
        return Err(place(unequal_index(source.rows, rows)));
    }
    if let Some(Ok(Some((MsgpackHead::Array(depth @ 1..), _)))) = (rows > 0).then(|| head(source.bytes)) {
        let mut keys = ColumnKeys::default();
        for level in 0..i64::from(depth).min(i64::try_from(source.bytes.len()).unwrap_or(i64::MAX)) {
            keys.push(ColumnKey::Int(level), &options.limits).map_err(place)?;
        }
        let taken = take(source, RowGatherer::new(RowKind::Arrays, keys, 2, options), options, progress)?;
        return Ok(hierarchy(finish(taken.columns)?));
    }
    let mut column = InferredColumn::new(&options_below(2, options)).with_rows(rows);
    let taken = column.take(source.bytes, rows).map_err(|e| e.in_column(source.path, 0, source.base))?;
    if taken.cells != rows {
        return Err(place(truncated_input(taken.nbytes, source.bytes.len())));
    }
    Ok(index(column.finish()?))
}

/// Returns the axis of row labels in several levels.
pub(crate) fn hierarchy(found: Vec<BlockOrColumn>) -> Axis {
    levels(found.into_iter().map(level).collect())
}

/// Returns the axis of row labels.
pub(crate) fn index(found: BlockOrColumn) -> Axis {
    if is_range(&found) { Axis::range(found.nrows()) } else { levels(vec![level(found)]) }
}

/// Returns the error for `labels` row labels of `rows` rows.
#[cold]
pub(crate) fn unequal_index(labels: usize, rows: usize) -> CellError {
    let message =
        format!("expected as many row labels as rows, found {labels} in $.index and {rows} in $.data.");
    malformed(0, message)
}

fn level(found: BlockOrColumn) -> Level {
    match found {
        BlockOrColumn::Block(block) => Level::Block(block),
        BlockOrColumn::Column(column) => Level::Column(column),
    }
}

/// Whether the labels are 0, 1, 2..., which are automatic.
fn is_range(found: &BlockOrColumn) -> bool {
    let BlockOrColumn::Block(block) = found else { return block_is_empty(found) };
    let cells = block.packed().map_or(&[][..], |bytes| bytes.as_chunks::<8>().0);
    block.grid.dtype.descr() == "<i8"
        && cells.iter().zip(0i64..).all(|(cell, i)| i64::from_le_bytes(*cell) == i)
}

fn block_is_empty(found: &BlockOrColumn) -> bool {
    found.nrows() == 0
}
