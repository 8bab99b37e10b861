//! Python objects of any kind as one MessagePack value each: a column of mixed cells.
//!
//! A value is known by its exact class: an instance of a subclass would come back as something else, and is refused.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use rmp::encode;

use crate::cells_types::{self as codes, PART, Types, types};
use crate::errors;

/// Containers in each other within a cell. A frame in a bundle has four around it, and readers allow 64 unless told otherwise.
pub(crate) const MAX_DEPTH: usize = 60;

/// A column of the cells of a 1-D object array: null for None, else one value each.
pub(crate) fn encoded(values: &Bound<'_, PyAny>) -> PyResult<ArrayData> {
    let py = values.py();
    let cells = values.call_method0("tolist")?.cast_into::<PyList>()?;
    let length = cells.len();
    let mut encoder = Encoder { types: types(py)?, out: Vec::with_capacity(9 * length), within: Vec::new() };
    let mut valid = Vec::with_capacity(length);
    let mut offsets: Vec<i64> = Vec::with_capacity(length + 1);
    offsets.push(0);
    for (row, cell) in cells.iter().enumerate() {
        valid.push(!cell.is_none());
        if !cell.is_none() {
            let start = encoder.out.len();
            encoder.value(&cell).map_err(|refusal| refusal.at(py, row))?;
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

/// Why a value is refused, and where in its cell it stands (innermost step first).
struct Refusal {
    path: Vec<String>,
    why: Why,
}

enum Why {
    Says(String),
    Raised(PyErr),
}

type Done = Result<(), Box<Refusal>>;

impl From<PyErr> for Box<Refusal> {
    fn from(error: PyErr) -> Self {
        Self::new(Refusal { path: Vec::new(), why: Why::Raised(error) })
    }
}

#[cold]
fn refused(text: impl Into<String>) -> Box<Refusal> {
    Box::new(Refusal { path: Vec::new(), why: Why::Says(text.into()) })
}

impl Refusal {
    fn within(mut self: Box<Self>, step: String) -> Box<Self> {
        self.path.push(step);
        self
    }

    fn at(self, py: Python<'_>, row: usize) -> PyErr {
        let path: String = self.path.iter().rev().map(String::as_str).collect();
        let place = if path.is_empty() { String::new() } else { format!(", at {}", shortened(&path)) };
        match self.why {
            Why::Says(text) => errors::encode(format!("row {row}{place}: {text}")),
            // What the helper says of a class; any other exception is none of ours.
            Why::Raised(error) if error.is_instance_of::<PyTypeError>(py) => {
                errors::encode(format!("row {row}{place}: {}", error.value(py)))
            }
            Why::Raised(error) => error,
        }
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= 120 {
        return text.to_owned();
    }
    text.chars().take(117).chain("...".chars()).collect()
}

struct Encoder<'t> {
    types: &'t Types,
    out: Vec<u8>,
    /// The containers around the value.
    within: Vec<*mut pyo3::ffi::PyObject>,
}

impl Encoder<'_> {
    fn value(&mut self, value: &Bound<'_, PyAny>) -> Done {
        // Exact classes: the commonest first.
        if value.is_exact_instance_of::<PyString>() {
            return self.text(value);
        }
        if value.is_exact_instance_of::<PyInt>() {
            return self.int(value);
        }
        if value.is_exact_instance_of::<PyFloat>() {
            let bits = value.extract::<f64>()?;
            return ended(encode::write_f64(&mut self.out, bits));
        }
        if value.is_none() {
            return ended(encode::write_nil(&mut self.out));
        }
        if let Ok(flag) = value.cast::<PyBool>() {
            return ended(encode::write_bool(&mut self.out, flag.is_true()));
        }
        if value.is_exact_instance_of::<PyBytes>() {
            let bytes = value.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes();
            ended(encode::write_bin_len(&mut self.out, count(bytes.len())?))?;
            self.out.extend_from_slice(bytes);
            return Ok(());
        }
        if value.is_exact_instance_of::<PyList>() {
            return self.nested(value, |me| {
                let list = value.cast::<PyList>().map_err(PyErr::from)?;
                ended(encode::write_array_len(&mut me.out, count(list.len())?))?;
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
                ended(encode::write_array_len(&mut me.out, count(tuple.len())?))?;
                me.entries(tuple.iter())?;
                me.extend(codes::TUPLE, start)
            });
        }
        self.object(value)
    }

    fn text(&mut self, value: &Bound<'_, PyAny>) -> Done {
        let text = value.cast::<PyString>().map_err(PyErr::from)?;
        let text =
            text.to_str().map_err(|_| refused("a lone surrogate is no Unicode text. Replace it first."))?;
        ended(encode::write_str_len(&mut self.out, count(text.len())?))?;
        self.out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn int(&mut self, value: &Bound<'_, PyAny>) -> Done {
        if let Ok(number) = value.extract::<i64>() {
            return ended(encode::write_sint(&mut self.out, number));
        }
        if let Ok(number) = value.extract::<u64>() {
            return ended(encode::write_uint(&mut self.out, number));
        }
        let py = value.py();
        let bits: usize = value.call_method0(intern!(py, "bit_length"))?.extract()?;
        let signed = pyo3::types::PyDict::new(py);
        signed.set_item(intern!(py, "signed"), true)?;
        let bytes = value.call_method(intern!(py, "to_bytes"), (bits / 8 + 1, "big"), Some(&signed))?;
        self.extension(codes::INT, bytes.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes())
    }

    /// A container: not within itself, and not too deep.
    fn nested(&mut self, value: &Bound<'_, PyAny>, write: impl FnOnce(&mut Self) -> Done) -> Done {
        let name = || class_name(&value.get_type());
        if self.within.contains(&value.as_ptr()) {
            return Err(refused(format!("found a {} that contains itself. Leave it out.", name())));
        }
        if self.within.len() >= MAX_DEPTH {
            return Err(refused(format!(
                "expected at most {MAX_DEPTH} containers in each other, found more. Flatten the cell first."
            )));
        }
        self.within.push(value.as_ptr());
        write(self)?;
        self.within.pop();
        Ok(())
    }

    fn entries<'py>(&mut self, entries: impl Iterator<Item = Bound<'py, PyAny>>) -> Done {
        for (i, entry) in entries.enumerate() {
            self.value(&entry).map_err(|refusal| refusal.within(format!("[{i}]")))?;
        }
        Ok(())
    }

    fn map(&mut self, map: &Bound<'_, PyDict>) -> Done {
        ended(encode::write_map_len(&mut self.out, count(map.len())?))?;
        // A copy: nothing that runs in between changes it.
        for (key, value) in map
            .items()
            .iter()
            .map(|pair| pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>())
            .collect::<PyResult<Vec<_>>>()?
        {
            let step = |refusal: Box<Refusal>| refusal.within(format!("[{}]", shown(&key)));
            self.value(&key).map_err(step)?;
            self.value(&value).map_err(step)?;
        }
        Ok(())
    }

    /// Values of other classes.
    fn object(&mut self, value: &Bound<'_, PyAny>) -> Done {
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
            // The context may ask for a small exponent sign; nothing else in such text has that letter.
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
            return self.moment(value, codes::TIME);
        }
        if class.is(py.get_type::<PyComplex>()) {
            let mut payload = [0; 16];
            let parts = [intern!(py, "real"), intern!(py, "imag")];
            for (place, part) in payload.chunks_exact_mut(8).zip(parts) {
                place.copy_from_slice(&value.getattr(part)?.extract::<f64>()?.to_be_bytes());
            }
            return self.extension(codes::COMPLEX, &payload);
        }
        let (code, payload): (i8, Bound<'_, PyBytes>) = types.other.bind(py).call1((value,))?.extract()?;
        self.extension(code, payload.as_bytes())
    }

    /// Aware ones in UTC are the timestamps that every MessagePack reader knows.
    fn datetime(&mut self, value: &Bound<'_, PyAny>) -> Done {
        let py = value.py();
        let fold: u8 = value.getattr(intern!(py, "fold"))?.extract()?;
        if fold != 0 || !value.getattr(intern!(py, "tzinfo"))?.is(&self.types.utc) {
            return self.moment(value, codes::DATETIME);
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

    /// A time of day, or a date with one: ISO 8601, then its fold and its zone where it has them.
    fn moment(&mut self, value: &Bound<'_, PyAny>, code: i8) -> Done {
        let py = value.py();
        if !value.getattr(intern!(py, "tzinfo"))?.is_none() {
            let text = self.types.zoned.bind(py).call1((value,))?;
            return self.extension(code, text.extract::<&str>()?.as_bytes());
        }
        let text = value.call_method0(intern!(py, "isoformat"))?;
        let text = text.extract::<&str>()?;
        match value.getattr(intern!(py, "fold"))?.extract::<u8>()? {
            0 => self.extension(code, text.as_bytes()),
            fold => self.extension(code, format!("{text}{PART}{fold}{PART}").as_bytes()),
        }
    }

    fn extension(&mut self, code: i8, payload: &[u8]) -> Done {
        ended(encode::write_ext_meta(&mut self.out, count(payload.len())?, code).map(|_| ()))?;
        self.out.extend_from_slice(payload);
        Ok(())
    }

    /// Makes what was written since `start` the payload of an extension.
    fn extend(&mut self, code: i8, start: usize) -> Done {
        let mut head = Vec::with_capacity(6);
        ended(encode::write_ext_meta(&mut head, count(self.out.len() - start)?, code).map(|_| ()))?;
        self.out.splice(start..start, head);
        Ok(())
    }
}

fn count(length: usize) -> Result<u32, Box<Refusal>> {
    u32::try_from(length)
        .map_err(|_| refused(format!("expected a length of less than 2^32, found {length}. Split it first.")))
}

fn ended<T, E: std::fmt::Display>(result: Result<T, E>) -> Done {
    result.map(|_| ()).map_err(|error| refused(error.to_string()))
}

fn shown(key: &Bound<'_, PyAny>) -> String {
    key.repr().map_or_else(|_| "?".into(), |text| shortened(&text.to_string_lossy()))
}

fn class_name(class: &Bound<'_, PyType>) -> String {
    class.name().map_or_else(|_| "value".into(), |name| name.to_string_lossy().into_owned())
}
