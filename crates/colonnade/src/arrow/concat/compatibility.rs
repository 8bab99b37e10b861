//! Checks that frames differ only in their rows.

use serde_json::Value;

use crate::error::{Error, Result};
use crate::frame::{Axis, DTypeKind, Frame, Labels, Level, Part, Slot, same_type, type_name};

/// Refuses frames whose column labels, types or kinds of row labels differ.
pub(super) fn check(frames: &[&Frame], slots: &[Vec<Slot>]) -> Result<()> {
    let (Some(first), Some(first_slots)) = (frames.first(), slots.first()) else { return Ok(()) };
    for (i, (frame, slots)) in frames.iter().zip(slots).enumerate().skip(1) {
        let differ = |what: &str, one: String, other: String| {
            let message = format!(
                "batch {i} differs from batch 0: {what}: expected {one:.200}, found {other:.200}. Bring all batches to one schema first."
            );
            Error::malformed("frame", message)
        };
        if frame.ncols != first.ncols {
            return Err(differ("columns", first.ncols.to_string(), frame.ncols.to_string()));
        }
        if !labels_equal(&first.columns, &frame.columns) {
            let (one, other) = first_difference(&first.columns, &frame.columns);
            return Err(differ("column labels", one, other));
        }
        for (position, (one, other)) in first_slots.iter().zip(slots).enumerate() {
            let (Some(one), Some(other)) = (first.parts.get(one.part), frame.parts.get(other.part)) else {
                continue;
            };
            if !parts_equal(one, other) {
                return Err(differ(&column_name(first, position), part_text(one), part_text(other)));
            }
        }
        let (one, other) = (&first.index, &frame.index);
        if (&one.class, &one.classes) != (&other.class, &other.classes) {
            return Err(differ("index", axis_text(one), axis_text(other)));
        }
        if comparable_meta(one) != comparable_meta(other) {
            let text = |axis: &Axis| axis.meta.clone().unwrap_or_else(|| "nothing".into());
            return Err(differ("meta data of the index", text(one), text(other)));
        }
    }
    Ok(())
}

fn column_name(frame: &Frame, position: usize) -> String {
    match frame.columns.strings().and_then(|names| names.get(position).cloned()) {
        Some(name) => format!("column {position} ({name:?})"),
        None => format!("column {position}"),
    }
}

fn parts_equal(one: &Part, other: &Part) -> bool {
    match (one, other) {
        (Part::Block(one, _), Part::Block(other, _)) => {
            let (one, other) = (one.grid.dtype, other.grid.dtype);
            one == other
                || (one.kind == DTypeKind::Unicode && (one.kind, one.order) == (other.kind, other.order))
        }
        (Part::Column(one, _), Part::Column(other, _)) => {
            same_type(one.data.data_type(), other.data.data_type())
                && (one.ordered, &one.tag) == (other.ordered, &other.tag)
        }
        _ => false,
    }
}

fn part_text(part: &Part) -> String {
    match part {
        Part::Block(block, _) => block.grid.dtype.descr(),
        Part::Column(column, _) => {
            let tag = column.tag.as_ref().map_or(String::new(), |tag| format!(" tagged {tag}"));
            format!("{}{tag}", type_name(column.data.data_type(), column.ordered))
        }
    }
}

pub(super) fn axis_text(axis: &Axis) -> String {
    match &axis.labels {
        Labels::Auto { start, stop, step, .. } => format!("{} range({start}, {stop}, {step})", axis.class),
        Labels::Levels(levels) => {
            let kind = |level: &Level| match level {
                Level::Block(block) => block.grid.dtype.descr(),
                Level::Column(column) => type_name(column.data.data_type(), column.ordered),
            };
            let levels: Vec<String> = levels.iter().map(kind).collect();
            format!("{} of {}", axis.class, levels.join(", "))
        }
    }
}

fn labels_equal(one: &Axis, other: &Axis) -> bool {
    match (&one.labels, &other.labels) {
        (
            Labels::Auto { start: a, step: s, count: n, .. },
            Labels::Auto { start: b, step: t, count: m, .. },
        ) => (a, s, n) == (b, t, m),
        (Labels::Levels(one), Labels::Levels(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| levels_equal(a, b))
        }
        _ => false,
    }
}

fn levels_equal(one: &Level, other: &Level) -> bool {
    match (one, other) {
        (Level::Block(a), Level::Block(b)) => {
            if a.grid == b.grid && a.buffer.as_ptr() == b.buffer.as_ptr() {
                return true; // batches of one plan share the block
            }
            // `<U` of different widths may hold the same labels.
            match (a.strings(), b.strings()) {
                (Some(a), Some(b)) => a == b,
                _ => a.grid.dtype == b.grid.dtype && a.grid.nrows == b.grid.nrows && a.packed() == b.packed(),
            }
        }
        (Level::Column(a), Level::Column(b)) => {
            a.tag == b.tag && (a.data.ptr_eq(&b.data) || a.data == b.data)
        }
        (one, other) => match (text(one), text(other)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        },
    }
}

fn text(level: &Level) -> Option<Vec<String>> {
    match level {
        Level::Block(block) => block.strings(),
        Level::Column(column) => column.strings(),
    }
}

fn first_difference(one: &Axis, other: &Axis) -> (String, String) {
    match (one.strings(), other.strings()) {
        (Some(a), Some(b)) => {
            let at = a.iter().zip(&b).position(|(x, y)| x != y).unwrap_or(0);
            let show =
                |names: &[String]| format!("{:?} at column {at}", names.get(at).map_or("", String::as_str));
            (show(&a), show(&b))
        }
        _ => (axis_text(one), axis_text(other)),
    }
}

/// The part of an axis' meta that must be equal: zones, periods and kinds of text belong to the type. The frequency and the
/// ends of a time index differ from batch to batch; pandas' adapter checks them against the labels.
fn comparable_meta(axis: &Axis) -> Value {
    let Some(Ok(mut meta)) = axis.meta.as_deref().map(serde_json::from_str::<Value>) else {
        return Value::Null;
    };
    if let Some(levels) = meta.get_mut("pandas").and_then(Value::as_array_mut) {
        for level in levels.iter_mut() {
            if level.get("kind").and_then(Value::as_str) == Some("time")
                && let Some(entries) = level.as_object_mut()
            {
                entries.retain(|key, _| key != "freq" && key != "ends");
                if entries.len() == 1 {
                    *level = Value::Null;
                }
            }
        }
        let empty = levels.iter().all(Value::is_null);
        if empty && let Some(object) = meta.as_object_mut() {
            object.shift_remove("pandas");
        }
    }
    if meta.as_object().is_some_and(serde_json::Map::is_empty) { Value::Null } else { meta }
}
