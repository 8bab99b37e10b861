//! Where bytes come from: objects with the buffer protocol, and descriptors of which some bytes were taken already.

use std::io::{Chain, Cursor, Read};
use std::os::fd::RawFd;
use std::sync::Arc;

use colonnade::memory::Buffer;
use colonnade_transport::Descriptor;
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

/// A descriptor behind bytes that were taken from it before.
pub(crate) type Headed = Chain<Cursor<Vec<u8>>, Descriptor>;

/// The bytes of `head`, then those of `fd`.
pub(crate) fn after(head: Option<Vec<u8>>, fd: RawFd) -> Headed {
    Cursor::new(head.unwrap_or_default()).chain(Descriptor::new(fd))
}
