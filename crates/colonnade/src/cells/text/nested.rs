//! CSV's treatment of nested types: intervals with a schema are the JSON text of an object, all other nested types are
//! refused.

use arrow_schema::{DataType, Field};
use serde_json::Value;

use super::{CellFault, Nonfinite, Syntax, TextCell, TextStyle, TextWriter};
use crate::arrow::meta;
use crate::cells::typed;
use crate::error::{Error, Result};
use crate::frame::{DType, DTypeKind, type_name};

/// Returns the adapter's tag from a field's metadata.
pub(super) fn tag_of(field: &Field) -> Option<String> {
    field.metadata().get(meta::KEY).and_then(|text| meta::FieldMeta::parse(text).ok()?.tag)
}

/// Whether cells, or their dictionary's values, are intervals: tagged as such, with two flat ends.
pub(super) fn are_intervals(data_type: &DataType, tag: Option<&str>) -> bool {
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

/// Returns the style of the cells of intervals.
pub(super) fn interval_style(style: TextStyle) -> TextStyle {
    TextStyle { syntax: Syntax::Json, nonfinite: Nonfinite::Tagged, ..style }
}

/// Refuses cells that CSV cannot hold; with a schema (`style.header`) CSV holds intervals.
///
/// # Errors
/// `Unrepresentable`, naming the type and a format that can hold it.
pub(super) fn check(data_type: &DataType, tag: Option<&str>, complex: bool, style: TextStyle) -> Result<()> {
    let is_mixed = typed::is_cells(tag);
    if !is_mixed && !has_parts(data_type, complex) {
        return Ok(());
    }
    if !is_mixed && are_intervals(data_type, tag) {
        if style.header {
            return Ok(());
        }
        let message = "expected cells that are text, found intervals, which CSV can hold only with a schema. Write \
                       schema=\"header\" or schema=\"sidecar\", or convert the column to text first.";
        return Err(Error::unrepresentable(style.format, message));
    }
    let what = if is_mixed {
        "objects of several kinds".into()
    } else {
        format!("type {}", type_name(data_type, false))
    };
    let message = format!(
        "expected cells that are text, found {what}, which CSV cannot hold. Write json, ndjson, msgpack or arrow, or \
         convert the column to text first."
    );
    Err(Error::unrepresentable(style.format, message))
}

/// Refuses a field that CSV cannot hold. `numpy_dtype`: the NumPy dtype in its metadata.
pub(super) fn check_field(field: &Field, numpy_dtype: Option<DType>, style: TextStyle) -> Result<()> {
    if style.syntax != Syntax::Csv {
        return Ok(());
    }
    check(field.data_type(), tag_of(field).as_deref(), is_complex(numpy_dtype), style)
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

/// Writes intervals as JSON; nulls are spelled as CSV's nulls.
pub(super) struct IntervalWriter<'a>(pub(super) Box<dyn TextWriter + 'a>);

impl TextWriter for IntervalWriter<'_> {
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.0.is_null(row) { Ok(()) } else { self.0.write(row, out) }
    }

    fn is_null(&self, row: usize) -> bool {
        self.0.is_null(row)
    }
}

/// Extracts the JSON object in a cell's text: a left and a right, and no other member.
///
/// # Errors
/// Malformed: any text that is neither such an object nor null.
pub(super) fn interval(cell: TextCell<'_>) -> std::result::Result<TextCell<'_>, CellFault> {
    let text = match cell {
        TextCell::Null => return Ok(cell),
        TextCell::Str(text) | TextCell::Number(text) | TextCell::Raw(text) => text,
        TextCell::Bool(true) => "true",
        TextCell::Bool(false) => "false",
    };
    // The reader of cells accepts words that JSON does not have, and reads missing members as null.
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(ends))
            if ends.len() == 2 && ends.contains_key("left") && ends.contains_key("right") =>
        {
            Ok(TextCell::Raw(text))
        }
        _ => Err(CellFault::malformed(format!(
            "expected an interval as JSON, {{\"left\":...,\"right\":...}}, found {}.",
            crate::excerpt::excerpt(text)
        ))),
    }
}
