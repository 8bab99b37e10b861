//! A `bytes` object as the memory that bytes are received or written into.

use std::io;

use colonnade::memory::advise_huge;
use colonnade::message::IoBuffer;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Smaller ones are copied once: cheaper than taking the interpreter lock for them.
const COPIED_BELOW_NBYTES: usize = 16 << 10;

/// A `bytes` object that nobody has seen yet.
#[derive(Debug)]
struct BytesBuffer {
    bytes: Py<PyBytes>,
    data: *mut u8,
    nbytes: usize,
}

// SAFETY: the pointer is to the object's own bytes, which `bytes` keeps; only `as_mut_slice` uses it.
unsafe impl Send for BytesBuffer {}

impl IoBuffer for BytesBuffer {
    fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: the object was made for `nbytes`, and no Python code has seen it: see `allocate`.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.nbytes) }
    }

    fn into_object(self: Box<Self>) -> Box<dyn std::any::Any + Send> {
        Box::new(self.bytes)
    }
}

/// Memory for `nbytes`, untouched until bytes come: a claim costs only address space.
pub(crate) fn allocate(nbytes: usize) -> io::Result<Box<dyn IoBuffer>> {
    if nbytes < COPIED_BELOW_NBYTES {
        return Ok(Box::new(vec![0; nbytes]));
    }
    let length = ffi::Py_ssize_t::try_from(nbytes).map_err(io::Error::other)?;
    Python::attach(|py| {
        // SAFETY: a null pointer asks for an object of that length, to be filled before anyone else sees it. Its memory is the
        // allocator's, fresh or used before; all of it is overwritten before the object is handed out.
        let object = unsafe { ffi::PyBytes_FromStringAndSize(std::ptr::null(), length) };
        // SAFETY: a new reference, or null with an error set.
        let object = unsafe { Bound::from_owned_ptr_or_err(py, object) };
        let bytes = object.map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        // SAFETY: it is a `bytes` object, made just now.
        let data = unsafe { ffi::PyBytes_AsString(bytes.as_ptr()) }.cast::<u8>();
        advise_huge(data, nbytes);
        let bytes = bytes.cast_into::<PyBytes>().map_err(|_| io::Error::other("expected bytes"))?;
        Ok(Box::new(BytesBuffer { bytes: bytes.unbind(), data, nbytes }) as Box<dyn IoBuffer>)
    })
}

/// The `bytes` of a buffer that is filled.
pub(crate) fn into_bytes(py: Python<'_>, mut buffer: Box<dyn IoBuffer>) -> Py<PyBytes> {
    if buffer.as_mut_slice().len() < COPIED_BELOW_NBYTES {
        return PyBytes::new(py, buffer.as_mut_slice()).unbind();
    }
    match buffer.into_object().downcast::<Py<PyBytes>>() {
        Ok(bytes) => *bytes,
        Err(_) => PyBytes::new(py, &[]).unbind(),
    }
}
