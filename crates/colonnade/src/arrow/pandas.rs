//! Writes the standard `pandas` metadata of a schema, from which pandas, pyarrow and other libraries restore the frame.
//!
//! Format: pandas' developer guide, "Storing pandas DataFrame objects in Apache Parquet format". Written as text rather
//! than through a JSON tree, which would take a few milliseconds for ten thousand columns.

use arrow_schema::{DataType, Field};
use serde_json::{Map, Value, json};

use crate::frame::{Axis, Column, DType, DTypeKind, Labels, Level, unit_name};

use super::names;

mod types;

pub(super) use types::extension;
use types::{field_types, numpy_name};

/// The metadata key.
pub const KEY: &str = "pandas";

/// The part of a column's entry that its field does not determine.
#[derive(Debug, Default)]
pub struct PandasColumn<'a> {
    /// Its label as text; `None` for a missing label.
    pub name: Option<&'a str>,
    /// A column in Arrow's layout.
    pub column: Option<&'a Column>,
    /// The adapter's tag, or the meta of a level, which has the same form.
    pub tag: Option<&'a Value>,
}

/// Writes the metadata entry by entry. The row labels are added last, when the number of rows is known.
#[derive(Debug)]
pub struct PandasMetadataWriter {
    out: String,
}

/// The metadata without the part of the row labels.
#[derive(Debug, Clone)]
pub struct PandasMetadata(String);

impl PandasMetadata {
    /// The metadata of rows whose labels are in `fields`.
    #[must_use]
    pub fn with_levels(&self, fields: &[&str]) -> String {
        let mut out = String::with_capacity(self.0.len() + 64);
        out.push_str("{\"index_columns\": [");
        for (i, name) in fields.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            push_string(&mut out, name);
        }
        out + &self.0
    }

    /// The metadata of rows whose labels are a range.
    #[must_use]
    pub fn with_range(&self, (start, stop, step): (i64, i64, i64), name: Option<&str>) -> String {
        let mut out = String::with_capacity(self.0.len() + 128);
        out.push_str("{\"index_columns\": [{\"kind\": \"range\", \"name\": ");
        push_optional(&mut out, name);
        out.push_str(&format!(", \"start\": {start}, \"stop\": {stop}, \"step\": {step}}}"));
        out + &self.0
    }
}

fn push_string(out: &mut String, value: &str) {
    out.push('"');
    let plain = |b: u8| b >= b' ' && b != b'"' && b != b'\\';
    if value.bytes().all(plain) {
        out.push_str(value);
    } else {
        for c in value.chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
                c => out.push(c),
            }
        }
    }
    out.push('"');
}

fn push_optional(out: &mut String, value: Option<&str>) {
    match value {
        Some(value) => push_string(out, value),
        None => out.push_str("null"),
    }
}

impl PandasMetadataWriter {
    /// Begins the metadata with the labels of the columns.
    #[must_use]
    pub fn new(columns: &Axis) -> Self {
        let mut out = String::with_capacity(256 + 128 * columns.len());
        out.push_str("], \"column_indexes\": ");
        out.push_str(&column_indexes(columns).to_string());
        out.push_str(", \"columns\": [");
        Self { out }
    }

    /// Adds the next field.
    pub fn entry(&mut self, field: &Field, dtype: Option<DType>, entry: &PandasColumn<'_>) {
        let out = &mut self.out;
        if !out.ends_with('[') {
            out.push_str(", ");
        }
        out.push_str("{\"name\": ");
        push_optional(out, entry.name);
        out.push_str(", \"field_name\": ");
        push_string(out, field.name());
        let (pandas_type, numpy_type, metadata) = field_types(field, dtype, entry);
        out.push_str(", \"pandas_type\": ");
        push_string(out, &pandas_type);
        out.push_str(", \"numpy_type\": ");
        push_string(out, &numpy_type);
        out.push_str(", \"metadata\": ");
        match metadata {
            Some(value) => out.push_str(&value.to_string()),
            None => out.push_str("null"),
        }
        out.push('}');
    }

    /// Ends the metadata with the frame's attributes, if plain JSON can hold them, and the creator.
    #[must_use]
    pub fn finish(self, attrs: Option<&str>) -> PandasMetadata {
        let attrs = attrs.and_then(|text| serde_json::from_str::<Value>(text).ok());
        let attrs = attrs.filter(|v| v.is_object() && is_plain(v)).unwrap_or_else(|| json!({}));
        let mut out = self.out;
        // Not the package's version: the bytes of a file must not change with a release.
        let version = super::meta::VERSION;
        out.push_str(&format!(
            "], \"attributes\": {attrs}, \"creator\": {{\"library\": \"colonnade\", \"version\": \"{version}\"}}, \
             \"pandas_version\": \"2.2.0\"}}"
        ));
        PandasMetadata(out)
    }
}

/// Whether tagged JSON has no tags, so that it is also plain JSON.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().all(is_plain),
        Value::Object(map) => map.iter().all(|(key, v)| !key.starts_with('$') && is_plain(v)),
        _ => true,
    }
}

