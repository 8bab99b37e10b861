//! A nested column in the schema: its elements, the paths of its leaves, and the check that values fit them.

use arrow_array::{Array, ArrayRef};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use crate::error::{Error, Result};
use crate::formats::parquet::logical_type::{Logical, converted};
use crate::formats::parquet::schema::{Element, Repetition};
use crate::formats::parquet::types::{LeafType, Physical};

use super::elements;
use super::fits::{fits, may_not_fit};
use super::node::{NestedNode, NodeShape, node};
use super::shred::shred;

/// A column with several leaves or with a repeated leaf.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) node: NestedNode,
    /// Physical type and path of each leaf.
    pub(super) leaves: Vec<(Physical, Vec<String>)>,
}

impl Tree {
    /// Creates the tree of a field from `array`, its first values.
    ///
    /// # Errors
    /// `Unrepresentable`: types that Parquet cannot hold; nulls in a required field.
    pub(super) fn of(field: &Field, array: &ArrayRef) -> Result<Self> {
        let mut out = Self { node: node(field, &mut 0, 0)?, leaves: Vec::new() };
        let unfit = out.misfit_leaves(array)?;
        exact(&mut out.node, field, &unfit);
        let mut path = Vec::new();
        paths(&out.node, field.name(), &mut path, &mut out.leaves);
        Ok(out)
    }

    /// Refuses later values that the tree cannot hold.
    ///
    /// # Errors
    /// `Unrepresentable`: nulls in a required field; values that do not fit the leaf chosen for the first chunk.
    pub(super) fn admit(&self, array: &ArrayRef) -> Result<()> {
        let Some(&leaf) = self.misfit_leaves(array)?.first() else { return Ok(()) };
        let path = self.leaves.get(leaf).map_or_else(String::new, |(_, path)| path.join("."));
        let advice = "Write it in the first chunk, or convert the column first.";
        let message = format!(
            "expected values that fit what the first chunk's of {path:?} are stored as, found others. {advice}"
        );
        Err(Error::unrepresentable("parquet", message))
    }

    /// Returns the leaves with values that do not fit.
    fn misfit_leaves(&self, array: &ArrayRef) -> Result<Vec<usize>> {
        let mut out = Vec::new();
        let leaf_range = 0..self.node.leaves.end;
        let wants = |node: &NestedNode, array: &ArrayRef| may_fail(node, &array.to_data());
        shred(&self.node, array, &leaf_range, &wants, &mut |shredded| {
            if !fits(&shredded.data, shredded.nulls.as_ref(), shredded.stored) {
                out.push(shredded.leaf);
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// Appends the schema's elements and returns their number.
    pub(super) fn push(&self, bytes: &mut Vec<u8>, field: &Field) -> usize {
        let mut n = 0;
        push(&self.node, field, field.name(), bytes, &mut n);
        n
    }
}

/// Whether values may not fit the leaf, or be null in a required field. All other nodes are skipped, which saves time.
fn may_fail(node: &NestedNode, data: &ArrayData) -> bool {
    let has_nulls = match data.data_type() {
        DataType::Null => !data.is_empty(),
        DataType::Dictionary(..) => data.child_data().iter().any(|values| values.null_count() > 0),
        _ => false,
    };
    if !node.optional && (has_nulls || data.null_count() > 0) {
        return true;
    }
    let below =
        |node: &NestedNode, k: usize| data.child_data().get(k).is_none_or(|child| may_fail(node, child));
    match &node.shape {
        NodeShape::Leaf(stored) => may_not_fit(stored),
        NodeShape::Struct(nodes) => nodes.iter().enumerate().any(|(k, node)| below(node, k)),
        NodeShape::List(element) | NodeShape::Map(element) => below(element, 0),
    }
}

/// Replaces the leaves in `unfit` by leaves of Arrow's own bytes.
fn exact(node: &mut NestedNode, field: &Field, unfit: &[usize]) {
    match (&mut node.shape, field.data_type()) {
        (NodeShape::Leaf(stored), data_type) if unfit.contains(&node.leaves.start) => {
            *stored = LeafType::exact(data_type).unwrap_or(*stored);
        }
        (NodeShape::Struct(below), DataType::Struct(fields)) => {
            below.iter_mut().zip(fields).for_each(|(node, field)| exact(node, field, unfit));
        }
        (
            NodeShape::List(element) | NodeShape::Map(element),
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::FixedSizeList(item, _)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::Map(item, _),
        ) => exact(element, item, unfit),
        _ => {}
    }
}

/// Names of the groups in the specification.
const LIST: &str = "list";
const ELEMENT: &str = "element";
const ENTRY: &str = "key_value";
const PAIR: [&str; 2] = ["key", "value"];

fn paths(node: &NestedNode, name: &str, path: &mut Vec<String>, out: &mut Vec<(Physical, Vec<String>)>) {
    path.push(name.to_owned());
    match &node.shape {
        NodeShape::Leaf(stored) => out.push((stored.physical, path.clone())),
        NodeShape::Struct(below) => below.iter().for_each(|node| paths(node, &node.name, path, out)),
        NodeShape::List(element) => {
            path.push(LIST.to_owned());
            paths(element, ELEMENT, path, out);
            path.pop();
        }
        NodeShape::Map(entries) => {
            path.push(ENTRY.to_owned());
            if let NodeShape::Struct(pair) = &entries.shape {
                pair.iter().zip(PAIR).for_each(|(node, name)| paths(node, name, path, out));
            }
            path.pop();
        }
    }
    path.pop();
}

fn push(node: &NestedNode, field: &Field, name: &str, bytes: &mut Vec<u8>, n: &mut usize) {
    let mut group = |name: &str, repetition, children, logical: Option<Logical>, id| {
        let converted = logical.and_then(converted);
        let element = Element { name, repetition, children, converted, logical, id, ..Element::default() };
        elements::push(bytes, &element);
        *n += 1;
    };
    let repetition = if node.optional { Repetition::Optional } else { Repetition::Required };
    let id = elements::id(field);
    match (&node.shape, field.data_type()) {
        (NodeShape::Leaf(stored), _) => {
            elements::leaf(bytes, name, field, stored, node.optional);
            *n += 1;
        }
        (NodeShape::Struct(below), DataType::Struct(fields)) => {
            group(name, repetition, below.len(), None, id);
            below.iter().zip(fields).for_each(|(node, field)| push(node, field, field.name(), bytes, n));
        }
        (
            NodeShape::List(element),
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::FixedSizeList(item, _)
            | DataType::ListView(item)
            | DataType::LargeListView(item),
        ) => {
            group(name, repetition, 1, Some(Logical::List), id);
            group(LIST, Repetition::Repeated, 1, None, None);
            push(element, item, ELEMENT, bytes, n);
        }
        (NodeShape::Map(entries), DataType::Map(item, _)) => {
            group(name, repetition, 1, Some(Logical::Map), id);
            group(ENTRY, Repetition::Repeated, 2, None, None);
            if let (NodeShape::Struct(pair), DataType::Struct(fields)) = (&entries.shape, item.data_type()) {
                let named = pair.iter().zip(fields).zip(PAIR);
                named.for_each(|((node, field), name)| push(node, field, name, bytes, n));
            }
        }
        _ => {}
    }
}
