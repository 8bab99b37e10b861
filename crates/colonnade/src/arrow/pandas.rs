//! The standard `pandas` metadata of a schema, so that pandas, pyarrow and their friends see the frame that was meant.
//!
//! Format: pandas' developer guide, "Storing pandas DataFrame objects in Apache Parquet format". Written by hand rather than
//! through a JSON tree: ten thousand columns are a few milliseconds otherwise.

use std::borrow::Cow;

use arrow_schema::{DataType, Field, TimeUnit};
use serde_json::{Map, Value, json};

use crate::frame::{Axis, Column, DType, Kind, Labels, Level, unit_name};

use super::names;

/// The key.
pub const KEY: &str = "pandas";

/// What the entry of a column says besides its field.
#[derive(Debug, Default)]
pub struct Entry<'a> {
    /// Its label as text; `None` where it has none.
    pub name: Option<&'a str>,
    /// A column in Arrow's layout.
    pub column: Option<&'a Column>,
    /// The adapter's tag, or the meta of a level, which has the same kinds.
    pub tag: Option<&'a Value>,
}

/// Writes the metadata, entry by entry; how the rows are labelled comes last, when their number is known.
#[derive(Debug)]
pub struct Writer {
    out: String,
}

/// All of the metadata but the row labels' part.
#[derive(Debug, Clone)]
pub struct Written(String);

impl Written {
    /// The metadata of rows whose labels stand in `fields`.
    #[must_use]
    pub fn with_levels(&self, fields: &[&str]) -> String {
        let mut out = String::with_capacity(self.0.len() + 64);
        out.push_str("{\"index_columns\": [");
        for (i, name) in fields.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            text(&mut out, name);
        }
        out + &self.0
    }

    /// The metadata of rows labelled by a range.
    #[must_use]
    pub fn with_range(&self, (start, stop, step): (i64, i64, i64), name: Option<&str>) -> String {
        let mut out = String::with_capacity(self.0.len() + 128);
        out.push_str("{\"index_columns\": [{\"kind\": \"range\", \"name\": ");
        optional(&mut out, name);
        out.push_str(&format!(", \"start\": {start}, \"stop\": {stop}, \"step\": {step}}}"));
        out + &self.0
    }
}

fn text(out: &mut String, value: &str) {
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

fn optional(out: &mut String, value: Option<&str>) {
    match value {
        Some(value) => text(out, value),
        None => out.push_str("null"),
    }
}

impl Writer {
    /// Begins, with the labels of the columns.
    #[must_use]
    pub fn new(columns: &Axis) -> Self {
        let mut out = String::with_capacity(256 + 128 * columns.len());
        out.push_str("], \"column_indexes\": ");
        out.push_str(&column_indexes(columns).to_string());
        out.push_str(", \"columns\": [");
        Self { out }
    }

    /// The next field.
    pub fn entry(&mut self, field: &Field, dtype: Option<DType>, entry: &Entry<'_>) {
        let out = &mut self.out;
        if !out.ends_with('[') {
            out.push_str(", ");
        }
        out.push_str("{\"name\": ");
        optional(out, entry.name);
        out.push_str(", \"field_name\": ");
        text(out, field.name());
        let (pandas_type, numpy_type, metadata) = types(field, dtype, entry);
        out.push_str(", \"pandas_type\": ");
        text(out, &pandas_type);
        out.push_str(", \"numpy_type\": ");
        text(out, &numpy_type);
        out.push_str(", \"metadata\": ");
        match metadata {
            Some(value) => out.push_str(&value.to_string()),
            None => out.push_str("null"),
        }
        out.push('}');
    }

    /// Ends: the frame's attributes where plain JSON holds them, and who wrote this.
    #[must_use]
    pub fn finish(self, attrs: Option<&str>) -> Written {
        let attrs = attrs.and_then(|text| serde_json::from_str::<Value>(text).ok());
        let attrs = attrs.filter(|v| v.is_object() && is_plain(v)).unwrap_or_else(|| json!({}));
        let mut out = self.out;
        // Not the package's: the bytes of a file must not change with a release.
        let version = super::meta::VERSION;
        out.push_str(&format!(
            "], \"attributes\": {attrs}, \"creator\": {{\"library\": \"colonnade\", \"version\": \"{version}\"}}, \
             \"pandas_version\": \"2.2.0\"}}"
        ));
        Written(out)
    }
}

/// Whether JSON of ours means what it says: no tags.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().all(is_plain),
        Value::Object(map) => map.iter().all(|(key, v)| !key.starts_with('$') && is_plain(v)),
        _ => true,
    }
}

type Types = (Cow<'static, str>, Cow<'static, str>, Option<Value>);

