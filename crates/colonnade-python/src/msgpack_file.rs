//! Opened MessagePack.

use std::os::fd::RawFd;
use std::sync::Arc;

use colonnade::formats::msgpack::{Member, Opened};
use colonnade::limits::{Limits, StreamLimit};
use colonnade::memory::{Buffer, read_to_end};
use colonnade::plan::{Progress, Silent};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::axis::PyAxis;
use crate::errors::IntoPy;
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::http_file::PyHttpFile;
use crate::msgpack_options::MsgpackReadOptions;
use crate::path::PathArgument;
use crate::view::{after, bytes_of};
use crate::watched::{Asked, Callback, watched};

/// The format's name in errors.
const FORMAT: &str = "msgpack";

/// All bytes of a stream.
fn collected(
    stream: &mut dyn std::io::Read,
    limits: &Limits,
    progress: &dyn Progress,
) -> colonnade::Result<Buffer> {
    let mut limit = StreamLimit::new(limits);
    let mut check = |bytes: &[u8]| limit.check(FORMAT, bytes.len() as u64);
    read_to_end(stream, &mut check, progress)
}

/// An opened MessagePack file, buffer or stream.
#[pyclass(frozen, module = "colonnade._core")]
pub(crate) struct MsgpackFile {
    opened: Arc<Opened>,
    threads: usize,
}

impl MsgpackFile {
    fn wrap(py: Python<'_>, opened: Opened, verify: bool, threads: usize) -> PyResult<Self> {
        let file = Self::of(opened, threads);
        if verify {
            file.verify(py, None, None)?;
        }
        Ok(file)
    }

    /// One that was opened elsewhere.
    pub(crate) fn of(opened: Opened, threads: usize) -> Self {
        Self { opened: Arc::new(opened), threads }
    }
}

#[pymethods]
impl MsgpackFile {
    #[staticmethod]
    #[pyo3(signature = (path, *, mmap, verify, options, progress = None))]
    fn open_path(
        py: Python<'_>,
        path: PathArgument,
        mmap: bool,
        verify: bool,
        options: &MsgpackReadOptions,
        progress: Callback,
    ) -> PyResult<Self> {
        let options = options.core();
        let opened = watched(py, progress, Some(&path.0), |watch| {
            Opened::open_file(std::fs::File::open(&path.0)?, mmap, options, watch)
        })?;
        Self::wrap(py, opened, verify, options.threads)
    }

    #[staticmethod]
    #[pyo3(signature = (buffer, *, verify, options, progress = None))]
    fn open_buffer(
        py: Python<'_>,
        buffer: &Bound<'_, PyAny>,
        verify: bool,
        options: &MsgpackReadOptions,
        progress: Callback,
    ) -> PyResult<Self> {
        let (bytes, options) = (bytes_of(buffer)?, options.core());
        let opened = watched(py, progress, None, |watch| Opened::open_buffer(bytes, options, watch))?;
        Self::wrap(py, opened, verify, options.threads)
    }

    #[staticmethod]
    #[pyo3(signature = (fd, *, verify, options, head = None, progress = None))]
    fn open_fd(
        py: Python<'_>,
        fd: RawFd,
        verify: bool,
        options: &MsgpackReadOptions,
        head: Option<Vec<u8>>,
        progress: Callback,
    ) -> PyResult<Self> {
        let options = options.core();
        let opened = watched(py, progress, None, |watch| {
            let bytes = collected(&mut after(head, fd), &options.limits, watch)?;
            Opened::open_buffer(bytes, options, &Silent(watch))
        })?;
        Self::wrap(py, opened, verify, options.threads)
    }

    #[staticmethod]
    #[pyo3(signature = (file, *, verify, options, progress = None))]
    fn open_http(
        py: Python<'_>,
        file: &PyHttpFile,
        verify: bool,
        options: &MsgpackReadOptions,
        progress: Callback,
    ) -> PyResult<Self> {
        let options = options.core();
        let mut stream = file.stream(false)?;
        let opened = watched(py, progress, None, |watch| {
            let bytes = collected(&mut stream, &options.limits, watch)?;
            Opened::open_buffer(bytes, options, &Silent(watch))
        })?;
        Self::wrap(py, opened, verify, options.threads)
    }

