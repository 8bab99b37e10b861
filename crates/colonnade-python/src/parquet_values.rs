//! Bounds in a Parquet footer as plain Python values.

use colonnade::parquet::logical_type::{Logical, Unit};
use colonnade::parquet::read::ChunkInfo;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The words for what values mean.
pub(crate) fn logical(logical: Option<Logical>) -> Option<String> {
    let unit = |unit: Unit| match unit {
        Unit::Milli => "ms",
        Unit::Micro => "us",
        Unit::Nano => "ns",
    };
    let utc = |utc: bool| if utc { ", UTC" } else { "" };
    Some(match logical? {
        Logical::String => "string".to_owned(),
        Logical::Map => "map".to_owned(),
        Logical::List => "list".to_owned(),
        Logical::Enum => "enum".to_owned(),
        Logical::Decimal(scale, precision) => format!("decimal({precision}, {scale})"),
        Logical::Date => "date".to_owned(),
        Logical::Time(u, z) => format!("time[{}{}]", unit(u), utc(z)),
        Logical::Timestamp(u, z) => format!("timestamp[{}{}]", unit(u), utc(z)),
        Logical::Integer(bits, signed) => format!("{}int{bits}", if signed { "" } else { "u" }),
        Logical::Unknown => "null".to_owned(),
        Logical::Json => "json".to_owned(),
        Logical::Bson => "bson".to_owned(),
        Logical::Uuid => "uuid".to_owned(),
        Logical::Float16 => "float16".to_owned(),
        Logical::Other(number) => format!("logical type {number}"),
    })
}

/// A bound: an int (ticks of times, the unscaled number of a decimal), float, bool, text, or bytes.
pub(crate) fn value(py: Python<'_>, chunk: &ChunkInfo, raw: Option<&[u8]>) -> PyResult<Py<PyAny>> {
    let Some(raw) = raw else { return Ok(py.None()) };
    let unsigned = matches!(chunk.logical, Some(Logical::Integer(_, false)));
    match (chunk.physical, chunk.logical) {
        ("BOOLEAN", _) if raw.len() == 1 => (raw != [0]).into_py_any(py),
        ("INT32" | "INT64", _) => match (<[u8; 4]>::try_from(raw), <[u8; 8]>::try_from(raw)) {
            (Ok(four), _) if unsigned => u32::from_le_bytes(four).into_py_any(py),
            (Ok(four), _) => i32::from_le_bytes(four).into_py_any(py),
            (_, Ok(eight)) if unsigned => u64::from_le_bytes(eight).into_py_any(py),
            (_, Ok(eight)) => i64::from_le_bytes(eight).into_py_any(py),
            _ => PyBytes::new(py, raw).into_py_any(py),
        },
        ("FLOAT", _) if raw.len() == 4 => f32::from_le_bytes(<[u8; 4]>::try_from(raw)?).into_py_any(py),
        ("DOUBLE", _) if raw.len() == 8 => f64::from_le_bytes(<[u8; 8]>::try_from(raw)?).into_py_any(py),
        (_, Some(Logical::Decimal(..))) if (1..=16).contains(&raw.len()) => {
            let sign = if raw.first().is_some_and(|b| b & 0x80 != 0) { 0xFF } else { 0 };
            let mut bytes = [sign; 16];
            if let Some(place) = bytes.get_mut(16 - raw.len()..) {
                place.copy_from_slice(raw);
            }
            i128::from_be_bytes(bytes).into_py_any(py)
        }
        (_, Some(Logical::String | Logical::Enum | Logical::Json)) => match std::str::from_utf8(raw) {
            Ok(text) => text.into_py_any(py),
            Err(_) => PyBytes::new(py, raw).into_py_any(py),
        },
        _ => PyBytes::new(py, raw).into_py_any(py),
    }
}
