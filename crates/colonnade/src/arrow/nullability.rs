//! Keeps what a Parquet file declares about its flat columns besides their type: required columns, and field ids. Schemas
//! for other libraries declare them again.
//!
//! The frame's origin stores both by name. A tag of the column could store them too, but tagged columns cannot be in
//! blocks.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_schema::{Field, FieldRef, Fields, Schema};
use serde_json::{Value, json};

use super::layout::ColumnLayout;
use crate::frame::{DTypeKind, Frame, Tags};

/// Key of the names of required columns.
const KEY: &str = "required";

/// Key of the field ids.
const FIELD_IDS_KEY: &str = "field_ids";

/// Field metadata with Parquet's field id.
pub(crate) const FIELD_ID: &str = "PARQUET:field_id";

/// Stores the names of required columns.
pub(crate) fn store_required(tags: &mut Tags, names: &[&str]) {
    if !names.is_empty() {
        add_to_origin(tags, KEY, &json!(names));
    }
}

/// Stores the field ids, by name.
pub(crate) fn store_ids(tags: &mut Tags, ids: &[(&str, i32)]) {
    if !ids.is_empty() {
        add_to_origin(
            tags,
            FIELD_IDS_KEY,
            &Value::Object(ids.iter().map(|(name, id)| ((*name).to_owned(), json!(id))).collect()),
        );
    }
}

fn add_to_origin(tags: &mut Tags, key: &str, value: &Value) {
    let Some(head) = tags.origin.as_deref().and_then(|origin| origin.strip_suffix('}')) else { return };
    tags.origin = Some(format!("{head},\"{key}\":{value}}}"));
}

/// Reads the stored declarations from the origin of a frame; `None` if there are none.
fn stored_declarations(tags: &Tags) -> Option<Value> {
    let origin = tags.origin.as_deref().filter(|text| text.contains(KEY) || text.contains(FIELD_IDS_KEY))?;
    serde_json::from_str(origin).ok()
}

/// Adds the stored field id to a field.
fn add_field_id(field: &FieldRef, ids: Option<&Value>) -> FieldRef {
    let id = ids.and_then(|ids| ids.get(field.name())).and_then(Value::as_i64);
    match id.filter(|_| field.metadata().get(FIELD_ID).is_none()) {
        Some(id) => {
            let mut metadata = field.metadata().clone();
            metadata.insert(FIELD_ID, id.to_string());
            Arc::new(Field::clone(field).with_metadata(metadata))
        }
        None => Arc::clone(field),
    }
}

/// Adds the stored field ids of a frame to its fields.
pub(crate) fn with_ids(fields: &Fields, tags: &Tags) -> Fields {
    let declarations = stored_declarations(tags);
    let Some(ids) = declarations.as_ref().and_then(|declarations| declarations.get(FIELD_IDS_KEY)) else {
        return fields.clone();
    };
    fields.iter().map(|field| add_field_id(field, Some(ids))).collect()
}

/// Adds the stored field ids to the schema of these frames, and makes required columns without nulls non-nullable. `kept`
/// has the layouts of the fields.
pub(super) fn with_nullability(
    schema: &Schema,
    layouts: &[&ColumnLayout],
    frames: &[Arc<Frame>],
) -> Option<Schema> {
    let origin = stored_declarations(&frames.first()?.tags)?;
    let names = origin.get(KEY).and_then(Value::as_array);
    let names: HashSet<&str> = names.into_iter().flatten().filter_map(Value::as_str).collect();
    let ids = origin.get(FIELD_IDS_KEY);
    let columns = frames.iter().flat_map(|frame| frame.arrow_columns());
    let nulls: HashSet<usize> =
        columns.filter(|(_, column)| column.data.null_count() > 0).map(|(position, _)| position).collect();
    let is_required = |position: usize, field: &Field| {
        // NumPy times have NaT as a null.
        let has_no_nulls = match layouts.get(position) {
            Some(ColumnLayout::Native(native)) => {
                !matches!(native.dtype.kind, DTypeKind::DateTime | DTypeKind::TimeDelta)
            }
            Some(ColumnLayout::Arrow { .. }) => true,
            None => false,
        };
        has_no_nulls && names.contains(field.name().as_str()) && !nulls.contains(&position)
    };
    let fields = schema.fields().iter().enumerate().map(|(position, field)| {
        let field = add_field_id(field, ids);
        if is_required(position, &field) {
            Arc::new(Field::clone(&field).with_nullable(false))
        } else {
            field
        }
    });
    Some(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}

/// Makes fields nullable that are declared as required but have nulls. `None`: the schema needs no change.
pub(super) fn relax_nullability(schema: &Schema, frames: &[Arc<Frame>]) -> Option<Schema> {
    if schema.fields().iter().all(|field| field.is_nullable()) {
        return None;
    }
    let columns = frames.iter().flat_map(|frame| frame.arrow_columns());
    let nulls: HashSet<usize> =
        columns.filter(|(_, column)| column.data.null_count() > 0).map(|(position, _)| position).collect();
    let is_violated =
        |(position, field): (usize, &FieldRef)| !field.is_nullable() && nulls.contains(&position);
    if !schema.fields().iter().enumerate().any(is_violated) {
        return None;
    }
    let fields = schema.fields().iter().enumerate().map(|(position, field)| {
        if is_violated((position, field)) {
            Arc::new(Field::clone(field).with_nullable(true))
        } else {
            FieldRef::clone(field)
        }
    });
    Some(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}
