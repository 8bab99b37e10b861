//! Derives the Arrow type of a nested column from the Parquet schema, and merges in what the writer's Arrow schema may add.
//!
//! The schema of lists is that of [`super::old_lists`]: the item is the repeated leaf, or the one field of the repeated group.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Metadata};
use parquet::basic::{ConvertedType, LogicalType, Repetition};
use parquet::schema::types::{Type, TypePtr};

use crate::arrow::nullability::FIELD_ID;
use crate::error::{Error, Result};
use crate::formats::parquet::schema::Element;
use crate::formats::parquet::types;

use super::leaf_type::{default_type, extension};
use super::names::{items_of, namesakes};

/// Yields the schema elements of the leaves in order.
pub(super) type NextLeaf<'l, 'e> = dyn FnMut() -> Option<Element<'e>> + 'l;

/// Returns the repetition of a schema element; REQUIRED if it has none.
pub(super) fn repetition(found: &Type) -> Repetition {
    let info = found.get_basic_info();
    if info.has_repetition() { info.repetition() } else { Repetition::REQUIRED }
}

/// The annotation of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupAnnotation {
    /// LIST.
    List,
    /// MAP, or MAP_KEY_VALUE, its name in old files.
    Map,
    /// A struct.
    Plain,
}

impl GroupAnnotation {
    pub(super) fn of(found: &Type) -> Self {
        let info = found.get_basic_info();
        match (info.logical_type_ref(), info.converted_type()) {
            (Some(LogicalType::List), _) | (None, ConvertedType::LIST) => Self::List,
            (Some(LogicalType::Map), _) | (None, ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE) => {
                Self::Map
            }
            _ => Self::Plain,
        }
    }
}

fn refused(what: &str) -> Error {
    Error::unsupported("parquet", format!("{what}. Its type is not read here."))
}

/// Returns the field of the column `found` by the Parquet schema; `next` yields the schema elements of its leaves.
///
/// # Errors
/// Malformed: contradictory annotations. Unsupported: groups annotated as list or map that do not have the structure of one.
pub(super) fn field_of(found: &Type, next: &mut NextLeaf<'_, '_>) -> Result<Field> {
    if repetition(found) == Repetition::REPEATED && GroupAnnotation::of(found) == GroupAnnotation::Map {
        return Err(refused("a group annotated MAP is repeated"));
    }
    node(found, next, false)
}

/// Returns the field of a node. `item`: the node is itself the repeated item of a list.
fn node(found: &Type, next: &mut NextLeaf<'_, '_>, item: bool) -> Result<Field> {
    let repetition = if item { Repetition::REQUIRED } else { repetition(found) };
    let mut metadata = Metadata::new();
    let info = found.get_basic_info();
    if info.has_id() && info.id() >= 0 {
        metadata.insert(FIELD_ID, info.id().to_string());
    }
    if repetition == Repetition::REPEATED {
        // A repeated field without a LIST annotation is a list of required items. The field id is that of the list.
        let mut items = node(found, next, true)?;
        let _ = items.metadata_mut().remove(FIELD_ID);
        let list = Field::new(found.name(), DataType::List(Arc::new(items)), false);
        return Ok(list.with_metadata(metadata));
    }
    let nullable = repetition == Repetition::OPTIONAL;
    let data_type = if found.is_primitive() {
        let element = next().ok_or_else(|| refused("its leaves are others than those of the schema"))?;
        let physical = types::physical_of(&element)?;
        types::check(&element, physical)?;
        if let Some(name) = extension(&element) {
            metadata.insert("ARROW:extension:name", name);
            metadata.insert("ARROW:extension:metadata", "");
        }
        default_type(&element, physical)
    } else {
        group(found, next)?
    };
    Ok(Field::new(found.name(), data_type, nullable).with_metadata(metadata))
}

fn group(found: &Type, next: &mut NextLeaf<'_, '_>) -> Result<DataType> {
    match GroupAnnotation::of(found) {
        GroupAnnotation::List => list(found, next),
        GroupAnnotation::Map => map(found, next),
        GroupAnnotation::Plain => {
            let fields = found.get_fields().iter().map(|below| field_of(below, next).map(Arc::new));
            Ok(DataType::Struct(fields.collect::<Result<_>>()?))
        }
    }
}

fn list(found: &Type, next: &mut NextLeaf<'_, '_>) -> Result<DataType> {
    let repeated = repeated_child(found, "LIST")?;
    let items = match wrapped_item(repeated) {
        Some(items) => field_of(items, next)?,
        None => node(repeated, next, true)?,
    };
    Ok(DataType::List(Arc::new(items)))
}

fn map(found: &Type, next: &mut NextLeaf<'_, '_>) -> Result<DataType> {
    let repeated = repeated_child(found, "MAP")?;
    let [key, value] = repeated.get_fields() else {
        // A map without its values, which are outside the projection, is read as the list of its keys.
        return match repeated.get_fields().len() {
            1 => list(found, next),
            n => Err(refused(&format!("a map has entries of {n} fields, expected a key and a value"))),
        };
    };
    if [key, value].iter().any(|one| repetition(one) == Repetition::REPEATED) {
        return Err(refused("a map has keys or values that repeat"));
    }
    let key = node(key, next, false)?.with_nullable(false);
    let value = node(value, next, false)?;
    let entries = Field::new_struct(repeated.name(), vec![Arc::new(key), Arc::new(value)], false);
    Ok(DataType::Map(Arc::new(entries), false))
}

