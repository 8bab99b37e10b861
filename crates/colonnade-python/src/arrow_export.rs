//! Exports frames as a stream of Arrow's C interface: one record batch for each frame, converted when the consumer requests
//! it.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_data::ArrayData;
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Schema};
use colonnade::arrow::export::Exporter;
use colonnade::arrow::views::to_views;
use colonnade::frame::Frame;
use colonnade::panics::catch_panic;
use colonnade::{Error, Result};

use crate::foreign_fields;

/// The interface's error codes are errno values.
const EINVAL: c_int = 22;

/// The stream's private data. It keeps the frames alive until the consumer releases the stream.
struct PrivateData {
    exporter: Exporter,
    /// Positions of the fields that are exported without extension types.
    storage: Vec<usize>,
    frames: std::vec::IntoIter<Arc<Frame>>,
    error: CString,
}

/// A stream over `frames`, which must have one layout. Without `metadata` the schema is for a library that reads only fields
/// and stores text as views. `storage`: positions of the fields that are exported without extension types.
///
/// # Errors
/// Arrow cannot represent the data, or a frame has another layout than the first.
pub(crate) fn stream(
    frames: Vec<Arc<Frame>>,
    metadata: bool,
    storage: Vec<usize>,
) -> Result<FFI_ArrowArrayStream> {
    let frames = if metadata { frames } else { to_views(frames)? };
    let first = frames
        .first()
        .ok_or_else(|| Error::malformed("arrow", "expected one frame at least, found none."))?;
    let exporter = if metadata {
        Exporter::new(first, Some(frames.iter().map(|f| f.nrows).sum()))?.with_required(&frames)
    } else {
        Exporter::without_metadata(first)?
    };
    let exporter = exporter.with_nulls_of(&frames);
    for frame in &frames {
        exporter.admit_apart(frame)?;
    }
    let private = PrivateData { exporter, storage, frames: frames.into_iter(), error: CString::default() };
    let private = Box::into_raw(Box::new(private)).cast::<c_void>();
    // SAFETY: the callbacks below expect a `PrivateData` behind `private`, and `release` frees it once.
    Ok(unsafe {
        FFI_ArrowArrayStream::new_unchecked(
            Some(get_schema),
            Some(get_next),
            Some(get_last_error),
            Some(release),
            private,
        )
    })
}

/// Exports the schema of a frame.
///
/// # Errors
/// As [`stream`].
pub(crate) fn schema(frame: &Arc<Frame>) -> Result<FFI_ArrowSchema> {
    let exporter = Exporter::new(frame, Some(frame.nrows))?;
    let frames = std::slice::from_ref(frame);
    ffi_schema(&exporter.with_required(frames).with_nulls_of(frames).schema(), &[])
}

fn ffi_schema(schema: &Schema, storage: &[usize]) -> Result<FFI_ArrowSchema> {
    let changed = foreign_fields::of_schema(schema, storage);
    let schema = changed.as_ref().unwrap_or(schema);
    FFI_ArrowSchema::try_from(schema).map_err(|e| Error::unrepresentable("arrow", format!("{e}.")))
}

impl PrivateData {
    fn schema(&mut self) -> Result<FFI_ArrowSchema> {
        ffi_schema(&self.exporter.schema(), &self.storage)
    }

    fn next(&mut self) -> Result<FFI_ArrowArray> {
        let Some(frame) = self.frames.next() else { return Ok(FFI_ArrowArray::empty()) };
        let arrays = self.exporter.admitted(&frame)?;
        let data_type = DataType::Struct(self.exporter.schema().fields().clone());
        let builder = ArrayData::builder(data_type).len(frame.nrows).child_data(arrays);
        // SAFETY: the exporter returns one array for each field, of the field's type and with the frame's rows.
        Ok(FFI_ArrowArray::new(&unsafe { builder.build_unchecked() }))
    }
}

/// The private data of an exported stream.
///
/// # Safety
/// [`stream()`] created `stream`, it is not released, and no other reference to its private data exists.
unsafe fn private_data<'s>(stream: *mut FFI_ArrowArrayStream) -> Option<&'s mut PrivateData> {
    // SAFETY: the caller guarantees it.
    unsafe { stream.as_ref()?.private_data().cast::<PrivateData>().as_mut() }
}

/// Writes the result to `out`, or stores the error's text and returns its code. No panic unwinds into the consumer.
fn run_callback<T>(
    private: Option<&mut PrivateData>,
    out: *mut T,
    work: impl FnOnce(&mut PrivateData) -> Result<T>,
) -> c_int {
    let Some(private) = private.filter(|_| !out.is_null()) else { return EINVAL };
    let result = catch_panic(|| work(private)).and_then(|result| result);
    let message = match result {
        Ok(value) => {
            // SAFETY: by the interface's contract, `out` points at a released or uninitialised structure.
            unsafe { out.write(value) };
            return 0;
        }
        Err(error) => error.to_string(),
    };
    private.error = CString::new(message.replace('\0', " ")).unwrap_or_default();
    EINVAL
}

unsafe extern "C" fn get_schema(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowSchema) -> c_int {
    // SAFETY: by the interface's contract, the consumer calls a callback with its own stream, from one thread at a time,
    // before it releases the stream.
    run_callback(unsafe { private_data(stream) }, out, PrivateData::schema)
}

unsafe extern "C" fn get_next(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: as in `get_schema`.
    run_callback(unsafe { private_data(stream) }, out, PrivateData::next)
}

unsafe extern "C" fn get_last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: as in `get_schema`. The text stays valid until the next call.
    unsafe { private_data(stream) }.map_or(std::ptr::null(), |private| private.error.as_ptr())
}

unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: as in `get_schema`. `stream` created the box, only this callback frees it, and no pointer to it remains.
    unsafe {
        if let Some(stream) = stream.as_mut() {
            let private = stream.set_private_data(std::ptr::null_mut()).cast::<PrivateData>();
            stream.set_release(None);
            if !private.is_null() {
                drop(Box::from_raw(private));
            }
        }
    }
}
