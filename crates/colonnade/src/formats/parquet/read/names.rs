//! Names of fields within lists and maps: Parquet has its own, and the writer's Arrow schema restores the original ones.

use std::mem::discriminant;

use arrow_data::ArrayData;
use arrow_schema::{DataType, FieldRef, Fields};

use super::cast;
use crate::arrow::trusted::trusted_array;

/// Pairs the fields of a struct with the fields of the same name in `hinted`. Several fields may share a name; they pair in
/// order.
pub(super) fn namesakes<'f>(
    fields: &'f Fields,
    hinted: &'f Fields,
) -> impl Iterator<Item = (&'f FieldRef, Option<&'f FieldRef>)> {
    let mut from = 0;
    fields.iter().map(move |field| {
        let at = (from..hinted.len())
            .chain(0..from)
            .find(|&at| hinted.get(at).is_some_and(|other| other.name() == field.name()));
        from = at.map_or(from, |at| at + 1);
        (field, at.and_then(|at| hinted.get(at)))
    })
}

/// Returns the item field of a list.
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

/// Converts the array to the type `target`, which may differ only in names and in leaves that are stored as another type;
/// `None` if it differs in more.
pub(super) fn retyped(data: ArrayData, target: &DataType) -> Option<ArrayData> {
    if data.data_type() == target {
        return Some(data);
    }
    if cast::can_cast(data.data_type(), target) {
        return cast::cast(&data, target);
    }
    if discriminant(data.data_type()) != discriminant(target) {
        return None;
    }
    let below: Vec<&DataType> = match (data.data_type(), target) {
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
    let builder = data.into_builder().data_type(target.clone()).child_data(children);
    // Trusted: the buffers, the length and the children's values come from an array of the same layout.
    Some(trusted_array(builder))
}
