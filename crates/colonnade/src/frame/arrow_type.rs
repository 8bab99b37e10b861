//! Arrow types as JSON in `__colonnade__`.
//!
//! A type without parameters is a string (`"large_utf8"`). Other types are arrays that start with their name:
//! `["timestamp", "ns", "Europe/Berlin"]`, `["dictionary", "int8", "large_utf8"]`, `["struct", ["left", "int64"], ...]`.
//! A field is `[name, type]`, or `[name, type, {...}]` if it is not nullable (`"nullable": false`), is an ordered dictionary
//! (`"ordered": true`), has metadata (`"metadata": [[key, value], ...]`), or belongs to a union (`"type_id": 5`). JSON readers
//! limit nesting, and one level of types takes two levels of JSON: hence `MAX_DEPTH`.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, IntervalUnit, Metadata, TimeUnit, UnionFields, UnionMode};
use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::frame::{MAX_DEPTH, too_deep};

const PARAMETERLESS: [(&str, DataType); 24] = [
    ("null", DataType::Null),
    ("bool", DataType::Boolean),
    ("int8", DataType::Int8),
    ("int16", DataType::Int16),
    ("int32", DataType::Int32),
    ("int64", DataType::Int64),
    ("uint8", DataType::UInt8),
    ("uint16", DataType::UInt16),
    ("uint32", DataType::UInt32),
    ("uint64", DataType::UInt64),
    ("float16", DataType::Float16),
    ("float32", DataType::Float32),
    ("float64", DataType::Float64),
    ("date32", DataType::Date32),
    ("date64", DataType::Date64),
    ("utf8", DataType::Utf8),
    ("large_utf8", DataType::LargeUtf8),
    ("binary", DataType::Binary),
    ("large_binary", DataType::LargeBinary),
    ("utf8_view", DataType::Utf8View),
    ("binary_view", DataType::BinaryView),
    ("month_interval", DataType::Interval(IntervalUnit::YearMonth)),
    ("day_time_interval", DataType::Interval(IntervalUnit::DayTime)),
    ("month_day_nano_interval", DataType::Interval(IntervalUnit::MonthDayNano)),
];

fn unit_text(unit: TimeUnit) -> &'static str {
    crate::frame::unit_name(&unit)
}

fn parse_unit(text: &str) -> Option<TimeUnit> {
    [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond]
        .into_iter()
        .find(|u| unit_text(*u) == text)
}

/// The JSON of a type.
///
/// # Errors
/// `Unrepresentable` for types that nest too deep.
pub(crate) fn to_json(data_type: &DataType) -> Result<Value> {
    json_of(data_type, 0)
}

fn json_of(data_type: &DataType, depth: usize) -> Result<Value> {
    // Dictionaries' values count as a level, because they nest in the JSON.
    if depth > MAX_DEPTH {
        return Err(too_deep("npz"));
    }
    if let Some((name, _)) = PARAMETERLESS.iter().find(|(_, t)| t == data_type) {
        return Ok(json!(name));
    }
    let field = |field: &Field| field_json(field, None, depth + 1);
    let fields = |name: &str, fields: &[FieldRef]| -> Result<Value> {
        let inner = fields.iter().map(|f| field(f));
        Ok(Value::Array(std::iter::once(Ok(json!(name))).chain(inner).collect::<Result<_>>()?))
    };
    Ok(match data_type {
        DataType::FixedSizeBinary(n) => json!(["fixed_size_binary", n]),
        DataType::Time32(u) => json!(["time32", unit_text(*u)]),
        DataType::Time64(u) => json!(["time64", unit_text(*u)]),
        DataType::Duration(u) => json!(["duration", unit_text(*u)]),
        DataType::Timestamp(u, None) => json!(["timestamp", unit_text(*u)]),
        DataType::Timestamp(u, Some(zone)) => json!(["timestamp", unit_text(*u), zone.as_ref()]),
        DataType::Decimal32(p, s) => json!(["decimal32", p, s]),
        DataType::Decimal64(p, s) => json!(["decimal64", p, s]),
        DataType::Decimal128(p, s) => json!(["decimal128", p, s]),
        DataType::Decimal256(p, s) => json!(["decimal256", p, s]),
        DataType::Dictionary(codes, values) => {
            json!(["dictionary", json_of(codes, depth + 1)?, json_of(values, depth + 1)?])
        }
        DataType::Struct(children) => fields("struct", children)?,
        DataType::List(item) => json!(["list", field(item)?]),
        DataType::LargeList(item) => json!(["large_list", field(item)?]),
        DataType::ListView(item) => json!(["list_view", field(item)?]),
        DataType::LargeListView(item) => json!(["large_list_view", field(item)?]),
        DataType::FixedSizeList(item, n) => json!(["fixed_size_list", field(item)?, n]),
        DataType::Map(entries, sorted) => json!(["map", field(&required_entries(entries))?, sorted]),
        DataType::RunEndEncoded(ends, values) => {
            json!(["run_end_encoded", field(&ends.as_ref().clone().with_nullable(false))?, field(values)?])
        }
        DataType::Union(children, mode) => {
            let name = if *mode == UnionMode::Dense { "dense_union" } else { "sparse_union" };
            let inner = children.iter().map(|(id, f)| field_json(f, Some(id), depth + 1));
            Value::Array(std::iter::once(Ok(json!(name))).chain(inner).collect::<Result<_>>()?)
        }
        other => {
            let message = format!("Arrow type {other} is unknown. Convert the column, or leave it out.");
            return Err(Error::unrepresentable("npz", message));
        }
    })
}

