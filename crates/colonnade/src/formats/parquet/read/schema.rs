//! The projected columns of a file and their Arrow types.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Metadata, Schema};
use parquet::schema::types::SchemaDescriptor;

use crate::error::{Error, Result};
use crate::formats::parquet::schema::{Element, Repetition, SchemaLeaf};
use crate::formats::parquet::types;
use crate::formats::parquet::types::LeafConversion;

use super::conversion::FlatLeaf;
use super::leaf_type::{default_type, extension};
use super::projection::ColumnNames;
use super::shape::NestedShape;
use super::{structure, tree};

/// A column of the file: one field of the schema and its leaves.
#[derive(Debug, Clone)]
pub(crate) struct RootColumn {
    /// Positions of its leaves among the projected ones, and so of their chunks in each row group.
    pub(crate) leaves: Range<usize>,
    /// Flat or nested.
    pub(crate) kind: RootKind,
}

/// The structure of a column.
#[derive(Debug, Clone)]
pub(crate) enum RootKind {
    /// One required or optional leaf directly below the root.
    Flat(FlatLeaf),
    /// Anything else: its schema for the `parquet` crate, reduced to the projected leaves, and its shape if the decoder in
    /// [`super::decode`] supports it.
    Nested(Arc<SchemaDescriptor>, Option<Arc<NestedShape>>),
}

/// Returns the leaves to read: all, or those of the named columns.
///
/// # Errors
/// `NotFound`: a name that no column has.
pub(crate) fn choose(
    elements: &[Element<'_>],
    leaves: &[SchemaLeaf],
    columns: Option<&ColumnNames<'_>>,
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

/// Returns the columns of the projected leaves as fields and roots. `hints` has a field of the writer's Arrow schema for each
/// column. `is_colonnade`: this package wrote the file, so that the hinted types are restored.
///
/// # Errors
/// Unsupported or malformed types.
pub(crate) fn fields(
    elements: &[Element<'_>],
    leaves: &[SchemaLeaf],
    projection: &[usize],
    hints: Option<&Schema>,
    is_colonnade: bool,
) -> Result<(Vec<Field>, Vec<RootColumn>)> {
    let runs = roots(leaves, projection);
    let (mut fields, mut out) = (Vec::with_capacity(runs.len()), Vec::with_capacity(runs.len()));
    for (number, (root, range)) in runs.into_iter().enumerate() {
        let element = elements.get(root).copied().unwrap_or_default();
        let hint = hints.and_then(|h| h.fields().get(number)).filter(|h| h.name() == element.name);
        let named = |e: Error| e.in_member(format!("column {}", element.name));
        let some = projection.get(range.clone()).unwrap_or_default();
        // Runs, and dictionaries that are stored outside dictionary pages, are read as their storage type and converted later.
        let plain = hint.filter(|_| is_colonnade).and_then(|hint| types::decoded_type(hint.data_type()));
        if let (Some(hint), Some(plain)) = (hint, plain) {
            let plain = Field::new(element.name, plain, true);
            let (read, descriptor) =
                tree::nested(elements, leaves, root, some, Some(&plain), true).map_err(named)?;
            if read.data_type() == plain.data_type() {
                fields.push(Field::clone(hint));
                let shape = NestedShape::of(&descriptor, &plain, elements, leaves, some);
                out.push(RootColumn {
                    leaves: range,
                    kind: RootKind::Nested(descriptor, shape.map(Arc::new)),
                });
                continue;
            }
        }
        let flat =
            some.first().and_then(|&leaf| leaves.get(leaf)).is_some_and(|l| l.flat && l.repetition == 0);
        let (field, kind) = if flat {
            flat_field(&element, hint.map(|h| &**h), is_colonnade).map_err(named)?
        } else {
            let hint = hint.map(|hint| &**hint);
            let (field, descriptor) =
                tree::nested(elements, leaves, root, some, hint, is_colonnade).map_err(named)?;
            let shape = NestedShape::of(&descriptor, &field, elements, leaves, some);
            (field, RootKind::Nested(descriptor, shape.map(Arc::new)))
        };
        fields.push(field);
        out.push(RootColumn { leaves: range, kind });
    }
    Ok((fields, out))
}

/// Returns the roots of the projected leaves, and the range of projected leaves of each.
pub(crate) fn roots(leaves: &[SchemaLeaf], projection: &[usize]) -> Vec<(usize, Range<usize>)> {
    let mut out: Vec<(usize, Range<usize>)> = Vec::with_capacity(projection.len());
    for (k, leaf) in projection.iter().enumerate() {
        let root = leaves.get(*leaf).map_or(0, |l| l.root);
        match out.last_mut() {
            Some((last, range)) if *last == root => range.end = k + 1,
            _ => out.push((root, k..k + 1)),
        }
    }
    out
}

fn flat_field(element: &Element<'_>, hint: Option<&Field>, is_colonnade: bool) -> Result<(Field, RootKind)> {
    let physical = types::physical_of(element)?;
    types::check(element, physical)?;
    let optional = element.repetition == Repetition::Optional;
    // A column of a foreign file that is never null is read as nullable; the schema of this package's files declares it.
    let nullable = if is_colonnade { hint.is_none_or(Field::is_nullable) } else { true };
    let mut own = Field::new(element.name, default_type(element, physical), nullable);
    if let Some(name) = extension(element) {
        let metadata = Metadata::new();
        own.set_metadata(metadata.with("ARROW:extension:name", name).with("ARROW:extension:metadata", ""));
    }
    let data_type = match hint.filter(|hint| structure::accepts_hint(&own, hint)) {
        Some(hint) => {
            types::accepted_type(own.data_type(), element, physical, hint.data_type(), is_colonnade)
        }
        None => own.data_type().clone(),
    };
    let mut field = own.clone().with_data_type(data_type);
    if let Some(hint) = hint {
        if matches!(field.data_type(), DataType::Dictionary(..)) {
            field = field.with_dict_is_ordered(hint.dict_is_ordered().unwrap_or(false));
        }
        field.set_metadata(structure::merge_metadata(&own, hint, field.data_type(), is_colonnade));
    }
    let way = types::conversion_of(&field, physical, element.logical.as_ref(), element.converted);
    let way = way.unwrap_or(LeafConversion::Same);
    Ok((field, RootKind::Flat(FlatLeaf { physical, optional, way })))
}
