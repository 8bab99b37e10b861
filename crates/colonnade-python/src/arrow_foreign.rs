//! Arrow data of other libraries, by the capsules of Arrow's C interface: moved in, checked cheaply, never copied.
//!
//! The producer is a library of this process, so its values are believed; its structures are not: released ones, wrong
//! names, counts that do not fit the schema and offsets that run backwards are errors here rather than faults later.

use std::collections::HashMap;
use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use arrow_array::ffi::from_ffi_and_data_type;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_data::ArrayData;
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::{PyMemoryError, PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::arrow_checks::{check_counts, check_ends, drop_buffers_of_nulls, has_nulls_alone};
use crate::errors;
use crate::guard::Guarded;

pub(crate) const ARRAY_NAME: &CStr = c"arrow_array";
pub(crate) const SCHEMA_NAME: &CStr = c"arrow_schema";
pub(crate) const STREAM_NAME: &CStr = c"arrow_array_stream";

/// How often a stream that takes its time is asked whether Ctrl-C was pressed.
const TICK: Duration = Duration::from_millis(50);

/// The rows of one record batch and its columns.
pub(crate) type Batch = (usize, Vec<ArrayData>);

/// A schema and record batches of it.
pub(crate) struct Foreign {
    pub(crate) schema: Schema,
    pub(crate) batches: Vec<Batch>,
}

/// A schema, and whether the arrays of it are structs (record batches) or one column alone.
pub(crate) struct Shape {
    schema: Schema,
    data_type: DataType,
}

impl Foreign {
    /// All of a table, a stream, or one batch.
    pub(crate) fn of(obj: &Bound<'_, PyAny>) -> PyResult<Self> {
        if obj.hasattr("__arrow_c_stream__")? {
            return Self::stream(&obj.call_method0("__arrow_c_stream__")?);
        }
        if obj.hasattr("__arrow_c_array__")? {
            return Self::array(&obj.call_method0("__arrow_c_array__")?);
        }
        let found = obj.get_type().qualname()?;
        Err(PyTypeError::new_err(format!(
            "arrow: expected an object with __arrow_c_stream__ or __arrow_c_array__, found {found}."
        )))
    }

    fn stream(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut stream = Stream::of_capsule(capsule)?;
        capsule.py().guarded(|| {
            let shape = stream.shape()?;
            let mut batches = Vec::new();
            let mut asked = Instant::now();
            while let Some(batch) = stream.batch(&shape)? {
                batches.push(batch);
                if asked.elapsed() > TICK {
                    Python::attach(|py| py.check_signals())?;
                    asked = Instant::now();
                }
            }
            Ok(Self { schema: shape.schema, batches })
        })
    }

    fn array(pair: &Bound<'_, PyAny>) -> PyResult<Self> {
        let pair =
            pair.cast::<PyTuple>().map_err(|_| wrong("__arrow_c_array__ answered no pair of capsules"))?;
        let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        let shape = shape_of_capsule(&schema)?;
        let place = pointer::<FFI_ArrowArray>(&array, ARRAY_NAME)?;
        // SAFETY: a capsule of this name holds this structure; it is moved out, and what stays behind is released.
        let array = unsafe { FFI_ArrowArray::from_raw(place) };
        if array.is_released() {
            return Err(consumed("array"));
        }
        let batch = shape.batch(array)?;
        Ok(Self { schema: shape.schema, batches: vec![batch] })
    }
}

/// The schema of an object with `__arrow_c_schema__`.
pub(crate) fn schema_of(obj: &Bound<'_, PyAny>) -> PyResult<Schema> {
    if !obj.hasattr("__arrow_c_schema__")? {
        let found = obj.get_type().qualname()?;
        return Err(PyTypeError::new_err(format!(
            "arrow: expected an object with __arrow_c_schema__, found {found}."
        )));
    }
    Ok(shape_of_capsule(&obj.call_method0("__arrow_c_schema__")?)?.schema)
}

pub(crate) fn wrong(what: &str) -> PyErr {
    errors::decode(format!("arrow: {what}."))
}

fn consumed(what: &str) -> PyErr {
    wrong(&format!("the {what} was read already, and can be read only once. Ask its library for another one"))
}

fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &'static CStr) -> PyResult<*mut T> {
    let expected = name.to_string_lossy();
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| {
        let found = capsule.get_type().qualname().map_or_else(|_| "an object".into(), |n| n.to_string());
        PyTypeError::new_err(format!("arrow: expected a capsule named {expected:?}, found {found}."))
    })?;
    let pointer = capsule.pointer_checked(Some(name)).map_err(|_| {
        PyTypeError::new_err(format!("arrow: expected a capsule named {expected:?}, found another one."))
    })?;
    let pointer = pointer.cast::<T>().as_ptr();
    if pointer.is_aligned() { Ok(pointer) } else { Err(wrong("a capsule's pointer is not aligned")) }
}