fn repeated_child<'t>(found: &'t Type, annotated: &str) -> Result<&'t TypePtr> {
    match found.get_fields() {
        [one] if repetition(one) == Repetition::REPEATED && (annotated == "LIST" || !one.is_primitive()) => {
            Ok(one)
        }
        [_] => Err(refused(&format!("a group annotated {annotated} has a field that is not repeated"))),
        more => {
            let n = more.len();
            Err(refused(&format!("a group annotated {annotated} has {n} fields, expected one")))
        }
    }
}

/// Returns the item that the repeated group of a list wraps; `None` if the repeated field is a leaf, and so itself the item.
pub(super) fn wrapped_item(repeated: &Type) -> Option<&Type> {
    if repeated.is_primitive() { None } else { repeated.get_fields().first().map(|item| &**item) }
}

/// Merges into the column `found` what `hint`, its field in the writer's Arrow schema, may add; see [`types::accepted_type`]. `is_colonnade`:
/// this package wrote the file, so that the names within lists and maps come from `hint`.
pub(super) fn merge_hint(
    found: &Field,
    hint: Option<&Field>,
    next: &mut NextLeaf<'_, '_>,
    is_colonnade: bool,
) -> Field {
    let to = hint.filter(|hint| accepts_hint(found, hint)).map(Field::data_type);
    let data_type = merge_type(found.data_type(), to, next, is_colonnade);
    let Some(hint) = hint else { return found.clone().with_data_type(data_type) };
    let metadata = merge_metadata(found, hint, &data_type, is_colonnade);
    let name = if is_colonnade { hint.name() } else { found.name() };
    let mut field = Field::new(name, data_type, found.is_nullable());
    if matches!(field.data_type(), DataType::Dictionary(..)) {
        field = field.with_dict_is_ordered(hint.dict_is_ordered().unwrap_or(false));
    }
    field.with_metadata(metadata)
}

/// Merges the metadata of the two fields. An extension type of the writer's schema applies only if the column has the storage
/// type that the writer declared.
pub(super) fn merge_metadata(
    found: &Field,
    hint: &Field,
    data_type: &DataType,
    is_colonnade: bool,
) -> Metadata {
    let is_extension = |key: &str| key.starts_with("ARROW:extension:");
    let own = found.metadata().iter().filter(|(key, _)| !is_colonnade || is_extension(key));
    let mut out = Metadata::new();
    let agrees = same_storage(hint.data_type(), data_type) && accepts_hint(found, hint);
    for (key, value) in own {
        out.insert(key.clone(), value.clone());
    }
    for (key, value) in hint.metadata().iter().filter(|(key, _)| agrees || !is_extension(key)) {
        out.insert(key.clone(), value.clone());
    }
    out
}

/// Whether the writer's schema may change a field: a leaf with an extension type by the Parquet schema accepts only that
/// extension type.
pub(super) fn accepts_hint(found: &Field, hint: &Field) -> bool {
    let name = |field: &Field| field.metadata().get("ARROW:extension:name").cloned();
    name(found).is_none_or(|said| name(hint) == Some(said))
}

/// Whether two types differ at most in the names of items.
fn same_storage(a: &DataType, b: &DataType) -> bool {
    a == b || a.equals_datatype(b)
}

fn merge_type(
    found: &DataType,
    hint: Option<&DataType>,
    next: &mut NextLeaf<'_, '_>,
    is_colonnade: bool,
) -> DataType {
    match found {
        DataType::List(items) => {
            let items =
                Arc::new(merge_hint(items, hint.and_then(items_of).map(|f| &**f), next, is_colonnade));
            match hint {
                Some(DataType::LargeList(_)) => DataType::LargeList(items),
                Some(DataType::FixedSizeList(_, n)) => DataType::FixedSizeList(items, *n),
                Some(DataType::ListView(_)) => DataType::ListView(items),
                Some(DataType::LargeListView(_)) => DataType::LargeListView(items),
                _ => DataType::List(items),
            }
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(pair) = entries.data_type() else { return found.clone() };
            let (to, sorted) = match hint {
                Some(DataType::Map(to, sorted)) => (Some(&**to), *sorted),
                _ => (None, false),
            };
            let to = to.and_then(|to| match to.data_type() {
                DataType::Struct(fields) if fields.len() == pair.len() => Some((to, fields)),
                _ => None,
            });
            // Key and value are compared by position, whatever their names.
            let pair = pair.iter().enumerate().map(|(k, field)| {
                let hint = to.and_then(|(_, fields)| fields.get(k)).map(|f| &**f);
                Arc::new(merge_hint(field, hint, next, is_colonnade))
            });
            let pair = DataType::Struct(pair.collect::<Fields>());
            let entries = match to {
                Some((to, _)) => {
                    let metadata = merge_metadata(entries, to, &pair, is_colonnade);
                    let name = if is_colonnade { to.name() } else { entries.name() };
                    Field::new(name, pair, entries.is_nullable()).with_metadata(metadata)
                }
                None => Field::clone(entries).with_data_type(pair),
            };
            DataType::Map(Arc::new(entries), sorted)
        }
        DataType::Struct(fields) => {
            let none = Fields::empty();
            let hint = match hint {
                Some(DataType::Struct(hint)) => hint,
                _ => &none,
            };
            let pairs = namesakes(fields, hint);
            let fields = pairs.map(|(field, hint)| -> FieldRef {
                Arc::new(merge_hint(field, hint.map(|f| &**f), next, is_colonnade))
            });
            DataType::Struct(fields.collect())
        }
        leaf => {
            let Some(element) = next() else { return leaf.clone() };
            match (hint, types::physical_of(&element)) {
                (Some(hint), Ok(physical)) => {
                    types::accepted_type(leaf, &element, physical, hint, is_colonnade)
                }
                _ => leaf.clone(),
            }
        }
    }
}
