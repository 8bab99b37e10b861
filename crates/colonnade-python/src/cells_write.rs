//! Encodes Python objects of any type as one MessagePack value each, for a column of mixed cells.
//!
//! The exact class of a value decides its encoding. An instance of a subclass is refused, because it would be read back as
//! another class.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;
use colonnade::cells::msgpack::extension_codes as codes;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use rmp::encode;

use crate::cells_types::{CellTypes, SEPARATOR, types};
use crate::errors;

/// Maximum nesting of containers within a cell. A bundle puts four levels around a frame, and readers allow 64 by default.
pub(crate) const MAX_DEPTH: usize = 60;

/// Encodes the cells of a 1-D object array. None becomes null.
pub(crate) fn encode(values: &Bound<'_, PyAny>) -> PyResult<ArrayData> {
    let py = values.py();
    let cells = values.call_method0("tolist")?.cast_into::<PyList>()?;
    let length = cells.len();
    let mut encoder =
        CellEncoder { types: types(py)?, out: Vec::with_capacity(9 * length), containers: Vec::new() };
    let mut valid = Vec::with_capacity(length);
    let mut offsets: Vec<i64> = Vec::with_capacity(length + 1);
    offsets.push(0);
    for (row, cell) in cells.iter().enumerate() {
        valid.push(!cell.is_none());
        if !cell.is_none() {
            let start = encoder.out.len();
            encoder.value(&cell).map_err(|error| error.at(py, row))?;
            if u32::try_from(encoder.out.len() - start).is_err() {
                return Err(errors::encode(format!(
                    "row {row}: expected a cell of less than 4 GiB, found {} bytes. Split it first.",
                    encoder.out.len() - start
                )));
            }
        }
        offsets.push(i64::try_from(encoder.out.len()).unwrap_or(i64::MAX));
    }
    let nulls = Some(NullBuffer::new(BooleanBuffer::from(valid))).filter(|n| n.null_count() > 0);
    let builder = ArrayDataBuilder::new(DataType::LargeBinary).len(length).nulls(nulls);
    let builder = builder.add_buffer(offsets.into()).add_buffer(encoder.out.into());
    builder.build().map_err(|e| errors::encode(e.to_string()))
}

/// The refusal of a value, and its path within the cell (innermost step first).
struct Refusal {
    path: Vec<String>,
    cause: RefusalCause,
}

enum RefusalCause {
    Message(String),
    Exception(PyErr),
}

type EncodeResult = Result<(), Box<Refusal>>;

impl From<PyErr> for Box<Refusal> {
    fn from(error: PyErr) -> Self {
        Self::new(Refusal { path: Vec::new(), cause: RefusalCause::Exception(error) })
    }
}

#[cold]
fn refusal(text: impl Into<String>) -> Box<Refusal> {
    Box::new(Refusal { path: Vec::new(), cause: RefusalCause::Message(text.into()) })
}

impl Refusal {
    fn within(mut self: Box<Self>, step: String) -> Box<Self> {
        self.path.push(step);
        self
    }

    fn at(self, py: Python<'_>, row: usize) -> PyErr {
        let path: String = self.path.iter().rev().map(String::as_str).collect();
        let place = if path.is_empty() { String::new() } else { format!(", at {}", truncated(&path)) };
        match self.cause {
            RefusalCause::Message(text) => errors::encode(format!("row {row}{place}: {text}")),
            // `encode_other` raises TypeError for an unsupported class. Other exceptions stay unchanged.
            RefusalCause::Exception(error) if error.is_instance_of::<PyTypeError>(py) => {
                errors::encode(format!("row {row}{place}: {}", error.value(py)))
            }
            RefusalCause::Exception(error) => error,
        }
    }
}

fn truncated(text: &str) -> String {
    if text.chars().count() <= 120 {
        return text.to_owned();
    }
    text.chars().take(117).chain("...".chars()).collect()
}

struct CellEncoder<'t> {
    types: &'t CellTypes,
    out: Vec<u8>,
    /// The containers around the value.
    containers: Vec<*mut pyo3::ffi::PyObject>,
}

