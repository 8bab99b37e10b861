//! Opened Arrow IPC files and streams.

use std::os::fd::RawFd;
use std::sync::Arc;

use colonnade::ipc::read::{Form, Ipc, MAGIC, Message, OpenOptions};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::axis::PyAxis;
use crate::errors::{self, IntoPy};
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::http_file::PyHttpFile;
use crate::leaves;
use crate::limits::PyLimits;
use crate::npz_file::threads as threads_of;
use crate::path::PathArgument;
use crate::view::{after, bytes_of};
use crate::watched::{Asked, Callback, watched};

/// An opened Arrow IPC file or stream: messages found and checked, data untouched.
#[pyclass(frozen, module = "colonnade._core")]
pub(crate) struct IpcFile {
    ipc: Arc<Ipc>,
    threads: usize,
}

fn form(format: Option<&str>) -> PyResult<Option<Form>> {
    match format {
        None => Ok(None),
        Some("arrow") => Ok(Some(Form::File)),
        Some("arrows") => Ok(Some(Form::Stream)),
        Some(other) => {
            Err(errors::option(format!("format: expected \"arrow\" or \"arrows\", found {other:?}.")))
        }
    }
}

fn options(
    format: Option<&str>,
    limits: PyLimits,
    threads: Option<usize>,
    allow_truncated: bool,
) -> PyResult<OpenOptions> {
    Ok(OpenOptions {
        form: form(format)?,
        limits: limits.core(),
        allow_truncated,
        threads: threads_of(threads),
    })
}

impl IpcFile {
    fn wrap(py: Python<'_>, ipc: Ipc, verify: bool, threads: usize) -> PyResult<Self> {
        let file = Self::of(ipc, threads);
        if verify {
            file.verify(py, None, None)?;
        }
        Ok(file)
    }

    /// One that was opened elsewhere.
    pub(crate) fn of(ipc: Ipc, threads: usize) -> Self {
        Self { ipc: Arc::new(ipc), threads }
    }
}

