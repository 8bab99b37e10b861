//! A channel over the methods of a Python object. Each call waits as long as the method does.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::RawFd;
use std::time::Duration;

use colonnade_transport::{Channel, Direction};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PySlice};

/// The maximum number of bytes that one call of a method receives or sends.
const CALL_NBYTES: usize = 256 << 10;

/// The functions that fill a view with received bytes, and that send a view's bytes.
#[derive(Debug)]
pub(super) struct CallableChannel {
    pub(super) read_into: Option<Py<PyAny>>,
    pub(super) write: Option<Py<PyAny>>,
    pub(super) scratch: Py<PyByteArray>,
    pub(super) peer: String,
}

impl CallableChannel {
    pub(super) fn new(
        py: Python<'_>,
        read_into: Option<Py<PyAny>>,
        write: Option<Py<PyAny>>,
        peer: String,
    ) -> Self {
        let scratch = PyByteArray::new(py, &vec![0; CALL_NBYTES]).unbind();
        Self { read_into, write, scratch, peer }
    }
}

/// Returns a slice of a view.
fn part<'py>(view: &Bound<'py, PyAny>, start: usize, end: usize) -> PyResult<Bound<'py, PyAny>> {
    view.get_item(PySlice::new(view.py(), isize::try_from(start)?, isize::try_from(end)?, 1))
}

impl Channel for CallableChannel {
    fn receive(&self, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let Some(read_into) = &self.read_into else { return Ok(0) };
        let nbytes = targets.iter().map(|t| t.len()).sum::<usize>().min(CALL_NBYTES);
        Python::attach(|py| {
            // Python gets a view of the scratch memory. If it keeps the view, it still never sees the targets.
            let scratch = self.scratch.bind(py);
            let view = part(PyMemoryView::from(scratch.as_any())?.as_any(), 0, nbytes)?;
            let answer = read_into.bind(py).call1((&view,))?;
            view.call_method0("release")?;
            let count: usize = answer.extract()?;
            if count > nbytes {
                let message = format!("read_into: expected at most {nbytes}, answered {count}");
                return Err(PyValueError::new_err(message));
            }
            // SAFETY: the interpreter lock is held and no Python code runs while the bytes are copied.
            let bytes = unsafe { scratch.as_bytes() };
            // A function that kept the scratch memory may have shortened it.
            let Some(mut rest) = bytes.get(..count) else {
                let message = "read_into: the buffer it was lent is no longer there";
                return Err(PyValueError::new_err(message));
            };
            for target in targets {
                let (now, later) = rest.split_at(rest.len().min(target.len()));
                if let Some(place) = target.get_mut(..now.len()) {
                    place.copy_from_slice(now);
                }
                rest = later;
            }
            Ok(count)
        })
        .map_err(|e: PyErr| io::Error::other(e))
    }

    fn send(&self, sources: &[IoSlice<'_>]) -> io::Result<usize> {
        let Some(write) = &self.write else { return Err(io::ErrorKind::Unsupported.into()) };
        let mut joined = Vec::new();
        for source in sources {
            let left = CALL_NBYTES - joined.len();
            joined.extend_from_slice(source.get(..source.len().min(left)).unwrap_or(&[]));
            if joined.len() == CALL_NBYTES {
                break;
            }
        }
        Python::attach(|py| {
            let held = PyBytes::new(py, &joined);
            let answer = write.bind(py).call1((PyMemoryView::from(held.as_any())?,))?;
            // A method that returns no number has sent everything.
            Ok(answer.extract::<usize>().map_or(joined.len(), |count| count.min(joined.len())))
        })
        .map_err(|e: PyErr| io::Error::other(e))
    }

    fn wait(&self, _direction: Direction, _at_most: Duration) -> io::Result<bool> {
        Ok(true)
    }

    fn finish(&self) -> io::Result<()> {
        Ok(())
    }

    fn descriptor(&self, _direction: Direction) -> Option<RawFd> {
        None
    }

    fn peer(&self) -> &str {
        &self.peer
    }
}
