//! Functions of Python that fill a view: `read_into(view) -> count`, 0 at the end.

use std::io::{self, Read};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyMemoryView, PySlice};

/// Python fills at most so many bytes a call.
const SCRATCH_NBYTES: usize = 256 << 10;

/// Lets Python fill the front of `room`, by way of `scratch`: a view that is kept never sees memory of ours.
fn call(read_into: &Bound<'_, PyAny>, scratch: &Bound<'_, PyByteArray>, room: &mut [u8]) -> PyResult<usize> {
    let wanted = room.len().min(scratch.len());
    let view = PyMemoryView::from(scratch.as_any())?.get_item(PySlice::new(
        read_into.py(),
        0,
        isize::try_from(wanted)?,
        1,
    ))?;
    let count: usize = read_into.call1((view,))?.extract()?;
    if count > wanted {
        return Err(PyValueError::new_err(format!("read_into: expected at most {wanted}, answered {count}")));
    }
    // SAFETY: the interpreter lock is held and no Python code runs while the bytes are copied.
    let bytes = unsafe { scratch.as_bytes() };
    let (Some(to), Some(from)) = (room.get_mut(..count), bytes.get(..count)) else {
        return Err(PyValueError::new_err("read_into: the buffer it was lent is no longer there"));
    };
    to.copy_from_slice(from);
    Ok(count)
}

/// Such a function as a stream. What it raises travels inside the I/O error.
pub(crate) struct Callable {
    read_into: Py<PyAny>,
    scratch: Py<PyByteArray>,
}

impl Callable {
    /// The stream of what `read_into` gives.
    pub(crate) fn new(py: Python<'_>, read_into: Py<PyAny>) -> Self {
        Self { read_into, scratch: PyByteArray::new(py, &vec![0; SCRATCH_NBYTES]).unbind() }
    }
}

impl Read for Callable {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| call(self.read_into.bind(py), self.scratch.bind(py), room))
            .map_err(io::Error::from)
    }
}