/// `pandas_type`, `numpy_type` and `metadata` of a field.
fn types(field: &Field, dtype: Option<DType>, entry: &Entry<'_>) -> Types {
    let data_type = field.data_type();
    let logical = logical(data_type);
    let plain = |numpy: Cow<'static, str>| (logical.clone(), numpy, None);
    let get = |key: &str| entry.tag.and_then(|t| t.get(key)).and_then(Value::as_str);
    match (get("kind"), data_type) {
        // The name that Arrow's readers know: the adapters' own says the class of the zone too, and stands in the tag.
        (kind, DataType::Timestamp(unit, Some(zone))) => {
            let unit = unit_name(unit);
            let numpy = match kind {
                Some("arrow") => format!("timestamp[{unit}, tz={zone}][pyarrow]"),
                _ => format!("datetime64[{unit}]"),
            };
            (logical, numpy.into(), Some(json!({ "timezone": &**zone })))
        }
        (_, DataType::Dictionary(codes, _)) => {
            let count = entry.column.and_then(|c| c.data.child_data().first()).map_or(0, |c| c.len());
            let ordered = field.dict_is_ordered().unwrap_or(false);
            let metadata = json!({"num_categories": count, "ordered": ordered});
            (logical, numpy_name(codes, None), Some(metadata))
        }
        (Some("masked"), _) => plain(masked(data_type).into()),
        (Some("string_dtype"), _) => plain("str".into()),
        (Some("string"), _) if get("na") == Some("NA") => plain("string".into()),
        (Some("string"), _) => plain("str".into()),
        (Some("period"), _) => plain(format!("period[{}]", get("freq").unwrap_or("D")).into()),
        (Some("interval"), DataType::Struct(sides)) => {
            let side = match sides.first().map(|f| f.data_type()) {
                Some(DataType::Timestamp(unit, Some(zone))) => {
                    format!("datetime64[{}, {zone}]", unit_name(unit)).into()
                }
                Some(other) => numpy_name(other, None),
                None => "int64".into(),
            };
            plain(format!("interval[{side}, {}]", get("closed").unwrap_or("right")).into())
        }
        (Some("arrow"), _) => match get("type").filter(|t| !t.contains(['<', '(', ' '])) {
            Some(name) => plain(format!("{name}[pyarrow]").into()),
            None => plain("object".into()),
        },
        (Some("object" | "object_nulls" | "labels"), _) => plain("object".into()),
        (_, DataType::Decimal32(p, s) | DataType::Decimal64(p, s))
        | (_, DataType::Decimal128(p, s) | DataType::Decimal256(p, s)) => {
            (logical, "object".into(), Some(json!({"precision": p, "scale": s})))
        }
        _ => plain(numpy_name(data_type, dtype)),
    }
}

/// pandas' word for an Arrow type, as pyarrow writes it.
fn logical(data_type: &DataType) -> Cow<'static, str> {
    match data_type {
        DataType::Null => "empty",
        DataType::Boolean => "bool",
        DataType::Float16 => "float16",
        DataType::Float32 => "float32",
        DataType::Float64 => "float64",
        DataType::Date32 | DataType::Date64 => "date",
        DataType::Time32(_) | DataType::Time64(_) => "time",
        DataType::Binary | DataType::FixedSizeBinary(_) => "bytes",
        DataType::Utf8 => "unicode",
        DataType::Timestamp(_, None) => "datetime",
        DataType::Timestamp(_, Some(_)) => "datetimetz",
        DataType::Dictionary(..) => "categorical",
        DataType::List(item) => return format!("list[{}]", logical(item.data_type())).into(),
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => "decimal",
        other => integer(other).unwrap_or("object"),
    }
    .into()
}

/// NumPy's and pandas' name of an integer type.
fn integer(data_type: &DataType) -> Option<&'static str> {
    Some(match data_type {
        DataType::Int8 => "int8",
        DataType::Int16 => "int16",
        DataType::Int32 => "int32",
        DataType::Int64 => "int64",
        DataType::UInt8 => "uint8",
        DataType::UInt16 => "uint16",
        DataType::UInt32 => "uint32",
        DataType::UInt64 => "uint64",
        _ => return None,
    })
}

/// NumPy's name of the array that pandas has for a type.
fn numpy_name(data_type: &DataType, dtype: Option<DType>) -> Cow<'static, str> {
    if dtype.is_some_and(|d| d.kind == Kind::DateTime && d.unit.is_some_and(|u| u.base.symbol() == "D")) {
        return "datetime64[s]".into();
    }
    match data_type {
        DataType::Boolean => "bool".into(),
        DataType::Float16 => "float16".into(),
        DataType::Float32 => "float32".into(),
        DataType::Float64 => "float64".into(),
        DataType::Timestamp(unit, _) => format!("datetime64[{}]", unit_name(unit)).into(),
        DataType::Duration(unit) => format!("timedelta64[{}]", unit_name(unit)).into(),
        other => integer(other).unwrap_or("object").into(),
    }
}

