//! Checks that plain CSV, read with the same options, gives the same frame. Only types that inference finds are accepted.
//!
//! | column | read back exactly |
//! |---|---|
//! | `bool`, `int64` | always, with Arrow's nulls too |
//! | `uint64` | if a value exceeds `int64` |
//! | `float64` | always, except NaN payloads; in pandas and NumPy NaN is null |
//! | text | if no cell is a null value, and at least one is neither a number nor a boolean |
//!
//! Column labels must be text of one level, and row labels 0, 1, 2... These rules mirror the inference in `csv::read`:
//! change both together.

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use serde_json::Value;

use crate::cells::text;
use crate::cells::text::TextStyle;
use crate::error::{Error, Result};
use crate::frame::{Axis, DType, DTypeKind, Frame, Labels, Level, Part};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::NoProgress;
use crate::text::header::{ExportedFrame, meta_of_field};

use super::FORMAT;
use super::ambiguous_text::{AmbiguousText, Appearance};
use super::options::WriteOptions;

/// The bits of the NaN that every reader produces.
const NAN: u64 = 0x7ff8 << 48;

/// Refuses a frame that would not be read back exactly.
///
/// # Errors
/// `Unrepresentable`: the column or label, and the value that would be read back.
pub fn check(frame: &Frame, exported: &ExportedFrame, options: &WriteOptions) -> Result<()> {
    // Values that CSV cannot hold even with a schema come first, because the advice in their error differs.
    for style in [TextStyle::csv(true), TextStyle::csv(false)] {
        for field in exported.schema.fields() {
            let held = meta_of_field(field).and_then(|meta| text::check(field, meta.dtype, style));
            held.map_err(|e| e.in_member(field.name().as_str()))?;
        }
    }
    check_around(frame, options)?;
    let ambiguous = AmbiguousText::new(options);
    let slots = frame.slots()?;
    let mut tasks = Vec::with_capacity(frame.ncols);
    for ((field, data), slot) in exported.schema.fields().iter().zip(&exported.arrays).zip(slots) {
        let dtype = match frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => Some(block.grid.dtype),
            _ => None,
        };
        let ambiguous = &ambiguous;
        tasks.push(Task::new(data.len() * 8, move || {
            check_column(frame, field, data, dtype, ambiguous)
                .map_err(|lost| refused(&lost).in_member(field.name().as_str()))
        }));
    }
    parallel::run(tasks, options.threads, &NoProgress)
}

fn refused(lost: &str) -> Error {
    let message = format!(
        "plain CSV would not bring it back: {lost}. Write schema=\"header\" or schema=\"sidecar\" to keep it, or lossy=True."
    );
    Error::unrepresentable(FORMAT, message)
}

/// Checks axes, names and attributes.
fn check_around(frame: &Frame, options: &WriteOptions) -> Result<()> {
    let refuse = |lost: String| Err(refused(&lost));
    if let Some(attrs) = frame.tags.attrs.as_deref().filter(|attrs| !matches!(*attrs, "null" | "{}")) {
        let shown: String = attrs.chars().take(40).collect();
        return refuse(format!("it has no place for the frame's attrs ({shown})"));
    }
    if !matches!(frame.tags.name.as_str(), "" | "null") {
        return refuse(format!("it has no place for the frame's name ({})", frame.tags.name));
    }
    let automatic = matches!(frame.index.labels, Labels::Auto { start: 0, step: 1, .. });
    if !automatic || options.index == Some(true) {
        return refuse("row labels (the index) come back as a column".into());
    }
    for (axis, what) in [(&frame.index, "row labels (the index)"), (&frame.columns, "column labels")] {
        if axis.name != "null" {
            return refuse(format!("it has no place for the name of the {what} ({})", axis.name));
        }
        if axis.class != "Index" {
            return refuse(format!("it has no place for the class of the {what} ({})", axis.class));
        }
    }
    if frame.ncols == 0 && frame.nrows > 0 {
        return refuse(format!("{} rows of no column are nothing in CSV", frame.nrows));
    }
    check_names(&frame.columns, options).map_err(|lost| refused(&lost))
}

