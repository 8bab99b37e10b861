//! Unions and structs without fields, which Parquet lacks, as structs.
//!
//! A union becomes a struct of `type_id` and one field for each of its types: the value, where the row has this type. A struct
//! without fields becomes a struct of one field without values. Other readers see these structs. The column's tag,
//! `{"kind": "lowered", "type": ..., "tag": ...}`, holds the original type and tag. A reader restores the type only if the stored
//! columns have its parts, so the tag never changes a value.

use std::borrow::Cow;
use std::mem::discriminant;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use arrow_array::{Array, ArrayRef, BooleanArray, Int8Array, UInt32Array, UnionArray, make_array};
use arrow_buffer::ScalarBuffer;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, UnionFields, UnionMode};
use arrow_select::{filter::filter, take::take};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::frame::paths::LeafProjection;
use crate::frame::{Axis, Column, Frame, Labels, Level, Part, arrow_type, children, with_children};

const KIND: &str = "lowered";

/// Whether Parquet lacks a type, or a type within it.
fn is_lacked(data_type: &DataType) -> bool {
    match data_type {
        DataType::Union(..) => true,
        DataType::Struct(fields) if fields.is_empty() => true,
        _ => children(data_type).iter().any(|field| is_lacked(field.data_type())),
    }
}

/// Applies `change` to each column and level of row labels in Arrow's layout.
fn each_column(frame: &mut Frame, change: &dyn Fn(&mut Column) -> Result<()>) -> Result<()> {
    for part in &mut frame.parts {
        if let Part::Column(column, position) = part {
            change(column).map_err(|e| e.in_member(format!("column {position}")))?;
        }
    }
    each_level(&mut frame.index, change)
}

fn each_level(axis: &mut Axis, change: &dyn Fn(&mut Column) -> Result<()>) -> Result<()> {
    let Labels::Levels(levels) = &mut axis.labels else { return Ok(()) };
    for level in levels {
        if let Level::Column(column) = level {
            change(column)?;
        }
    }
    Ok(())
}

/// The frame with structs in place of the types that Parquet lacks.
///
/// # Errors
/// `Unrepresentable`: types that nest too deep.
pub(super) fn lowered(frame: &Frame) -> Result<Cow<'_, Frame>> {
    let in_parts = frame.parts.iter().any(|part| match part {
        Part::Column(column, _) => is_lacked(column.data.data_type()),
        Part::Block(..) => false,
    });
    let in_index = matches!(&frame.index.labels, Labels::Levels(levels) if levels.iter().any(|level| {
        matches!(level, Level::Column(column) if is_lacked(column.data.data_type()))
    }));
    if !in_parts && !in_index {
        return Ok(Cow::Borrowed(frame));
    }
    let mut frame = frame.clone();
    each_column(&mut frame, &|column| {
        let data_type = column.data.data_type();
        if is_lacked(data_type) {
            let original = arrow_type::to_json(data_type).map_err(|e| e.in_format("parquet"))?;
            column.tag = Some(tag_of(&original, column.tag.as_deref()));
            column.data = lower(&column.data)?;
        }
        Ok(())
    })?;
    Ok(Cow::Owned(frame))
}

/// The frame with the original types.
pub(super) fn raised(mut frame: Frame) -> Frame {
    // `raise_column` has no errors.
    let _ = each_column(&mut frame, &raise_column);
    frame
}

/// The row labels with their original types.
pub(super) fn raised_axis(mut axis: Axis) -> Axis {
    let _ = each_level(&mut axis, &raise_column);
    axis
}

/// The original type of a field with this tag, if the stored type has its parts.
pub(super) fn raised_type(stored: &DataType, tag: Option<&str>) -> Option<DataType> {
    let (original, _) = original(tag?)?;
    raise(&ArrayData::new_empty(stored), &selected(&original, stored)).map(|data| data.data_type().clone())
}

