//! The columns of a file: which are wanted, and what Arrow type each of them is.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Metadata, Schema, TimeUnit};
use parquet::schema::types::SchemaDescriptor;

use crate::error::{Error, Result};
use crate::parquet::schema::{Element, Leaf, Logical, Repetition, Unit};
use crate::parquet::types::{self, Physical, Way};

use super::shape::Shape;
use super::wanted::Names;
use super::{names, tree};

/// A column of the file: one field of the schema, and the leaves that it is made of.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    /// Places of its leaves among the wanted ones, which is where their chunks stand in each row group.
    pub(crate) leaves: Range<usize>,
    /// What it is made of.
    pub(crate) kind: RootKind,
}

/// What a column is made of.
#[derive(Debug, Clone)]
pub(crate) enum RootKind {
    /// One leaf, right below the root, that is there once or (optional) not at all.
    Flat(Flat),
    /// Anything else: its schema as the crate has it, of the wanted leaves alone, under a root of its own, and its shape, where
    /// our own decoder reads it.
    Nested(Arc<SchemaDescriptor>, Option<Arc<Shape>>),
}

/// A column of one leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flat {
    /// What its values are made of.
    pub(crate) physical: Physical,
    /// Whether it may be null.
    pub(crate) optional: bool,
    /// How its values become those of the Arrow type.
    pub(crate) way: Way,
}

