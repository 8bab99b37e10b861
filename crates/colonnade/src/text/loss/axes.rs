//! What plain text loses of labels, names and attributes.

use std::collections::HashSet;

use arrow_schema::DataType;
use serde_json::Value;

use super::{IndexPlace, Loss, NamePlace, PlainText};
use crate::arrow::names::is_tagged;
use crate::frame::{Axis, DTypeKind, Frame, Labels, Level};

/// Returns the losses of the frame itself.
pub(super) fn losses(frame: &Frame, plain: &PlainText<'_>) -> Vec<Loss> {
    let mut out = Vec::new();
    let mut lose = |what: String| out.push(Loss { column: None, what });
    if frame.tags.attrs.as_deref().is_some_and(|attrs| !matches!(attrs, "null" | "{}")) {
        lose("attrs are not written".into());
    }
    if !matches!(frame.tags.name.as_str(), "" | "null") {
        lose(format!("the name of the frame ({}) is not written", name_text(&frame.tags.name)));
    }
    match &frame.index.labels {
        _ if frame.index.counts_from_zero() && frame.index.name == "null" => {}
        _ if frame.index.counts_from_zero() => {
            lose(format!("the name of the row labels ({}) is not written", name_text(&frame.index.name)));
        }
        _ if plain.index == IndexPlace::ByOption => {}
        _ if plain.index == IndexPlace::Columns => lose("row labels (the index) come back as columns".into()),
        Labels::Auto { .. } => {}
        Labels::Levels(levels) if is_plain_text(levels) || is_integer(levels) => {}
        Labels::Levels(_) => lose("row labels (the index) come back as text".into()),
    }
    if frame.columns.name != "null" {
        lose(format!("the name of the column labels ({}) is not written", name_text(&frame.columns.name)));
    }
    if let Some(what) = columns(&frame.columns, plain) {
        lose(what);
    }
    if plain.names == (NamePlace::Keys { in_rows: true }) && frame.nrows == 0 && frame.ncols > 0 {
        lose("without a row there are no names of columns".into());
    }
    if plain.csv.is_some() && frame.ncols == 0 && frame.nrows > 0 {
        lose(format!("{} rows of no column are not written", frame.nrows));
    }
    out
}

/// Returns what is lost of column labels.
fn columns(axis: &Axis, plain: &PlainText<'_>) -> Option<String> {
    if plain.names == NamePlace::Nowhere || axis.is_empty() {
        return None;
    }
    let levels = match &axis.labels {
        Labels::Auto { .. } => return Some("column labels that are numbers come back as text".into()),
        Labels::Levels(levels) => levels,
    };
    if levels.len() > 1 {
        return Some(format!("column labels of {} levels come back as one text each", levels.len()));
    }
    if !is_plain_text(levels) {
        return Some("column labels that are not text come back as text".into());
    }
    let Some(names) = axis.strings() else { return Some("a missing column label comes back as text".into()) };
    let mut seen = HashSet::with_capacity(names.len());
    let again = names.iter().find(|name| !seen.insert(name.as_str()));
    match again {
        Some(name) if matches!(plain.names, NamePlace::Keys { .. }) => {
            Some(format!("the column label {name:?} repeats, so later ones get a number"))
        }
        _ => None,
    }
}

/// Whether the labels are one level of integers.
fn is_integer(levels: &[Level]) -> bool {
    match levels {
        [Level::Block(block)] => matches!(block.grid.dtype.kind, DTypeKind::Int | DTypeKind::UInt),
        [Level::Column(column)] => column.data.data_type().is_integer(),
        _ => false,
    }
}

/// Whether the labels are one level of text.
fn is_plain_text(levels: &[Level]) -> bool {
    match levels {
        [Level::Block(block)] => block.grid.dtype.kind == DTypeKind::Unicode,
        [Level::Column(column)] => {
            let is_text =
                matches!(column.data.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
            is_text && !is_tagged(column)
        }
        _ => false,
    }
}

/// A name for the message: that of several levels as Python's tuple, every other as its JSON.
fn name_text(name: &str) -> String {
    fn part(value: &Value) -> String {
        match (value, value.get("$tuple").and_then(Value::as_array)) {
            (Value::Null, _) => "None".into(),
            (_, Some(parts)) => format!("({})", parts.iter().map(part).collect::<Vec<_>>().join(", ")),
            _ => value.to_string(),
        }
    }
    serde_json::from_str(name).map_or_else(|_| name.to_owned(), |value| part(&value))
}