impl CellEncoder<'_> {
    fn value(&mut self, value: &Bound<'_, PyAny>) -> EncodeResult {
        // The most common classes come first.
        if value.is_exact_instance_of::<PyString>() {
            return self.text(value);
        }
        if value.is_exact_instance_of::<PyInt>() {
            return self.int(value);
        }
        if value.is_exact_instance_of::<PyFloat>() {
            let bits = value.extract::<f64>()?;
            return check_write(encode::write_f64(&mut self.out, bits));
        }
        if value.is_none() {
            return check_write(encode::write_nil(&mut self.out));
        }
        if let Ok(flag) = value.cast::<PyBool>() {
            return check_write(encode::write_bool(&mut self.out, flag.is_true()));
        }
        if value.is_exact_instance_of::<PyBytes>() {
            let bytes = value.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes();
            check_write(encode::write_bin_len(&mut self.out, count(bytes.len())?))?;
            self.out.extend_from_slice(bytes);
            return Ok(());
        }
        if value.is_exact_instance_of::<PyList>() {
            return self.nested(value, |me| {
                let list = value.cast::<PyList>().map_err(PyErr::from)?;
                check_write(encode::write_array_len(&mut me.out, count(list.len())?))?;
                me.entries(list.iter())
            });
        }
        if value.is_exact_instance_of::<PyDict>() {
            return self.nested(value, |me| me.map(value.cast::<PyDict>().map_err(PyErr::from)?));
        }
        if value.is_exact_instance_of::<PyTuple>() {
            return self.nested(value, |me| {
                let tuple = value.cast::<PyTuple>().map_err(PyErr::from)?;
                let start = me.out.len();
                check_write(encode::write_array_len(&mut me.out, count(tuple.len())?))?;
                me.entries(tuple.iter())?;
                me.wrap_extension(codes::TUPLE, start)
            });
        }
        self.object(value)
    }

    fn text(&mut self, value: &Bound<'_, PyAny>) -> EncodeResult {
        let text = value.cast::<PyString>().map_err(PyErr::from)?;
        let text =
            text.to_str().map_err(|_| refusal("a lone surrogate is no Unicode text. Replace it first."))?;
        check_write(encode::write_str_len(&mut self.out, count(text.len())?))?;
        self.out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn int(&mut self, value: &Bound<'_, PyAny>) -> EncodeResult {
        if let Ok(number) = value.extract::<i64>() {
            return check_write(encode::write_sint(&mut self.out, number));
        }
        if let Ok(number) = value.extract::<u64>() {
            return check_write(encode::write_uint(&mut self.out, number));
        }
        let py = value.py();
        let bits: usize = value.call_method0(intern!(py, "bit_length"))?.extract()?;
        let signed = pyo3::types::PyDict::new(py);
        signed.set_item(intern!(py, "signed"), true)?;
        let bytes = value.call_method(intern!(py, "to_bytes"), (bits / 8 + 1, "big"), Some(&signed))?;
        self.extension(codes::INT, bytes.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes())
    }

    /// Writes a container, and refuses one that contains itself or is nested too deep.
    fn nested(
        &mut self,
        value: &Bound<'_, PyAny>,
        write: impl FnOnce(&mut Self) -> EncodeResult,
    ) -> EncodeResult {
        let name = || class_name(&value.get_type());
        if self.containers.contains(&value.as_ptr()) {
            return Err(refusal(format!("found a {} that contains itself. Leave it out.", name())));
        }
        if self.containers.len() >= MAX_DEPTH {
            return Err(refusal(format!(
                "expected at most {MAX_DEPTH} containers in each other, found more. Flatten the cell first."
            )));
        }
        self.containers.push(value.as_ptr());
        write(self)?;
        self.containers.pop();
        Ok(())
    }

    fn entries<'py>(&mut self, entries: impl Iterator<Item = Bound<'py, PyAny>>) -> EncodeResult {
        for (i, entry) in entries.enumerate() {
            self.value(&entry).map_err(|error| error.within(format!("[{i}]")))?;
        }
        Ok(())
    }

    fn map(&mut self, map: &Bound<'_, PyDict>) -> EncodeResult {
        check_write(encode::write_map_len(&mut self.out, count(map.len())?))?;
        // A copy: code that runs while a value is encoded may change the dict.
        for (key, value) in map
            .items()
            .iter()
            .map(|pair| pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>())
            .collect::<PyResult<Vec<_>>>()?
        {
            let step = |error: Box<Refusal>| error.within(format!("[{}]", key_text(&key)));
            self.value(&key).map_err(step)?;
            self.value(&value).map_err(step)?;
        }
        Ok(())
    }

    /// Encodes a value of another class.
    fn object(&mut self, value: &Bound<'_, PyAny>) -> EncodeResult {
        let py = value.py();
        let class = value.get_type();
        let types = self.types;
        if class.is(&types.datetime) {
            return self.datetime(value);
        }
        if class.is(&types.date) {
            let text = value.call_method0(intern!(py, "isoformat"))?;
            return self.extension(codes::DATE, text.extract::<&str>()?.as_bytes());
        }
        if class.is(&types.timedelta) {
            let mut payload = [0; 12];
            let parts = [intern!(py, "days"), intern!(py, "seconds"), intern!(py, "microseconds")];
            for (place, part) in payload.chunks_exact_mut(4).zip(parts) {
                place.copy_from_slice(&value.getattr(part)?.extract::<i32>()?.to_be_bytes());
            }
            return self.extension(codes::TIMEDELTA, &payload);
        }
        if class.is(&types.decimal) {
            // The decimal context may choose a lower-case exponent. No other part of the text has that letter.
            let text = value.str()?.extract::<String>()?.replace('e', "E");
            return self.extension(codes::DECIMAL, text.as_bytes());
        }
        if class.is(&types.uuid) {
            let mut payload = value.getattr(intern!(py, "bytes"))?.extract::<Vec<u8>>()?;
            let safe = value.getattr(intern!(py, "is_safe"))?.getattr(intern!(py, "value"))?;
            if !safe.is_none() {
                payload.push(safe.extract::<i8>()?.cast_unsigned());
            }
            return self.extension(codes::UUID, &payload);
        }
        if class.is(&types.time) {
            return self.time(value, codes::TIME);
        }
        if class.is(py.get_type::<PyComplex>()) {
            let mut payload = [0; 16];
            let parts = [intern!(py, "real"), intern!(py, "imag")];
            for (place, part) in payload.chunks_exact_mut(8).zip(parts) {
                place.copy_from_slice(&value.getattr(part)?.extract::<f64>()?.to_be_bytes());
            }
            return self.extension(codes::COMPLEX, &payload);
        }
        let (code, payload): (i8, Bound<'_, PyBytes>) =
            types.encode_other.bind(py).call1((value,))?.extract()?;
        self.extension(code, payload.as_bytes())
    }

    /// An aware `datetime` in UTC becomes MessagePack's standard timestamp.
    fn datetime(&mut self, value: &Bound<'_, PyAny>) -> EncodeResult {
        let py = value.py();
        let fold: u8 = value.getattr(intern!(py, "fold"))?.extract()?;
        if fold != 0 || !value.getattr(intern!(py, "tzinfo"))?.is(&self.types.utc) {
            return self.time(value, codes::DATETIME);
        }
        let since = value.sub(self.types.epoch.bind(py))?;
        let part = |name| since.getattr(name)?.extract::<i64>();
        let days: i64 = part(intern!(py, "days"))?;
        let seconds = days * 86400 + part(intern!(py, "seconds"))?;
        let nanos = 1000 * part(intern!(py, "microseconds"))?;
        match (u64::try_from(seconds), u32::try_from(seconds)) {
            (_, Ok(short)) if nanos == 0 => self.extension(-1, &short.to_be_bytes()),
            (Ok(long), _) if long < 1 << 34 => {
                self.extension(-1, &(nanos.cast_unsigned() << 34 | long).to_be_bytes())
            }
            _ => {
                let nanos = u32::try_from(nanos).unwrap_or(0);
                let payload = [&nanos.to_be_bytes()[..], &seconds.to_be_bytes()[..]].concat();
                self.extension(-1, &payload)
            }
        }
    }

    /// Writes a time or a datetime: ISO 8601, then its fold and its zone if it has them.
    fn time(&mut self, value: &Bound<'_, PyAny>, code: i8) -> EncodeResult {
        let py = value.py();
        if !value.getattr(intern!(py, "tzinfo"))?.is_none() {
            let text = self.types.zoned_text.bind(py).call1((value,))?;
            return self.extension(code, text.extract::<&str>()?.as_bytes());
        }
        let text = value.call_method0(intern!(py, "isoformat"))?;
        let text = text.extract::<&str>()?;
        match value.getattr(intern!(py, "fold"))?.extract::<u8>()? {
            0 => self.extension(code, text.as_bytes()),
            fold => self.extension(code, format!("{text}{SEPARATOR}{fold}{SEPARATOR}").as_bytes()),
        }
    }

    fn extension(&mut self, code: i8, payload: &[u8]) -> EncodeResult {
        check_write(encode::write_ext_meta(&mut self.out, count(payload.len())?, code).map(|_| ()))?;
        self.out.extend_from_slice(payload);
        Ok(())
    }

    /// Turns the bytes from `start` on into the payload of an extension.
    fn wrap_extension(&mut self, code: i8, start: usize) -> EncodeResult {
        let mut head = Vec::with_capacity(6);
        check_write(encode::write_ext_meta(&mut head, count(self.out.len() - start)?, code).map(|_| ()))?;
        self.out.splice(start..start, head);
        Ok(())
    }
}

fn count(length: usize) -> Result<u32, Box<Refusal>> {
    u32::try_from(length)
        .map_err(|_| refusal(format!("expected a length of less than 2^32, found {length}. Split it first.")))
}

fn check_write<T, E: std::fmt::Display>(result: Result<T, E>) -> EncodeResult {
    result.map(|_| ()).map_err(|error| refusal(error.to_string()))
}

fn key_text(key: &Bound<'_, PyAny>) -> String {
    key.repr().map_or_else(|_| "?".into(), |text| truncated(&text.to_string_lossy()))
}

fn class_name(class: &Bound<'_, PyType>) -> String {
    class.name().map_or_else(|_| "value".into(), |name| name.to_string_lossy().into_owned())
}
