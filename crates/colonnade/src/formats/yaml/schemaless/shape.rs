//! Detects the layout of a document.

use crate::error::Result;
use crate::formats::yaml::nodes::Document;
use crate::formats::yaml::options::YamlOrient;
use crate::infer::columns::nodes::{NodeValue, Nodes};
use crate::infer::schemaless::{ColumnKey, EntryForm, MapShape, SchemalessShape, refused_root};

/// The nodes of the entries of the split layout.
pub(super) struct SplitNodes {
    pub(super) columns: usize,
    pub(super) index: Option<usize>,
    pub(super) data: usize,
}

/// Returns the layout of the root, from the option or detected from the nodes, and the entries of the split layout.
pub(super) fn sniff(
    document: &Document<'_>,
    orient: Option<YamlOrient>,
) -> Result<(SchemalessShape, Option<SplitNodes>)> {
    let shape = match (document.value(0)?, orient) {
        (NodeValue::List(_), None | Some(YamlOrient::Records)) => SchemalessShape::Records,
        (NodeValue::Map(_), Some(YamlOrient::Columns)) => SchemalessShape::Columns,
        (NodeValue::Map(n), None) => match split(document, n)? {
            Some(nodes) => return Ok((SchemalessShape::Split, Some(nodes))),
            None => sniff_map(document, n)?,
        },
        (other, orient) => {
            let orient = orient.map(YamlOrient::msgpack);
            return Err(document.fault(0, "$", refused_root(other.name(), orient)));
        }
    };
    Ok((shape, None))
}

fn sniff_map(document: &Document<'_>, n: usize) -> Result<SchemalessShape> {
    let mut shape = MapShape::default();
    let mut key = 1;
    for _ in 0..n {
        check_label(document, key)?;
        let form = match document.value(key + 1)? {
            NodeValue::Map(_) => EntryForm::Map,
            NodeValue::List(0) => EntryForm::EmptyArray,
            NodeValue::List(_) => match document.value(key + 2)? {
                NodeValue::Map(_) => EntryForm::ArrayOfMaps,
                _ => EntryForm::ArrayOfCells,
            },
            _ => EntryForm::Scalar,
        };
        if let Some(found) = shape.add(form) {
            return Ok(found);
        }
        key = document.next_after(key + 1);
    }
    Ok(shape.finish())
}

fn check_label(document: &Document<'_>, key: usize) -> Result<()> {
    let checked = ColumnKey::of_node(document.value(key)?);
    checked.map(|_| ()).map_err(|e| document.fault(key, "$", e))
}

/// Returns the entries of a root mapping of `n` pairs that has `columns`, `data` and optionally `index`, nothing else, and data rows as long as the
/// columns.
fn split(document: &Document<'_>, n: usize) -> Result<Option<SplitNodes>> {
    if !(2..=3).contains(&n) {
        return Ok(None);
    }
    let (mut columns, mut index, mut data) = (None, None, None);
    let mut key = 1;
    for _ in 0..n {
        check_label(document, key)?;
        let value = key + 1;
        let NodeValue::List(entries) = document.value(value)? else { return Ok(None) };
        match document.value(key)? {
            NodeValue::Text("columns") => columns = Some((value, entries)),
            NodeValue::Text("index") => index = Some(value),
            NodeValue::Text("data") if entries == 0 => data = Some((value, None)),
            NodeValue::Text("data") => match document.value(value + 1)? {
                NodeValue::List(width) => data = Some((value, Some(width))),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        }
        key = document.next_after(value);
    }
    Ok(match (columns, data) {
        (Some((columns, n)), Some((data, width))) if width.is_none_or(|width| width == n) => {
            Some(SplitNodes { columns, index, data })
        }
        _ => None,
    })
}
