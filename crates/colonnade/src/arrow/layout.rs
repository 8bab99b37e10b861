//! The layout that all chunks of a stream share: columns, their types, and the kind of row labels.

use arrow_schema::DataType;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::frame::TimeBase;
use crate::frame::{Axis, Column, DType, DTypeKind, Frame, Labels, Level, Part, same_type, type_name};

use super::native::NativeType;
use super::pandas;

/// The layout of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ColumnLayout {
    /// A column of a block.
    Native(NativeType),
    /// A column in Arrow's layout.
    Arrow { data_type: DataType, ordered: bool, tag: Option<String> },
}

pub(super) fn unrepresentable(message: String) -> Error {
    Error::unrepresentable("arrow", message)
}

impl ColumnLayout {
    fn of_column(column: &Column) -> Self {
        let data_type = column.data.data_type().clone();
        Self::Arrow { data_type, ordered: column.ordered, tag: column.tag.clone() }
    }

    /// The Arrow type of the column's field.
    pub(super) fn data_type(&self) -> &DataType {
        match self {
            Self::Native(native) => &native.data_type,
            Self::Arrow { data_type, .. } => data_type,
        }
    }

    /// The text for messages.
    fn message_text(&self) -> String {
        match self {
            Self::Native(native) => {
                format!("{} ({})", native.dtype.descr(), type_name(&native.data_type, false))
            }
            Self::Arrow { data_type, ordered, tag } => {
                let name = type_name(data_type, *ordered);
                tag.as_ref().map_or(name.clone(), |tag| format!("{name} {tag}"))
            }
        }
    }

    /// Whether a later block of `dtype` fits. Text may have any width.
    fn fits_dtype(&self, dtype: DType) -> bool {
        let Self::Native(native) = self else { return false };
        let text = native.dtype.kind == DTypeKind::Unicode && dtype.kind == DTypeKind::Unicode;
        native.dtype == dtype || text && native.dtype.order == dtype.order
    }

    /// Whether a later column fits.
    fn fits_column(&self, column: &Column) -> bool {
        let Self::Arrow { data_type, ordered, tag } = self else { return false };
        same_type(data_type, column.data.data_type())
            && *ordered == column.ordered
            && (*tag == column.tag || tags_fit(tag.as_deref(), column.tag.as_deref()))
    }

    fn differs(&self, found: &str) -> Error {
        unrepresentable(format!(
            "expected {} as in the first chunk, found {found}. Convert the chunk's column first.",
            self.message_text()
        ))
    }
}

/// Whether the tags of two chunks fit. A chunk of objects without a missing cell does not determine the missing value of
/// others.
fn tags_fit(first: Option<&str>, found: Option<&str>) -> bool {
    let parse =
        |text: Option<&str>| serde_json::from_str::<Value>(text.unwrap_or("null")).unwrap_or_default();
    let (first, found) = (parse(first), parse(found));
    let kind = |tag: &Value| tag.get("kind").and_then(Value::as_str).map(str::to_owned);
    kind(&first).as_deref() == Some("object") && kind(&found) == kind(&first) && found.get("null").is_none()
}

/// Returns the layouts of a frame's columns, left to right.
pub(super) fn columns(frame: &Frame) -> Result<Vec<ColumnLayout>> {
    let mut out = Vec::with_capacity(frame.ncols);
    for slot in frame.slots()? {
        out.push(match frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => ColumnLayout::Native(NativeType::of(&block.column(slot.column))?),
            Some(Part::Column(column, _)) => ColumnLayout::of_column(column),
            None => return Err(unrepresentable(format!("column {} has no part.", out.len()))),
        });
    }
    Ok(out)
}

/// Returns the layouts of an axis' levels. The Arrow type shows a zone or a period's frequency that is in the axis' meta.
pub(super) fn levels(axis: &Axis) -> Result<Vec<ColumnLayout>> {
    let Labels::Levels(levels) = &axis.labels else { return Ok(Vec::new()) };
    let metas = pandas::level_metas(axis);
    let layout_of = |(level, meta): (&Level, &Option<Value>)| match level {
        Level::Column(column) => Ok(ColumnLayout::of_column(column)),
        Level::Block(block) => {
            let mut native = NativeType::of(block)?;
            let get = |key: &str| meta.as_ref().and_then(|m| m.get(key)).and_then(Value::as_str);
            if let (DataType::Timestamp(unit, None), Some(zone)) = (&native.data_type, get("tz")) {
                native.data_type = DataType::Timestamp(*unit, Some(pandas::arrow_zone(zone).into()));
            }
            let units = native.dtype.unit.is_some_and(|u| u.base != TimeBase::Generic);
            if units && get("kind") == Some("period") {
                native.data_type = DataType::Int64;
            }
            Ok(ColumnLayout::Native(native))
        }
    };
    levels.iter().zip(&metas).map(layout_of).collect()
}

