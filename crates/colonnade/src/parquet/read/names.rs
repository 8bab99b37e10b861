//! Names within lists and maps: Parquet has its own for them, and the writer's schema tells what they were.

use std::mem::discriminant;
use std::sync::Arc;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, FieldRef, Fields};

use crate::frame::with_children;

use super::turned;

/// The type `found` with the names, the metadata and the order flags that `told` has in the same places.
pub(super) fn named(found: &DataType, told: &DataType) -> DataType {
    match (found, told) {
        (DataType::List(a), DataType::List(b)) => DataType::List(field(a, b)),
        (DataType::LargeList(a), DataType::LargeList(b)) => DataType::LargeList(field(a, b)),
        (DataType::ListView(a), DataType::ListView(b)) => DataType::ListView(field(a, b)),
        (DataType::LargeListView(a), DataType::LargeListView(b)) => DataType::LargeListView(field(a, b)),
        (DataType::FixedSizeList(a, n), DataType::FixedSizeList(b, m)) if n == m => {
            DataType::FixedSizeList(field(a, b), *n)
        }
        (DataType::Map(a, sorted), DataType::Map(b, _)) => DataType::Map(entries(a, b), *sorted),
        (DataType::Struct(a), DataType::Struct(b)) => {
            let told = namesakes(a, b).map(|(x, y)| y.map_or(Arc::clone(x), |y| field(x, y)));
            DataType::Struct(told.collect())
        }
        (found, told) if turned::becomes(found, told) => told.clone(),
        _ => found.clone(),
    }
}

/// The type `found` with the zones that the writer's schema tells in the same places, whatever the unit that it tells.
pub(super) fn zoned(found: &DataType, told: &DataType) -> DataType {
    match (found, told) {
        (DataType::Timestamp(unit, Some(_)), DataType::Timestamp(_, Some(zone))) => {
            DataType::Timestamp(*unit, Some(Arc::clone(zone)))
        }
        (DataType::Map(entries, sorted), DataType::Map(told, _)) => {
            let (DataType::Struct(a), DataType::Struct(b)) = (entries.data_type(), told.data_type()) else {
                return found.clone();
            };
            // Key and value by their places, whatever they are called.
            let pair: Fields = a.iter().zip(b).map(|(x, y)| with(x, y.data_type())).collect();
            if pair.len() != a.len() {
                return found.clone();
            }
            let entries = Field::clone(entries).with_data_type(DataType::Struct(pair));
            DataType::Map(Arc::new(entries), *sorted)
        }
        (DataType::Struct(a), DataType::Struct(b)) => {
            let told = namesakes(a, b).map(|(x, y)| y.map_or(Arc::clone(x), |y| with(x, y.data_type())));
            DataType::Struct(told.collect())
        }
        _ => match items_of(found) {
            Some(items) => {
                let told = items_of(told).map_or(&DataType::Null, |told| told.data_type());
                with_children(found, &[with(items, told)])
            }
            None => found.clone(),
        },
    }
}

/// The fields of a struct, each with the one of its name in `told`: fields may share a name, and then come one after the
/// other in both.
fn namesakes<'f>(
    fields: &'f Fields,
    told: &'f Fields,
) -> impl Iterator<Item = (&'f FieldRef, Option<&'f FieldRef>)> {
    let mut from = 0;
    fields.iter().map(move |field| {
        let at = (from..told.len())
            .chain(0..from)
            .find(|&at| told.get(at).is_some_and(|other| other.name() == field.name()));
        from = at.map_or(from, |at| at + 1);
        (field, at.and_then(|at| told.get(at)))
    })
}

fn with(field: &FieldRef, told: &DataType) -> FieldRef {
    Arc::new(Field::clone(field).with_data_type(zoned(field.data_type(), told)))
}

/// The field below a list.
pub(super) fn items_of(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _) => Some(field),
        _ => None,
    }
}

fn field(found: &FieldRef, told: &FieldRef) -> FieldRef {
    let data_type = named(found.data_type(), told.data_type());
    Arc::new(Field::clone(told).with_data_type(data_type).with_nullable(found.is_nullable()))
}

/// The entries of a map: key and value by their places, whatever they are called.
fn entries(found: &FieldRef, told: &FieldRef) -> FieldRef {
    let (DataType::Struct(a), DataType::Struct(b)) = (found.data_type(), told.data_type()) else {
        return Arc::clone(found);
    };
    if a.len() != b.len() {
        return Arc::clone(found);
    }
    let pairs: Fields = a.iter().zip(b).map(|(x, y)| field(x, y)).collect();
    let made = Field::clone(told).with_data_type(DataType::Struct(pairs));
    Arc::new(made.with_nullable(found.is_nullable()))
}

/// The array as one of the type `wanted`, which differs in names, and in leaves that are stored as other types, alone; `None`
/// where it differs in more.
pub(super) fn retyped(data: ArrayData, wanted: &DataType) -> Option<ArrayData> {
    if data.data_type() == wanted {
        return Some(data);
    }
    if turned::becomes(data.data_type(), wanted) {
        return turned::turned(&data, wanted);
    }
    if discriminant(data.data_type()) != discriminant(wanted) {
        return None;
    }
    let below: Vec<&DataType> = match (data.data_type(), wanted) {
        (DataType::FixedSizeList(_, n), DataType::FixedSizeList(b, m)) if n == m => vec![b.data_type()],
        (DataType::Map(_, was), DataType::Map(b, is)) if was == is => vec![b.data_type()],
        (
            _,
            DataType::List(b) | DataType::LargeList(b) | DataType::ListView(b) | DataType::LargeListView(b),
        ) => {
            vec![b.data_type()]
        }
        (_, DataType::Struct(fields)) => fields.iter().map(|f| f.data_type()).collect(),
        _ => return None,
    };
    if below.len() != data.child_data().len() {
        return None;
    }
    let children = data.child_data().iter().cloned().zip(below).map(|(child, kind)| retyped(child, kind));
    let children: Vec<ArrayData> = children.collect::<Option<_>>()?;
    let builder = data.into_builder().data_type(wanted.clone()).child_data(children);
    // SAFETY: the buffers, the length and the children's values are those of an array of the same layout.
    Some(unsafe { builder.build_unchecked() })
}
