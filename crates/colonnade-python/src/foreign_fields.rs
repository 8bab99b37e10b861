//! Adapts fields to Arrow's C interface and to other Arrow libraries.
//!
//! In the interface a name ends at its first NUL, so a NUL becomes the symbol U+2400, as in names of columns.

use std::sync::Arc;

use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, UnionFields};
use colonnade::frame::Column;

/// The schema with names that the interface can represent, and without extension types in the fields at `storage`. `None`:
/// the schema needs no change.
pub(crate) fn of_schema(schema: &Schema, storage: &[usize]) -> Option<Schema> {
    let changed = |(position, field): (usize, &FieldRef)| of_field(field, storage.contains(&position));
    if !schema.fields().iter().enumerate().any(|entry| changed(entry).is_some()) {
        return None;
    }
    let fields = schema.fields().iter().enumerate();
    let fields = fields.map(|(i, field)| changed((i, field)).map_or_else(|| Arc::clone(field), Arc::new));
    Some(Schema::new_with_metadata(fields.collect::<Fields>(), schema.metadata().clone()))
}

/// The field and its descendants with such names; with `storage`, without extension types. `None`: no change.
pub(crate) fn of_field(field: &Field, storage: bool) -> Option<Field> {
    let data_type = of_type(field.data_type(), storage);
    let renamed = field.name().contains('\0');
    let drops_extension =
        (storage && field.metadata().contains_key(EXTENSION_TYPE_NAME_KEY)) || is_invalid_period(field);
    if data_type.is_none() && !renamed && !drops_extension {
        return None;
    }
    let mut changed = field.clone();
    if let Some(data_type) = data_type {
        changed = changed.with_data_type(data_type);
    }
    if renamed {
        changed = changed.with_name(field.name().replace('\0', "\u{2400}"));
    }
    if drops_extension {
        let mut metadata = field.metadata().clone();
        metadata.remove(EXTENSION_TYPE_NAME_KEY);
        metadata.remove(EXTENSION_TYPE_METADATA_KEY);
        changed.set_metadata(metadata);
    }
    Some(changed)
}

/// Whether a column or a descendant may have an extension type.
pub(crate) fn has_extension(column: &Column) -> bool {
    column.tag.as_deref().is_some_and(|tag| tag.contains(EXTENSION_TYPE_NAME_KEY))
        || of_type(column.data.data_type(), true).is_some()
}

/// Whether a field has pandas' period type over another storage than 64-bit integers. The type does not check its storage,
/// so pyarrow would read eight bytes for each value.
fn is_invalid_period(field: &Field) -> bool {
    !matches!(field.data_type(), DataType::Int64)
        && field.metadata().get(EXTENSION_TYPE_NAME_KEY).is_some_and(|name| name == "pandas.period")
}

fn of_type(data_type: &DataType, storage: bool) -> Option<DataType> {
    let changed = |field: &FieldRef| of_field(field, storage).map(Arc::new);
    match data_type {
        DataType::List(item) => changed(item).map(DataType::List),
        DataType::LargeList(item) => changed(item).map(DataType::LargeList),
        DataType::ListView(item) => changed(item).map(DataType::ListView),
        DataType::LargeListView(item) => changed(item).map(DataType::LargeListView),
        DataType::FixedSizeList(item, size) => changed(item).map(|item| DataType::FixedSizeList(item, *size)),
        DataType::Map(entries, sorted) => changed(entries).map(|entries| DataType::Map(entries, *sorted)),
        DataType::Struct(fields) => {
            let parts: Vec<Option<FieldRef>> = fields.iter().map(changed).collect();
            parts.iter().any(Option::is_some).then(|| {
                let whole =
                    fields.iter().zip(parts).map(|(field, part)| part.unwrap_or_else(|| Arc::clone(field)));
                DataType::Struct(whole.collect())
            })
        }
        DataType::Union(fields, mode) => {
            let parts: Vec<Option<FieldRef>> = fields.iter().map(|(_, field)| changed(field)).collect();
            parts.iter().any(Option::is_some).then(|| {
                let whole = fields.iter().zip(parts);
                let whole = whole.map(|((id, field), part)| (id, part.unwrap_or_else(|| Arc::clone(field))));
                DataType::Union(whole.collect::<UnionFields>(), *mode)
            })
        }
        DataType::Dictionary(codes, values) => {
            of_type(values, storage).map(|values| DataType::Dictionary(codes.clone(), Box::new(values)))
        }
        DataType::RunEndEncoded(ends, values) => {
            changed(values).map(|values| DataType::RunEndEncoded(Arc::clone(ends), values))
        }
        _ => None,
    }
}