#[pymethods]
impl IpcFile {
    #[staticmethod]
    #[pyo3(signature = (
        path, *, mmap, verify, limits, threads, format = None, allow_truncated = false, progress = None
    ))]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    fn open_path(
        py: Python<'_>,
        path: PathArgument,
        mmap: bool,
        verify: bool,
        limits: PyLimits,
        threads: Option<usize>,
        format: Option<&str>,
        allow_truncated: bool,
        progress: Callback,
    ) -> PyResult<Self> {
        let options = options(format, limits, threads, allow_truncated)?;
        let opened = watched(py, progress, Some(&path.0), |watch| {
            Ipc::open_file(std::fs::File::open(&path.0)?, mmap, options, watch)
        })?;
        Self::wrap(py, opened, verify, options.threads)
    }

    #[staticmethod]
    #[pyo3(signature = (buffer, *, verify, limits, threads, format = None, allow_truncated = false, progress = None))]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    fn open_buffer(
        py: Python<'_>,
        buffer: &Bound<'_, PyAny>,
        verify: bool,
        limits: PyLimits,
        threads: Option<usize>,
        format: Option<&str>,
        allow_truncated: bool,
        progress: Callback,
    ) -> PyResult<Self> {
        let options = options(format, limits, threads, allow_truncated)?;
        let bytes = bytes_of(buffer)?;
        let opened = watched(py, progress, None, |_| Ipc::open_buffer(bytes, options))?;
        Self::wrap(py, opened, verify, options.threads)
    }

    #[staticmethod]
    #[pyo3(signature = (
        fd, *, verify, limits, threads, format = None, allow_truncated = false, head = None, progress = None
    ))]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    fn open_fd(
        py: Python<'_>,
        fd: RawFd,
        verify: bool,
        limits: PyLimits,
        threads: Option<usize>,
        format: Option<&str>,
        allow_truncated: bool,
        head: Option<Vec<u8>>,
        progress: Callback,
    ) -> PyResult<Self> {
        let options = options(format, limits, threads, allow_truncated)?;
        let opened =
            watched(py, progress, None, |watch| Ipc::open_stream(&mut after(head, fd), options, watch))?;
        Self::wrap(py, opened, verify, options.threads)
    }

    #[staticmethod]
    #[pyo3(signature = (file, *, verify, limits, threads, format = None, allow_truncated = false, progress = None))]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    fn open_http(
        py: Python<'_>,
        file: &PyHttpFile,
        verify: bool,
        limits: PyLimits,
        threads: Option<usize>,
        format: Option<&str>,
        allow_truncated: bool,
        progress: Callback,
    ) -> PyResult<Self> {
        let options = options(format, limits, threads, allow_truncated)?;
        let is_file = options.form.map_or_else(|| file.starts_with(MAGIC), |form| form == Form::File);
        let opened = match file.remote(limits).filter(|_| is_file) {
            Some(remote) => watched(py, progress, None, |_| Ipc::open_remote(remote?, options)),
            None => {
                let mut stream = file.stream(allow_truncated)?;
                watched(py, progress, None, |watch| Ipc::open_stream(&mut stream, options, watch))
            }
        };
        Self::wrap(py, opened?, verify, options.threads)
    }

    #[getter]
    fn kind(&self) -> &'static str {
        "frame"
    }

    #[getter]
    fn layout(&self) -> &'static str {
        match self.ipc.form() {
            Form::File => "file",
            Form::Stream => "stream",
        }
    }

    #[getter]
    fn nrows(&self) -> usize {
        self.ipc.shape().0
    }

    #[getter]
    fn ncols(&self) -> usize {
        self.ipc.shape().1
    }

    #[getter]
    fn index(&self, py: Python<'_>) -> PyResult<PyAxis> {
        let axis = py.guarded(|| self.ipc.index().cloned()).py()?;
        Ok(PyAxis::new(axis))
    }

    #[getter]
    fn columns(&self) -> PyAxis {
        PyAxis::new(self.ipc.plan().columns.clone())
    }

    #[getter]
    fn name(&self) -> &str {
        &self.ipc.plan().tags.name
    }

    #[getter]
    fn attrs(&self) -> Option<&str> {
        self.ipc.plan().tags.attrs.as_deref()
    }

    #[getter]
    fn origin(&self) -> Option<&str> {
        self.ipc.plan().tags.origin.as_deref()
    }

    #[getter]
    fn version(&self) -> Option<u64> {
        self.ipc.plan().version
    }

    #[getter]
    fn file_nbytes(&self) -> u64 {
        self.ipc.file_nbytes()
    }

    #[getter]
    fn nbytes(&self) -> u64 {
        self.ipc.nbytes()
    }

    #[getter]
    fn nbatches(&self) -> usize {
        self.ipc.nbatches()
    }

    #[getter]
    fn codec(&self) -> Option<&'static str> {
        self.ipc.codec().map(colonnade::ipc::read::BodyCodec::name)
    }

    #[getter]
    fn truncated(&self) -> bool {
        self.ipc.is_truncated()
    }

    #[getter]
    fn metadata_version(&self) -> i16 {
        self.ipc.metadata_version()
    }

    #[getter]
    fn big_endian(&self) -> bool {
        self.ipc.is_big_endian()
    }

    #[pyo3(signature = (position, steps = None))]
    fn leaf_paths(&self, position: usize, steps: Option<leaves::Steps>) -> Vec<(String, Vec<usize>, bool)> {
        leaves::listed(self.ipc.plan().arrow_type(position), steps.as_ref())
    }

    fn leaf_dtype(&self, position: usize, steps: leaves::Steps) -> String {
        leaves::named(self.ipc.plan().arrow_type(position), &steps)
    }

    fn dtypes(&self) -> Vec<String> {
        self.ipc.dtypes()
    }

    fn members<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let ncols = self.ipc.plan().fields.len();
        self.ipc.messages().iter().map(|m| message_dict(py, m, ncols)).collect()
    }

    fn batch_rows(&self) -> Vec<usize> {
        self.ipc.batch_rows().collect()
    }

    #[pyo3(signature = (positions = None, rows = None, *, private = false, threads = None, progress = None, leaves = None))]
    #[allow(clippy::too_many_arguments)] // the arguments of a Python method
    fn load(
        &self,
        py: Python<'_>,
        positions: Option<Vec<usize>>,
        rows: Option<(usize, usize)>,
        private: bool,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
        leaves: leaves::Asked,
    ) -> PyResult<CoreFrame> {
        let kept = leaves::kept(leaves, &|position| self.ipc.plan().arrow_type(position))?;
        let asked = Asked { positions, kept, rows, private, threads: threads.unwrap_or(self.threads) };
        asked.watched(py, progress, |request| self.ipc.load(request)).map(|f| CoreFrame::alone(f, private))
    }

    #[pyo3(signature = (positions = None, rows = None, *, threads = None, progress = None, leaves = None))]
    #[allow(clippy::too_many_arguments)] // the arguments of a Python method
    fn load_arrow(
        &self,
        py: Python<'_>,
        positions: Option<Vec<usize>>,
        rows: Option<(usize, usize)>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
        leaves: leaves::Asked,
    ) -> PyResult<Vec<CoreFrame>> {
        let kept = leaves::kept(leaves, &|position| self.ipc.plan().arrow_type(position))?;
        let asked = Asked { positions, kept, rows, private: false, threads: threads.unwrap_or(self.threads) };
        let frames = asked.watched(py, progress, |request| self.ipc.load_arrow(request))?;
        Ok(frames.into_iter().map(CoreFrame::new).collect())
    }

    #[pyo3(signature = (i, positions = None, threads = None, leaves = None))]
    fn batch(
        &self,
        py: Python<'_>,
        i: usize,
        positions: Option<Vec<usize>>,
        threads: Option<usize>,
        leaves: leaves::Asked,
    ) -> PyResult<CoreFrame> {
        let kept = leaves::kept(leaves, &|position| self.ipc.plan().arrow_type(position))?;
        if i >= self.ipc.nbatches() {
            return Err(PyIndexError::new_err(format!(
                "batch {i} is out of range: there are {}",
                self.ipc.nbatches()
            )));
        }
        let threads = threads.unwrap_or(self.threads);
        let asked = Asked { positions, kept, rows: None, private: false, threads };
        asked.watched(py, None, |request| self.ipc.batch(i, request)).map(CoreFrame::new)
    }

    #[pyo3(signature = (threads = None, progress = None))]
    fn verify(&self, py: Python<'_>, threads: Option<usize>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let threads = threads.unwrap_or(self.threads).max(1);
        watched(py, progress, None, |watch| self.ipc.verify(threads, watch))
    }

    fn array_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}

fn message_dict<'py>(py: Python<'py>, message: &Message, ncols: usize) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("name", &message.name)?;
    out.set_item("method", message.codec.map_or("stored", colonnade::ipc::read::BodyCodec::name))?;
    out.set_item("nbytes", message.nbytes)?;
    out.set_item("compressed_nbytes", message.body_nbytes)?;
    out.set_item("offset", message.offset)?;
    out.set_item("nrows", message.nrows)?;
    for name in ["crc32", "descr", "fortran_order"] {
        out.set_item(name, py.None())?;
    }
    let is_batch = message.name.starts_with("batch");
    out.set_item("shape", is_batch.then_some((message.nrows, ncols)))?;
    Ok(out)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<IpcFile>()
}