/// Whether two axes have the same labels.
fn same_labels(a: &Axis, b: &Axis) -> bool {
    match (&a.labels, &b.labels) {
        (
            Labels::Auto { start, step, count, .. },
            Labels::Auto { start: other, step: by, count: many, .. },
        ) => (start, step, count) == (other, by, many),
        (Labels::Levels(a), Labels::Levels(b)) => {
            let same = |(a, b): (&Level, &Level)| match (a, b) {
                (Level::Block(a), Level::Block(b)) => {
                    a.grid.dtype == b.grid.dtype && a.packed().is_some() && a.packed() == b.packed()
                }
                (Level::Column(a), Level::Column(b)) => a.data == b.data,
                _ => false,
            };
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        _ => false,
    }
}

/// Returns the first labels of an axis, for messages.
fn first_labels(axis: &Axis) -> String {
    const MAX_LABELS: usize = 12;
    let first = axis.slice(0, axis.len().min(MAX_LABELS));
    let texts = super::names::texts(&first).unwrap_or_default();
    let texts: Vec<String> = texts.into_iter().map(|t| t.unwrap_or_else(|| "None".into())).collect();
    let more = if axis.len() > MAX_LABELS { format!(", ... ({} in all)", axis.len()) } else { String::new() };
    format!("[{}{more}]", texts.join(", "))
}

/// Checks the columns of a later chunk.
pub(super) fn check_columns(
    axis: &Axis,
    layouts: &[ColumnLayout],
    name: &dyn Fn(usize) -> String,
    chunk: &Frame,
) -> Result<()> {
    if chunk.ncols != layouts.len() || !same_labels(&chunk.columns, axis) {
        return Err(unrepresentable(format!(
            "expected the columns of the first chunk, {}, found {}. Select and rename them first.",
            first_labels(axis),
            first_labels(&chunk.columns)
        )));
    }
    for (position, (slot, layout)) in chunk.slots()?.into_iter().zip(layouts).enumerate() {
        let found = match chunk.parts.get(slot.part) {
            Some(Part::Block(block, _)) if layout.fits_dtype(block.grid.dtype) => continue,
            Some(Part::Column(column, _)) if layout.fits_column(column) => continue,
            Some(Part::Block(block, _)) => block.grid.dtype.descr(),
            Some(Part::Column(column, _)) => ColumnLayout::of_column(column).message_text(),
            None => "nothing".into(),
        };
        return Err(layout.differs(&found).in_member(name(position)));
    }
    Ok(())
}

/// Checks the row labels of a later chunk, except the start of a range.
pub(super) fn check_index(
    first: &Axis,
    layouts: &[ColumnLayout],
    name: &dyn Fn(usize) -> String,
    chunk: &Axis,
) -> Result<()> {
    let differ = |what: &str, expected: &str, found: &str| {
        unrepresentable(format!(
            "expected row labels of the first chunk's {what}, {expected}, found {found}. Reset the index first."
        ))
    };
    match (&first.labels, &chunk.labels) {
        (Labels::Auto { step, .. }, Labels::Auto { step: other, .. }) if step == other => {}
        (Labels::Levels(_), Labels::Levels(found)) if found.len() == layouts.len() => {
            for (i, ((layout, level), found_layout)) in
                layouts.iter().zip(found).zip(levels(chunk)?).enumerate()
            {
                let fits = match level {
                    Level::Block(block) => {
                        layout.fits_dtype(block.grid.dtype)
                            && zone(layout.data_type()) == zone(found_layout.data_type())
                    }
                    Level::Column(column) => layout.fits_column(column),
                };
                if !fits {
                    return Err(layout.differs(&found_layout.message_text()).in_member(name(i)));
                }
            }
        }
        _ => {
            let kind = |axis: &Axis| match &axis.labels {
                Labels::Auto { step, .. } => format!("a range by {step}"),
                Labels::Levels(levels) => format!("{} stored level(s)", levels.len()),
            };
            return Err(differ("kind", &kind(first), &kind(chunk)));
        }
    }
    if first.class != chunk.class || first.classes != chunk.classes {
        return Err(differ("class", &first.class, &chunk.class));
    }
    if first.name != chunk.name {
        return Err(differ("name", &first.name, &chunk.name));
    }
    Ok(())
}

fn zone(data_type: &DataType) -> Option<&str> {
    match data_type {
        DataType::Timestamp(_, zone) => zone.as_deref(),
        _ => None,
    }
}
