//! Schemaless MessagePack: frames without a header, with inferred columns. YAML without a header has the same layouts, labels
//! and messages, and walks its own nodes.
//!
//! Three layouts are frames: a map of arrays of one length, an array of maps (a key missing in a row is null), and a map of
//! `columns`, `data` and optionally `index`. A map of scalars is one row; a map of frames is a bundle.

mod column_builders;
mod columns;
mod incremental;
mod keys;
mod records;
mod row_batch;
mod rows;
mod shape;
mod split;

#[cfg(test)]
mod tests;

use crate::cells::msgpack::column::{FORMAT, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::ReadOptions;
use crate::error::{Error, Result};
use crate::frame::{Axis, Frame, Part, Tags};
use crate::progress::{NoProgress, Progress};

use crate::infer::columns::{BlockOrColumn, InferredColumn};
use rows::{RowGatherer, RowKind};

pub(crate) use columns::ColumnLengths;
pub use incremental::SchemalessDecoder;
pub(crate) use keys::{ColumnKey, ColumnKeys};
pub(crate) use rows::{expected, wrong_width};
pub(crate) use shape::{
    EntryForm, MapShape, SchemalessShape, check_nbytes, frame_label, no_rows, refused_root,
};
pub use shape::{SchemalessLayout, shape_of};
pub(crate) use split::{hierarchy, index, unequal_index};

/// Decodes the one schemaless frame of `bytes`; `base` is their offset in the source.
///
/// # Errors
/// Malformed, truncated, over a limit; several frames; bytes after the frame.
pub fn decode(bytes: &[u8], base: u64, options: &ReadOptions) -> Result<Frame> {
    decode_with(bytes, base, options, &NoProgress)
}

/// Decodes like [`decode`] and reports progress.
///
/// # Errors
/// As [`decode`], and `Cancelled` from `progress`.
pub fn decode_with(bytes: &[u8], base: u64, options: &ReadOptions, progress: &dyn Progress) -> Result<Frame> {
    check_nbytes(bytes.len() as u64, &options.limits)?;
    let (frame, end) = match shape::sniff(bytes, options).map_err(|e| e.placed("$", base))? {
        SchemalessShape::Columns => {
            let (keys, columns, rows, end) = columns::take(bytes, base, options, progress)?;
            (assemble(&keys, columns, rows, None)?, end)
        }
        SchemalessShape::Records => {
            let (rows, length) = match head(bytes) {
                Ok(Some((MsgpackHead::Array(n), length))) => (n as usize, length),
                _ => (0, 0),
            };
            let rest = bytes.get(length..).unwrap_or(&[]);
            let base = base + length as u64;
            let source = records::EncodedRows { bytes: rest, rows, path: "$", base, outer: 1 };
            let (frame, nbytes) = rows_of(source, RowKind::Maps, options, progress)?;
            (frame, length + nbytes)
        }
        SchemalessShape::Row => {
            let source = records::EncodedRows { bytes, rows: 1, path: "$", base, outer: 0 };
            rows_of(source, RowKind::Scalars, options, progress)?
        }
        SchemalessShape::Split => split::decode(bytes, base, options, progress)?,
        SchemalessShape::Bundle => {
            let frames = match head(bytes) {
                Ok(Some((MsgpackHead::Map(n), _))) => n as usize,
                _ => 0,
            };
            return Err(bundle(frames));
        }
    };
    if end < bytes.len() {
        let message = format!(
            "expected the end of the input behind the frame, found {} more bytes. Where frames stand one behind the other, \
             open_reader reads them.",
            bytes.len() - end
        );
        return Err(malformed(end, message).placed("$", base));
    }
    Ok(frame)
}

fn rows_of(
    source: records::EncodedRows<'_>,
    kind: RowKind,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<(Frame, usize)> {
    let gather = RowGatherer::new(kind, ColumnKeys::default(), source.outer, options);
    let taken = records::take(source, gather, options, progress)?;
    let columns = taken.columns.into_iter().map(InferredColumn::finish).collect::<Result<_>>()?;
    Ok((assemble(&taken.gather.keys, columns, source.rows, None)?, taken.nbytes))
}

#[cold]
pub(crate) fn bundle(frames: usize) -> Error {
    let message = format!(
        "expected one frame, found a map of {frames}. Open one of them by its label, or say orient=\"columns\" where \
         they are columns of maps."
    );
    Error::unsupported(FORMAT, message).in_member("$")
}

/// Joins labels and columns to a frame.
pub(crate) fn assemble(
    keys: &ColumnKeys,
    columns: Vec<BlockOrColumn>,
    rows: usize,
    index: Option<Axis>,
) -> Result<Frame> {
    let parts = columns.into_iter().enumerate().map(|(i, column)| match column {
        BlockOrColumn::Block(block) => Part::Block(block, vec![i]),
        BlockOrColumn::Column(column) => Part::Column(column, i),
    });
    let tags = Tags { name: "null".into(), ..Tags::default() };
    Frame::new(index.unwrap_or_else(|| Axis::range(rows)), keys.axis()?, parts.collect(), tags)
}
