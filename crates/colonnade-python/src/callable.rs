//! Reads from Python functions that fill a view: `read_into(view) -> count`, with 0 at the end.

use std::io::{self, Read};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyMemoryView, PySlice};

/// Maximum bytes of one call.
const SCRATCH_NBYTES: usize = 256 << 10;

/// Fills the front of `buffer`. Python gets a view of `scratch`, so a view that it keeps never refers to `buffer`.
fn call(
    read_into: &Bound<'_, PyAny>,
    scratch: &Bound<'_, PyByteArray>,
    buffer: &mut [u8],
) -> PyResult<usize> {
    let max_count = buffer.len().min(scratch.len());
    let view = PyMemoryView::from(scratch.as_any())?.get_item(PySlice::new(
        read_into.py(),
        0,
        isize::try_from(max_count)?,
        1,
    ))?;
    let count: usize = read_into.call1((view,))?.extract()?;
    if count > max_count {
        let message = format!("read_into: expected at most {max_count}, answered {count}");
        return Err(PyValueError::new_err(message));
    }
    // SAFETY: the interpreter lock is held and no Python code runs while the bytes are copied.
    let bytes = unsafe { scratch.as_bytes() };
    let (Some(to), Some(from)) = (buffer.get_mut(..count), bytes.get(..count)) else {
        return Err(PyValueError::new_err("read_into: the buffer it was lent is no longer there"));
    };
    to.copy_from_slice(from);
    Ok(count)
}

/// A Python function as a stream. The I/O error wraps an exception that it raises.
pub(crate) struct CallableReader {
    read_into: Py<PyAny>,
    scratch: Py<PyByteArray>,
}

impl CallableReader {
    /// A stream of the bytes that `read_into` returns.
    pub(crate) fn new(py: Python<'_>, read_into: Py<PyAny>) -> Self {
        Self { read_into, scratch: PyByteArray::new(py, &vec![0; SCRATCH_NBYTES]).unbind() }
    }
}

impl Read for CallableReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| call(self.read_into.bind(py), self.scratch.bind(py), buffer))
            .map_err(io::Error::from)
    }
}