/// A map's entries as Arrow requires them: entries and keys are not nullable, even if a producer declares them so.
fn required_entries(entries: &Field) -> Field {
    let DataType::Struct(pair) = entries.data_type() else { return entries.clone().with_nullable(false) };
    let strict = |(i, f): (usize, &FieldRef)| {
        if i == 0 { f.as_ref().clone().with_nullable(false) } else { f.as_ref().clone() }
    };
    let pair: Vec<Field> = pair.iter().enumerate().map(strict).collect();
    entries.clone().with_data_type(DataType::Struct(pair.into())).with_nullable(false)
}

fn field_json(field: &Field, type_id: Option<i8>, depth: usize) -> Result<Value> {
    let mut out = vec![json!(field.name()), json_of(field.data_type(), depth)?];
    let mut options = Map::new();
    if let Some(id) = type_id {
        options.insert("type_id".into(), json!(id));
    }
    if !field.is_nullable() {
        options.insert("nullable".into(), json!(false));
    }
    if field.dict_is_ordered() == Some(true) {
        options.insert("ordered".into(), json!(true));
    }
    if !field.metadata().is_empty() {
        let mut pairs: Vec<_> = field.metadata().iter().collect();
        pairs.sort_unstable();
        options.insert("metadata".into(), json!(pairs));
    }
    if !options.is_empty() {
        out.push(Value::Object(options));
    }
    Ok(Value::Array(out))
}

/// Parses a type.
///
/// # Errors
/// Malformed: the JSON is no type, or nests too deep.
pub(crate) fn from_json(value: &Value) -> Result<DataType> {
    parse(value, 0).ok_or_else(|| {
        Error::malformed("npz", format!("expected an Arrow type, found {value} in __colonnade__."))
    })
}

fn parse(value: &Value, depth: usize) -> Option<DataType> {
    if depth > MAX_DEPTH {
        return None;
    }
    if let Some(name) = value.as_str() {
        return PARAMETERLESS.iter().find(|(n, _)| *n == name).map(|(_, t)| t.clone());
    }
    let parts = value.as_array()?;
    let field = |i: usize| Some(parse_field(parts.get(i)?, depth + 1)?.0);
    let fields = || {
        parts
            .iter()
            .skip(1)
            .map(|f| parse_field(f, depth + 1))
            .collect::<Option<Vec<(FieldRef, Option<i8>)>>>()
    };
    let unit = || parse_unit(parts.get(1)?.as_str()?);
    let decimal = |max: u8| {
        let precision = u8::try_from(parts.get(1)?.as_u64()?).ok()?;
        let scale = i8::try_from(parts.get(2)?.as_i64()?).ok()?;
        (1..=max).contains(&precision).then_some((precision, scale))
    };
    Some(match parts.first()?.as_str()? {
        "fixed_size_binary" => DataType::FixedSizeBinary(i32::try_from(parts.get(1)?.as_u64()?).ok()?),
        "time32" => match unit()? {
            u @ (TimeUnit::Second | TimeUnit::Millisecond) => DataType::Time32(u),
            _ => return None,
        },
        "time64" => match unit()? {
            u @ (TimeUnit::Microsecond | TimeUnit::Nanosecond) => DataType::Time64(u),
            _ => return None,
        },
        "duration" => DataType::Duration(unit()?),
        "timestamp" => {
            let zone = match parts.get(2) {
                None => None,
                Some(zone) => Some(Arc::from(zone.as_str()?)),
            };
            DataType::Timestamp(unit()?, zone)
        }
        "decimal32" => decimal(9).map(|(p, s)| DataType::Decimal32(p, s))?,
        "decimal64" => decimal(18).map(|(p, s)| DataType::Decimal64(p, s))?,
        "decimal128" => decimal(38).map(|(p, s)| DataType::Decimal128(p, s))?,
        "decimal256" => decimal(76).map(|(p, s)| DataType::Decimal256(p, s))?,
        "dictionary" => {
            let codes = parse(parts.get(1)?, depth + 1)?;
            let values = parse(parts.get(2)?, depth + 1)?;
            codes.is_dictionary_key_type().then(|| DataType::Dictionary(Box::new(codes), Box::new(values)))?
        }
        "struct" => DataType::Struct(fields()?.into_iter().map(|(f, _)| f).collect::<Vec<_>>().into()),
        "list" => DataType::List(field(1)?),
        "large_list" => DataType::LargeList(field(1)?),
        "list_view" => DataType::ListView(field(1)?),
        "large_list_view" => DataType::LargeListView(field(1)?),
        "fixed_size_list" => DataType::FixedSizeList(field(1)?, i32::try_from(parts.get(2)?.as_u64()?).ok()?),
        "map" => {
            let entries = field(1)?;
            let DataType::Struct(pair) = entries.data_type() else { return None };
            let [key, _] = pair.as_ref() else { return None };
            (!entries.is_nullable() && !key.is_nullable()).then_some(())?;
            DataType::Map(entries, parts.get(2)?.as_bool()?)
        }
        "run_end_encoded" => {
            let ends = field(1)?;
            (ends.data_type().is_run_ends_type() && !ends.is_nullable()).then_some(())?;
            DataType::RunEndEncoded(ends, field(2)?)
        }
        name @ ("dense_union" | "sparse_union") => {
            let (fields, ids): (Vec<_>, Vec<_>) = fields()?.into_iter().unzip();
            let ids = ids.into_iter().collect::<Option<Vec<i8>>>()?;
            let mode = if name == "dense_union" { UnionMode::Dense } else { UnionMode::Sparse };
            DataType::Union(UnionFields::try_new(ids, fields).ok()?, mode)
        }
        _ => return None,
    })
}

