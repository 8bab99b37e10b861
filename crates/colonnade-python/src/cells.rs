//! Binary cells that hold one MessagePack value each, as Python objects.
//!
//! nil, booleans, numbers, str, bin, arrays and maps are None, bool, int, float, str, bytes, list and dict. A timestamp is an
//! aware `datetime` in UTC where that holds it, else a `numpy.datetime64`. Extensions are the classes of `cells_types` where
//! the column says that they are ours; any other is `{"code": .., "data": bytes}`. Building a value runs no code of the cell's.

use arrow_data::ArrayData;
use arrow_schema::DataType;
use colonnade::cells::msgpack::head::{Head, head};
use numpy::PyArray1;
use pyo3::exceptions::{PyException, PyImportError, PyMemoryError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex, PyDict, PyFloat, PyList, PyString, PyTuple};

use crate::cells_types::{self as codes, PART, Types, types};
use crate::{errors, objects};

/// Values in each other that are followed; what was read has passed the reader's own limit.
const MAX_DEPTH: usize = 512;

/// Seconds since 1970 that `datetime` has: the years 1 to 9999.
const DATETIME_SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// The cells of a binary column as a 1-D object array, None where null; `None` for other types. `ours`: extensions are those
/// that `cells_write` writes.
pub(crate) fn decoded<'py>(
    py: Python<'py>,
    data: &ArrayData,
    ours: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !matches!(data.data_type(), DataType::Binary | DataType::LargeBinary) {
        return Ok(None);
    }
    let types = types(py)?;
    let mut out: Vec<Py<PyAny>> = Vec::with_capacity(data.len());
    for row in 0..data.len() {
        if data.nulls().is_some_and(|nulls| nulls.is_null(row)) {
            out.push(py.None());
            continue;
        }
        let bytes = objects::value(data, row).unwrap_or(&[]);
        let mut reader = Reader { py, types, ours, bytes, at: 0, row };
        let cell = reader.value(0)?;
        reader.ends("the cell")?;
        out.push(cell.unbind());
    }
    // One by one: NumPy would take lists of one length apart.
    Ok(Some(PyArray1::from_iter(py, out).into_any()))
}

struct Reader<'b, 'py> {
    py: Python<'py>,
    types: &'b Types,
    ours: bool,
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

    /// What Python says of a payload that makes no value. Errors that are not about the bytes stay what they are.
    #[cold]
    fn refused(&self, error: PyErr, code: i8) -> PyErr {
        let py = self.py;
        let other = error.is_instance_of::<PyImportError>(py)
            || error.is_instance_of::<PyMemoryError>(py)
            || !error.is_instance_of::<PyException>(py)
            || errors::is_ours(py, &error);
        if other {
            return error;
        }
        self.wrong(&format!(
            "a payload of extension {code}, found one that Python refuses: {}",
            error.value(py)
        ))
    }

    fn ends(&self, what: &str) -> PyResult<()> {
        if self.at == self.bytes.len() {
            return Ok(());
        }
        Err(self.wrong(&format!("the end of {what}, found {} bytes more", self.bytes.len() - self.at)))
    }