/// The leaves to read: all, or those of the columns that are named.
///
/// # Errors
/// `NotFound`: a name that no column has.
pub(crate) fn choose(
    elements: &[Element<'_>],
    leaves: &[Leaf],
    columns: Option<&Names<'_>>,
) -> Result<Vec<usize>> {
    let Some(columns) = columns else { return Ok((0..leaves.len()).collect()) };
    let mut missing = columns.clone();
    let dotted = columns.iter().any(|c| c.contains('.'));
    let nested = if dotted { tree::all_paths(elements) } else { Vec::new() };
    let mut out = Vec::with_capacity(columns.len());
    let (mut root, mut whole) = (usize::MAX, false);
    for (number, leaf) in leaves.iter().enumerate() {
        if leaf.root != root {
            root = leaf.root;
            let name = elements.get(root).map_or("", |e| e.name);
            whole = columns.contains(name);
            if whole {
                missing.remove(name);
            }
        }
        if whole {
            out.push(number);
        } else if let Some(prefixes) = nested.get(number) {
            let found = prefixes.iter().filter_map(|path| columns.get(path.as_str()));
            let mut any = false;
            for path in found {
                missing.remove(path);
                any = true;
            }
            if any {
                out.push(number);
            }
        }
    }
    let mut missing: Vec<&&str> = missing.iter().collect();
    missing.sort_unstable();
    match missing.first() {
        None => Ok(out),
        Some(name) => Err(Error::not_found("parquet", format!("the file has no column {name:?}."))),
    }
}

/// The columns of the wanted leaves as fields and roots. `hints` has a field for each, as the writer's Arrow schema had it;
/// `ours`: it was written here, and its types are those to give back.
///
/// # Errors
/// Unsupported or malformed types.
pub(crate) fn fields(
    elements: &[Element<'_>],
    leaves: &[Leaf],
    wanted: &[usize],
    hints: Option<&Schema>,
    ours: bool,
) -> Result<(Vec<Field>, Vec<Root>)> {
    let runs = roots(leaves, wanted);
    let (mut fields, mut out) = (Vec::with_capacity(runs.len()), Vec::with_capacity(runs.len()));
    for (number, (root, range)) in runs.into_iter().enumerate() {
        let element = elements.get(root).copied().unwrap_or_default();
        let hint = hints.and_then(|h| h.fields().get(number)).filter(|h| h.name() == element.name);
        let named = |e: Error| e.in_member(format!("column {}", element.name));
        let some = wanted.get(range.clone()).unwrap_or_default();
        // Runs, and dictionaries that no page holds, are read as what their columns are, and become themselves later.
        let plain = hint.filter(|_| ours).and_then(|hint| types::read_as(hint.data_type()));
        if let (Some(hint), Some(plain)) = (hint, plain) {
            let plain = Field::new(element.name, plain, true);
            let (_, descriptor) = tree::nested(elements, leaves, root, some, Some(&plain)).map_err(named)?;
            fields.push(Field::clone(hint));
            let shape = Shape::of(&descriptor, &plain, elements, leaves, some);
            out.push(Root { leaves: range, kind: RootKind::Nested(descriptor, shape.map(Arc::new)) });
            continue;
        }
        let flat =
            some.first().and_then(|&leaf| leaves.get(leaf)).is_some_and(|l| l.flat && l.repetition == 0);
        let (field, kind) = if flat {
            flat_field(&element, hint.map(|h| &**h), ours).map_err(named)?
        } else {
            let hint = hint.map(|hint| match ours {
                true => Field::clone(hint),
                false => {
                    Field::clone(hint).with_data_type(tree::with_leaves(hint.data_type(), &plain_values))
                }
            });
            let (mut field, descriptor) =
                tree::nested(elements, leaves, root, some, hint.as_ref()).map_err(named)?;
            if let Some(told) = hint.as_ref().map(Field::data_type) {
                let retyped = if ours { names::named } else { names::zoned };
                field = Field::clone(&field).with_data_type(retyped(field.data_type(), told));
            }
            let shape = Shape::of(&descriptor, &field, elements, leaves, some);
            (field, RootKind::Nested(descriptor, shape.map(Arc::new)))
        };
        fields.push(field);
        out.push(Root { leaves: range, kind });
    }
    Ok((fields, out))
}

/// The roots of the wanted leaves, and which of the wanted each has.
pub(crate) fn roots(leaves: &[Leaf], wanted: &[usize]) -> Vec<(usize, Range<usize>)> {
    let mut out: Vec<(usize, Range<usize>)> = Vec::with_capacity(wanted.len());
    for (k, leaf) in wanted.iter().enumerate() {
        let root = leaves.get(*leaf).map_or(0, |l| l.root);
        match out.last_mut() {
            Some((last, range)) if *last == root => range.end = k + 1,
            _ => out.push((root, k..k + 1)),
        }
    }
    out
}

fn flat_field(element: &Element<'_>, hint: Option<&Field>, ours: bool) -> Result<(Field, RootKind)> {
    let number = element.physical.unwrap_or(-1);
    let physical = Physical::of(number, element.length).ok_or_else(|| {
        let message = format!(
            "its physical type is number {number} with a length of {}. The file is damaged; write it again.",
            element.length.unwrap_or(0)
        );
        Error::malformed("parquet", message)
    })?;
    let optional = element.repetition == Repetition::Optional;
    let told = hint.and_then(|hint| {
        let way = types::way(hint, physical, element.logical.as_ref(), element.converted)?;
        // Other readers give what the file says, where that is not the writer's own type.
        let own = ours || !matches!(way, Way::Thousands | Way::Days | Way::Empty);
        let own = own && (ours || !is_odd_dictionary(hint.data_type(), physical));
        own.then(|| (if ours { hint.data_type().clone() } else { as_others(hint.data_type()) }, way))
    });
    let (data_type, way) = match told {
        Some(told) => told,
        None => {
            let data_type = zoned(default_type(element, physical), hint.map(Field::data_type));
            let field = Field::new("", data_type.clone(), true);
            let way = types::way(&field, physical, element.logical.as_ref(), element.converted);
            (data_type, way.unwrap_or(Way::Same))
        }
    };
    // A foreign file's columns that are never null are columns like all others; ours said it themselves.
    let nullable = if ours { hint.is_none_or(Field::is_nullable) } else { true };
    let mut field = Field::new(element.name, data_type, nullable);
    if hint.is_none()
        && let Some(name) = extension(element)
    {
        let metadata = Metadata::new();
        let metadata = metadata.with("ARROW:extension:name", name).with("ARROW:extension:metadata", "");
        field.set_metadata(metadata);
    }
    if let Some(hint) = hint {
        if matches!(field.data_type(), DataType::Dictionary(..)) {
            field = field.with_dict_is_ordered(hint.dict_is_ordered().unwrap_or(false));
        }
        if !hint.metadata().is_empty() {
            field.set_metadata(hint.metadata().clone());
        }
    }
    Ok((field, RootKind::Flat(Flat { physical, optional, way })))
}

/// Dictionaries of text, whatever its layout was: other readers give the plain one.
fn as_others(data_type: &DataType) -> DataType {
    let plain = |values: &DataType| match values {
        DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
        other => other.clone(),
    };
    match data_type {
        DataType::Dictionary(key, values) => DataType::Dictionary(key.clone(), Box::new(plain(values))),
        other => other.clone(),
    }
}

/// Instants of a unit that is not the writer's own are of its zone all the same.
fn zoned(data_type: DataType, hint: Option<&DataType>) -> DataType {
    match (data_type, hint) {
        (DataType::Timestamp(unit, Some(_)), Some(DataType::Timestamp(_, Some(zone)))) => {
            DataType::Timestamp(unit, Some(zone.clone()))
        }
        (data_type, _) => data_type,
    }
}

/// Arrow's own extension type of a leaf.
fn extension(element: &Element<'_>) -> Option<&'static str> {
    match element.logical {
        Some(Logical::Uuid) => Some("arrow.uuid"),
        Some(Logical::Json) => Some("arrow.json"),
        _ => None,
    }
}

/// Dictionaries of other values than text: readers of foreign files give the values themselves.
fn is_odd_dictionary(data_type: &DataType, physical: Physical) -> bool {
    matches!(data_type, DataType::Dictionary(..)) && physical != Physical::Bytes
}

/// The same within lists and structs, where the file's own type is not at hand.
fn plain_values(leaf: &DataType) -> DataType {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Utf8, Utf8View};
    match leaf {
        DataType::Dictionary(_, values)
            if !matches!(**values, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView) =>
        {
            DataType::clone(values)
        }
        other => other.clone(),
    }
}

/// The Arrow type of a leaf, by what the file says of it alone.
pub(super) fn default_type(element: &Element<'_>, physical: Physical) -> DataType {
    let logical = element.logical.or_else(|| element.converted.and_then(types::logical_of));
    let zone = |utc: bool| utc.then(|| "UTC".into());
    let decimal = match logical {
        Some(Logical::Decimal(scale, precision)) => Some((scale, precision)),
        None if element.converted == Some(5) => Some((element.scale, element.precision)),
        _ => None,
    };
    if let Some((scale, precision)) = decimal
        && let (Ok(scale), Ok(precision)) = (i8::try_from(scale), u8::try_from(precision))
        && (1..=76).contains(&precision)
        && (0..=76).contains(&scale)
        && !matches!(physical, Physical::Boolean | Physical::Int96 | Physical::Float | Physical::Double)
    {
        let wide = precision > 38 || matches!(physical, Physical::Fixed(n) if n > 16);
        return if wide {
            DataType::Decimal256(precision, scale)
        } else {
            DataType::Decimal128(precision, scale)
        };
    }
    match (physical, logical) {
        (_, Some(Logical::Unknown)) => DataType::Null,
        (Physical::Boolean, _) => DataType::Boolean,
        (Physical::Int32, Some(Logical::Integer(8, true))) => DataType::Int8,
        (Physical::Int32, Some(Logical::Integer(16, true))) => DataType::Int16,
        (Physical::Int32, Some(Logical::Integer(8, false))) => DataType::UInt8,
        (Physical::Int32, Some(Logical::Integer(16, false))) => DataType::UInt16,
        (Physical::Int32, Some(Logical::Integer(32, false))) => DataType::UInt32,
        (Physical::Int32, Some(Logical::Date)) => DataType::Date32,
        (Physical::Int32, Some(Logical::Time(Unit::Milli, _))) => DataType::Time32(TimeUnit::Millisecond),
        (Physical::Int32, _) => DataType::Int32,
        (Physical::Int64, Some(Logical::Integer(64, false))) => DataType::UInt64,
        (Physical::Int64, Some(Logical::Time(Unit::Micro, _))) => DataType::Time64(TimeUnit::Microsecond),
        (Physical::Int64, Some(Logical::Time(Unit::Nano, _))) => DataType::Time64(TimeUnit::Nanosecond),
        (Physical::Int64, Some(Logical::Timestamp(unit, utc))) => {
            let unit = match unit {
                Unit::Milli => TimeUnit::Millisecond,
                Unit::Micro => TimeUnit::Microsecond,
                Unit::Nano => TimeUnit::Nanosecond,
            };
            DataType::Timestamp(unit, zone(utc))
        }
        (Physical::Int64, _) => DataType::Int64,
        (Physical::Int96, _) => DataType::Timestamp(TimeUnit::Nanosecond, None),
        (Physical::Float, _) => DataType::Float32,
        (Physical::Double, _) => DataType::Float64,
        (Physical::Bytes, Some(Logical::String | Logical::Json)) => DataType::Utf8,
        (Physical::Bytes, _) => DataType::Binary,
        (Physical::Fixed(2), Some(Logical::Float16)) => DataType::Float16,
        (Physical::Fixed(n), _) => DataType::FixedSizeBinary(i32::try_from(n).unwrap_or(i32::MAX)),
    }
}
