//! Columns of others that are never null, as their file says: a schema for others says it again.
//!
//! It stands in the frame's origin, by name. A tag of the column would say it too, but tagged columns are no blocks.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_schema::{Field, FieldRef, Schema};
use serde_json::{Value, json};

use super::layout::Kept;
use crate::frame::{Frame, Kind, Tags};

/// Its key.
const KEY: &str = "required";

/// Notes the names of columns that are never null.
pub(crate) fn note(tags: &mut Tags, names: &[&str]) {
    let Some(origin) = tags.origin.as_deref().filter(|_| !names.is_empty()) else { return };
    if let Some(head) = origin.strip_suffix('}') {
        tags.origin = Some(format!("{head},\"{KEY}\":{}}}", json!(names)));
    }
}

/// The schema of these frames, whose fields are `kept`, with the columns that are noted and hold no null as not nullable.
pub(super) fn told(schema: &Schema, kept: &[&Kept], frames: &[Arc<Frame>]) -> Option<Schema> {
    let origin = frames.first()?.tags.origin.as_deref().filter(|text| text.contains(KEY))?;
    let origin: Value = serde_json::from_str(origin).ok()?;
    let names: HashSet<&str> = origin.get(KEY)?.as_array()?.iter().filter_map(Value::as_str).collect();
    let columns = frames.iter().flat_map(|frame| frame.arrow_columns());
    let nulls: HashSet<usize> =
        columns.filter(|(_, column)| column.data.null_count() > 0).map(|(position, _)| position).collect();
    let never = |position: usize, field: &Field| {
        // Instants of NumPy have a null of their own.
        let whole = match kept.get(position) {
            Some(Kept::Native(native)) => !matches!(native.dtype.kind, Kind::DateTime | Kind::TimeDelta),
            Some(Kept::Arrow { .. }) => true,
            None => false,
        };
        whole && names.contains(field.name().as_str()) && !nulls.contains(&position)
    };
    let fields = schema.fields().iter().enumerate().map(|(position, field)| {
        if never(position, field) {
            Arc::new(Field::clone(field).with_nullable(false))
        } else {
            FieldRef::clone(field)
        }
    });
    Some(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}
