//! The split layout: `columns`, optional row labels as `index`, and `data`, a sequence of rows.

use crate::error::{Error, Result};
use crate::formats::yaml::nodes::Document;
use crate::frame::{Axis, Frame};
use crate::infer::columns::node_table::infer_columns;
use crate::infer::columns::nodes::{NodeValue, Nodes};
use crate::infer::schemaless::{ColumnKey, ColumnKeys, assemble, hierarchy, index, unequal_index};
use crate::limits::Limits;

use super::sequences::{SequenceColumns, SequenceRows};
use super::shape::SplitNodes;

/// Reads the frame of a document whose layout is split.
pub(super) fn decode(document: &Document<'_>, split: &SplitNodes, limits: &Limits) -> Result<Frame> {
    let keys = labels(document, split.columns, limits)?;
    let rows = length(document, split.data)?;
    let axis = match split.index {
        Some(node) => Some(row_labels(document, node, rows, limits)?),
        None => None,
    };
    let width = keys.len();
    let mut data = SequenceRows { document, first: split.data + 1, rows, width, path: "$.data" };
    let columns = infer_columns(document, rows, &mut data)?;
    assemble(&keys, columns, rows, axis)
}

/// Returns the number of entries of a sequence.
fn length(document: &Document<'_>, node: usize) -> Result<usize> {
    Ok(if let NodeValue::List(n) = document.value(node)? { n } else { 0 })
}

fn labels(document: &Document<'_>, node: usize, limits: &Limits) -> Result<ColumnKeys> {
    let mut keys = ColumnKeys::default();
    let mut at = node + 1;
    for i in 0..length(document, node)? {
        let key = ColumnKey::of_node(document.value(at)?);
        let added = key.and_then(|key| keys.push(key, limits));
        added.map_err(|e| document.fault(at, &format!("$.columns[{i}]"), e))?;
        at = document.next_after(at);
    }
    Ok(keys)
}

/// Reads row labels; sequences of labels become levels.
fn row_labels(document: &Document<'_>, node: usize, rows: usize, limits: &Limits) -> Result<Axis> {
    let (found, first) = (length(document, node)?, node + 1);
    let fault = |e| -> Error { document.fault(first.min(document.nodes.len() - 1), "$.index", e) };
    if found != rows {
        return Err(fault(unequal_index(found, rows)));
    }
    if rows > 0
        && let NodeValue::List(depth @ 1..) = document.value(first)?
    {
        let mut keys = ColumnKeys::default();
        for level in (0..).take(depth) {
            keys.push(ColumnKey::Int(level), limits).map_err(fault)?;
        }
        let mut levels = SequenceRows { document, first, rows, width: depth, path: "$.index" };
        return Ok(hierarchy(infer_columns(document, rows, &mut levels)?));
    }
    let mut labels = SequenceColumns { document, first: vec![first], rows };
    let found = infer_columns(document, rows, &mut labels)?.pop();
    Ok(found.map_or_else(|| Axis::range(rows), index))
}
