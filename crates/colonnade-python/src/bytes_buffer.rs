//! Receives bytes directly into Python's `bytes` objects.

use std::io;

use colonnade::memory::advise_huge;
use colonnade::message::IoBuffer;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Smaller buffers are copied once, which is cheaper than acquiring the interpreter lock to allocate them.
const COPIED_BELOW_NBYTES: usize = 16 << 10;

/// A new `bytes` object that no Python code has a reference to.
#[derive(Debug)]
struct BytesBuffer {
    bytes: Py<PyBytes>,
    data: *mut u8,
    nbytes: usize,
}

// SAFETY: `data` points to the memory of `bytes`, which this struct keeps alive. Only `as_mut_slice` dereferences it.
unsafe impl Send for BytesBuffer {}

impl IoBuffer for BytesBuffer {
    fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: `allocate` made the object for `nbytes`, and no Python code has a reference to it.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.nbytes) }
    }

    fn into_object(self: Box<Self>) -> Box<dyn std::any::Any + Send> {
        Box::new(self.bytes)
    }
}

/// Allocates `nbytes`. Pages are not touched before bytes arrive, so a false length costs only address space.
pub(crate) fn allocate(nbytes: usize) -> io::Result<Box<dyn IoBuffer>> {
    if nbytes < COPIED_BELOW_NBYTES {
        return Ok(Box::new(vec![0; nbytes]));
    }
    let length = ffi::Py_ssize_t::try_from(nbytes).map_err(io::Error::other)?;
    Python::attach(|py| {
        // SAFETY: a null pointer requests an uninitialised object of that length. All of it is overwritten before any Python
        // code gets the object.
        let object = unsafe { ffi::PyBytes_FromStringAndSize(std::ptr::null(), length) };
        // SAFETY: `object` is a new reference, or null with an exception set.
        let object = unsafe { Bound::from_owned_ptr_or_err(py, object) };
        let bytes = object.map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        // SAFETY: `bytes` is the `bytes` object that was just created.
        let data = unsafe { ffi::PyBytes_AsString(bytes.as_ptr()) }.cast::<u8>();
        advise_huge(data, nbytes);
        let bytes = bytes.cast_into::<PyBytes>().map_err(|_| io::Error::other("expected bytes"))?;
        Ok(Box::new(BytesBuffer { bytes: bytes.unbind(), data, nbytes }) as Box<dyn IoBuffer>)
    })
}

/// The `bytes` object of a filled buffer.
pub(crate) fn into_bytes(py: Python<'_>, mut buffer: Box<dyn IoBuffer>) -> Py<PyBytes> {
    if buffer.as_mut_slice().len() < COPIED_BELOW_NBYTES {
        return PyBytes::new(py, buffer.as_mut_slice()).unbind();
    }
    match buffer.into_object().downcast::<Py<PyBytes>>() {
        Ok(bytes) => *bytes,
        Err(_) => PyBytes::new(py, &[]).unbind(),
    }
}
