//! Imports Arrow data of other libraries by the capsules of Arrow's C interface, without a copy.
//!
//! The producer is a library of this process, so its values are trusted, but its structures are checked. Released
//! structures, wrong names, counts that do not fit the schema and decreasing offsets are errors here rather than faults
//! later.

use std::collections::HashMap;
use std::ffi::{CStr, c_int};
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

use crate::arrow_checks::{check_counts, check_offsets, clear_null_type_buffers, contains_null_type};
use crate::arrow_errors::{catch_assertions, invalid_data};
use crate::errors;
use crate::guard::Guarded;

pub(crate) const ARRAY_NAME: &CStr = c"arrow_array";
pub(crate) const SCHEMA_NAME: &CStr = c"arrow_schema";
pub(crate) const STREAM_NAME: &CStr = c"arrow_array_stream";

/// The interval between checks for signals while a stream is read.
const TICK: Duration = Duration::from_millis(50);

/// The rows of one record batch and its columns.
pub(crate) type Batch = (usize, Vec<ArrayData>);

/// A schema and its record batches.
pub(crate) struct ForeignTable {
    pub(crate) schema: Schema,
    pub(crate) batches: Vec<Batch>,
}

/// A schema, and the type of its arrays: a struct for record batches, or the type of a single column.
pub(crate) struct ForeignSchema {
    schema: Schema,
    data_type: DataType,
}

impl ForeignTable {
    /// Imports a table, a whole stream, or one batch.
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
        let mut stream = ForeignStream::of_capsule(capsule)?;
        capsule.py().guarded(|| {
            let schema = stream.schema()?;
            let mut batches = Vec::new();
            let mut checked = Instant::now();
            while let Some(batch) = stream.batch(&schema)? {
                batches.push(batch);
                if checked.elapsed() > TICK {
                    Python::attach(|py| py.check_signals())?;
                    checked = Instant::now();
                }
            }
            Ok(Self { schema: schema.schema, batches })
        })
    }

    fn array(pair: &Bound<'_, PyAny>) -> PyResult<Self> {
        let pair = pair
            .cast::<PyTuple>()
            .map_err(|_| invalid_data("__arrow_c_array__ answered no pair of capsules"))?;
        let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        let schema = schema_of_capsule(&schema)?;
        let place = pointer::<FFI_ArrowArray>(&array, ARRAY_NAME)?;
        // SAFETY: a capsule of this name holds this structure. `from_raw` moves it out and marks the original as released.
        let array = unsafe { FFI_ArrowArray::from_raw(place) };
        if array.is_released() {
            return Err(already_consumed("array"));
        }
        let batch = schema.batch(array)?;
        Ok(Self { schema: schema.schema, batches: vec![batch] })
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
    Ok(schema_of_capsule(&obj.call_method0("__arrow_c_schema__")?)?.schema)
}

fn already_consumed(what: &str) -> PyErr {
    invalid_data(&format!(
        "the {what} was read already, and can be read only once. Ask its library for another one"
    ))
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
    if pointer.is_aligned() { Ok(pointer) } else { Err(invalid_data("a capsule's pointer is not aligned")) }
}

fn schema_of_capsule(capsule: &Bound<'_, PyAny>) -> PyResult<ForeignSchema> {
    let place = pointer::<FFI_ArrowSchema>(capsule, SCHEMA_NAME)?;
    // SAFETY: a capsule of this name holds this structure, which lives as long as the capsule and is only read.
    ForeignSchema::of(unsafe { &*place })
}