fn check_names(axis: &Axis, options: &WriteOptions) -> std::result::Result<(), String> {
    let levels = match &axis.labels {
        Labels::Auto { count: 0, .. } => return Ok(()),
        Labels::Auto { start: 0, step: 1, .. } if !options.header => return Ok(()),
        Labels::Auto { .. } => return Err("column labels that are numbers come back as text".into()),
        Labels::Levels(_) if !options.header => {
            return Err("column labels are not written (header=False)".into());
        }
        Labels::Levels(levels) => levels,
    };
    let [level] = levels.as_slice() else {
        return Err(format!("column labels of {} levels come back as one", levels.len()));
    };
    let is_text = match level {
        Level::Block(block) => block.grid.dtype.kind == DTypeKind::Unicode,
        Level::Column(column) => {
            matches!(column.data.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
        }
    };
    let kinds = |text: &str| {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let meta = value.get("pandas").and_then(|list| list.get(0)).unwrap_or(&value).clone();
        is_usual_text(&meta)
    };
    let tag = match level {
        Level::Column(column) => column.tag.as_deref(),
        Level::Block(_) => None,
    };
    if !is_text || !axis.meta.as_deref().is_none_or(kinds) || !tag.is_none_or(kinds) {
        return Err("column labels that are not the usual text come back as text".into());
    }
    match axis.strings() {
        None => Err("a column label that is missing comes back as text".into()),
        Some(names) if names.iter().any(String::is_empty) => {
            Err("a column label without a character comes back as another".into())
        }
        Some(_) => Ok(()),
    }
}

/// Whether pandas infers this text dtype by default.
fn is_usual_text(tag: &Value) -> bool {
    let kind = tag.get("kind").and_then(Value::as_str);
    kind == Some("string") && tag.get("na").and_then(Value::as_str) == Some("nan")
}

/// The property of a column that would be lost.
fn check_column(
    frame: &Frame,
    field: &Field,
    data: &ArrayData,
    dtype: Option<DType>,
    ambiguous: &AmbiguousText,
) -> std::result::Result<(), String> {
    let data_type = data.data_type();
    let shown = dtype.map_or_else(|| crate::frame::type_name(data_type, false), |d| d.descr());
    if frame.nrows == 0 {
        return Err(format!("{shown} without a row comes back as another type"));
    }
    let tag = meta_of_field(field).map_err(|e| e.to_string())?.tag;
    let tag: Option<Value> = tag.and_then(|text| serde_json::from_str(&text).ok());
    let is_text = matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let fits = match &tag {
        // The field comes from another library's schema. Plain CSV cannot store its metadata and nullability.
        Some(tag) if tag.get("kind").and_then(Value::as_str) == Some("field") => false,
        Some(tag) => is_text && is_usual_text(tag),
        None => dtype.is_none_or(|dtype| matches!(dtype.descr().as_str(), "|b1" | "<i8" | "<u8" | "<f8")),
    };
    if !fits {
        return Err(format!(
            "{shown}{} comes back as another type",
            tag.map(|t| format!(" {t}")).unwrap_or_default()
        ));
    }
    if data.null_count() == data.len() {
        return Err(format!("{shown} with nothing but nulls comes back as another type"));
    }
    if data.null_count() > 0 && !ambiguous.is_null_word(matches!(data_type, DataType::Float64)) {
        return Err("null, spelled as na_rep= says, comes back as a value".into());
    }
    match data_type {
        DataType::Boolean | DataType::Int64 => Ok(()),
        DataType::Float64 => {
            let values = data.buffer::<f64>(0).get(..data.len()).unwrap_or(&[]);
            if values.iter().any(|v| v.is_nan()) && !ambiguous.is_null_word(false) {
                return Err("NaN, spelled as na_rep= says, comes back as a value".into());
            }
            let has_payload = |row: usize, v: f64| v.is_nan() && v.to_bits() != NAN && data.is_valid(row);
            match values.iter().copied().enumerate().find(|(row, v)| has_payload(*row, *v)) {
                None => Ok(()),
                Some((row, v)) => Err(format!(
                    "the NaN in row {row} (bits {:#x}) comes back as the usual one ({NAN:#x})",
                    v.to_bits()
                )),
            }
        }
        DataType::UInt64 => {
            let big = |value: &u64| i64::try_from(*value).is_err();
            let values = data.buffer::<u64>(0).get(..data.len()).unwrap_or(&[]);
            let found = values.iter().enumerate().any(|(row, v)| data.is_valid(row) && big(v));
            if found { Ok(()) } else { Err("uint64 whose values fit int64 comes back as int64".into()) }
        }
        DataType::Utf8 => check_text::<i32>(data, ambiguous),
        DataType::LargeUtf8 => check_text::<i64>(data, ambiguous),
        DataType::Utf8View => {
            let array = arrow_array::StringViewArray::from(data.clone());
            check_cells(array.iter(), ambiguous)
        }
        _ => Err(format!("{shown} comes back as another type")),
    }
}

fn check_text<O: arrow_array::OffsetSizeTrait>(
    data: &ArrayData,
    ambiguous: &AmbiguousText,
) -> std::result::Result<(), String> {
    let array = arrow_array::GenericStringArray::<O>::from(data.clone());
    check_cells(array.iter(), ambiguous)
}

fn check_cells<'a>(
    cells: impl Iterator<Item = Option<&'a str>>,
    ambiguous: &AmbiguousText,
) -> std::result::Result<(), String> {
    let (mut is_text, mut all_empty, mut first) = (false, true, None);
    for (row, cell) in cells.enumerate() {
        let Some(cell) = cell else { continue };
        first.get_or_insert(cell);
        all_empty &= cell.is_empty();
        match ambiguous.appearance(cell.as_bytes(), is_text) {
            Appearance::Text => is_text = true,
            Appearance::Null => return Err(format!("the text {cell:?} in row {row} comes back as null")),
            Appearance::Value => {}
        }
    }
    if is_text || all_empty {
        return Ok(());
    }
    Err(format!(
        "text whose cells all look like values, such as {:?}, comes back as them",
        first.unwrap_or("")
    ))
}