/// Converts a zone of the adapters (`pytz:Europe/Berlin`, `pytz:+01:00`, `+01:00 ...`) to Arrow's spelling.
pub(super) fn arrow_zone(zone: &str) -> &str {
    let zone = ["zoneinfo:", "pytz:", "dateutil:"].iter().find_map(|p| zone.strip_prefix(p)).unwrap_or(zone);
    if zone.starts_with(['+', '-']) { zone.split(' ').next().unwrap_or(zone) } else { zone }
}

/// Returns the names of levels from the axis' name in tagged JSON: text unchanged, other values as `str` prints them.
pub(super) fn level_names(axis: &Axis) -> Vec<Option<String>> {
    tagged_level_names(axis).iter().map(|name| names::untagged(Some(name.to_string()))).collect()
}

/// Returns the names of levels in tagged JSON.
fn tagged_level_names(axis: &Axis) -> Vec<Value> {
    let depth = axis.depth();
    let name: Value = serde_json::from_str(&axis.name).unwrap_or_default();
    let parts = name.get("$tuple").or(Some(&name)).and_then(Value::as_array).filter(|p| p.len() == depth);
    match parts {
        Some(parts) if depth > 1 => parts.clone(),
        _ => std::iter::once(name).chain(std::iter::repeat(Value::Null)).take(depth).collect(),
    }
}

/// Returns the part of each level in the axis' meta, if pandas' adapter wrote it.
pub(super) fn level_metas(axis: &Axis) -> Vec<Option<Value>> {
    let meta: Option<Value> = axis.meta.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let list = meta.as_ref().and_then(|m| m.get("pandas")).and_then(Value::as_array);
    let entry = |i: usize| list.and_then(|l| l.get(i)).filter(|v| v.is_object()).cloned();
    (0..axis.depth()).map(entry).collect()
}

/// Builds one entry for each level of column labels, with the type to which the text of the labels is converted.
fn column_indexes(columns: &Axis) -> Value {
    // pandas restores numbers as numbers here; the names of row label levels are text.
    let name =
        |name: Value| if name.is_number() { name } else { json!(names::untagged(Some(name.to_string()))) };
    let names: Vec<Value> = tagged_level_names(columns).into_iter().map(name).collect();
    let metas = level_metas(columns);
    let levels: Vec<(String, String, Value)> = match &columns.labels {
        Labels::Auto { .. } => vec![("int64".into(), "int64".into(), Value::Null)],
        Labels::Levels(levels) => {
            levels.iter().zip(&metas).map(|(level, meta)| label_types(level, meta.as_ref())).collect()
        }
    };
    let entry = |((pandas_type, numpy_type, metadata), name): (_, &Value)| {
        let mut out = Map::new();
        out.insert("name".into(), name.clone());
        out.insert("field_name".into(), name.clone());
        out.insert("pandas_type".into(), json!(pandas_type as String));
        out.insert("numpy_type".into(), json!(numpy_type as String));
        out.insert("metadata".into(), metadata);
        Value::Object(out)
    };
    Value::Array(levels.into_iter().zip(&names).map(entry).collect())
}

fn label_types(level: &Level, meta: Option<&Value>) -> (String, String, Value) {
    let both = |name: String| (name.clone(), name, Value::Null);
    let unicode = || ("unicode".into(), "object".into(), json!({"encoding": "UTF-8"}));
    let zone = meta.and_then(|m| m.get("tz")).and_then(Value::as_str).map(arrow_zone);
    let times = |unit: &str, zone: Option<&str>| match zone {
        Some(zone) => ("datetimetz".into(), format!("datetime64[{unit}]"), json!({ "timezone": zone })),
        None => both(format!("datetime64[{unit}]")),
    };
    match level {
        Level::Block(block) => {
            let dtype = block.grid.dtype;
            match (dtype.kind, dtype.unit) {
                (DTypeKind::Int | DTypeKind::UInt, _) | (DTypeKind::Float, _) if dtype.itemsize <= 8 => {
                    let letter = match dtype.kind {
                        DTypeKind::Int => "int",
                        DTypeKind::UInt => "uint",
                        _ => "float",
                    };
                    both(format!("{letter}{}", dtype.itemsize * 8))
                }
                (DTypeKind::DateTime, Some(unit))
                    if unit.multiple == 1 && matches!(unit.base.symbol(), "s" | "ms" | "us" | "ns") =>
                {
                    times(unit.base.symbol(), zone)
                }
                (DTypeKind::Bytes, _) => ("bytes".into(), "object".into(), Value::Null),
                _ => unicode(),
            }
        }
        Level::Column(column) => match column.data.data_type() {
            DataType::Timestamp(unit, zone) => times(unit_name(unit), zone.as_deref()),
            DataType::Binary | DataType::LargeBinary => ("bytes".into(), "object".into(), Value::Null),
            other if other.is_integer() && column.data.null_count() == 0 => {
                both(numpy_name(other, None).into_owned())
            }
            _ => unicode(),
        },
    }
}
