//! Objects with the buffer protocol as the core's buffers.

use std::sync::Arc;

use colonnade::memory::Buffer;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The bytes of a C-contiguous object of any element type, kept alive, not copied.
pub(crate) fn bytes_of(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    let view = PyUntypedBuffer::get(object)?;
    if !view.is_c_contiguous() {
        return Err(PyValueError::new_err("expected a contiguous buffer"));
    }
    let (ptr, nbytes) = (view.buf_ptr().cast::<u8>().cast_const(), view.len_bytes());
    // SAFETY: the exporter keeps its memory in place while the view is held, and the view is the owner.
    Ok(unsafe { Buffer::from_raw(ptr, nbytes, Arc::new(view)) })
}
