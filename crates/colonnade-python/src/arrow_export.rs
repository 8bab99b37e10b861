//! Frames as a stream of Arrow's C interface: one record batch a frame, made when it is asked for.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_data::ArrayData;
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Schema};
use colonnade::arrow::export::Exporter;
use colonnade::arrow::views::viewed;
use colonnade::frame::Frame;
use colonnade::panics::caught;
use colonnade::{Error, Result};

use crate::foreign_fields;

/// Arrow's codes are the system's: an argument that is none.
const EINVAL: c_int = 22;

/// What the stream owns: the frames stay alive until the consumer releases it.
struct Private {
    exporter: Exporter,
    /// Positions of the fields whose extension types are left out.
    storage: Vec<usize>,
    frames: std::vec::IntoIter<Arc<Frame>>,
    error: CString,
}

/// A stream over `frames`, which are of one layout; `told`: with metadata of the schema. Without, it is for a library that
/// looks at fields alone and keeps text as views. `storage`: positions of the fields that lose their extension types.
///
/// # Errors
/// What Arrow cannot hold, or a frame that is not of the first one's layout.
pub(crate) fn stream(
    frames: Vec<Arc<Frame>>,
    told: bool,
    storage: Vec<usize>,
) -> Result<FFI_ArrowArrayStream> {
    let frames = if told { frames } else { viewed(frames)? };
    let first = frames
        .first()
        .ok_or_else(|| Error::malformed("arrow", "expected one frame at least, found none."))?;
    let exporter = if told {
        Exporter::new(first, Some(frames.iter().map(|f| f.nrows).sum()))?.with_required(&frames)
    } else {
        Exporter::without_metadata(first)?
    };
    let exporter = exporter.with_nulls_of(&frames);
    for frame in &frames {
        exporter.admit_apart(frame)?;
    }
    let private = Private { exporter, storage, frames: frames.into_iter(), error: CString::default() };
    let private = Box::into_raw(Box::new(private)).cast::<c_void>();
    // SAFETY: the callbacks are those below, made for this structure; `release` frees what `private` points at, once.
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

/// The schema of a frame, for the interface.
///
/// # Errors
/// As [`stream`].
pub(crate) fn schema(frame: &Arc<Frame>) -> Result<FFI_ArrowSchema> {
    let exporter = Exporter::new(frame, Some(frame.nrows))?;
    let frames = std::slice::from_ref(frame);
    exported(&exporter.with_required(frames).with_nulls_of(frames).schema(), &[])
}

fn exported(schema: &Schema, storage: &[usize]) -> Result<FFI_ArrowSchema> {
    let changed = foreign_fields::of_schema(schema, storage);
    let schema = changed.as_ref().unwrap_or(schema);
    FFI_ArrowSchema::try_from(schema).map_err(|e| Error::unrepresentable("arrow", format!("{e}.")))
}

impl Private {
    fn schema(&mut self) -> Result<FFI_ArrowSchema> {
        exported(&self.exporter.schema(), &self.storage)
    }

    fn next(&mut self) -> Result<FFI_ArrowArray> {
        let Some(frame) = self.frames.next() else { return Ok(FFI_ArrowArray::empty()) };
        let arrays = self.exporter.admitted(&frame)?;
        let data_type = DataType::Struct(self.exporter.schema().fields().clone());
        let builder = ArrayData::builder(data_type).len(frame.nrows).child_data(arrays);
        // SAFETY: one array a field, each of its field's type and with the frame's rows: the exporter has proven it.
        Ok(FFI_ArrowArray::new(&unsafe { builder.build_unchecked() }))
    }
}

/// The private part of a stream of ours.
///
/// # Safety
/// `stream` is one that [`stream`] made, not released, and in nobody else's hands.
unsafe fn private<'s>(stream: *mut FFI_ArrowArrayStream) -> Option<&'s mut Private> {
    // SAFETY: the caller's promise.
    unsafe { stream.as_ref()?.private_data().cast::<Private>().as_mut() }
}

/// Writes the answer, or keeps the error's words and answers its code. Nothing unwinds into the consumer.
fn answer<T>(
    private: Option<&mut Private>,
    out: *mut T,
    work: impl FnOnce(&mut Private) -> Result<T>,
) -> c_int {
    let Some(private) = private.filter(|_| !out.is_null()) else { return EINVAL };
    let result = caught(|| work(private)).and_then(|answer| answer);
    let said = match result {
        Ok(value) => {
            // SAFETY: the interface: `out` is room for one released or uninitialised structure.
            unsafe { out.write(value) };
            return 0;
        }
        Err(error) => error.to_string(),
    };
    private.error = CString::new(said.replace('\0', " ")).unwrap_or_default();
    EINVAL
}

unsafe extern "C" fn get_schema(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowSchema) -> c_int {
    // SAFETY: the interface: callbacks are called with their own stream, by one thread at a time, before it is released.
    answer(unsafe { private(stream) }, out, Private::schema)
}

unsafe extern "C" fn get_next(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: as in `get_schema`.
    answer(unsafe { private(stream) }, out, Private::next)
}

unsafe extern "C" fn get_last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: as in `get_schema`; the text stays until the next call.
    unsafe { private(stream) }.map_or(std::ptr::null(), |private| private.error.as_ptr())
}

unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: as in `get_schema`; the box was made by `stream` and is freed here alone: nothing points at it afterwards.
    unsafe {
        if let Some(stream) = stream.as_mut() {
            let private = stream.set_private_data(std::ptr::null_mut()).cast::<Private>();
            stream.set_release(None);
            if !private.is_null() {
                drop(Box::from_raw(private));
            }
        }
    }
}
