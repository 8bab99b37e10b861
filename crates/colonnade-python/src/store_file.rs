//! Objects of a store, which Python code fetches.

use std::io;
use std::sync::Arc;

use colonnade::memory::{Fetch, FetchCheck, PieceReceiver, Remote};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;

use crate::byte_source::bytes_of;
use crate::callable::CallableReader;
use crate::http_file::pause;
use crate::limits::PyLimits;

/// An object of a store: its size, its first bytes, and the Python functions that fetch the others.
#[pyclass(frozen, name = "StoreFile", module = "colonnade._core")]
pub(crate) struct PyStoreFile {
    name: String,
    #[pyo3(get)]
    nbytes: u64,
    head: Vec<u8>,
    fetch: Py<PyAny>,
    read_into: Py<PyAny>,
}

impl PyStoreFile {
    /// Returns the object as sparse memory.
    pub(crate) fn remote(&self, py: Python<'_>, limits: PyLimits) -> colonnade::Result<Arc<Remote>> {
        let source = Box::new(RangeFetcher(self.fetch.clone_ref(py)));
        let mut remote = Remote::new(self.nbytes, limits.core().max_nbytes, source)?;
        remote.seed(&self.head)?;
        Ok(Arc::new(remote))
    }

    /// Returns a stream of the whole object.
    pub(crate) fn stream(&self, py: Python<'_>) -> PyResult<CallableReader> {
        Ok(CallableReader::new(py, self.read_into.call0(py)?))
    }
}

#[pymethods]
impl PyStoreFile {
    /// `fetch(ranges)` iterates over `(offset, bytes)`, and over None while it waits. `read_into()` returns a function that fills a buffer.
    #[new]
    fn new(
        name: String,
        nbytes: u64,
        head: PyBuffer<u8>,
        fetch: Py<PyAny>,
        read_into: Py<PyAny>,
        py: Python<'_>,
    ) -> PyResult<Self> {
        Ok(Self { name, nbytes, head: head.to_vec(py)?, fetch, read_into })
    }

    fn __repr__(&self) -> String {
        format!("<StoreFile: {}>", self.name)
    }
}

/// Fetches ranges of an object for the core.
struct RangeFetcher(Py<PyAny>);

impl std::fmt::Debug for RangeFetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RangeFetcher")
    }
}

impl Fetch for RangeFetcher {
    fn fetch(
        &self,
        ranges: &[(usize, usize)],
        receive: &mut PieceReceiver<'_>,
        check: &mut FetchCheck<'_>,
    ) -> colonnade::Result<()> {
        Python::attach(|py| {
            let io = |error: PyErr| colonnade::Error::from(io::Error::from(error));
            let pieces = self.0.bind(py).call1((ranges.to_vec(),)).and_then(|pieces| pieces.try_iter());
            for piece in pieces.map_err(io)? {
                let piece: Option<(usize, Bound<'_, PyAny>)> =
                    piece.and_then(|piece| piece.extract()).map_err(io)?;
                if let Some((at, bytes)) = piece {
                    receive(at, bytes_of(&bytes).map_err(io)?.as_slice())?;
                }
                check()?;
                py.check_signals().map_err(io)?;
            }
            Ok(())
        })
    }

    fn pause(&self) -> colonnade::Result<()> {
        pause()
    }
}
