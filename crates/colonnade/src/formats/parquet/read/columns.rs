//! The wanted columns: their fields, what they are made of, and how they become a frame.

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
use super::projection::Names;
use super::schema::{Root, RootKind, fields, roots};
use super::{categories, pandas};

/// Fields, what they are made of, and how they become a frame.
pub(super) fn described(
    footer: &Footer<'_>,
    ours: bool,
    options: &ReadOptions,
) -> Result<(SchemaRef, Vec<Root>, FramePlan)> {
    let some = footer.wanted.len() < footer.leaves.len();
    let all: Vec<usize> = (0..footer.leaves.len()).collect();
    // Our metadata are about all columns: the plan is made of all, and cut down.
    if ours && some {
        let (every, _) = made(footer, &all, true, options)?;
        let plan = FramePlan::new(&every).map_err(|e| e.in_format("parquet"))?;
        let (schema, roots_of) = made(footer, &footer.wanted, true, options)?;
        let kept: HashSet<usize> =
            roots(&footer.leaves, &footer.wanted).iter().map(|(root, _)| *root).collect();
        let order: Vec<usize> = roots(&footer.leaves, &all).iter().map(|(root, _)| *root).collect();
        let plan = restricted(plan, &order, &kept, schema.fields())?;
        return Ok((schema, roots_of, plan));
    }
    let (schema, roots) = made(footer, &footer.wanted, ours, options)?;
    let mut plan = FramePlan::new(&schema).map_err(|e| e.in_format("parquet"))?;
    if !ours {
        let never = |root: &Root| matches!(root.kind, RootKind::Flat(flat) if !flat.optional);
        let names = schema.fields().iter().zip(&roots).filter(|(_, root)| never(root));
        let names: Vec<&str> = names.map(|(field, _)| field.name().as_str()).collect();
        nullability::note_required(&mut plan.tags, &names);
        nullability::note_ids(&mut plan.tags, &field_ids(footer, &schema, &roots));
    }
    Ok((schema, roots, plan))
}

/// The numbers of the flat columns' fields, by name; nested ones have theirs in the metadata of their fields.
fn field_ids<'s>(footer: &Footer<'_>, schema: &'s Schema, columns: &[Root]) -> Vec<(&'s str, i32)> {
    let elements =
        roots(&footer.leaves, &footer.wanted).into_iter().map(|(root, _)| footer.elements.get(root));
    let columns = schema.fields().iter().zip(columns).zip(elements);
    let flat = columns.filter(|((_, root), _)| matches!(root.kind, RootKind::Flat(_)));
    let id = flat.filter_map(|((field, _), element)| Some((field.name().as_str(), element?.id?)));
    id.filter(|(_, id)| *id >= 0).collect()
}

fn made(
    footer: &Footer<'_>,
    wanted: &[usize],
    ours: bool,
    options: &ReadOptions,
) -> Result<(SchemaRef, Vec<Root>)> {
    let runs = roots(&footer.leaves, wanted);
    // The number of each column among all is its place in the writer's schema.
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
    let told = footer.value(ARROW_SCHEMA).and_then(|text| arrow_fields(text, &numbers, &options.limits));
    // What the writer said of whole columns is cut as they are.
    let told = told.map(|told| match wanted.len() < footer.leaves.len() && !options.parts.is_empty() {
        true => cut(&told, &runs, &options.parts),
        false => told,
    });
    let (mut fields, roots) = fields(&footer.elements, &footer.leaves, wanted, told.as_ref(), ours)?;
    categories::taken(&options.categories, &mut fields, &roots)?;
    let some = wanted.len() < footer.leaves.len();
    let names: Names<'_> = fields.iter().filter(|_| some).map(|f| f.name().as_str()).collect();
    let mut metadata = Metadata::new();
    for (key, value) in &footer.metadata {
        let Some(value) = value.filter(|_| *key != ARROW_SCHEMA) else { continue };
        let cut = (*key == pandas::KEY && !ours && some).then(|| pandas::cut(value, &names)).flatten();
        metadata.insert(*key, cut.unwrap_or_else(|| value.to_owned()));
    }
    Ok((Arc::new(Schema::new(fields).with_metadata(metadata)), roots))
}

/// The fields of the columns `runs`, of some of them a part.
fn cut(told: &Schema, runs: &[(usize, Range<usize>)], parts: &HashMap<usize, LeafProjection>) -> Schema {
    let fields = told.fields().iter().zip(runs);
    let one = |(field, (root, _)): (&FieldRef, &(usize, Range<usize>))| {
        parts.get(root).map_or_else(|| Arc::clone(field), |part| part.project_field(field))
    };
    Schema::new(fields.map(one).collect::<Fields>()).with_metadata(told.metadata().clone())
}

/// A plan of all columns, with those at `kept` (among `order`, the roots) alone.
fn restricted(
    mut plan: FramePlan,
    order: &[usize],
    kept: &HashSet<usize>,
    fields: &arrow_schema::Fields,
) -> Result<FramePlan> {
    let mut positions = Vec::new();
    let mut out = Vec::with_capacity(fields.len());
    for (field, root) in plan.fields.into_iter().zip(order) {
        if !kept.contains(root) {
            continue;
        }
        let mut field = field;
        if let FieldRole::Column(position) = field.place {
            field.place = FieldRole::Column(positions.len());
            positions.push(position);
        }
        // Of a nested column some leaves may be left.
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

/// The columns that hold row labels.
pub(super) fn label_columns(footer: &Footer<'_>, ours: Option<&SchemaMeta>) -> Vec<String> {
    match ours.map(|meta| &meta.index.labels) {
        Some(LabelsMeta::Levels(names)) => names.clone(),
        Some(_) => Vec::new(),
        None => footer.value(pandas::KEY).map(pandas::index_columns).unwrap_or_default(),
    }
}
