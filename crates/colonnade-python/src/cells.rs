//! Decodes binary cells that hold one MessagePack value each to Python objects.
//!
//! nil, booleans, numbers, str, bin, arrays and maps become None, bool, int, float, str, bytes, list and dict. A timestamp
//! becomes an aware `datetime` in UTC if that can represent it, otherwise a `numpy.datetime64`. If the column's tag declares
//! extensions, they become the classes of `cells_types`; otherwise `{"code": .., "data": bytes}`. No code from the cell is
//! executed.

use arrow_data::ArrayData;
use arrow_schema::DataType;
use colonnade::cells::msgpack::extension_codes as codes;
use colonnade::cells::msgpack::head::{MsgpackHead, head};
use numpy::PyArray1;
use pyo3::exceptions::{PyException, PyImportError, PyMemoryError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex, PyDict, PyFloat, PyList, PyString, PyTuple};

use crate::cells_types::{CellTypes, SEPARATOR, types};
use crate::{errors, objects};

/// Maximum nesting of values. The reader of the file has its own limit.
const MAX_DEPTH: usize = 512;

/// The range of `datetime` in seconds since 1970: the years 1 to 9999.
const DATETIME_SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// Decodes the cells of a binary column to a 1-D object array, with None for null. Returns `None` for other types.
/// `has_extensions`: extensions are those that `cells_write` writes.
pub(crate) fn decode<'py>(
    py: Python<'py>,
    data: &ArrayData,
    has_extensions: bool,
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
        let mut reader = CellReader { py, types, has_extensions, bytes, at: 0, row };
        let cell = reader.value(0)?;
        reader.check_end("the cell")?;
        out.push(cell.unbind());
    }
    // `from_iter`: NumPy would convert lists of equal length to a 2-D array.
    Ok(Some(PyArray1::from_iter(py, out).into_any()))
}

struct CellReader<'b, 'py> {
    py: Python<'py>,
    types: &'b CellTypes,
    has_extensions: bool,
    bytes: &'b [u8],
    at: usize,
    row: usize,
}

impl<'b, 'py> CellReader<'b, 'py> {
    #[cold]
    fn malformed(&self, expected: &str) -> PyErr {
        let message = format!(
            "msgpack: row {}: at byte {} of the cell: expected {expected}. The file is damaged: write it again.",
            self.row, self.at
        );
        errors::decode(message)
    }

    /// Converts the exception of a class that refuses its payload. Exceptions of other causes stay unchanged.
    #[cold]
    fn payload_error(&self, error: PyErr, code: i8) -> PyErr {
        let py = self.py;
        let other = error.is_instance_of::<PyImportError>(py)
            || error.is_instance_of::<PyMemoryError>(py)
            || !error.is_instance_of::<PyException>(py)
            || errors::is_colonnade_error(py, &error);
        if other {
            return error;
        }
        self.malformed(&format!(
            "a payload of extension {code}, found one that Python refuses: {}",
            error.value(py)
        ))
    }

    fn check_end(&self, what: &str) -> PyResult<()> {
        if self.at == self.bytes.len() {
            return Ok(());
        }
        Err(self.malformed(&format!("the end of {what}, found {} bytes more", self.bytes.len() - self.at)))
    }

