//! Reads documents without a header: a frame whose columns are inferred from the nodes.
//!
//! The layouts, their detection and their labels are those of schemaless MessagePack ([`crate::infer::schemaless`]). A layout
//! only finds the nodes of the cells. [`crate::infer::columns`] infers the columns from the nodes.

mod mapping_rows;
mod sequences;
mod shape;
mod split;
mod values;

use crate::cells::msgpack::column::{CellError, step};
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::infer::columns::node_table::infer_columns;
use crate::infer::columns::nodes::{NodeValue, Nodes, packed_nbytes};
use crate::infer::schemaless::{ColumnKey, SchemalessShape, assemble, bundle, check_nbytes, frame_label};
use crate::limits::Limits;

use super::nodes::Document;
use super::options::{ReadOptions, YamlOrient};
use super::resolve::YamlValue;
use mapping_rows::MappingRows;

/// MessagePack takes at most so many bytes for a number, or for the head of a text or collection.
const HEAD_NBYTES: usize = 9;

/// Decodes the frame of a document without a header.
///
/// # Errors
/// No frame, or several; over a limit; a number beyond 64 bits.
pub(in crate::formats::yaml) fn decode(
    document: &Document<'_>,
    options: &ReadOptions,
) -> Result<(Frame, YamlOrient)> {
    match frame(document, options) {
        Ok(found) => Ok(found),
        Err(error) => {
            // A number beyond 64 bits is reported before any fault of the layout.
            document.check_values()?;
            Err(placed(document, error))
        }
    }
}

fn frame(document: &Document<'_>, options: &ReadOptions) -> Result<(Frame, YamlOrient)> {
    let limits = &options.limits;
    check_size(document, limits)?;
    let (shape, split) = shape::sniff(document, options.orient)?;
    let (orient, n) = match document.value(0)? {
        NodeValue::List(n) => (YamlOrient::Records, n),
        NodeValue::Map(n) => (YamlOrient::Columns, n),
        _ => (YamlOrient::Columns, 0),
    };
    let rows_of = |mut rows: MappingRows<'_, '_>, n: usize| {
        let columns = infer_columns(document, n, &mut rows)?;
        assemble(&rows.keys, columns, n, None)
    };
    let frame = match (shape, split) {
        (_, Some(nodes)) => split::decode(document, &nodes, limits),
        (SchemalessShape::Records, _) => {
            rows_of(MappingRows::entries(document, n, options.orient.is_none(), limits), n)
        }
        (SchemalessShape::Row, _) => rows_of(MappingRows::root(document, limits), 1),
        (SchemalessShape::Bundle, _) => Err(bundle(n)),
        (SchemalessShape::Columns | SchemalessShape::Split, _) => {
            let (keys, columns, rows) = sequences::columns(document, n, limits)?;
            assemble(&keys, columns, rows, None)
        }
    };
    Ok((frame?, orient))
}

/// Refuses values that take more bytes than the limit of bytes, copies for aliases included, counted as MessagePack.
fn check_size(document: &Document<'_>, limits: &Limits) -> Result<()> {
    let most: usize = document.nodes.iter().map(|node| HEAD_NBYTES + node.value.nbytes()).sum();
    if most as u64 <= limits.max_nbytes {
        return Ok(());
    }
    let nbytes = packed_nbytes(document, 0..document.nodes.len())?;
    check_nbytes(nbytes, limits)
}

/// Returns the labels of a bundle, which are the keys of the root; `None` for one frame.
///
/// # Errors
/// As [`decode`]; a label that is not text.
pub(in crate::formats::yaml) fn labels(
    document: &Document<'_>,
    options: &ReadOptions,
) -> Result<Option<Vec<String>>> {
    document.check_values()?;
    if shape::sniff(document, options.orient)?.0 != SchemalessShape::Bundle {
        return Ok(None);
    }
    let mut labels = Vec::new();
    let mut at = 1;
    while at < document.nodes.len() {
        let key = ColumnKey::of_node(document.value(at)?).map_err(|e| document.fault(at, "$", e))?;
        let path = format!("${}", key.step());
        labels.push(frame_label(key).map_err(|e: CellError| document.fault(at, &path, e))?);
        at = document.next_after(at + 1);
    }
    Ok(Some(labels))
}

/// Places an error that has a path and no position. Other errors have theirs.
#[cold]
fn placed(document: &Document<'_>, error: Error) -> Error {
    if error.location().offset.is_some() {
        return error;
    }
    let member = error.location().member.clone();
    let i = member.as_ref().and_then(|path| key_of(document, path)).unwrap_or(0);
    let message = error.message().to_owned();
    document.error(error.into_kind(), document.at(i), member.as_deref(), message)
}

/// Returns the node of the first key in the root, or in a mapping of the root, that matches a path (`$.name`).
#[cold]
fn key_of(document: &Document<'_>, path: &str) -> Option<usize> {
    let is_it = |i: usize| match document.nodes.get(i).map(|node| &node.value) {
        Some(YamlValue::Str(text)) => format!("${}", step(text)) == path,
        Some(YamlValue::Int(digits)) => format!("$[{digits}]") == path,
        _ => false,
    };
    let mut i = 0;
    while let Some(node) = document.nodes.get(i) {
        if let YamlValue::Mapping(n, _) = node.value {
            let mut key = i + 1;
            for _ in 0..n {
                if is_it(key) {
                    return Some(key);
                }
                key = document.next_after(key + 1);
            }
        }
        i = if i == 0 { 1 } else { document.next_after(i) };
    }
    None
}
