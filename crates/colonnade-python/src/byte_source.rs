//! Sources of bytes: objects with the buffer protocol, and descriptors from which some bytes are already read.

use std::io::{Chain, Cursor, Read};
use std::os::fd::RawFd;
use std::sync::Arc;

use colonnade::memory::Buffer;
use colonnade_transport::Descriptor;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The bytes of a C-contiguous object of any element type, shared and not copied.
pub(crate) fn bytes_of(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    let view = PyUntypedBuffer::get(object)?;
    if !view.is_c_contiguous() {
        return Err(PyValueError::new_err("expected a contiguous buffer"));
    }
    let (ptr, nbytes) = (view.buf_ptr().cast::<u8>().cast_const(), view.len_bytes());
    // SAFETY: the exporter keeps its memory in place while a view exists, and the buffer owns the view. Writing to the object while a
    // frame has it is against the documentation (copies.md): the frame would change.
    Ok(unsafe { Buffer::from_raw(ptr, nbytes, Arc::new(view)) })
}

/// The bytes read from a descriptor before, then the descriptor.
pub(crate) type PrefixedDescriptor = Chain<Cursor<Vec<u8>>, Descriptor>;

/// The bytes of `head`, then those of `fd`.
pub(crate) fn prefixed_descriptor(head: Option<Vec<u8>>, fd: RawFd) -> PrefixedDescriptor {
    Cursor::new(head.unwrap_or_default()).chain(Descriptor::new(fd))
}