    fn payload(&mut self, length: u32) -> PyResult<&'b [u8]> {
        let end = self.at.saturating_add(length as usize);
        let payload =
            self.bytes.get(self.at..end).ok_or_else(|| self.malformed("more bytes, found the end"))?;
        self.at = end;
        Ok(payload)
    }

    fn head(&mut self) -> PyResult<MsgpackHead> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let found = head(rest).map_err(|_| self.malformed("a value, found the byte C1"))?;
        let (found, length) = found.ok_or_else(|| self.malformed("a value, found the end"))?;
        self.at += length;
        Ok(found)
    }

    fn value(&mut self, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        if depth > MAX_DEPTH {
            return Err(self.malformed(&format!("at most {MAX_DEPTH} values in each other")));
        }
        Ok(match self.head()? {
            MsgpackHead::Nil => py.None().into_bound(py),
            MsgpackHead::Bool(v) => v.into_pyobject(py)?.to_owned().into_any(),
            MsgpackHead::Int(v) => v.into_pyobject(py)?.into_any(),
            MsgpackHead::UInt(v) => v.into_pyobject(py)?.into_any(),
            MsgpackHead::F32(bits) => PyFloat::new(py, f64::from(f32::from_bits(bits))).into_any(),
            MsgpackHead::F64(bits) => PyFloat::new(py, f64::from_bits(bits)).into_any(),
            MsgpackHead::Str(n) => {
                let payload = self.payload(n)?;
                let text = std::str::from_utf8(payload).map_err(|_| self.malformed("text of UTF-8"))?;
                PyString::new(py, text).into_any()
            }
            MsgpackHead::Bin(n) => PyBytes::new(py, self.payload(n)?).into_any(),
            MsgpackHead::Array(n) => PyList::new(py, self.entries(n, depth)?)?.into_any(),
            MsgpackHead::Map(n) => self.map(n, depth)?,
            MsgpackHead::Ext(-1, n) => self.timestamp(n)?,
            MsgpackHead::Ext(code, n) if self.has_extensions => self.extension(code, n, depth)?,
            MsgpackHead::Ext(code, n) => {
                let data = PyBytes::new(py, self.payload(n)?);
                let out = PyDict::new(py);
                out.set_item("code", code)?;
                out.set_item("data", data)?;
                out.into_any()
            }
        })
    }

    fn entries(&mut self, n: u32, depth: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        // An entry takes at least one byte, so the remaining bytes bound the capacity, not the declared count.
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
            // Without extensions an array as a key becomes a tuple. With them, tuples have an extension code.
            let key = match key.cast::<PyList>() {
                Ok(list) if !self.has_extensions => list.to_tuple().into_any(),
                _ => key,
            };
            if key.hash().is_err() {
                return Err(self.malformed("a key that Python can hash"));
            }
            let value = self.value(depth + 1)?;
            if out.contains(&key)? {
                return Err(self.malformed(&format!("each key once, found {} again", key.repr()?)));
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
        // Errors name the byte where the payload begins.
        let end = std::mem::replace(&mut self.at, start);
        let value = self.extension_value(code, payload).map_err(|error| self.payload_error(error, code))?;
        self.at = end;
        Ok(value)
    }

    /// Decodes the array within the extension from `start` to the current position.
    fn tuple(&mut self, start: usize, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        let (whole, end) = (self.bytes, self.at);
        self.bytes = whole.get(..end).unwrap_or(whole);
        self.at = start;
        let MsgpackHead::Array(n) = self.head()? else { return Err(self.malformed("the array of a tuple")) };
        let entries = self.entries(n, depth)?;
        self.check_end("the tuple")?;
        self.bytes = whole;
        Ok(PyTuple::new(self.py, entries)?.into_any())
    }

    fn extension_value(&self, code: i8, payload: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let (py, types) = (self.py, self.types);
        let text = || std::str::from_utf8(payload).map_err(|_| self.malformed("text of UTF-8"));
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
                _ => Err(self.malformed("16 bytes of a complex number")),
            },
            codes::DATE => types.date.bind(py).call_method1(iso, (text()?,)),
            codes::TIME | codes::DATETIME => {
                let text = text()?;
                let class = if code == codes::TIME { &types.time } else { &types.datetime };
                if text.contains(SEPARATOR) {
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
                    _ => Err(self.malformed("12 bytes of a timedelta")),
                }
            }
            codes::DECIMAL => {
                let text = text()?;
                let decimal = types.decimal.bind(py).call1((text,))?;
                // A context without traps turns any text into NaN.
                let canonical = decimal.str()?;
                if canonical.extract::<&str>()?.eq_ignore_ascii_case(text) {
                    Ok(decimal)
                } else {
                    Err(self.malformed(&format!("the text of a decimal, found {text:?}")))
                }
            }
            codes::UUID => self.uuid(payload),
            _ => types.decode_other.bind(py).call1((code, PyBytes::new(py, payload))),
        }
    }

    fn uuid(&self, payload: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let (py, types) = (self.py, self.types);
        let (bytes, safe) = match (payload.first_chunk::<16>(), payload) {
            (Some(bytes), [.., safe]) if payload.len() == 17 => (bytes, Some(safe.cast_signed())),
            (Some(bytes), _) if payload.len() == 16 => (bytes, None),
            _ => return Err(self.malformed("16 or 17 bytes of a UUID")),
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
            .ok_or_else(|| self.malformed("a timestamp of 4, 8 or 12 bytes and under 10^9 nanoseconds"))?;
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
        Err(self.malformed(&format!(
            "an instant that 64 bits hold, found {} (seconds, nanoseconds)",
            data.repr()?
        )))
    }
}
