//! The names of types in pandas' metadata.

use std::borrow::Cow;

use arrow_schema::{DataType, Field};
use serde_json::{Value, json};

use crate::frame::{DType, DTypeKind, unit_name};

use super::PandasColumn;

/// `pandas_type`, `numpy_type` and `metadata` of a field.
type Types = (Cow<'static, str>, Cow<'static, str>, Option<Value>);

/// Returns the types of a field.
pub(super) fn field_types(field: &Field, dtype: Option<DType>, entry: &PandasColumn<'_>) -> Types {
    let data_type = field.data_type();
    let logical = logical(data_type);
    let plain = |numpy: Cow<'static, str>| (logical.clone(), numpy, None);
    let get = |key: &str| entry.tag.and_then(|t| t.get(key)).and_then(Value::as_str);
    match (get("kind"), data_type) {
        // The zone name that Arrow's readers know. The adapters' name also contains the class of the zone, and is in the
        // tag.
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

/// Returns pandas' name of an Arrow type, as pyarrow writes it.
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

/// Returns the name of an integer type in NumPy and pandas.
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

/// Returns NumPy's name of the array that pandas uses for a type.
pub(super) fn numpy_name(data_type: &DataType, dtype: Option<DType>) -> Cow<'static, str> {
    if dtype.is_some_and(|d| d.kind == DTypeKind::DateTime && d.unit.is_some_and(|u| u.base.symbol() == "D"))
    {
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

/// Returns pandas' nullable dtype for a type.
fn masked(data_type: &DataType) -> String {
    match data_type {
        DataType::Boolean => "boolean".into(),
        // Int64, UInt8: the names are those of Arrow; so are the names of floats.
        other => other.to_string(),
    }
}

/// Returns name and metadata of the extension type that pandas itself writes for a tagged column.
pub(in crate::arrow) fn extension(data_type: &DataType, tag: &Value) -> Option<(&'static str, String)> {
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

/// Returns pyarrow's alias of a type; `None` for types that `pyarrow.type_for_alias` does not know.
fn alias(data_type: &DataType) -> Option<String> {
    Some(match data_type {
        DataType::Float32 => "float".into(),
        DataType::Float64 => "double".into(),
        DataType::Timestamp(unit, None) => format!("timestamp[{}]", unit_name(unit)),
        DataType::Duration(unit) => format!("duration[{}]", unit_name(unit)),
        other if other.is_integer() => other.to_string().to_lowercase(),
        _ => return None,
    })
}