/// [`LeafProjection::project_tag`] of a stored column's tag. The type in it stays whole: [`selected`] takes what is stored of it.
pub(super) fn project_tag(projection: &LeafProjection, tag: Option<String>) -> Option<String> {
    match tag.as_deref().and_then(parsed) {
        Some((data_type, inner)) => Some(tag_of(&data_type, projection.project_tag(inner).as_deref())),
        None => projection.project_tag(tag),
    }
}

fn tag_of(data_type: &Value, tag: Option<&str>) -> String {
    json!({"kind": KIND, "type": data_type, "tag": tag}).to_string()
}

fn raise_column(column: &mut Column) -> Result<()> {
    if let Some((data_type, tag)) = column.tag.as_deref().and_then(original) {
        let whole = raise(&column.data, &selected(&data_type, column.data.data_type()));
        column.tag = tag.filter(|_| whole.is_some());
        column.data = whole.unwrap_or_else(|| column.data.clone());
    }
    Ok(())
}

/// The type and the tag of the original column.
fn original(tag: &str) -> Option<(DataType, Option<String>)> {
    let (data_type, tag) = parsed(tag)?;
    Some((arrow_type::from_json(&data_type).ok()?, tag))
}

/// The type as JSON and the tag of the original column.
fn parsed(tag: &str) -> Option<(Value, Option<String>)> {
    if !tag.contains(KIND) {
        return None;
    }
    let tag: Value = serde_json::from_str(tag).ok()?;
    if tag.get("kind")?.as_str()? != KIND {
        return None;
    }
    Some((tag.get("type")?.clone(), tag.get("tag").and_then(Value::as_str).map(str::to_owned)))
}

fn lower_field(field: &FieldRef) -> FieldRef {
    Arc::new(field.as_ref().clone().with_data_type(lower_type(field.data_type())))
}

fn lower_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Union(parts, _) => {
            let mut fields: Vec<FieldRef> = vec![Arc::new(Field::new("type_id", DataType::Int8, false))];
            for (id, part) in parts.iter() {
                let is_taken = part.name().is_empty() || fields.iter().any(|f| f.name() == part.name());
                let name = if is_taken { format!("{}_{id}", part.name()) } else { part.name().clone() };
                fields.push(Arc::new(lower_field(part).as_ref().clone().with_name(name).with_nullable(true)));
            }
            DataType::Struct(fields.into())
        }
        DataType::Struct(fields) if fields.is_empty() => {
            DataType::Struct(vec![Field::new("no fields", DataType::Boolean, true)].into())
        }
        other => {
            let fields: Vec<FieldRef> = children(other).into_iter().map(lower_field).collect();
            with_children(other, &fields)
        }
    }
}

fn lower(data: &ArrayData) -> Result<ArrayData> {
    let data_type = data.data_type();
    if !is_lacked(data_type) {
        return Ok(data.clone());
    }
    let failed = |e: ArrowError| Error::unrepresentable("parquet", format!("{e}."));
    let target = lower_type(data_type);
    let builder = match data_type {
        DataType::Union(..) => {
            let mut data = data.clone();
            data.align_buffers();
            let (fields, ids, offsets, values) = UnionArray::from(data).into_parts();
            let mut parts = vec![Int8Array::new(ids.clone(), None).into_data()];
            for ((id, _), values) in fields.iter().zip(values) {
                let values = match &offsets {
                    None => values,
                    Some(offsets) => {
                        let of_row =
                            |(&row_id, &at): (&i8, &i32)| u32::try_from(at).ok().filter(|_| row_id == id);
                        let places: UInt32Array = ids.iter().zip(offsets.iter()).map(of_row).collect();
                        take(&values, &places, None).map_err(failed)?
                    }
                };
                parts.push(lower(&values.to_data())?);
            }
            ArrayData::builder(target).len(ids.len()).child_data(parts)
        }
        DataType::Struct(fields) if fields.is_empty() => {
            let nothing = ArrayData::new_null(&DataType::Boolean, data.offset() + data.len());
            data.clone().into_builder().data_type(target).child_data(vec![nothing])
        }
        _ => {
            let parts = data.child_data().iter().map(lower).collect::<Result<_>>()?;
            data.clone().into_builder().data_type(target).child_data(parts)
        }
    };
    builder.build().map_err(failed)
}

