//! Binary cells that hold one MessagePack value each, as Python objects.
//!
//! nil, booleans, numbers, str, bin, arrays and maps are None, bool, int, float, str, bytes, list and dict. A timestamp is an
//! aware `datetime` in UTC where that holds it, else a `numpy.datetime64`; any other extension `{"code": .., "data": bytes}`.

use arrow_data::ArrayData;
use arrow_schema::DataType;
use colonnade::msgpack::head::{Head, head};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyFloat, PyList, PyString, PyTuple};

use crate::{errors, objects};

/// Values in each other that are followed; what was read has passed the reader's own limit.
const MAX_DEPTH: usize = 512;

/// Seconds since 1970 that `datetime` has: the years 1 to 9999.
const DATETIME_SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// The cells of a binary column as a 1-D object array, None where null; `None` for other types.
pub(crate) fn decoded<'py>(py: Python<'py>, data: &ArrayData) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !matches!(data.data_type(), DataType::Binary | DataType::LargeBinary) {
        return Ok(None);
    }
    let mut out = Vec::with_capacity(data.len());
    for row in 0..data.len() {
        if data.nulls().is_some_and(|nulls| nulls.is_null(row)) {
            out.push(py.None().into_bound(py));
            continue;
        }
        let bytes = objects::value(data, row).unwrap_or(&[]);
        let mut reader = Reader { py, bytes, at: 0, row };
        let cell = reader.value(0)?;
        if reader.at != bytes.len() {
            let message = format!("the end of the cell, found {} bytes more", bytes.len() - reader.at);
            return Err(reader.wrong(&message));
        }
        out.push(cell);
    }
    let array = py.import("numpy")?.call_method1("empty", (data.len(), "O"))?;
    // One by one: NumPy would take lists of one length apart.
    for (row, cell) in out.into_iter().enumerate() {
        array.set_item(row, cell)?;
    }
    Ok(Some(array))
}

struct Reader<'b, 'py> {
    py: Python<'py>,
    bytes: &'b [u8],
    at: usize,
    row: usize,
}

impl<'b, 'py> Reader<'b, 'py> {
    #[cold]
    fn wrong(&self, expected: &str) -> PyErr {
        let message = format!(
            "msgpack: row {}: at byte {} of the cell: expected {expected}. The file is damaged: write it again.",
            self.row, self.at
        );
        errors::decode(message)
    }

    fn payload(&mut self, length: u32) -> PyResult<&'b [u8]> {
        let end = self.at.saturating_add(length as usize);
        let payload = self.bytes.get(self.at..end).ok_or_else(|| self.wrong("more bytes, found the end"))?;
        self.at = end;
        Ok(payload)
    }

    fn value(&mut self, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let found = head(rest).map_err(|_| self.wrong("a value, found the byte C1"))?;
        let (found, length) = found.ok_or_else(|| self.wrong("a value, found the end"))?;
        if depth > MAX_DEPTH {
            return Err(self.wrong(&format!("at most {MAX_DEPTH} values in each other")));
        }
        self.at += length;
        Ok(match found {
            Head::Nil => py.None().into_bound(py),
            Head::Bool(v) => v.into_pyobject(py)?.to_owned().into_any(),
            Head::Int(v) => v.into_pyobject(py)?.into_any(),
            Head::UInt(v) => v.into_pyobject(py)?.into_any(),
            Head::F32(bits) => PyFloat::new(py, f64::from(f32::from_bits(bits))).into_any(),
            Head::F64(bits) => PyFloat::new(py, f64::from_bits(bits)).into_any(),
            Head::Str(n) => {
                let text = std::str::from_utf8(self.payload(n)?).map_err(|_| self.wrong("text of UTF-8"))?;
                PyString::new(py, text).into_any()
            }
            Head::Bin(n) => PyBytes::new(py, self.payload(n)?).into_any(),
            Head::Array(n) => {
                let list = PyList::empty(py);
                for _ in 0..n {
                    list.append(self.value(depth + 1)?)?;
                }
                list.into_any()
            }
            Head::Map(n) => self.map(n, depth)?,
            Head::Ext(-1, n) => self.timestamp(n)?,
            Head::Ext(code, n) => {
                let data = PyBytes::new(py, self.payload(n)?);
                let out = PyDict::new(py);
                out.set_item("code", code)?;
                out.set_item("data", data)?;
                out.into_any()
            }
        })
    }

    fn map(&mut self, n: u32, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        let out = PyDict::new(self.py);
        for _ in 0..n {
            let key = self.value(depth + 1)?;
            // Arrays are keys of Python as tuples.
            let key = match key.cast::<PyList>() {
                Ok(list) => list.to_tuple().into_any(),
                Err(_) => key,
            };
            if key.hash().is_err() {
                return Err(self.wrong("a key that Python can hash"));
            }
            let value = self.value(depth + 1)?;
            if out.contains(&key)? {
                return Err(self.wrong(&format!("each key once, found {} again", key.repr()?)));
            }
            out.set_item(key, value)?;
        }
        Ok(out.into_any())
    }

    fn timestamp(&mut self, n: u32) -> PyResult<Bound<'py, PyAny>> {
        let payload = self.payload(n)?;
        let instant = match (payload.first_chunk::<4>(), payload.first_chunk::<8>(), payload.len()) {
            (Some(raw), _, 4) => Some((i64::from(u32::from_be_bytes(*raw)), 0)),
            (_, Some(raw), 8) => {
                let both = u64::from_be_bytes(*raw);
                i64::try_from(both & 0x3_ffff_ffff).ok().map(|seconds| (seconds, both >> 34))
            }
            (Some(raw), _, 12) => payload
                .last_chunk::<8>()
                .map(|seconds| (i64::from_be_bytes(*seconds), u64::from(u32::from_be_bytes(*raw)))),
            _ => None,
        };
        let (seconds, nanos) = instant
            .filter(|&(_, nanos)| nanos < 1_000_000_000)
            .ok_or_else(|| self.wrong("a timestamp of 4, 8 or 12 bytes and under 10^9 nanoseconds"))?;
        if nanos % 1000 == 0 && DATETIME_SECONDS.contains(&seconds) {
            let datetime = self.py.import("datetime")?;
            let zone = datetime.getattr("timezone")?.getattr("utc")?;
            let zoned = [("tzinfo", zone)].into_py_dict(self.py)?;
            let epoch = datetime.getattr("datetime")?.call((1970, 1, 1), Some(&zoned))?;
            return epoch.add(datetime.call_method1("timedelta", (0, seconds, nanos / 1000))?);
        }
        let scaled =
            |ticks: i64, part: u64| seconds.checked_mul(ticks)?.checked_add(i64::try_from(part).ok()?);
        let units = [
            ("s", 1, 1_000_000_000),
            ("ms", 1000, 1_000_000),
            ("us", 1_000_000, 1000),
            ("ns", 1_000_000_000, 1),
        ];
        for (unit, ticks, step) in units {
            if nanos.is_multiple_of(step)
                && let Some(count) = scaled(ticks, nanos / step).filter(|&count| count != i64::MIN)
            {
                return self.py.import("numpy")?.call_method1("datetime64", (count, unit));
            }
        }
        let data = PyTuple::new(self.py, [seconds, i64::try_from(nanos).unwrap_or(0)])?;
        Err(self
            .wrong(&format!("an instant that 64 bits hold, found {} (seconds, nanoseconds)", data.repr()?)))
    }
}