/// pandas' nullable dtype over a type.
fn masked(data_type: &DataType) -> String {
    match data_type {
        DataType::Boolean => "boolean".into(),
        // Int64, UInt8: the words are Arrow's own; floats' too.
        other => other.to_string(),
    }
}

/// Arrow's spelling of a zone that the adapters wrote (`pytz:Europe/Berlin`, `pytz:+01:00`, `+01:00 ...`).
pub(super) fn arrow_zone(zone: &str) -> &str {
    let zone = ["zoneinfo:", "pytz:", "dateutil:"].iter().find_map(|p| zone.strip_prefix(p)).unwrap_or(zone);
    if zone.starts_with(['+', '-']) { zone.split(' ').next().unwrap_or(zone) } else { zone }
}

/// Names of levels, from the axis' name in tagged JSON: text as it is, all else as `str` spells it.
pub(super) fn level_names(axis: &Axis) -> Vec<Option<String>> {
    own_names(axis).iter().map(|name| names::untagged(Some(name.to_string()))).collect()
}

/// The same as they are, in tagged JSON.
fn own_names(axis: &Axis) -> Vec<Value> {
    let depth = axis.depth();
    let name: Value = serde_json::from_str(&axis.name).unwrap_or_default();
    let parts = name.get("$tuple").or(Some(&name)).and_then(Value::as_array).filter(|p| p.len() == depth);
    match parts {
        Some(parts) if depth > 1 => parts.clone(),
        _ => std::iter::once(name).chain(std::iter::repeat(Value::Null)).take(depth).collect(),
    }
}

/// What the axis' meta says of each level, where pandas' adapter wrote it.
pub(super) fn level_metas(axis: &Axis) -> Vec<Option<Value>> {
    let meta: Option<Value> = axis.meta.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let list = meta.as_ref().and_then(|m| m.get("pandas")).and_then(Value::as_array);
    let entry = |i: usize| list.and_then(|l| l.get(i)).filter(|v| v.is_object()).cloned();
    (0..axis.depth()).map(entry).collect()
}

/// One entry a level of column labels: what the labels' text is to be turned into.
fn column_indexes(columns: &Axis) -> Value {
    // pandas takes numbers back as numbers here; the names of levels of rows are text.
    let name =
        |name: Value| if name.is_number() { name } else { json!(names::untagged(Some(name.to_string()))) };
    let names: Vec<Value> = own_names(columns).into_iter().map(name).collect();
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
                (Kind::Int | Kind::UInt, _) | (Kind::Float, _) if dtype.itemsize <= 8 => {
                    let letter = match dtype.kind {
                        Kind::Int => "int",
                        Kind::UInt => "uint",
                        _ => "float",
                    };
                    both(format!("{letter}{}", dtype.itemsize * 8))
                }
                (Kind::DateTime, Some(unit))
                    if unit.multiple == 1 && matches!(unit.base.symbol(), "s" | "ms" | "us" | "ns") =>
                {
                    times(unit.base.symbol(), zone)
                }
                (Kind::Bytes, _) => ("bytes".into(), "object".into(), Value::Null),
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

/// The extension that pandas itself writes for a tagged column: name and metadata.
pub(super) fn extension(data_type: &DataType, tag: &Value) -> Option<(&'static str, String)> {
    let get = |key: &str| tag.get(key).and_then(Value::as_str);
    match (get("kind")?, data_type) {
        ("period", DataType::Int64) => Some(("pandas.period", json!({"freq": get("freq")?}).to_string())),
        ("interval", DataType::Struct(sides)) => {
            let subtype = alias(sides.first()?.data_type())?;
            Some(("pandas.interval", json!({"subtype": subtype, "closed": get("closed")?}).to_string()))
        }
        _ => None,
    }
}

/// pyarrow's alias of a type; `None` for types that `pyarrow.type_for_alias` does not know.
fn alias(data_type: &DataType) -> Option<String> {
    Some(match data_type {
        DataType::Float32 => "float".into(),
        DataType::Float64 => "double".into(),
        DataType::Timestamp(unit, None) => format!("timestamp[{}]", unit_text(unit)),
        DataType::Duration(unit) => format!("duration[{}]", unit_text(unit)),
        other if other.is_integer() => other.to_string().to_lowercase(),
        _ => return None,
    })
}

fn unit_text(unit: &TimeUnit) -> &'static str {
    unit_name(unit)
}
