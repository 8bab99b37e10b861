//! Arrow types as JSON in `__colonnade__`.
//!
//! A type is a string where it has no parameters (`"large_utf8"`), else an array whose first entry is its name:
//! `["timestamp", "ns", "Europe/Berlin"]`, `["dictionary", "int8", "large_utf8"]`, `["struct", ["left", "int64"], ...]`.

use std::sync::Arc;

use arrow_schema::{DataType, Field, TimeUnit};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::frame::type_name;

const PLAIN: [(&str, DataType); 21] = [
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
];

/// How deep types may nest.
const MAX_DEPTH: usize = 16;

fn unit_text(unit: TimeUnit) -> &'static str {
    crate::frame::unit_name(&unit)
}

fn parse_unit(text: &str) -> Option<TimeUnit> {
    [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond]
        .into_iter()
        .find(|u| unit_text(*u) == text)
}

/// The JSON of a type, or a refusal by name.
pub(crate) fn to_json(data_type: &DataType) -> Result<Value> {
    if let Some((name, _)) = PLAIN.iter().find(|(_, t)| t == data_type) {
        return Ok(json!(name));
    }
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
        DataType::Dictionary(codes, values) => json!(["dictionary", to_json(codes)?, to_json(values)?]),
        DataType::Struct(fields) => {
            let mut out = vec![json!("struct")];
            for field in fields {
                out.push(json!([field.name(), to_json(field.data_type())?]));
            }
            Value::Array(out)
        }
        other => {
            let message = format!(
                "Arrow type {} is not supported yet. Convert the column, or leave it out.",
                type_name(other, false)
            );
            return Err(Error::new(crate::ErrorKind::Unrepresentable, "npz", message));
        }
    })
}

/// The type that JSON names.
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
        return PLAIN.iter().find(|(n, _)| *n == name).map(|(_, t)| t.clone());
    }
    let parts = value.as_array()?;
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
        "struct" => {
            let field = |value: &Value| {
                let pair = value.as_array()?;
                Some(Field::new(pair.first()?.as_str()?, parse(pair.get(1)?, depth + 1)?, true))
            };
            DataType::Struct(parts.iter().skip(1).map(field).collect::<Option<Vec<_>>>()?.into())
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_come_back() {
        let zone = Some(Arc::from("Europe/Berlin"));
        let interval = DataType::Struct(
            vec![Field::new("left", DataType::Float64, true), Field::new("right", DataType::Float64, true)]
                .into(),
        );
        let mut types: Vec<DataType> = PLAIN.iter().map(|(_, t)| t.clone()).collect();
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
    fn what_is_no_type_is_refused() {
        for bad in [json!("int7"), json!([]), json!(["time32", "ns"]), json!(["decimal128", 99, 0]), json!(7)]
        {
            assert!(from_json(&bad).is_err(), "{bad}");
        }
        let deep = (0..100).fold(json!("int8"), |inner, _| json!(["struct", ["x", inner]]));
        assert!(from_json(&deep).is_err());
        let list = DataType::List(Arc::new(Field::new("item", DataType::Int8, true)));
        assert!(to_json(&list).unwrap_err().to_string().contains("list"));
    }
}