    fn payload(&mut self, length: u32) -> PyResult<&'b [u8]> {
        let end = self.at.saturating_add(length as usize);
        let payload = self.bytes.get(self.at..end).ok_or_else(|| self.wrong("more bytes, found the end"))?;
        self.at = end;
        Ok(payload)
    }

    fn head(&mut self) -> PyResult<Head> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let found = head(rest).map_err(|_| self.wrong("a value, found the byte C1"))?;
        let (found, length) = found.ok_or_else(|| self.wrong("a value, found the end"))?;
        self.at += length;
        Ok(found)
    }

    fn value(&mut self, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        if depth > MAX_DEPTH {
            return Err(self.wrong(&format!("at most {MAX_DEPTH} values in each other")));
        }
        Ok(match self.head()? {
            Head::Nil => py.None().into_bound(py),
            Head::Bool(v) => v.into_pyobject(py)?.to_owned().into_any(),
            Head::Int(v) => v.into_pyobject(py)?.into_any(),
            Head::UInt(v) => v.into_pyobject(py)?.into_any(),
            Head::F32(bits) => PyFloat::new(py, f64::from(f32::from_bits(bits))).into_any(),
            Head::F64(bits) => PyFloat::new(py, f64::from_bits(bits)).into_any(),
            Head::Str(n) => {
                let payload = self.payload(n)?;
                let text = std::str::from_utf8(payload).map_err(|_| self.wrong("text of UTF-8"))?;
                PyString::new(py, text).into_any()
            }
            Head::Bin(n) => PyBytes::new(py, self.payload(n)?).into_any(),
            Head::Array(n) => PyList::new(py, self.entries(n, depth)?)?.into_any(),
            Head::Map(n) => self.map(n, depth)?,
            Head::Ext(-1, n) => self.timestamp(n)?,
            Head::Ext(code, n) if self.ours => self.extension(code, n, depth)?,
            Head::Ext(code, n) => {
                let data = PyBytes::new(py, self.payload(n)?);
                let out = PyDict::new(py);
                out.set_item("code", code)?;
                out.set_item("data", data)?;
                out.into_any()
            }
        })
    }

    fn entries(&mut self, n: u32, depth: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        // An entry is a byte at least: room for what is there, never for what is claimed.
        let mut out = Vec::with_capacity((n as usize).min(self.bytes.len() - self.at));
        for _ in 0..n {
            out.push(self.value(depth + 1)?);
        }
        Ok(out)
    }

    fn map(&mut self, n: u32, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        let out = PyDict::new(self.py);
        for _ in 0..n {
            let key = self.value(depth + 1)?;
            // Arrays of others are keys of Python as tuples; ours are tuples already.
            let key = match key.cast::<PyList>() {
                Ok(list) if !self.ours => list.to_tuple().into_any(),
                _ => key,
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

    fn extension(&mut self, code: i8, n: u32, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        let start = self.at;
        let payload = self.payload(n)?;
        if code == codes::TUPLE {
            return self.tuple(start, depth);
        }
        // Errors tell where the payload begins.
        let end = std::mem::replace(&mut self.at, start);
        let made = self.built(code, payload).map_err(|error| self.refused(error, code))?;
        self.at = end;
        Ok(made)
    }

    /// The array within an extension that began at `start` and has been passed.
    fn tuple(&mut self, start: usize, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        let (whole, end) = (self.bytes, self.at);
        self.bytes = whole.get(..end).unwrap_or(whole);
        self.at = start;
        let Head::Array(n) = self.head()? else { return Err(self.wrong("the array of a tuple")) };
        let entries = self.entries(n, depth)?;
        self.ends("the tuple")?;
        self.bytes = whole;
        Ok(PyTuple::new(self.py, entries)?.into_any())
    }

    fn built(&self, code: i8, payload: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let (py, types) = (self.py, self.types);
        let text = || std::str::from_utf8(payload).map_err(|_| self.wrong("text of UTF-8"));
        let iso = intern!(py, "fromisoformat");
        match code {
            codes::INT => types.int.bind(py).call_method(
                intern!(py, "from_bytes"),
                (PyBytes::new(py, payload), "big"),
                Some(&self.keyword("signed", true)?),
            ),
            codes::COMPLEX => match (payload.first_chunk::<8>(), payload.last_chunk::<8>(), payload.len()) {
                (Some(real), Some(imag), 16) => {
                    let (real, imag) = (f64::from_be_bytes(*real), f64::from_be_bytes(*imag));
                    Ok(PyComplex::from_doubles(py, real, imag).into_any())
                }
                _ => Err(self.wrong("16 bytes of a complex number")),
            },
            codes::DATE => types.date.bind(py).call_method1(iso, (text()?,)),
            codes::TIME | codes::DATETIME => {
                let text = text()?;
                let class = if code == codes::TIME { &types.time } else { &types.datetime };
                if text.contains(PART) {
                    types.read_zoned.bind(py).call1((class, text))
                } else {
                    class.bind(py).call_method1(iso, (text,))
                }
            }
            codes::TIMEDELTA => {
                let (parts, rest) = payload.as_chunks::<4>();
                match (parts, rest) {
                    ([days, seconds, micros], []) => {
                        let part = |raw: &[u8; 4]| i32::from_be_bytes(*raw);
                        types.timedelta.bind(py).call1((part(days), part(seconds), part(micros)))
                    }
                    _ => Err(self.wrong("12 bytes of a timedelta")),
                }
            }
            codes::DECIMAL => {
                let text = text()?;
                let made = types.decimal.bind(py).call1((text,))?;
                // A context without traps makes a NaN of anything.
                let again = made.str()?;
                if again.extract::<&str>()?.eq_ignore_ascii_case(text) {
                    Ok(made)
                } else {
                    Err(self.wrong(&format!("the text of a decimal, found {text:?}")))
                }
            }
            codes::UUID => self.uuid(payload),
            _ => types.read_other.bind(py).call1((code, PyBytes::new(py, payload))),
        }
    }

    fn uuid(&self, payload: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let (py, types) = (self.py, self.types);
        let (bytes, safe) = match (payload.first_chunk::<16>(), payload) {
            (Some(bytes), [.., safe]) if payload.len() == 17 => (bytes, Some(safe.cast_signed())),
            (Some(bytes), _) if payload.len() == 16 => (bytes, None),
            _ => return Err(self.wrong("16 or 17 bytes of a UUID")),
        };
        let keywords = self.keyword("bytes", PyBytes::new(py, bytes))?;
        if let Some(safe) = safe {
            keywords.set_item("is_safe", types.safe_uuid.bind(py).call1((safe,))?)?;
        }
        types.uuid.bind(py).call((), Some(&keywords))
    }

    fn keyword(&self, name: &str, value: impl IntoPyObject<'py>) -> PyResult<Bound<'py, PyDict>> {
        let keywords = PyDict::new(self.py);
        keywords.set_item(name, value)?;
        Ok(keywords)
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
            let since = self.types.timedelta.bind(self.py).call1((0, seconds, nanos / 1000))?;
            return self.types.epoch.bind(self.py).add(since);
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
                return self.types.datetime64.bind(self.py).call1((count, unit));
            }
        }
        let data = PyTuple::new(self.py, [seconds, i64::try_from(nanos).unwrap_or(0)])?;
        Err(self
            .wrong(&format!("an instant that 64 bits hold, found {} (seconds, nanoseconds)", data.repr()?)))
    }
}
