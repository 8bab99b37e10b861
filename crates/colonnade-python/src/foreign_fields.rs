//! Fields as other Arrow libraries take them through the C interface.
//!
//! The interface ends a name at its first NUL, so a NUL becomes its symbol (U+2400), as it does in names of columns.

use std::sync::Arc;

use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, UnionFields};
use colonnade::frame::Column;

/// The schema with names that the interface can hold, and without the extension types of the fields at `storage`.
/// `None`: it can stay as it is.
pub(crate) fn of_schema(schema: &Schema, storage: &[usize]) -> Option<Schema> {
    let changed = |(position, field): (usize, &FieldRef)| of_field(field, storage.contains(&position));
    if !schema.fields().iter().enumerate().any(|entry| changed(entry).is_some()) {
        return None;
    }
    let fields = schema.fields().iter().enumerate();
    let fields = fields.map(|(i, field)| changed((i, field)).map_or_else(|| Arc::clone(field), Arc::new));
    Some(Schema::new_with_metadata(fields.collect::<Fields>(), schema.metadata().clone()))
}

/// The field, and all within it, likewise. `storage`: without extension types.
pub(crate) fn of_field(field: &Field, storage: bool) -> Option<Field> {
    let data_type = of_type(field.data_type(), storage);
    let renamed = field.name().contains('\0');
    let claims =
        (storage && field.metadata().contains_key(EXTENSION_TYPE_NAME_KEY)) || is_false_period(field);
    if data_type.is_none() && !renamed && !claims {
        return None;
    }
    let mut made = field.clone();
    if let Some(data_type) = data_type {
        made = made.with_data_type(data_type);
    }
    if renamed {
        made = made.with_name(field.name().replace('\0', "\u{2400}"));
    }
    if claims {
        let mut metadata = field.metadata().clone();
        metadata.remove(EXTENSION_TYPE_NAME_KEY);
        metadata.remove(EXTENSION_TYPE_METADATA_KEY);
        made.set_metadata(metadata);
    }
    Some(made)
}

/// Whether a column may have an extension type, itself or within.
pub(crate) fn has_extension(column: &Column) -> bool {
    column.tag.as_deref().is_some_and(|tag| tag.contains(EXTENSION_TYPE_NAME_KEY))
        || of_type(column.data.data_type(), true).is_some()
}

/// Periods are 64-bit integers. pandas' type does not look at the storage: pyarrow would read eight bytes a value of
/// whatever is there.
fn is_false_period(field: &Field) -> bool {
    !matches!(field.data_type(), DataType::Int64)
        && field.metadata().get(EXTENSION_TYPE_NAME_KEY).is_some_and(|name| name == "pandas.period")
}

fn of_type(data_type: &DataType, storage: bool) -> Option<DataType> {
    let one = |field: &FieldRef| of_field(field, storage).map(Arc::new);
    match data_type {
        DataType::List(item) => one(item).map(DataType::List),
        DataType::LargeList(item) => one(item).map(DataType::LargeList),
        DataType::ListView(item) => one(item).map(DataType::ListView),
        DataType::LargeListView(item) => one(item).map(DataType::LargeListView),
        DataType::FixedSizeList(item, size) => one(item).map(|item| DataType::FixedSizeList(item, *size)),
        DataType::Map(entries, sorted) => one(entries).map(|entries| DataType::Map(entries, *sorted)),
        DataType::Struct(fields) => {
            let parts: Vec<Option<FieldRef>> = fields.iter().map(one).collect();
            parts.iter().any(Option::is_some).then(|| {
                let whole =
                    fields.iter().zip(parts).map(|(field, part)| part.unwrap_or_else(|| Arc::clone(field)));
                DataType::Struct(whole.collect())
            })
        }
        DataType::Union(fields, mode) => {
            let parts: Vec<Option<FieldRef>> = fields.iter().map(|(_, field)| one(field)).collect();
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
            one(values).map(|values| DataType::RunEndEncoded(Arc::clone(ends), values))
        }
        _ => None,
    }
}
