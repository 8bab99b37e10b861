//! Files behind HTTP.

use std::io::{self, Read};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use colonnade::memory::{Fetch, PieceReceiver, Remote};
use colonnade_transport::{HttpFile, HttpOptions, HttpStream};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::guard::Guarded;
use crate::limits::PyLimits;

/// How long a thread waits that another one fetches for.
const PAUSE: Duration = Duration::from_millis(20);

/// A file behind http(s)://, fetched where it is looked at: ranges where the server gives them, else whole.
#[pyclass(frozen, name = "HttpFile", module = "colonnade._core")]
pub(crate) struct PyHttpFile {
    file: Arc<HttpFile>,
}

impl PyHttpFile {
    /// The file as sparse memory, where the server gives ranges.
    pub(crate) fn remote(&self, limits: PyLimits) -> Option<colonnade::Result<Arc<Remote>>> {
        let nbytes = self.file.nbytes().filter(|_| self.file.is_ranged())?;
        let source = Box::new(Fetching(Arc::clone(&self.file)));
        let made = Remote::new(nbytes, limits.core().max_nbytes, source);
        Some(made.and_then(|mut remote| {
            remote.seed(self.file.head())?;
            Ok(Arc::new(remote))
        }))
    }

    /// The whole file, from front to back.
    pub(crate) fn stream(&self, lenient: bool) -> PyResult<Whole> {
        let stream = self.file.stream(lenient).map_err(|e| errors::to_py(e.into()))?;
        Ok(Whole(Mutex::new(stream)))
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
        let file = py.guarded(|| HttpFile::open(url, &options, &mut tick));
        Ok(Self { file: Arc::new(file.map_err(|e| errors::to_py(e.into()))?) })
    }

    /// The first bytes, as many of the `nbytes` as came with the first answer.
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
        format!("<HttpFile: {}>", self.file.shown())
    }
}

/// What Python says to do: go on, or raise. The exception travels inside the I/O error.
fn tick() -> io::Result<()> {
    Python::attach(|py| py.check_signals()).map_err(io::Error::from)
}

/// Ranges of a file, for the core.
#[derive(Debug)]
struct Fetching(Arc<HttpFile>);

impl Fetch for Fetching {
    fn fetch(&self, ranges: &[(usize, usize)], land: &mut PieceReceiver<'_>) -> colonnade::Result<()> {
        let ranges: Vec<(u64, u64)> = ranges.iter().map(|&(start, end)| (start as u64, end as u64)).collect();
        let mut landed = |at: u64, bytes: &[u8]| land(usize::try_from(at).unwrap_or(usize::MAX), bytes);
        self.0.fetch(&ranges, &mut landed, &mut tick)
    }

    fn pause(&self) -> colonnade::Result<()> {
        // Whoever fetches may want the interpreter, which this thread may hold.
        Python::attach(|py| {
            py.check_signals()?;
            py.guarded(|| {
                std::thread::sleep(PAUSE);
                Ok(())
            })
        })
        .map_err(|error: PyErr| io::Error::from(error).into())
    }
}

/// A whole file from front to back, which one thread reads at a time.
pub(crate) struct Whole(Mutex<HttpStream>);

impl Read for Whole {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        self.0.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).read(target)
    }
}
