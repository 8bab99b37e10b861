//! The name of the entry that holds Colonnade's header in JSON, YAML and MessagePack, and the escaping of columns with that
//! name.

use arrow_schema::{Field, Schema};

/// The name of the entry.
pub const KEY: &str = "__colonnade__";

/// Returns the keys of the fields: their unique names. A field named [`KEY`] gets a longer key.
pub(crate) fn keys(schema: &Schema) -> Vec<String> {
    let name = |field: &Field| {
        let stem = field.name().trim_end_matches('_');
        // `__colonnade__`, or a name that such a field could have been renamed to.
        if stem == KEY.trim_end_matches('_') && field.name().len() >= KEY.len() {
            return format!("{}_", field.name());
        }
        field.name().clone()
    };
    schema.fields().iter().map(|field| name(field)).collect()
}
