//! Writes the description of fields that begins `orient="table"`: Frictionless' table schema in pandas' form.
//!
//! <https://specs.frictionlessdata.io/table-schema/>; `extDtype`, `ordered`, `tz` and `pandas_version` are pandas'
//! extensions.

use arrow_schema::DataType;
use serde_json::{Map, Value, json};

use crate::cells::text::TextStyle;
use crate::error::Result;
use crate::text::header::meta_of_field;

use super::columns::JsonColumn;

/// Returns the description. `levels`: how many of `columns`, from the front, are row labels.
///
/// # Errors
/// `Unrepresentable`: categories that JSON cannot hold.
pub fn schema(columns: &[JsonColumn], levels: usize, style: TextStyle) -> Result<String> {
    let fields = columns.iter().enumerate().map(|(i, column)| field(column, i < levels, style));
    let fields = fields.collect::<Result<Vec<_>>>()?;
    let key: Vec<&str> = columns.iter().take(levels).map(|column| column.name.as_str()).collect();
    Ok(json!({ "fields": fields, "primaryKey": key, "pandas_version": "1.4.0" }).to_string())
}

fn field(column: &JsonColumn, is_label: bool, style: TextStyle) -> Result<Value> {
    let mut out = Map::new();
    out.insert("name".into(), json!(column.name));
    let data_type = column.field.data_type();
    let tag = meta_of_field(&column.field)?
        .tag
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or(Value::Null);
    out.insert("type".into(), json!(name(data_type, kind(&tag))));
    if let (DataType::Timestamp(_, Some(zone)), false) = (data_type, kind(&tag) == ARROW) {
        // pandas does not know a time zone that is only an offset.
        let offset = if zone.starts_with(['+', '-']) { "UTC" } else { "" };
        out.insert("tz".into(), json!(format!("{offset}{zone}")));
    } else if let DataType::Dictionary(..) = data_type {
        out.insert(
            "constraints".into(),
            json!({ "enum": categories(column, style).map_err(|e| e.in_member(column.name.as_str()))? }),
        );
        out.insert("ordered".into(), json!(column.field.dict_is_ordered() == Some(true)));
    } else if let Some(dtype) = ext_dtype(column, &tag) {
        out.insert("extDtype".into(), json!(dtype));
    } else if is_label && name(data_type, kind(&tag)) == "string" && tag.is_null() {
        // Text labels have no tag and become pandas' default for text.
        out.insert("extDtype".into(), json!("str"));
    }
    Ok(Value::Object(out))
}

/// The tag of columns of pandas' `ArrowDtype`.
const ARROW: &str = "arrow";

fn kind(tag: &Value) -> &str {
    tag.get("kind").and_then(Value::as_str).unwrap_or("")
}

fn name(data_type: &DataType, kind: &str) -> &'static str {
    match data_type {
        t if t.is_integer() => "integer",
        t if t.is_floating() => "number",
        // Objects, because a null is no boolean.
        DataType::Boolean if kind == "object" => "any",
        DataType::Boolean => "boolean",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "string",
        // pandas identifies these dtypes by name only.
        _ if kind == ARROW => "any",
        DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 => "datetime",
        DataType::Duration(_) => "duration",
        _ => "any",
    }
}

/// Returns the dtype of the field in pandas if `type` does not determine it: pandas' own names, and NumPy's for numbers of
/// other than 64 bits, which pandas would widen or overflow.
fn ext_dtype(column: &JsonColumn, tag: &Value) -> Option<String> {
    let data_type = column.field.data_type();
    let has_nulls = column.data.null_count() > 0;
    match kind(tag) {
        "string" => {
            Some(if tag.get("na").and_then(Value::as_str) == Some("NA") { "string" } else { "str" }.into())
        }
        "masked" => nullable_dtype_name(data_type),
        ARROW => {
            // pandas cannot read types with parameters back from a name.
            let is_known = !data_type.is_nested()
                && !matches!(data_type, DataType::Decimal128(..) | DataType::Decimal256(..));
            let named = tag.get("type").and_then(Value::as_str).filter(|_| is_known);
            named.map(|name| format!("{name}[pyarrow]"))
        }
        "object" => None,
        _ if data_type.is_floating() && column.is_numpy() => numpy_dtype_name(data_type),
        _ if has_nulls => nullable_dtype_name(data_type),
        _ => numpy_dtype_name(data_type),
    }
}

/// Returns pandas' nullable dtype of a type.
fn nullable_dtype_name(data_type: &DataType) -> Option<String> {
    Some(match data_type {
        DataType::Boolean => "boolean".into(),
        DataType::Float32 | DataType::Float64 => format!("{data_type}"),
        t if t.is_integer() => format!("{data_type}"),
        _ => return None,
    })
}

/// Returns NumPy's dtype of a type, unless pandas derives it from `type`.
fn numpy_dtype_name(data_type: &DataType) -> Option<String> {
    let is_number = data_type.is_integer() || data_type.is_floating();
    let is_default = matches!(data_type, DataType::Int64 | DataType::Float64);
    (is_number && !is_default).then(|| format!("{data_type}").to_lowercase())
}

fn categories(column: &JsonColumn, style: TextStyle) -> Result<Vec<Value>> {
    let Some(values) = column.data.child_data().first() else { return Ok(Vec::new()) };
    let field = arrow_schema::Field::new("categories", values.data_type().clone(), true);
    let writer = crate::cells::text::writer(&field, None, values, style)?;
    let mut out = Vec::with_capacity(values.len());
    for row in 0..values.len() {
        let mut text = Vec::new();
        writer.write(row, &mut text)?;
        // NaN literals are not JSON; such a category is null in the description.
        out.push(serde_json::from_slice(&text).unwrap_or(Value::Null));
    }
    Ok(out)
}
