//! The columns of a file: which are wanted, and what Arrow type each of them is.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Metadata, Schema};
use parquet::schema::types::SchemaDescriptor;

use crate::error::{Error, Result};
use crate::formats::parquet::schema::{Element, Repetition, SchemaLeaf};
use crate::formats::parquet::types;
use crate::formats::parquet::types::LeafConversion;

use super::conversion::Flat;
use super::leaf_type::{default_type, extension};
use super::projection::Names;
use super::shape::Shape;
use super::{structure, tree};

/// A column of the file: one field of the schema, and the leaves that it is made of.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    /// Places of its leaves among the wanted ones, which is where their chunks stand in each row group.
    pub(crate) leaves: Range<usize>,
    /// What it is made of.
    pub(crate) kind: RootKind,
}

/// What a column is made of.
#[derive(Debug, Clone)]
pub(crate) enum RootKind {
    /// One leaf, right below the root, that is there once or (optional) not at all.
    Flat(Flat),
    /// Anything else: its schema as the crate has it, of the wanted leaves alone, under a root of its own, and its shape, where
    /// our own decoder reads it.
    Nested(Arc<SchemaDescriptor>, Option<Arc<Shape>>),
}

/// The leaves to read: all, or those of the columns that are named.
///
/// # Errors
/// `NotFound`: a name that no column has.
pub(crate) fn choose(
    elements: &[Element<'_>],
    leaves: &[SchemaLeaf],
    columns: Option<&Names<'_>>,
) -> Result<Vec<usize>> {
    let Some(columns) = columns else { return Ok((0..leaves.len()).collect()) };
    let mut missing = columns.clone();
    let dotted = columns.iter().any(|c| c.contains('.'));
    let nested = if dotted { tree::all_paths(elements) } else { Vec::new() };
    let mut out = Vec::with_capacity(columns.len());
    let (mut root, mut whole) = (usize::MAX, false);
    for (number, leaf) in leaves.iter().enumerate() {
        if leaf.root != root {
            root = leaf.root;
            let name = elements.get(root).map_or("", |e| e.name);
            whole = columns.contains(name);
            if whole {
                missing.remove(name);
            }
        }
        if whole {
            out.push(number);
        } else if let Some(prefixes) = nested.get(number) {
            let found = prefixes.iter().filter_map(|path| columns.get(path.as_str()));
            let mut any = false;
            for path in found {
                missing.remove(path);
                any = true;
            }
            if any {
                out.push(number);
            }
        }
    }
    let mut missing: Vec<&&str> = missing.iter().collect();
    missing.sort_unstable();
    match missing.first() {
        None => Ok(out),
        Some(name) => Err(Error::not_found("parquet", format!("the file has no column {name:?}."))),
    }
}

/// The columns of the wanted leaves as fields and roots. `hints` has a field for each, as the writer's Arrow schema had it;
/// `ours`: it was written here, and its types are those to give back.
///
/// # Errors
/// Unsupported or malformed types.
pub(crate) fn fields(
    elements: &[Element<'_>],
    leaves: &[SchemaLeaf],
    wanted: &[usize],
    hints: Option<&Schema>,
    ours: bool,
) -> Result<(Vec<Field>, Vec<Root>)> {
    let runs = roots(leaves, wanted);
    let (mut fields, mut out) = (Vec::with_capacity(runs.len()), Vec::with_capacity(runs.len()));
    for (number, (root, range)) in runs.into_iter().enumerate() {
        let element = elements.get(root).copied().unwrap_or_default();
        let hint = hints.and_then(|h| h.fields().get(number)).filter(|h| h.name() == element.name);
        let named = |e: Error| e.in_member(format!("column {}", element.name));
        let some = wanted.get(range.clone()).unwrap_or_default();
        // Runs, and dictionaries that no page holds, are read as what their columns are, and become themselves later.
        let plain = hint.filter(|_| ours).and_then(|hint| types::decoded_type(hint.data_type()));
        if let (Some(hint), Some(plain)) = (hint, plain) {
            let plain = Field::new(element.name, plain, true);
            let (read, descriptor) =
                tree::nested(elements, leaves, root, some, Some(&plain), true).map_err(named)?;
            if read.data_type() == plain.data_type() {
                fields.push(Field::clone(hint));
                let shape = Shape::of(&descriptor, &plain, elements, leaves, some);
                out.push(Root { leaves: range, kind: RootKind::Nested(descriptor, shape.map(Arc::new)) });
                continue;
            }
        }
        let flat =
            some.first().and_then(|&leaf| leaves.get(leaf)).is_some_and(|l| l.flat && l.repetition == 0);
        let (field, kind) = if flat {
            flat_field(&element, hint.map(|h| &**h), ours).map_err(named)?
        } else {
            let hint = hint.map(|hint| &**hint);
            let (field, descriptor) =
                tree::nested(elements, leaves, root, some, hint, ours).map_err(named)?;
            let shape = Shape::of(&descriptor, &field, elements, leaves, some);
            (field, RootKind::Nested(descriptor, shape.map(Arc::new)))
        };
        fields.push(field);
        out.push(Root { leaves: range, kind });
    }
    Ok((fields, out))
}

/// The roots of the wanted leaves, and which of the wanted each has.
pub(crate) fn roots(leaves: &[SchemaLeaf], wanted: &[usize]) -> Vec<(usize, Range<usize>)> {
    let mut out: Vec<(usize, Range<usize>)> = Vec::with_capacity(wanted.len());
    for (k, leaf) in wanted.iter().enumerate() {
        let root = leaves.get(*leaf).map_or(0, |l| l.root);
        match out.last_mut() {
            Some((last, range)) if *last == root => range.end = k + 1,
            _ => out.push((root, k..k + 1)),
        }
    }
    out
}

fn flat_field(element: &Element<'_>, hint: Option<&Field>, ours: bool) -> Result<(Field, RootKind)> {
    let physical = types::physical_of(element)?;
    types::check(element, physical)?;
    let optional = element.repetition == Repetition::Optional;
    // A foreign file's columns that are never null are columns like all others; ours said it themselves.
    let nullable = if ours { hint.is_none_or(Field::is_nullable) } else { true };
    let mut own = Field::new(element.name, default_type(element, physical), nullable);
    if let Some(name) = extension(element) {
        let metadata = Metadata::new();
        own.set_metadata(metadata.with("ARROW:extension:name", name).with("ARROW:extension:metadata", ""));
    }
    let data_type = match hint.filter(|hint| structure::is_open(&own, hint)) {
        Some(hint) => types::accepted_type(own.data_type(), element, physical, hint.data_type(), ours),
        None => own.data_type().clone(),
    };
    let mut field = own.clone().with_data_type(data_type);
    if let Some(hint) = hint {
        if matches!(field.data_type(), DataType::Dictionary(..)) {
            field = field.with_dict_is_ordered(hint.dict_is_ordered().unwrap_or(false));
        }
        field.set_metadata(structure::merged(&own, hint, field.data_type(), ours));
    }
    let way = types::conversion_of(&field, physical, element.logical.as_ref(), element.converted);
    let way = way.unwrap_or(LeafConversion::Same);
    Ok((field, RootKind::Flat(Flat { physical, optional, way })))
}
