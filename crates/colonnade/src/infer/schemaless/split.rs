//! Reads the split layout: columns, optional row labels, and an array of rows.

use crate::cells::msgpack::column::{CellError, Cells, malformed};
use crate::cells::msgpack::head::{Head, head};
use crate::cells::msgpack::options::ReadOptions;
use crate::error::{Error, Result};
use crate::frame::{Axis, Frame, Level};
use crate::infer::columns::{Finished, Inferred};
use crate::progress::Progress;

use super::assemble;
use super::columns::below;
use super::keys::{Key, Keys, levels};
use super::records::{RowSource, take};
use super::rows::{RowGatherer, RowKind, expected};
use super::shape::{Entries, cut_short};

/// Decodes a map of `columns`, `data` and optionally `index`. Returns the frame and the map's length.
pub(super) fn decode(
    bytes: &[u8],
    base: u64,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<(Frame, usize)> {
    let (mut columns, mut index, mut data) = (None, None, None);
    let mut entries = Entries::new(bytes, options);
    for entry in &mut entries {
        let entry = entry.map_err(|e| e.placed("$", base))?;
        let place = |e: CellError| e.after(0, entry.at).placed(&format!("${}", entry.key.step()), base);
        let slot = match &entry.key {
            Key::Text(name) if name == "columns" => &mut columns,
            Key::Text(name) if name == "index" => &mut index,
            Key::Text(name) if name == "data" => &mut data,
            _ => {
                let message =
                    "expected \"columns\", \"data\" and perhaps \"index\", as orient=\"split\" says.";
                return Err(place(malformed(0, message)));
            }
        };
        if slot.replace(entry.value.clone()).is_some() {
            return Err(place(super::keys::twice()));
        }
    }
    let end = entries.end();
    let (Some(columns), Some(data)) = (columns, data) else {
        let message = "expected \"columns\" and \"data\", as orient=\"split\" says; one is missing.";
        return Err(malformed(0, message).placed("$", base));
    };
    let part = |range: std::ops::Range<usize>, path: &'static str| -> Result<RowSource<'_>> {
        let whole = bytes.get(range.clone()).unwrap_or(&[]);
        let begin = base + range.start as u64;
        let place = |e: CellError| e.placed(path, begin);
        match head(whole).map_err(place)? {
            Some((Head::Array(n), length)) => Ok(RowSource {
                bytes: whole.get(length..).unwrap_or(&[]),
                rows: n as usize,
                path,
                base: begin + length as u64,
                outer: 2,
            }),
            Some((other, _)) => Err(place(expected("an array", other))),
            None => Err(place(cut_short(0, whole.len()))),
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

fn finish(columns: Vec<Inferred>) -> Result<Vec<Finished>> {
    columns.into_iter().map(Inferred::finish).collect()
}

fn labels(source: RowSource<'_>, options: &ReadOptions) -> Result<Keys> {
    let mut keys = Keys::default();
    let mut at = 0;
    for i in 0..source.rows {
        let rest = source.bytes.get(at..).unwrap_or(&[]);
        let place = |e: CellError| e.placed(&format!("{}[{i}]", source.path), source.base + at as u64);
        let (key, length) = Key::take(rest).map_err(place)?.ok_or_else(|| place(cut_short(0, rest.len())))?;
        keys.push(key, options).map_err(place)?;
        at += length;
    }
    Ok(keys)
}

/// Decodes row labels; arrays of labels become levels.
fn row_labels(
    source: RowSource<'_>,
    rows: usize,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Axis> {
    let place = |e: CellError| -> Error { e.placed(source.path, source.base) };
    if source.rows != rows {
        let message = format!(
            "expected as many row labels as rows, found {} in $.index and {rows} in $.data.",
            source.rows
        );
        return Err(place(malformed(0, message)));
    }
    if let Some(Ok(Some((Head::Array(depth @ 1..), _)))) = (rows > 0).then(|| head(source.bytes)) {
        let mut keys = Keys::default();
        for level in 0..i64::from(depth).min(i64::try_from(source.bytes.len()).unwrap_or(i64::MAX)) {
            keys.push(Key::Int(level), options).map_err(place)?;
        }
        let taken = take(source, RowGatherer::new(RowKind::Arrays, keys, 2, options), options, progress)?;
        return Ok(levels(finish(taken.columns)?.into_iter().map(level).collect()));
    }
    let mut column = Inferred::new(&below(2, options)).with_rows(rows);
    let taken = column.take(source.bytes, rows).map_err(|e| e.in_column(source.path, 0, source.base))?;
    if taken.cells != rows {
        return Err(place(cut_short(taken.nbytes, source.bytes.len())));
    }
    let found = column.finish()?;
    Ok(if is_range(&found) { Axis::range(rows) } else { levels(vec![level(found)]) })
}

fn level(found: Finished) -> Level {
    match found {
        Finished::Block(block) => Level::Block(block),
        Finished::Column(column) => Level::Column(column),
    }
}

/// Whether the labels are 0, 1, 2..., which are automatic.
fn is_range(found: &Finished) -> bool {
    let Finished::Block(block) = found else { return block_is_empty(found) };
    let cells = block.packed().map_or(&[][..], |bytes| bytes.as_chunks::<8>().0);
    block.grid.dtype.descr() == "<i8"
        && cells.iter().zip(0i64..).all(|(cell, i)| i64::from_le_bytes(*cell) == i)
}

fn block_is_empty(found: &Finished) -> bool {
    found.nrows() == 0
}