/// The import crate asserts where a producer breaks the interface: such a panic is the producer's error.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, arrow_schema::ArrowError>) -> PyResult<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(wrong(&error.to_string())),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("an assertion");
            Err(wrong(&format!("the producer's structures break the interface: {text}")))
        }
    }
}

fn shape_of_capsule(capsule: &Bound<'_, PyAny>) -> PyResult<Shape> {
    let place = pointer::<FFI_ArrowSchema>(capsule, SCHEMA_NAME)?;
    // SAFETY: a capsule of this name holds this structure, alive as long as the capsule; it is only read.
    Shape::of(unsafe { &*place })
}

impl Shape {
    fn of(schema: &FFI_ArrowSchema) -> PyResult<Self> {
        if schema.release().is_none() {
            return Err(consumed("schema"));
        }
        let data_type = guarded(|| DataType::try_from(schema))?;
        let schema = match &data_type {
            DataType::Struct(fields) => Schema::new(fields.clone()).with_metadata(metadata(schema)),
            // A column alone (a Series) is a table of one column, if it says what that is called.
            _ => match guarded(|| Field::try_from(schema))? {
                field if field.name().is_empty() => {
                    let found = colonnade::frame::type_name(&data_type, false);
                    return Err(PyTypeError::new_err(format!(
                        "arrow: expected a struct (a table or a batch) or a column with a name, found {found} without one."
                    )));
                }
                field => Schema::new(vec![field]),
            },
        };
        Ok(Self { schema, data_type })
    }

    fn batch(&self, mut array: FFI_ArrowArray) -> PyResult<Batch> {
        check_counts(&array, &self.data_type)?;
        if has_nulls_alone(&self.data_type) {
            // SAFETY: the counts were just checked, and nobody else has the array, which was moved here.
            unsafe { drop_buffers_of_nulls((&raw mut array).cast(), &self.data_type) };
        }
        // SAFETY: the array comes from a producer that says it is of this schema, and its counts are checked.
        let data = guarded(|| unsafe { from_ffi_and_data_type(array, self.data_type.clone()) })?;
        check_ends(&data)?;
        let nrows = data.len();
        if !matches!(self.data_type, DataType::Struct(_)) {
            return Ok((nrows, vec![settled(data)]));
        }
        if data.null_count() > 0 {
            let message = format!(
                "arrow: {} rows of the struct array are null as a whole, which a record batch cannot be. Flatten or fill them first.",
                data.null_count()
            );
            return Err(errors::decode(message));
        }
        let whole = data.offset() == 0;
        let column = |child: &ArrayData| match whole && child.len() == nrows {
            true => child.clone(),
            false => child.slice(data.offset(), nrows),
        };
        Ok((nrows, data.child_data().iter().map(column).map(settled).collect()))
    }
}

/// An array without rows starts at 0: its buffers are taken as empty, and an offset into nothing is refused by others.
fn settled(data: ArrayData) -> ArrayData {
    let children: Vec<ArrayData> = data.child_data().iter().cloned().map(settled).collect();
    let moved = data.is_empty() && data.offset() > 0;
    if !moved && children.iter().zip(data.child_data()).all(|(new, old)| new.offset() == old.offset()) {
        return data;
    }
    let offset = if data.is_empty() { 0 } else { data.offset() };
    // SAFETY: the same array; of no rows nothing is read at any offset.
    unsafe { data.into_builder().offset(offset).child_data(children).build_unchecked() }
}