/// The type `target` without the fields of structs that `stored` lacks: a selection of leaves leaves them out.
fn selected(target: &DataType, stored: &DataType) -> DataType {
    match (target, stored) {
        (DataType::Struct(fields), DataType::Struct(kept)) if !fields.is_empty() => {
            let mut rest = fields.iter();
            let part = |stored: &FieldRef| {
                let field = rest.find(|field| field.name() == stored.name())?;
                let data_type = selected(field.data_type(), stored.data_type());
                Some(Arc::new(field.as_ref().clone().with_data_type(data_type)))
            };
            kept.iter()
                .map(part)
                .collect::<Option<Vec<_>>>()
                .map_or_else(|| target.clone(), |fields| DataType::Struct(fields.into()))
        }
        (DataType::Union(..), _) => target.clone(),
        _ if discriminant(target) == discriminant(stored) => {
            let pairs = children(target).into_iter().zip(children(stored));
            let part = |(field, stored): (&FieldRef, &FieldRef)| {
                let data_type = selected(field.data_type(), stored.data_type());
                Arc::new(field.as_ref().clone().with_data_type(data_type))
            };
            with_children(target, &pairs.map(part).collect::<Vec<_>>())
        }
        _ => target.clone(),
    }
}

/// The array of type `target` whose parts `data` holds; `None` if it does not hold them.
fn raise(data: &ArrayData, target: &DataType) -> Option<ArrayData> {
    let stored = data.data_type();
    match (stored, target) {
        _ if !is_lacked(target) => (stored == target).then(|| data.clone()),
        (DataType::Struct(fields), DataType::Union(parts, mode)) => {
            let of_rows = |part: &ArrayData| part.slice(data.offset(), data.len());
            let (ids, values) = data.child_data().split_first()?;
            let is_fit = fields.len() == parts.len() + 1 && *ids.data_type() == DataType::Int8;
            if !is_fit || data.null_count() > 0 || ids.null_count() > 0 {
                return None;
            }
            let ids = make_array(of_rows(ids)).as_primitive::<Int8Type>().values().clone();
            let is_dense = *mode == UnionMode::Dense;
            let mut raised: Vec<ArrayRef> = Vec::with_capacity(values.len());
            for ((id, part), values) in parts.iter().zip(values) {
                let mut values = of_rows(values);
                if is_dense {
                    let of_id: BooleanArray = ids.iter().map(|&row_id| Some(row_id == id)).collect();
                    values = filter(&make_array(values), &of_id).ok()?.to_data();
                }
                raised.push(make_array(raise(&values, part.data_type())?));
            }
            let offsets = is_dense.then(|| dense_offsets(parts, &ids));
            Some(UnionArray::try_new(parts.clone(), ids, offsets, raised).ok()?.to_data())
        }
        (DataType::Struct(fields), DataType::Struct(none)) if none.is_empty() => (fields.len() == 1)
            .then(|| data.clone().into_builder().data_type(target.clone()).child_data(Vec::new()))?
            .build()
            .ok(),
        _ => {
            let fields = children(target);
            if discriminant(stored) != discriminant(target) || fields.len() != data.child_data().len() {
                return None;
            }
            let parts = fields.iter().zip(data.child_data());
            let parts = parts.map(|(field, part)| raise(part, field.data_type())).collect::<Option<_>>()?;
            data.clone().into_builder().data_type(target.clone()).child_data(parts).build().ok()
        }
    }
}

/// The place of each row's value among the values of its type.
fn dense_offsets(parts: &UnionFields, ids: &[i8]) -> ScalarBuffer<i32> {
    let mut counts: Vec<(i8, i32)> = parts.iter().map(|(id, _)| (id, 0)).collect();
    let next = |id: &i8| {
        let Some((_, count)) = counts.iter_mut().find(|(known, _)| known == id) else { return 0 };
        *count = count.saturating_add(1);
        *count - 1
    };
    ids.iter().map(next).collect()
}
