//! Nested cells of CSV: lists, structs, maps, unions, intervals and cells of several kinds are the JSON text of the value.

use arrow_schema::{DataType, Field};
use serde_json::Value;

use super::json::{MAX_CELL_DEPTH, RULES};
use super::{CellFault, Nonfinite, Syntax, TextCell, TextStyle, TextWriter};
use crate::arrow::meta;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::JsonRules;
use crate::cells::typed;
use crate::error::Result;
use crate::frame::{DType, DTypeKind};

/// Returns the adapter's tag from a field's metadata.
pub(super) fn tag_of(field: &Field) -> Option<String> {
    field.metadata().get(meta::KEY).and_then(|text| meta::FieldMeta::parse(text).ok()?.tag)
}

/// Returns the tag as far as it is about the type: only bytes are cells of several kinds, whatever a tag claims.
pub(super) fn tag_of_type<'t>(data_type: &DataType, tag: Option<&'t str>) -> Option<&'t str> {
    let is_binary = matches!(data_type, DataType::Binary | DataType::LargeBinary | DataType::BinaryView);
    tag.filter(|tag| is_binary || !typed::is_cells(Some(tag)))
}

/// What the JSON text of a CSV cell holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonCells {
    /// An interval of pandas: an object with a left and a right.
    Interval,
    /// Any other value.
    Value,
}

/// Returns what the cells of a column hold if CSV writes them as JSON text; `None` for all other columns.
pub(super) fn json_cells(data_type: &DataType, tag: Option<&str>, complex: bool) -> Option<JsonCells> {
    if typed::is_cells(tag) {
        return Some(JsonCells::Value);
    }
    if !has_parts(data_type, complex) {
        return None;
    }
    Some(if are_intervals(data_type, tag) { JsonCells::Interval } else { JsonCells::Value })
}

/// Whether cells, or their dictionary's values, are intervals: tagged as such, with two flat ends.
fn are_intervals(data_type: &DataType, tag: Option<&str>) -> bool {
    let (values, is_dictionary) = match data_type {
        DataType::Dictionary(_, values) => (values.as_ref(), true),
        other => (other, false),
    };
    let DataType::Struct(ends) = values else { return false };
    let [left, right] = ends.iter().as_slice() else { return false };
    let is_flat = |end: &Field, name: &str| end.name() == name && !end.data_type().is_nested();
    if !is_flat(left, "left") || !is_flat(right, "right") {
        return false;
    }
    let tag: Value = tag.and_then(|tag| serde_json::from_str(tag).ok()).unwrap_or_default();
    let tag = if is_dictionary { tag.get("categories") } else { Some(&tag) };
    tag.and_then(|tag| tag.get("kind")?.as_str()) == Some("interval")
}

/// Returns the style of JSON text in a cell. Without a schema no reader knows a tagged NaN, so it is null.
pub(super) fn json_style(style: TextStyle) -> TextStyle {
    let nonfinite = if style.header { Nonfinite::Tagged } else { Nonfinite::Null };
    TextStyle { syntax: Syntax::Json, nonfinite, nan_is_null: false, ..style }
}

pub(super) fn is_complex(numpy_dtype: Option<DType>) -> bool {
    numpy_dtype.is_some_and(|dtype| dtype.kind == DTypeKind::Complex)
}

fn has_parts(data_type: &DataType, complex: bool) -> bool {
    match data_type {
        DataType::RunEndEncoded(_, values) => has_parts(values.data_type(), complex),
        DataType::Dictionary(_, values) => has_parts(values, complex),
        DataType::FixedSizeList(..) => !complex,
        other => other.is_nested(),
    }
}

/// Writes cells as JSON; nulls are spelled as CSV's nulls.
pub(super) struct JsonCellWriter<'a>(pub(super) Box<dyn TextWriter + 'a>);

impl TextWriter for JsonCellWriter<'_> {
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.0.is_null(row) { Ok(()) } else { self.0.write(row, out) }
    }

    fn is_null(&self, row: usize) -> bool {
        self.0.is_null(row)
    }
}

impl JsonCells {
    /// Checks the JSON text of a cell.
    ///
    /// # Errors
    /// Malformed: text that is neither one JSON value, nor null; of intervals, anything but an object with a left and a
    /// right.
    pub(super) fn cell(self, cell: TextCell<'_>) -> std::result::Result<TextCell<'_>, CellFault> {
        let text = match cell {
            TextCell::Null => return Ok(cell),
            TextCell::Str(text) | TextCell::Number(text) | TextCell::Raw(text) => text,
            TextCell::Bool(true) => "true",
            TextCell::Bool(false) => "false",
        };
        match self {
            Self::Interval if !is_interval(text) => Err(CellFault::malformed(format!(
                "expected an interval as JSON, {{\"left\":...,\"right\":...}}, found {}.",
                crate::excerpt::excerpt(text)
            ))),
            Self::Value if !is_json(text) => Err(CellFault::malformed(format!(
                "expected the JSON text of a value, found {}.",
                crate::excerpt::excerpt(text)
            ))),
            _ => Ok(TextCell::Raw(text)),
        }
    }
}

/// Whether the text is an object with two members. The reader of cells reads missing members as null.
fn is_interval(text: &str) -> bool {
    let Ok(Value::Object(ends)) = serde_json::from_str(text) else { return false };
    ends.len() == 2 && ends.contains_key("left") && ends.contains_key("right")
}

/// Whether the text is one JSON value.
fn is_json(text: &str) -> bool {
    let rules = JsonRules { max_depth: MAX_CELL_DEPTH, nonfinite: false, ..RULES };
    let mut scan = Scan::new(text.as_bytes(), 0, false);
    scan.space();
    if scan.value(0, &rules).is_err() {
        return false;
    }
    scan.space();
    scan.at == text.len()
}