/// The metadata of a schema, without what is no text: Arrow lets libraries keep bytes of their own there.
fn metadata(schema: &FFI_ArrowSchema) -> HashMap<String, String> {
    if let Ok(all) = guarded(|| schema.metadata()) {
        return all;
    }
    // SAFETY: the layout is the interface's (format, name, metadata...); the metadata are a count and pairs of sized bytes.
    unsafe {
        let mut at = std::ptr::from_ref(schema).cast::<*const u8>().add(2).read();
        let number = |at: &mut *const u8| {
            let value = at.cast::<i32>().read_unaligned();
            *at = at.add(4);
            usize::try_from(value).ok()
        };
        let bytes = |at: &mut *const u8| {
            let length = number(at)?;
            let text = std::slice::from_raw_parts(*at, length);
            *at = at.add(length);
            Some(std::str::from_utf8(text).map(str::to_owned))
        };
        let mut out = HashMap::new();
        for _ in 0..number(&mut at).unwrap_or(0) {
            let (Some(key), Some(value)) = (bytes(&mut at), bytes(&mut at)) else { break };
            if let (Ok(key), Ok(value)) = (key, value) {
                out.insert(key, value);
            }
        }
        out
    }
}

/// Batches one by one: a stream's, or the only one of an array.
pub(crate) enum Lazy {
    Stream(Stream, Shape),
    Once(Option<Batch>),
}

impl Lazy {
    /// The schema of an object's data, and the batches still in its hands.
    pub(crate) fn of(obj: &Bound<'_, PyAny>) -> PyResult<(Schema, Self)> {
        if !obj.hasattr("__arrow_c_stream__")? {
            let Foreign { schema, mut batches } = Foreign::of(obj)?;
            return Ok((schema, Self::Once(batches.pop())));
        }
        let mut stream = Stream::of_capsule(&obj.call_method0("__arrow_c_stream__")?)?;
        let shape = obj.py().guarded(|| stream.shape())?;
        Ok((shape.schema.clone(), Self::Stream(stream, shape)))
    }

    /// The next batch.
    pub(crate) fn next(&mut self) -> PyResult<Option<Batch>> {
        match self {
            Self::Stream(stream, shape) => stream.batch(shape),
            Self::Once(batch) => Ok(batch.take()),
        }
    }
}

/// A stream and what it says when it fails.
pub(crate) struct Stream(FFI_ArrowArrayStream);

impl Stream {
    fn of_capsule(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let place = pointer::<FFI_ArrowArrayStream>(capsule, STREAM_NAME)?;
        // SAFETY: a capsule of this name holds this structure; it is moved out, and what stays behind is released.
        let stream = Self(unsafe { FFI_ArrowArrayStream::from_raw(place) });
        if stream.0.release().is_none() { Err(consumed("stream")) } else { Ok(stream) }
    }

    fn shape(&mut self) -> PyResult<Shape> {
        let callback = self.0.get_schema().ok_or_else(|| wrong("the stream has no get_schema"))?;
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the callback is the stream's own, called with it and room for its answer.
        let code = unsafe { callback(&raw mut self.0, &raw mut schema) };
        self.check(code)?;
        Shape::of(&schema)
    }

    fn batch(&mut self, shape: &Shape) -> PyResult<Option<Batch>> {
        self.next()?.map(|array| shape.batch(array)).transpose()
    }

    fn next(&mut self) -> PyResult<Option<FFI_ArrowArray>> {
        let callback = self.0.get_next().ok_or_else(|| wrong("the stream has no get_next"))?;
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as in `shape`.
        let code = unsafe { callback(&raw mut self.0, &raw mut array) };
        self.check(code)?;
        Ok((!array.is_released()).then_some(array))
    }

    fn check(&mut self, code: c_int) -> PyResult<()> {
        if code == 0 {
            return Ok(());
        }
        let said = self.0.get_last_error().and_then(|callback| {
            // SAFETY: as in `shape`; the text is the stream's, and alive until its next call.
            unsafe {
                let text = callback(&raw mut self.0);
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        });
        let said = said.unwrap_or_else(|| std::io::Error::from_raw_os_error(code).to_string());
        let message = format!("arrow: the stream's producer failed: {said}");
        Err(match std::io::Error::from_raw_os_error(code).kind() {
            std::io::ErrorKind::OutOfMemory => PyMemoryError::new_err(message),
            _ if code == 5 => PyOSError::new_err((code, message)), // EIO
            _ => errors::decode(message),
        })
    }
}
