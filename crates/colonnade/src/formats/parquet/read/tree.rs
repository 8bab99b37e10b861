//! Columns with several leaves or with repeated ones: their part of the schema, converted for the `parquet` crate.

use std::sync::Arc;

use arrow_schema::Field;
use parquet::basic::{
    ConvertedType, LogicalType, Repetition as CrateRepetition, TimeUnit as CrateUnit, Type as CrateType,
};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use crate::error::{Error, Result};
use crate::formats::parquet::logical_type::{Logical, LogicalTimeUnit};
use crate::formats::parquet::schema::{Element, Repetition, SchemaLeaf};
use crate::formats::parquet::types;

use super::old_lists::is_group_the_item;
use super::structure;

/// Returns [`paths`] of every leaf in one walk; a leaf directly below the root has none.
pub(super) fn all_paths(elements: &[Element<'_>]) -> Vec<Vec<String>> {
    // For each open group: children still to come, and its path.
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut out = Vec::new();
    let root = elements.first().map_or(0, |root| root.children);
    open.push((root, String::new()));
    for element in elements.iter().skip(1) {
        while open.last().is_some_and(|(left, _)| *left == 0) {
            open.pop();
        }
        let depth = open.len();
        let Some((left, prefix)) = open.last_mut() else { break };
        *left -= 1;
        let path = if depth == 1 { element.name.to_owned() } else { format!("{prefix}.{}", element.name) };
        if element.physical.is_none() {
            open.push((element.children, path));
        } else if depth == 1 {
            out.push(Vec::new());
        } else {
            let mut own: Vec<String> = open.iter().skip(1).map(|(_, path)| path.clone()).collect();
            own.push(path);
            out.push(own);
        }
    }
    out
}

/// Returns the dotted paths that select a leaf: its own, and those of the groups above it, from the root's child down.
pub(super) fn paths(elements: &[Element<'_>], leaf: &SchemaLeaf) -> Vec<String> {
    let mut out = Vec::new();
    let mut path = String::new();
    let mut at = leaf.root;
    while let Some(element) = elements.get(at) {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(element.name);
        out.push(path.clone());
        if at == leaf.element || element.physical.is_some() {
            break;
        }
        // Finds the child whose elements include the leaf.
        let mut child = at + 1;
        for _ in 0..element.children {
            let end = end_of(elements, child);
            if leaf.element < end {
                break;
            }
            child = end;
        }
        at = child;
    }
    out
}

/// Returns the position after an element and all its descendants.
fn end_of(elements: &[Element<'_>], at: usize) -> usize {
    let (mut open, mut at) = (1usize, at);
    while open > 0
        && let Some(element) = elements.get(at)
    {
        open += element.children;
        open -= 1;
        at += 1;
    }
    at
}

/// Returns the column at `root`, reduced to the leaves `projection`: as an Arrow field by the Parquet schema and what `hint` may
/// add, and as a schema for the `parquet` crate.
///
/// # Errors
/// Malformed: contradictory annotations. Unsupported: types without a decoder.
pub(super) fn nested(
    elements: &[Element<'_>],
    leaves: &[SchemaLeaf],
    root: usize,
    projection: &[usize],
    hint: Option<&Field>,
    is_colonnade: bool,
) -> Result<(Field, Arc<SchemaDescriptor>)> {
    let mut chosen: Vec<usize> =
        projection.iter().filter_map(|&leaf| leaves.get(leaf)).map(|l| l.element).collect();
    chosen.sort_unstable();
    let (made, _) = build(elements, root, &chosen, false)?;
    let made = made.ok_or_else(|| Error::malformed("parquet", "no leaf of it is wanted."))?;
    let of_leaves = || chosen.iter().map(|&at| elements.get(at).copied());
    let mut next = of_leaves();
    let found = structure::field_of(&made, &mut || next.next().flatten())?;
    let mut next = of_leaves();
    let field = structure::merge_hint(&found, hint, &mut || next.next().flatten(), is_colonnade);
    let schema = Type::group_type_builder("schema").with_fields(vec![made]).build().map_err(refused)?;
    Ok((field, Arc::new(SchemaDescriptor::new(Arc::new(schema)))))
}

fn refused(error: parquet::errors::ParquetError) -> Error {
    Error::unsupported("parquet", format!("{error}. Its type is not read here."))
}

/// Builds the type of the element at `at` with the chosen leaves below it, or `None` without any; also returns the position
/// after the element. `item`: the element is a repeated group that is itself the item of a list; it is built as a required group
/// inside of a repeated one.
fn build(
    elements: &[Element<'_>],
    at: usize,
    chosen: &[usize],
    item: bool,
) -> Result<(Option<TypePtr>, usize)> {
    let element = elements.get(at).copied().unwrap_or_default();
    let repetition = match element.repetition {
        _ if item => CrateRepetition::REQUIRED,
        Repetition::Required => CrateRepetition::REQUIRED,
        Repetition::Optional => CrateRepetition::OPTIONAL,
        Repetition::Repeated => CrateRepetition::REPEATED,
    };
    let converted = element.converted.map_or(ConvertedType::NONE, converted);
    let logical = element.logical.and_then(logical);
    if let Some(number) = element.physical {
        if chosen.binary_search(&at).is_err() {
            return Ok((None, at + 1));
        }
        let values = types::physical_of(&element)?;
        types::check(&element, values)?;
        // The crate refuses decimals of more digits than their bytes hold. It gets the bytes without the annotation.
        let wide = matches!(element.logical, Some(Logical::Decimal(_, n)) if n > types::max_digits(values));
        let (logical, converted) = if wide { (None, ConvertedType::NONE) } else { (logical, converted) };
        let physical = physical(number)
            .ok_or_else(|| Error::malformed("parquet", format!("its physical type is number {number}.")))?;
        let made = Type::primitive_type_builder(element.name, physical)
            .with_repetition(repetition)
            .with_converted_type(converted)
            .with_logical_type(logical)
            .with_length(element.length.unwrap_or(-1))
            .with_precision(if wide { -1 } else { precision(&element).1 })
            .with_scale(if wide { -1 } else { precision(&element).0 })
            .with_id(element.id)
            .build()
            .map_err(refused)?;
        return Ok((Some(Arc::new(made)), at + 1));
    }
    types::check_group(&element)?;
    let (mut fields, mut next) = (Vec::new(), at + 1);
    let is_item_below = is_group_the_item(elements, at);
    for _ in 0..element.children {
        let (made, end) = build(elements, next, chosen, is_item_below)?;
        fields.extend(made);
        next = end;
    }
    if fields.is_empty() {
        return Ok((None, next));
    }
    let mut made = Type::group_type_builder(element.name)
        .with_repetition(repetition)
        .with_converted_type(converted)
        .with_logical_type(logical)
        .with_fields(fields)
        .with_id(element.id)
        .build()
        .map_err(refused)?;
    if item {
        let around = Type::group_type_builder("list").with_repetition(CrateRepetition::REPEATED);
        made = around.with_fields(vec![Arc::new(made)]).build().map_err(refused)?;
    }
    Ok((Some(Arc::new(made)), next))
}

/// Scale and precision; old files store them outside the logical type.
fn precision(element: &Element<'_>) -> (i32, i32) {
    match element.logical {
        Some(Logical::Decimal(scale, precision)) => (scale, precision),
        _ if element.converted == Some(5) => (element.scale, element.precision),
        _ => (-1, -1),
    }
}

fn physical(number: i32) -> Option<CrateType> {
    Some(match number {
        0 => CrateType::BOOLEAN,
        1 => CrateType::INT32,
        2 => CrateType::INT64,
        3 => CrateType::INT96,
        4 => CrateType::FLOAT,
        5 => CrateType::DOUBLE,
        6 => CrateType::BYTE_ARRAY,
        7 => CrateType::FIXED_LEN_BYTE_ARRAY,
        _ => return None,
    })
}

fn converted(number: i32) -> ConvertedType {
    match number {
        0 => ConvertedType::UTF8,
        1 => ConvertedType::MAP,
        2 => ConvertedType::MAP_KEY_VALUE,
        3 => ConvertedType::LIST,
        4 => ConvertedType::ENUM,
        5 => ConvertedType::DECIMAL,
        6 => ConvertedType::DATE,
        7 => ConvertedType::TIME_MILLIS,
        8 => ConvertedType::TIME_MICROS,
        9 => ConvertedType::TIMESTAMP_MILLIS,
        10 => ConvertedType::TIMESTAMP_MICROS,
        11 => ConvertedType::UINT_8,
        12 => ConvertedType::UINT_16,
        13 => ConvertedType::UINT_32,
        14 => ConvertedType::UINT_64,
        15 => ConvertedType::INT_8,
        16 => ConvertedType::INT_16,
        17 => ConvertedType::INT_32,
        18 => ConvertedType::INT_64,
        19 => ConvertedType::JSON,
        20 => ConvertedType::BSON,
        21 => ConvertedType::INTERVAL,
        _ => ConvertedType::NONE,
    }
}

fn logical(logical: Logical) -> Option<LogicalType> {
    let unit = |unit| match unit {
        LogicalTimeUnit::Milli => CrateUnit::MILLIS,
        LogicalTimeUnit::Micro => CrateUnit::MICROS,
        LogicalTimeUnit::Nano => CrateUnit::NANOS,
    };
    Some(match logical {
        Logical::String => LogicalType::String,
        Logical::Map => LogicalType::Map,
        Logical::List => LogicalType::List,
        Logical::Enum => LogicalType::Enum,
        Logical::Decimal(scale, precision) => LogicalType::decimal(scale, precision),
        Logical::Date => LogicalType::Date,
        Logical::Time(u, utc) => LogicalType::time(utc, unit(u)),
        Logical::Timestamp(u, utc) => LogicalType::timestamp(utc, unit(u)),
        // The crate panics on any other width.
        Logical::Integer(bits @ (8 | 16 | 32 | 64), signed) => LogicalType::integer(bits, signed),
        Logical::Integer(..) => return None,
        Logical::Unknown => LogicalType::Unknown,
        Logical::Json => LogicalType::Json,
        Logical::Bson => LogicalType::Bson,
        Logical::Uuid => LogicalType::Uuid,
        Logical::Float16 => LogicalType::Float16,
        Logical::Other(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use arrow_schema::{DataType, TimeUnit};

    use super::*;
    use crate::formats::parquet::schema;

    const INT96: i32 = 3;

    #[test]
    fn nested_int96_is_nanoseconds_for_any_hint() {
        let group = |name, repetition| Element { name, children: 1, repetition, ..Element::default() };
        let list =
            Element { logical: Some(Logical::List), converted: Some(3), ..group("l", Repetition::Optional) };
        let leaf = Element {
            name: "element",
            physical: Some(INT96),
            repetition: Repetition::Optional,
            ..Element::default()
        };
        let elements =
            [group("schema", Repetition::Required), list, group("list", Repetition::Repeated), leaf];
        let leaves = schema::leaves(&elements).unwrap();
        let zoned = DataType::Timestamp(TimeUnit::Microsecond, Some("Europe/Berlin".into()));
        let hint = Field::new("l", DataType::List(Arc::new(Field::new("element", zoned, true))), true);
        let (field, _) = nested(&elements, &leaves, 1, &[0], Some(&hint), false).unwrap();
        let DataType::List(inner) = field.data_type() else { unreachable!() };
        assert_eq!(inner.data_type(), &DataType::Timestamp(TimeUnit::Nanosecond, None));
        assert_eq!(all_paths(&elements), [paths(&elements, &leaves[0])]);
    }
}
