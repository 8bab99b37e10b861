//! R's values as typed data: MessagePack between Rust and C, and in cells of list columns; JSON in tags.
//!
//! ```text
//! NULL                 nil                          null
//! c(TRUE, NA)          {"lgl": [true, nil]}         {"lgl": [true, null]}
//! 1:2                  {"int": [1, 2]}              {"int": [1, 2]}
//! c(1.5, NaN, NA)      {"dbl": [1.5, NaN, nil]}     {"dbl": [1.5, "NaN", null]}
//! 1+2i                 {"cplx": [1.0, 2.0]}         {"cplx": [1.0, 2.0]}
//! c("a", NA)           {"chr": ["a", nil]}          {"chr": ["a", null]}
//! as.raw(1)            {"raw": bin}                 {"raw": "AQ=="}
//! list(1L)             {"list": [{"int": [1]}]}     {"list": [{"int": [1]}]}
//! ```
//!
//! Attributes follow in the same map: `{"int": [1, 2], "attributes": {"names": {"chr": ["a", "b"]}}}`. Numbers that JSON lacks are
//! texts: `"Inf"`, `"-Inf"`, `"NaN"`, and the bits of other NaNs, `"0x7ff8000000000001"`.

use std::ffi::c_char;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use colonnade::{Error, Result};
use colonnade_capi::CnBuffer;
use colonnade_capi::error::{CnCode, CnError, report};
use colonnade_capi::text::required;
use rmp::encode;
use serde_json::{Map, Value};

use crate::msgpack::{CnrItem, Cursor};
use crate::r_memory::{defect, values_of};
use crate::{NA_REAL_BITS, is_na};

/// Deepest nesting of attributes.
const MAX_DEPTH: usize = 64;

/// Converts typed MessagePack of the C code to JSON.
///
/// # Errors
/// `LimitExceeded`: nested too deep; `Internal`: not written by the C code.
pub fn to_json(bytes: &[u8]) -> Result<Value> {
    json_value(&mut Cursor::new(bytes, 0), 0)
}

fn text_of(event: &crate::msgpack::CnrEvent) -> Result<String> {
    // Other events, as that of an array, have a count without bytes.
    if event.item != CnrItem::Text {
        return Err(defect("a key that is no text"));
    }
    // SAFETY: the cursor made the event of a text from bytes that outlive this call.
    let bytes = unsafe { values_of(event.data, event.count) };
    String::from_utf8(bytes.to_vec()).map_err(|_| {
        Error::unrepresentable("r", "attributes: expected text of a known encoding, found other bytes.")
    })
}

fn json_value(cursor: &mut Cursor<'_>, depth: usize) -> Result<Value> {
    if depth > MAX_DEPTH {
        let message =
            format!("attributes: expected values nested at most {MAX_DEPTH} deep, found deeper ones.");
        return Err(Error::limit("r", message));
    }
    let event = cursor.next_item()?;
    Ok(match event.item {
        CnrItem::Nil => Value::Null,
        CnrItem::Bool => Value::from(event.integer != 0),
        CnrItem::Int => Value::from(event.integer),
        CnrItem::Uint | CnrItem::Float => float(event.number),
        CnrItem::Text => Value::from(text_of(&event)?),
        CnrItem::Bytes => {
            // SAFETY: the cursor made the event of bytes from bytes that outlive this call.
            Value::from(STANDARD.encode(unsafe { values_of(event.data, event.count) }))
        }
        CnrItem::Array => (0..event.count).map(|_| json_value(cursor, depth + 1)).collect::<Result<_>>()?,
        CnrItem::Map => {
            let mut map = Map::new();
            for _ in 0..event.count {
                let key = cursor.next_item()?;
                let name = text_of(&key)?;
                map.insert(name, json_value(cursor, depth + 1)?);
            }
            Value::Object(map)
        }
        CnrItem::Extension => return Err(defect("an extension in attributes")),
    })
}

fn float(number: f64) -> Value {
    if is_na(number) {
        return Value::Null;
    }
    serde_json::Number::from_f64(number).map_or_else(
        || {
            let usual = number.to_bits() == f64::NAN.to_bits();
            Value::from(match number {
                f64::INFINITY => "Inf".to_owned(),
                f64::NEG_INFINITY => "-Inf".to_owned(),
                _ if usual => "NaN".to_owned(),
                other => format!("{:#018x}", other.to_bits()),
            })
        },
        Value::Number,
    )
}

/// Converts the JSON of a tag to typed MessagePack, for the C code.
///
/// # Errors
/// `Malformed`: JSON that [`to_json`] does not write.
pub fn to_msgpack(value: &Value) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    write_value(&mut out, value, 0)?;
    Ok(out)
}

/// Converts the attributes of a tag, a map of names to typed values.
///
/// # Errors
/// As [`to_msgpack`].
pub fn attributes_to_msgpack(value: &Value) -> Result<Vec<u8>> {
    let attributes = value.as_object().ok_or_else(|| malformed(value))?;
    let mut out = Vec::new();
    infallible(encode::write_map_len(&mut out, count_of(attributes.len())?))?;
    for (name, attribute) in attributes {
        infallible(encode::write_str(&mut out, name))?;
        write_value(&mut out, attribute, 0)?;
    }
    Ok(out)
}

