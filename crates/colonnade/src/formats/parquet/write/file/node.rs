//! The nodes of a nested column in Parquet's schema: lists, structs, maps, and leaves.

use std::ops::Range;

use arrow_schema::{DataType, Field};

use crate::error::{Error, Result};
use crate::formats::parquet::types::LeafType;

/// Maximum number of optional and repeated nodes above a leaf, so that levels fit into a byte.
const MOST_LEVELS: usize = 200;

/// A field with its children.
#[derive(Debug)]
pub(super) struct NestedNode {
    /// Name, for error messages.
    pub(super) name: String,
    /// Whether the field is nullable.
    pub(super) optional: bool,
    /// Numbers of the leaves below the node.
    pub(super) leaves: Range<usize>,
    pub(super) shape: NodeShape,
}

/// The kind of a node.
#[derive(Debug)]
pub(super) enum NodeShape {
    Leaf(LeafType),
    Struct(Vec<NestedNode>),
    List(Box<NestedNode>),
    /// A list of structs with two fields.
    Map(Box<NestedNode>),
}

fn refuse<T>(message: &str) -> Result<T> {
    Err(Error::unrepresentable("parquet", message))
}

/// Creates the node of a field at this depth. Its leaves are numbered from `number` on.
///
/// # Errors
/// `Unrepresentable`: types that Parquet cannot nest.
pub(super) fn node(field: &Field, number: &mut usize, depth: usize) -> Result<NestedNode> {
    if depth > MOST_LEVELS {
        return refuse("lists and structs in each other deeper than levels count. Flatten the column first.");
    }
    let first = *number;
    let below = |field: &Field, number: &mut usize| node(field, number, depth + 2);
    let shape = match field.data_type() {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => NodeShape::List(Box::new(below(item, number)?)),
        DataType::Map(entries, _) => {
            let mut entries = below(entries, number)?;
            let NodeShape::Struct(pair) = &mut entries.shape else {
                return refuse("a map whose entries are no structs. Build it anew.");
            };
            let [key, _] = pair.as_mut_slice() else {
                return refuse("a map whose entries are not keys and values. Build it anew.");
            };
            (entries.optional, key.optional) = (false, false);
            NodeShape::Map(Box::new(entries))
        }
        DataType::Struct(fields) => {
            NodeShape::Struct(fields.iter().map(|field| below(field, number)).collect::<Result<_>>()?)
        }
        other => {
            if let Some(message) = nesting_refusal(other) {
                return refuse(message);
            }
            let stored = LeafType::of(field).map(|stored| of_dictionary(other).unwrap_or(stored));
            let Some(stored) = stored else {
                return refuse("its type has no place in Parquet. Convert it first.");
            };
            *number += 1;
            NodeShape::Leaf(stored)
        }
    };
    Ok(NestedNode {
        name: field.name().clone(),
        optional: field.is_nullable(),
        leaves: first..*number,
        shape,
    })
}

/// Returns why a type cannot be nested, and the advice for the error message; `None` if it can.
fn nesting_refusal(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::RunEndEncoded(..) => {
            Some("run-ends within another type have no place in Parquet. Decode them first.")
        }
        DataType::FixedSizeBinary(0) => {
            Some("binary of no width within another type has no place in Parquet. Drop it first.")
        }
        DataType::Dictionary(_, values) => match values.as_ref() {
            DataType::Boolean | DataType::Null => Some(
                "a dictionary of bools or nulls within another type has no place in Parquet. Decode it first.",
            ),
            values if values.is_nested() || matches!(values, DataType::Dictionary(..)) => Some(
                "a dictionary of nested values within another type has no place in Parquet. Decode it first.",
            ),
            values => nesting_refusal(values),
        },
        _ => None,
    }
}

/// Nested dictionaries keep Arrow's own bytes as values, because the reader restores only those as dictionaries.
fn of_dictionary(data_type: &DataType) -> Option<LeafType> {
    let DataType::Dictionary(_, values) = data_type else { return None };
    let turned = matches!(values.as_ref(), DataType::Timestamp(..) | DataType::Time32(_) | DataType::Date64);
    LeafType::exact(values).filter(|_| turned)
}
