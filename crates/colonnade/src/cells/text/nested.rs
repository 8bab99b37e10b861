//! What CSV makes of types that have parts: intervals behind a schema are the JSON text of an object, all others are refused.

use arrow_schema::{DataType, Field};
use serde_json::Value;

use super::{Cell, CellFault, Nonfinite, Style, Syntax, TextWriter};
use crate::arrow::meta;
use crate::cells::typed;
use crate::error::{Error, Result};
use crate::frame::{DType, DTypeKind, type_name};

/// The adapter's tag in a field's metadata.
pub(super) fn tag_of(field: &Field) -> Option<String> {
    field.metadata().get(meta::KEY).and_then(|text| meta::FieldMeta::parse(text).ok()?.tag)
}

/// Whether cells, or the categories behind them, are intervals: a tag says so, and they have two flat ends.
pub(super) fn are_intervals(data_type: &DataType, tag: Option<&str>) -> bool {
    let (values, is_dictionary) = match data_type {
        DataType::Dictionary(_, values) => (values.as_ref(), true),
        other => (other, false),
    };
    let DataType::Struct(ends) = values else { return false };
    let [left, right] = ends.iter().as_slice() else { return false };
    let flat = |end: &Field, name: &str| end.name() == name && !end.data_type().is_nested();
    if !flat(left, "left") || !flat(right, "right") {
        return false;
    }
    let told: Value = tag.and_then(|tag| serde_json::from_str(tag).ok()).unwrap_or_default();
    let told = if is_dictionary { told.get("categories") } else { Some(&told) };
    told.and_then(|told| told.get("kind")?.as_str()) == Some("interval")
}

/// How the cells of intervals are spelled.
pub(super) fn spelled(style: Style) -> Style {
    Style { syntax: Syntax::Json, nonfinite: Nonfinite::Tagged, ..style }
}

/// Refuses cells that CSV cannot hold; behind a schema (`style.header`) it holds intervals.
///
/// # Errors
/// `Unrepresentable`, which names the type and what holds it.
pub(super) fn check(data_type: &DataType, tag: Option<&str>, complex: bool, style: Style) -> Result<()> {
    let is_mixed = typed::is_cells(tag);
    if !is_mixed && !has_parts(data_type, complex) {
        return Ok(());
    }
    if !is_mixed && are_intervals(data_type, tag) {
        if style.header {
            return Ok(());
        }
        let message = "expected cells that are text, found intervals, which CSV holds behind a schema alone. Write \
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

/// The same for a field. `says`: the NumPy dtype that its metadata says.
pub(super) fn check_field(field: &Field, says: Option<DType>, style: Style) -> Result<()> {
    if style.syntax != Syntax::Csv {
        return Ok(());
    }
    check(field.data_type(), tag_of(field).as_deref(), is_complex(says), style)
}

pub(super) fn is_complex(says: Option<DType>) -> bool {
    says.is_some_and(|dtype| dtype.kind == DTypeKind::Complex)
}

fn has_parts(data_type: &DataType, complex: bool) -> bool {
    match data_type {
        DataType::RunEndEncoded(_, values) => has_parts(values.data_type(), complex),
        DataType::Dictionary(_, values) => has_parts(values, complex),
        DataType::FixedSizeList(..) => !complex,
        other => other.is_nested(),
    }
}

/// Writes intervals as JSON; null is CSV's own.
pub(super) struct Intervals<'a>(pub(super) Box<dyn TextWriter + 'a>);

impl TextWriter for Intervals<'_> {
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.0.is_null(row) { Ok(()) } else { self.0.write(row, out) }
    }

    fn is_null(&self, row: usize) -> bool {
        self.0.is_null(row)
    }
}

/// The object that stands in a cell as text: JSON of a left and a right, and nothing else.
///
/// # Errors
/// Malformed: anything but that or null.
pub(super) fn interval(cell: Cell<'_>) -> std::result::Result<Cell<'_>, CellFault> {
    let text = match cell {
        Cell::Null => return Ok(cell),
        Cell::Str(text) | Cell::Number(text) | Cell::Raw(text) => text,
        Cell::Bool(true) => "true",
        Cell::Bool(false) => "false",
    };
    // The reader of cells takes words that JSON has not, and members that are missing for null.
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(ends))
            if ends.len() == 2 && ends.contains_key("left") && ends.contains_key("right") =>
        {
            Ok(Cell::Raw(text))
        }
        _ => Err(CellFault::malformed(format!(
            "expected an interval as JSON, {{\"left\":...,\"right\":...}}, found {}.",
            crate::shown::shown(text)
        ))),
    }
}