/// Parses a field, and its type id if it belongs to a union.
fn parse_field(value: &Value, depth: usize) -> Option<(FieldRef, Option<i8>)> {
    let parts = value.as_array()?;
    let field = Field::new(parts.first()?.as_str()?, parse(parts.get(1)?, depth)?, true);
    let Some(options) = parts.get(2) else { return Some((Arc::new(field), None)) };
    let options = options.as_object()?;
    let flag = |key: &str, absent: bool| options.get(key).map_or(Some(absent), Value::as_bool);
    let type_id = match options.get("type_id") {
        None => None,
        Some(id) => Some(i8::try_from(id.as_i64()?).ok()?),
    };
    let metadata = match options.get("metadata") {
        None => Vec::new(),
        Some(pairs) => {
            let pair = |pair: &Value| match pair.as_array()?.as_slice() {
                [key, value] => Some((key.as_str()?.to_owned(), value.as_str()?.to_owned())),
                _ => None,
            };
            pairs.as_array()?.iter().map(pair).collect::<Option<Vec<_>>>()?
        }
    };
    let field = field
        .with_nullable(flag("nullable", true)?)
        .with_metadata(metadata.into_iter().collect::<Metadata>());
    Some((Arc::new(field.with_dict_is_ordered(flag("ordered", false)?)), type_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_round_trip() {
        let zone = Some(Arc::from("Europe/Berlin"));
        let interval = DataType::Struct(
            vec![Field::new("left", DataType::Float64, true), Field::new("right", DataType::Float64, true)]
                .into(),
        );
        let mut types: Vec<DataType> = PARAMETERLESS.iter().map(|(_, t)| t.clone()).collect();
        types.extend([
            DataType::Timestamp(TimeUnit::Nanosecond, zone),
            DataType::Timestamp(TimeUnit::Second, None),
            DataType::Time32(TimeUnit::Second),
            DataType::Decimal256(70, -3),
            DataType::FixedSizeBinary(16),
            DataType::Dictionary(Box::new(DataType::Int16), Box::new(interval.clone())),
            interval,
        ]);
        for data_type in types {
            assert_eq!(from_json(&to_json(&data_type).unwrap()).unwrap(), data_type);
        }
    }

    #[test]
    fn map_keys_are_never_nullable() {
        let map = |nullable: bool| {
            let pair = vec![Field::new("k", DataType::Utf8, nullable), Field::new("v", DataType::Int8, true)];
            DataType::Map(Arc::new(Field::new("entries", DataType::Struct(pair.into()), nullable)), false)
        };
        assert_eq!(from_json(&to_json(&map(true)).unwrap()).unwrap(), map(false));
    }

    #[test]
    fn invalid_types_are_refused() {
        for bad in [json!("int7"), json!([]), json!(["time32", "ns"]), json!(["decimal128", 99, 0]), json!(7)]
        {
            assert!(from_json(&bad).is_err(), "{bad}");
        }
        let deep = (0..100).fold(json!("int8"), |inner, _| json!(["struct", ["x", inner]]));
        assert!(from_json(&deep).is_err());
    }
}