impl ForeignSchema {
    fn of(schema: &FFI_ArrowSchema) -> PyResult<Self> {
        if schema.release().is_none() {
            return Err(already_consumed("schema"));
        }
        let data_type = catch_assertions(|| DataType::try_from(schema))?;
        let schema = match &data_type {
            DataType::Struct(fields) => Schema::new(fields.clone()).with_metadata(metadata(schema)),
            // A named column (a Series) is a table of one column.
            _ => match catch_assertions(|| Field::try_from(schema))? {
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
        if contains_null_type(&self.data_type) {
            // SAFETY: the counts were just checked. The array was moved here, so no other reference to it exists.
            unsafe { clear_null_type_buffers((&raw mut array).cast(), &self.data_type) };
        }
        // SAFETY: the producer declares this schema for the array, and the counts were checked against it.
        let data = catch_assertions(|| unsafe { from_ffi_and_data_type(array, self.data_type.clone()) })?;
        check_offsets(&data)?;
        let nrows = data.len();
        if !matches!(self.data_type, DataType::Struct(_)) {
            return Ok((nrows, vec![reset_empty_offsets(data)]));
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
        Ok((nrows, data.child_data().iter().map(column).map(reset_empty_offsets).collect()))
    }
}

/// Sets the offset of arrays without rows to 0. Such arrays have empty buffers, and other code refuses an offset beyond a
/// buffer.
fn reset_empty_offsets(data: ArrayData) -> ArrayData {
    let children: Vec<ArrayData> = data.child_data().iter().cloned().map(reset_empty_offsets).collect();
    let needs_reset = data.is_empty() && data.offset() > 0;
    if !needs_reset && children.iter().zip(data.child_data()).all(|(new, old)| new.offset() == old.offset()) {
        return data;
    }
    let offset = if data.is_empty() { 0 } else { data.offset() };
    // SAFETY: `data` is a valid array. Only arrays without rows change their offset, and those have no values to read.
    unsafe { data.into_builder().offset(offset).child_data(children).build_unchecked() }
}

/// The metadata of a schema, without values that are not UTF-8: Arrow allows arbitrary bytes there.
fn metadata(schema: &FFI_ArrowSchema) -> HashMap<String, String> {
    if let Ok(all) = catch_assertions(|| schema.metadata()) {
        return all;
    }
    // SAFETY: `schema` has the interface's layout (format, name, metadata...), and metadata is a count and pairs of sized
    // bytes.
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

/// Batches that are imported one by one: those of a stream, or the only one of an array.
pub(crate) enum ForeignBatches {
    Stream(ForeignStream, ForeignSchema),
    Once(Option<Batch>),
}

impl ForeignBatches {
    /// The schema of an object, and its batches.
    pub(crate) fn of(obj: &Bound<'_, PyAny>) -> PyResult<(Schema, Self)> {
        if !obj.hasattr("__arrow_c_stream__")? {
            let ForeignTable { schema, mut batches } = ForeignTable::of(obj)?;
            return Ok((schema, Self::Once(batches.pop())));
        }
        let mut stream = ForeignStream::of_capsule(&obj.call_method0("__arrow_c_stream__")?)?;
        let schema = obj.py().guarded(|| stream.schema())?;
        Ok((schema.schema.clone(), Self::Stream(stream, schema)))
    }

    /// The next batch.
    pub(crate) fn next(&mut self) -> PyResult<Option<Batch>> {
        match self {
            Self::Stream(stream, schema) => stream.batch(schema),
            Self::Once(batch) => Ok(batch.take()),
        }
    }
}

/// A stream of another library.
pub(crate) struct ForeignStream(FFI_ArrowArrayStream);

impl ForeignStream {
    fn of_capsule(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let place = pointer::<FFI_ArrowArrayStream>(capsule, STREAM_NAME)?;
        // SAFETY: a capsule of this name holds this structure. `from_raw` moves it out and marks the original as released.
        let stream = Self(unsafe { FFI_ArrowArrayStream::from_raw(place) });
        if stream.0.release().is_none() { Err(already_consumed("stream")) } else { Ok(stream) }
    }

    fn schema(&mut self) -> PyResult<ForeignSchema> {
        let callback = self.0.get_schema().ok_or_else(|| invalid_data("the stream has no get_schema"))?;
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the callback belongs to this stream, and `schema` is a valid structure for its result.
        let code = unsafe { callback(&raw mut self.0, &raw mut schema) };
        self.check(code)?;
        ForeignSchema::of(&schema)
    }

    fn batch(&mut self, schema: &ForeignSchema) -> PyResult<Option<Batch>> {
        self.next()?.map(|array| schema.batch(array)).transpose()
    }

    fn next(&mut self) -> PyResult<Option<FFI_ArrowArray>> {
        let callback = self.0.get_next().ok_or_else(|| invalid_data("the stream has no get_next"))?;
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as in `schema`.
        let code = unsafe { callback(&raw mut self.0, &raw mut array) };
        self.check(code)?;
        Ok((!array.is_released()).then_some(array))
    }

    fn check(&mut self, code: c_int) -> PyResult<()> {
        if code == 0 {
            return Ok(());
        }
        let text = self.0.get_last_error().and_then(|callback| {
            // SAFETY: as in `schema`. The text belongs to the stream and stays valid until its next call.
            unsafe {
                let text = callback(&raw mut self.0);
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        });
        let text = text.unwrap_or_else(|| std::io::Error::from_raw_os_error(code).to_string());
        let message = format!("arrow: the stream's producer failed: {text}");
        Err(match std::io::Error::from_raw_os_error(code).kind() {
            std::io::ErrorKind::OutOfMemory => PyMemoryError::new_err(message),
            _ if code == 5 => PyOSError::new_err((code, message)), // EIO
            _ => errors::decode(message),
        })
    }
}
