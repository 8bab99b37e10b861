//! The name of the entry that holds our header in JSON, YAML and MessagePack, and the names that give way to it.

use arrow_schema::{Field, Schema};

/// The name of the entry.
pub const KEY: &str = "__colonnade__";

/// The keys of the fields: their names, which are unique; only [`KEY`] itself has to give way.
pub(crate) fn keys(schema: &Schema) -> Vec<String> {
    let name = |field: &Field| {
        let stem = field.name().trim_end_matches('_');
        // `__colonnade__` and whatever such a name already gave way to.
        if stem == KEY.trim_end_matches('_') && field.name().len() >= KEY.len() {
            return format!("{}_", field.name());
        }
        field.name().clone()
    };
    schema.fields().iter().map(|field| name(field)).collect()
}
