//! The description of fields that `orient="table"` begins with: Frictionless' table schema, as pandas writes it.
//!
//! <https://specs.frictionlessdata.io/table-schema/>; pandas' own words are `extDtype`, `ordered`, `tz` and `pandas_version`.

use arrow_schema::DataType;
use serde_json::{Map, Value, json};

use crate::error::Result;
use crate::text::cells::Style;

use super::columns::Column;

/// The description. `levels`: how many of `columns`, at their front, are row labels.
///
/// # Errors
/// `Unrepresentable`: categories that JSON cannot hold.
pub fn schema(columns: &[Column], levels: usize, style: Style) -> Result<String> {
    let fields = columns.iter().map(|column| field(column, style)).collect::<Result<Vec<_>>>()?;
    let key: Vec<&str> = columns.iter().take(levels).map(|column| column.name.as_str()).collect();
    Ok(json!({ "fields": fields, "primaryKey": key, "pandas_version": "1.4.0" }).to_string())
}

fn field(column: &Column, style: Style) -> Result<Value> {
    let mut out = Map::new();
    out.insert("name".into(), json!(column.name));
    let data_type = column.field.data_type();
    out.insert("type".into(), json!(name(data_type)));
    if let DataType::Timestamp(_, Some(zone)) = data_type {
        out.insert("tz".into(), json!(zone.as_ref()));
    }
    if let DataType::Dictionary(..) = data_type {
        out.insert("constraints".into(), json!({ "enum": categories(column, style)? }));
        out.insert("ordered".into(), json!(column.field.dict_is_ordered() == Some(true)));
    }
    Ok(Value::Object(out))
}

fn name(data_type: &DataType) -> &'static str {
    match data_type {
        t if t.is_integer() => "integer",
        t if t.is_floating() => "number",
        DataType::Boolean => "boolean",
        DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 => "datetime",
        DataType::Duration(_) => "duration",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "string",
        _ => "any",
    }
}

fn categories(column: &Column, style: Style) -> Result<Vec<Value>> {
    let Some(values) = column.data.child_data().first() else { return Ok(Vec::new()) };
    let field = arrow_schema::Field::new("categories", values.data_type().clone(), true);
    let writer = crate::text::cells::writer(&field, None, values, style)?;
    let mut out = Vec::with_capacity(values.len());
    for row in 0..values.len() {
        let mut text = Vec::new();
        writer.write(row, &mut text)?;
        // Literals of NaN are no JSON: such a category is null in the description.
        out.push(serde_json::from_slice(&text).unwrap_or(Value::Null));
    }
    Ok(out)
}
