//! Files over HTTP.

use std::io::{self, Read};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use colonnade::memory::{Fetch, FetchCheck, PieceReceiver, Remote};
use colonnade_transport::{HttpFile, HttpOptions, HttpStream};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::guard::Guarded;
use crate::limits::PyLimits;

/// The interval at which a thread checks for bytes that another thread fetches.
const PAUSE: Duration = Duration::from_millis(20);

/// A file at an http(s):// URL. It is fetched on access: by ranges if the server supports them, otherwise whole.
#[pyclass(frozen, name = "HttpFile", module = "colonnade._core")]
pub(crate) struct PyHttpFile {
    file: Arc<HttpFile>,
}

impl PyHttpFile {
    /// Returns the file as sparse memory if the server supports ranges.
    pub(crate) fn remote(&self, limits: PyLimits) -> Option<colonnade::Result<Arc<Remote>>> {
        let nbytes = self.file.nbytes().filter(|_| self.file.is_ranged())?;
        let source = Box::new(RangeFetcher(Arc::clone(&self.file)));
        let remote = Remote::new(nbytes, limits.core().max_nbytes, source);
        Some(remote.and_then(|mut remote| {
            remote.seed(self.file.head())?;
            Ok(Arc::new(remote))
        }))
    }

    /// Returns a stream of the whole file.
    pub(crate) fn stream(&self, lenient: bool) -> PyResult<WholeFileStream> {
        let stream = self.file.stream(lenient).map_err(|e| errors::to_py(e.into()))?;
        Ok(WholeFileStream(Mutex::new(stream)))
    }
}

#[pymethods]
impl PyHttpFile {
    #[staticmethod]
    #[pyo3(signature = (url, *, timeout_s = None, headers = None))]
    fn open(
        py: Python<'_>,
        url: &str,
        timeout_s: Option<f64>,
        headers: Option<Vec<(String, String)>>,
    ) -> PyResult<Self> {
        let timeout = timeout_s.map(Duration::try_from_secs_f64).transpose();
        let timeout = timeout.ok().filter(|t| t.is_none_or(|t| !t.is_zero())).ok_or_else(|| {
            errors::option(format!(
                "timeout_s: expected more than 0 seconds, found {}.",
                timeout_s.unwrap_or(0.0)
            ))
        })?;
        let options = HttpOptions { timeout, headers: headers.unwrap_or_default() };
        let file = py.guarded(|| HttpFile::open(url, &options, &mut check_signals));
        Ok(Self { file: Arc::new(file.map_err(|e| errors::to_py(e.into()))?) })
    }

    /// Returns the first bytes: as many of `nbytes` as the first response has.
    fn head<'py>(&self, py: Python<'py>, nbytes: usize) -> Bound<'py, PyBytes> {
        let head = self.file.head();
        PyBytes::new(py, head.get(..nbytes).unwrap_or(head))
    }

    #[getter]
    fn url(&self) -> String {
        self.file.url()
    }

    #[getter]
    fn nbytes(&self) -> Option<u64> {
        self.file.nbytes()
    }

    #[getter]
    fn ranged(&self) -> bool {
        self.file.is_ranged()
    }

    #[getter]
    fn fetched_nbytes(&self) -> u64 {
        self.file.fetched_nbytes()
    }

    fn __repr__(&self) -> String {
        format!("<HttpFile: {}>", self.file.redacted_url())
    }
}

/// Checks for signals. The I/O error wraps an exception that a handler raises.
fn check_signals() -> io::Result<()> {
    Python::attach(|py| py.check_signals()).map_err(io::Error::from)
}

/// Fetches ranges of a file for the core.
#[derive(Debug)]
struct RangeFetcher(Arc<HttpFile>);

impl Fetch for RangeFetcher {
    fn fetch(
        &self,
        ranges: &[(usize, usize)],
        receive: &mut PieceReceiver<'_>,
        check: &mut FetchCheck<'_>,
    ) -> colonnade::Result<()> {
        let ranges: Vec<(u64, u64)> = ranges.iter().map(|&(start, end)| (start as u64, end as u64)).collect();
        let mut landed = |at: u64, bytes: &[u8]| receive(usize::try_from(at).unwrap_or(usize::MAX), bytes);
        let mut check = || check().map_err(io::Error::other).and_then(|()| check_signals());
        self.0.fetch(&ranges, &mut landed, &mut check)
    }

    fn pause(&self) -> colonnade::Result<()> {
        pause()
    }
}

/// Waits for a thread that fetches. It may need the interpreter lock, which this thread may hold.
pub(crate) fn pause() -> colonnade::Result<()> {
    Python::attach(|py| {
        py.check_signals()?;
        py.guarded(|| {
            std::thread::sleep(PAUSE);
            Ok(())
        })
    })
    .map_err(|error: PyErr| io::Error::from(error).into())
}

/// A stream of a whole file. One thread at a time reads it.
pub(crate) struct WholeFileStream(Mutex<HttpStream>);

impl Read for WholeFileStream {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        self.0.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).read(target)
    }
}
