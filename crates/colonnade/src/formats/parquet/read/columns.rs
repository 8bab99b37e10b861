//! The fields and roots of the projected columns, and the plan that builds a frame of them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{FieldRef, Fields, Metadata, Schema, SchemaRef};

use crate::arrow::import::{FieldRole, FramePlan};
use crate::arrow::meta::{LabelsMeta, SchemaMeta};
use crate::arrow::nullability;
use crate::error::Result;
use crate::formats::parquet::footer::Footer;
use crate::frame::paths::LeafProjection;

use super::arrow_schema::{KEY as ARROW_SCHEMA, fields as arrow_fields};
use super::options::ReadOptions;
use super::projection::ColumnNames;
use super::schema::{RootColumn, RootKind, fields, roots};
use super::{categories, pandas};

/// Returns the fields and roots of the projected columns, and the plan that builds a frame of them.
pub(super) fn projected_columns(
    footer: &Footer<'_>,
    is_colonnade: bool,
    options: &ReadOptions,
) -> Result<(SchemaRef, Vec<RootColumn>, FramePlan)> {
    let some = footer.projection.len() < footer.leaves.len();
    let all: Vec<usize> = (0..footer.leaves.len()).collect();
    // This package's metadata describe all columns: the plan is built for all and then restricted.
    if is_colonnade && some {
        let (every, _) = columns_of(footer, &all, true, options)?;
        let plan = FramePlan::new(&every).map_err(|e| e.in_format("parquet"))?;
        let (schema, roots_of) = columns_of(footer, &footer.projection, true, options)?;
        let selected_roots: HashSet<usize> =
            roots(&footer.leaves, &footer.projection).iter().map(|(root, _)| *root).collect();
        let order: Vec<usize> = roots(&footer.leaves, &all).iter().map(|(root, _)| *root).collect();
        let plan = restrict(plan, &order, &selected_roots, schema.fields())?;
        return Ok((schema, roots_of, plan));
    }
    let (schema, roots) = columns_of(footer, &footer.projection, is_colonnade, options)?;
    let mut plan = FramePlan::new(&schema).map_err(|e| e.in_format("parquet"))?;
    if !is_colonnade {
        let never = |root: &RootColumn| matches!(root.kind, RootKind::Flat(flat) if !flat.optional);
        let names = schema.fields().iter().zip(&roots).filter(|(_, root)| never(root));
        let names: Vec<&str> = names.map(|(field, _)| field.name().as_str()).collect();
        nullability::store_required(&mut plan.tags, &names);
        nullability::store_ids(&mut plan.tags, &field_ids(footer, &schema, &roots));
    }
    Ok((schema, roots, plan))
}

/// Returns the field ids of the flat columns by name. A nested column has its ids in the metadata of its fields.
fn field_ids<'s>(footer: &Footer<'_>, schema: &'s Schema, columns: &[RootColumn]) -> Vec<(&'s str, i32)> {
    let elements =
        roots(&footer.leaves, &footer.projection).into_iter().map(|(root, _)| footer.elements.get(root));
    let columns = schema.fields().iter().zip(columns).zip(elements);
    let flat = columns.filter(|((_, root), _)| matches!(root.kind, RootKind::Flat(_)));
    let id = flat.filter_map(|((field, _), element)| Some((field.name().as_str(), element?.id?)));
    id.filter(|(_, id)| *id >= 0).collect()
}

fn columns_of(
    footer: &Footer<'_>,
    projection: &[usize],
    is_colonnade: bool,
    options: &ReadOptions,
) -> Result<(SchemaRef, Vec<RootColumn>)> {
    let runs = roots(&footer.leaves, projection);
    // A column's number among all columns is its position in the writer's schema.
    let mut numbers = Vec::with_capacity(runs.len());
    let (mut number, mut last) = (0, None);
    for leaf in &footer.leaves {
        if last != Some(leaf.root) {
            last = Some(leaf.root);
            if runs.get(numbers.len()).is_some_and(|(root, _)| *root == leaf.root) {
                numbers.push(number);
            }
            number += 1;
        }
    }
    let arrow_schema =
        footer.value(ARROW_SCHEMA).and_then(|text| arrow_fields(text, &numbers, &options.limits));
    // The writer's schema describes whole columns; it is cut to the projected leaves.
    let arrow_schema = arrow_schema.map(|arrow_schema| {
        match projection.len() < footer.leaves.len() && !options.parts.is_empty() {
            true => project_schema(&arrow_schema, &runs, &options.parts),
            false => arrow_schema,
        }
    });
    let (mut fields, roots) =
        fields(&footer.elements, &footer.leaves, projection, arrow_schema.as_ref(), is_colonnade)?;
    categories::make_categorical(&options.categories, &mut fields, &roots)?;
    let is_projected = projection.len() < footer.leaves.len();
    let names: ColumnNames<'_> = fields.iter().filter(|_| is_projected).map(|f| f.name().as_str()).collect();
    let mut metadata = Metadata::new();
    for (key, value) in &footer.metadata {
        let Some(value) = value.filter(|_| *key != ARROW_SCHEMA) else { continue };
        let projected = (*key == pandas::KEY && !is_colonnade && is_projected)
            .then(|| pandas::cut(value, &names))
            .flatten();
        metadata.insert(*key, projected.unwrap_or_else(|| value.to_owned()));
    }
    Ok((Arc::new(Schema::new(fields).with_metadata(metadata)), roots))
}

/// The fields of the columns `runs`; a column in `parts` is cut to its projected leaves.
fn project_schema(
    arrow_schema: &Schema,
    runs: &[(usize, Range<usize>)],
    parts: &HashMap<usize, LeafProjection>,
) -> Schema {
    let fields = arrow_schema.fields().iter().zip(runs);
    let one = |(field, (root, _)): (&FieldRef, &(usize, Range<usize>))| {
        parts.get(root).map_or_else(|| Arc::clone(field), |part| part.project_field(field))
    };
    Schema::new(fields.map(one).collect::<Fields>()).with_metadata(arrow_schema.metadata().clone())
}

/// Restricts the plan of all columns to those at `selected_roots` among the roots `order`.
fn restrict(
    mut plan: FramePlan,
    order: &[usize],
    selected_roots: &HashSet<usize>,
    fields: &arrow_schema::Fields,
) -> Result<FramePlan> {
    let mut positions = Vec::new();
    let mut out = Vec::with_capacity(fields.len());
    for (field, root) in plan.fields.into_iter().zip(order) {
        if !selected_roots.contains(root) {
            continue;
        }
        let mut field = field;
        if let FieldRole::Column(position) = field.place {
            field.place = FieldRole::Column(positions.len());
            positions.push(position);
        }
        // A projection may keep only some leaves of a nested column.
        if let Some(own) = fields.get(out.len()) {
            field.data_type = own.data_type().clone();
        }
        out.push(field);
    }
    plan.ncols = positions.len();
    plan.columns = plan.columns.select(&positions)?;
    plan.fields = out;
    Ok(plan)
}

/// Returns the names of the columns that hold row labels.
pub(super) fn label_columns(footer: &Footer<'_>, colonnade: Option<&SchemaMeta>) -> Vec<String> {
    match colonnade.map(|meta| &meta.index.labels) {
        Some(LabelsMeta::Levels(names)) => names.clone(),
        Some(_) => Vec::new(),
        None => footer.value(pandas::KEY).map(pandas::index_columns).unwrap_or_default(),
    }
}