    #[getter]
    fn kind(&self) -> &'static str {
        if self.opened.is_bundle() { "bundle" } else { "frame" }
    }

    #[getter]
    fn layout(&self) -> &'static str {
        FORMAT
    }

    #[getter]
    fn orient(&self) -> &'static str {
        self.opened.orient().name()
    }

    #[getter]
    fn nrows(&self) -> usize {
        self.opened.nrows()
    }

    #[getter]
    fn ncols(&self) -> usize {
        self.opened.ncols()
    }

    #[getter]
    fn index(&self, py: Python<'_>) -> PyResult<PyAxis> {
        Ok(PyAxis::new(py.guarded(|| self.opened.index()).py()?))
    }

    #[getter]
    fn columns(&self) -> PyAxis {
        PyAxis::new(self.opened.columns())
    }

    #[getter]
    fn name(&self) -> &str {
        self.opened.tags().map_or("null", |tags| &tags.name)
    }

    #[getter]
    fn attrs(&self) -> Option<&str> {
        self.opened.tags()?.attrs.as_deref()
    }

    #[getter]
    fn origin(&self) -> Option<&str> {
        self.opened.tags()?.origin.as_deref()
    }

    #[getter]
    fn version(&self) -> Option<u64> {
        self.opened.version()
    }

    #[getter]
    fn file_nbytes(&self) -> u64 {
        self.opened.file_nbytes()
    }

    #[getter]
    fn nbytes(&self) -> u64 {
        self.opened.nbytes()
    }

    fn dtypes(&self) -> Vec<String> {
        self.opened.dtypes()
    }

    fn members<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.opened.members().iter().map(|member| member_dict(py, member)).collect()
    }

    #[pyo3(signature = (positions = None, rows = None, *, private = false, threads = None, progress = None))]
    fn load(
        &self,
        py: Python<'_>,
        positions: Option<Vec<usize>>,
        rows: Option<(usize, usize)>,
        private: bool,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<CoreFrame> {
        let asked = Asked { positions, kept: None, rows, private, threads: threads.unwrap_or(self.threads) };
        asked.watched(py, progress, |request| self.opened.load(request)).map(|f| CoreFrame::alone(f, private))
    }

    /// One chunk: rows are not divided.
    #[pyo3(signature = (positions = None, rows = None, *, threads = None, progress = None))]
    fn load_arrow(
        &self,
        py: Python<'_>,
        positions: Option<Vec<usize>>,
        rows: Option<(usize, usize)>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<CoreFrame>> {
        Ok(vec![self.load(py, positions, rows, false, threads, progress)?])
    }

    /// Decodes everything once and drops it; of a bundle every frame.
    #[pyo3(signature = (threads = None, progress = None))]
    fn verify(&self, py: Python<'_>, threads: Option<usize>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let threads = threads.unwrap_or(self.threads).max(1);
        watched(py, progress, None, |watch| self.opened.verify(threads, watch))
    }

    fn array_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn labels(&self) -> Vec<String> {
        self.opened.labels().unwrap_or_default()
    }

    fn open_label(&self, py: Python<'_>, label: &str) -> PyResult<Self> {
        let opened = watched(py, None, None, |watch| self.opened.open_label(label, watch))?;
        Ok(Self::of(opened, self.threads))
    }
}

fn member_dict<'py>(py: Python<'py>, member: &Member) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("name", &member.name)?;
    out.set_item("method", "stored")?;
    out.set_item("nbytes", member.nbytes)?;
    out.set_item("compressed_nbytes", member.nbytes)?;
    out.set_item("offset", member.offset)?;
    for name in ["crc32", "descr", "fortran_order"] {
        out.set_item(name, py.None())?;
    }
    out.set_item("shape", (member.nrows,))?;
    Ok(out)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<MsgpackFile>()
}