/// Converts any JSON to plain MessagePack, as [`cnr_json`] does.
fn plain(out: &mut Vec<u8>, value: &Value) -> Result<()> {
    match value {
        Value::Null => infallible(encode::write_nil(out)),
        Value::Bool(flag) => infallible(encode::write_bool(out, *flag)),
        Value::Number(number) => match number.as_i64() {
            Some(number) => infallible(encode::write_sint(out, number)),
            None => infallible(encode::write_f64(out, number.as_f64().unwrap_or(f64::NAN))),
        },
        Value::String(text) => infallible(encode::write_str(out, text)),
        Value::Array(list) => {
            infallible(encode::write_array_len(out, count_of(list.len())?))?;
            list.iter().try_for_each(|item| plain(out, item))
        }
        Value::Object(map) => {
            infallible(encode::write_map_len(out, count_of(map.len())?))?;
            map.iter().try_for_each(|(key, item)| {
                infallible(encode::write_str(out, key))?;
                plain(out, item)
            })
        }
    }
}

/// Converts the text of JSON to plain MessagePack, which the C code reads as R's values.
///
/// # Safety
/// `text` is a C string; `out` is valid for writes; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_json(text: *const c_char, out: *mut CnBuffer, error: *mut CnError) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let value: Value = serde_json::from_str(required("text", text)?)
                .map_err(|error| Error::malformed("json", format!("expected JSON, found {error}.")))?;
            let mut bytes = Vec::new();
            plain(&mut bytes, &value)?;
            out.write(CnBuffer::of(bytes));
            Ok(())
        })
    }
}

fn malformed(value: &Value) -> Error {
    let shown: String = value.to_string().chars().take(80).collect();
    Error::malformed(
        "r",
        format!("attributes: expected a typed value, such as {{\"int\": [1]}}, found {shown}."),
    )
}

/// Writing to a vector never fails.
fn infallible<T, E>(result: std::result::Result<T, E>) -> Result<()> {
    result.map(drop).map_err(|_| defect("a vector refused bytes"))
}

fn count_of(count: usize) -> Result<u32> {
    u32::try_from(count).map_err(|_| Error::too_large("r"))
}

fn write_value(out: &mut Vec<u8>, value: &Value, depth: usize) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(malformed(&Value::from("a value nested too deep")));
    }
    let Value::Object(map) = value else {
        return if value.is_null() { infallible(encode::write_nil(out)) } else { Err(malformed(value)) };
    };
    let mut entries = map.iter();
    let Some((kind, items)) = entries.next() else { return Err(malformed(value)) };
    infallible(encode::write_map_len(out, count_of(map.len())?))?;
    infallible(encode::write_str(out, kind))?;
    write_items(out, kind, items, depth)?;
    for (key, attributes) in entries {
        let Some(attributes) = attributes.as_object().filter(|_| key == "attributes") else {
            return Err(malformed(value));
        };
        infallible(encode::write_str(out, key))?;
        infallible(encode::write_map_len(out, count_of(attributes.len())?))?;
        for (name, attribute) in attributes {
            infallible(encode::write_str(out, name))?;
            write_value(out, attribute, depth + 1)?;
        }
    }
    Ok(())
}

fn write_items(out: &mut Vec<u8>, kind: &str, items: &Value, depth: usize) -> Result<()> {
    if let ("raw", Some(text)) = (kind, items.as_str()) {
        let bytes = STANDARD.decode(text).map_err(|_| malformed(items))?;
        return infallible(encode::write_bin(out, &bytes));
    }
    let Some(list) = items.as_array() else { return Err(malformed(items)) };
    infallible(encode::write_array_len(out, count_of(list.len())?))?;
    for item in list {
        match (kind, item) {
            ("list", item) => write_value(out, item, depth + 1)?,
            ("dbl" | "cplx", item) => infallible(encode::write_f64(out, number(item)?))?,
            ("lgl" | "int" | "chr", Value::Null) => infallible(encode::write_nil(out))?,
            ("lgl", Value::Bool(flag)) => infallible(encode::write_bool(out, *flag))?,
            ("int", item) => {
                let number =
                    item.as_i64().filter(|n| i32::try_from(*n).is_ok()).ok_or_else(|| malformed(item))?;
                infallible(encode::write_sint(out, number))?;
            }
            ("chr", Value::String(text)) => infallible(encode::write_str(out, text))?,
            _ => return Err(malformed(item)),
        }
    }
    Ok(())
}

fn number(item: &Value) -> Result<f64> {
    match item {
        Value::Null => Ok(f64::from_bits(NA_REAL_BITS)),
        Value::Number(number) => number.as_f64().ok_or_else(|| malformed(item)),
        Value::String(text) => match text.as_str() {
            "Inf" => Ok(f64::INFINITY),
            "-Inf" => Ok(f64::NEG_INFINITY),
            "NaN" => Ok(f64::NAN),
            other => {
                let bits = other.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
                bits.map(f64::from_bits).ok_or_else(|| malformed(item))
            }
        },
        _ => Err(malformed(item)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_values_come_back() {
        let text = r#"{"list":[{"int":[1,null]},{"dbl":[1.5,"NaN","Inf",null,-0.0,"0x7ff8000000000001"]},null,{"chr":["a",null]},
            {"raw":"AQ=="},{"lgl":[true,null]}],"attributes":{"names":{"chr":["x"],"attributes":{"a":null}}}}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(to_json(&to_msgpack(&value).unwrap()).unwrap().to_string(), value.to_string());
    }

    #[test]
    fn keys_are_texts() {
        // A map whose key is an array.
        assert!(to_json(&[0x81, 0x91, 1, 0xc0]).is_err());
    }

    #[test]
    fn other_json_is_refused() {
        for text in ["1", "{}", r#"{"int":[1.5]}"#, r#"{"int":1}"#, r#"{"int":[1],"x":{}}"#, r#"{"chr":[1]}"#]
        {
            let value: Value = serde_json::from_str(text).unwrap();
            assert!(to_msgpack(&value).is_err(), "{text}");
        }
    }
}
