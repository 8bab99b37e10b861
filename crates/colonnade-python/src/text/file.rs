//! Opened text files.

use std::fs::File;
use std::os::fd::RawFd;
use std::sync::Arc;

use colonnade::codec::packed::Codec;
use colonnade::frame::{Axis, Tags};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::formats::{ReadArgument, Reading};
use super::opened::Opened;
use super::sidecar::beside;
use crate::axis::PyAxis;
use crate::errors;
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::http_file::PyHttpFile;
use crate::path::PathArgument;
use crate::progress::PyProgress;
use crate::view::{after, bytes_of};

/// An opened text file, buffer or stream.
#[pyclass(frozen, module = "colonnade._core")]
pub(crate) struct TextFile {
    opened: Arc<Opened>,
}

impl TextFile {
    fn wrap(opened: Opened) -> Self {
        Self { opened: Arc::new(opened) }
    }
}

#[pymethods]
impl TextFile {
    #[staticmethod]
    #[pyo3(signature = (path, *, mmap, verify, options, progress = None))]
    fn open_path(
        py: Python<'_>,
        path: PathArgument,
        mmap: bool,
        verify: bool,
        options: ReadArgument<'_>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let _ = verify; // Everything is decoded here.
        let (progress, mut reading) = (PyProgress::new(progress), options.core());
        let path = path.0;
        let opened = py.guarded(|| {
            let threads = reading.threads();
            let bytes = colonnade::ipc::read::bytes_of(File::open(&path)?, mmap, threads, &progress)?;
            if reading.wants_sidecar() {
                reading.set_sidecar(beside(&path)?);
            }
            Opened::new(bytes, reading, &progress)
        });
        match opened {
            Err(error) if matches!(error.kind(), colonnade::ErrorKind::Io(_)) => {
                Err(errors::with_path(error, &path))
            }
            opened => progress.finish(opened).map(Self::wrap),
        }
    }

    #[staticmethod]
    #[pyo3(signature = (buffer, *, verify, options, progress = None))]
    fn open_buffer(
        py: Python<'_>,
        buffer: &Bound<'_, PyAny>,
        verify: bool,
        options: ReadArgument<'_>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let _ = verify;
        let (progress, bytes, reading) = (PyProgress::new(progress), bytes_of(buffer)?, options.core());
        let opened = py.guarded(|| Opened::new(bytes, reading, &progress));
        progress.finish(opened).map(Self::wrap)
    }

    #[staticmethod]
    #[pyo3(signature = (fd, *, verify, options, head = None, progress = None))]
    fn open_fd(
        py: Python<'_>,
        fd: RawFd,
        verify: bool,
        options: ReadArgument<'_>,
        head: Option<Vec<u8>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let _ = verify;
        Self::from_stream(py, &mut after(head, fd), options.core(), progress)
    }

    #[staticmethod]
    #[pyo3(signature = (file, *, verify, options, progress = None))]
    fn open_http(
        py: Python<'_>,
        file: &PyHttpFile,
        verify: bool,
        options: ReadArgument<'_>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let _ = verify;
        Self::from_stream(py, &mut file.stream(false)?, options.core(), progress)
    }

    #[getter]
    fn kind(&self) -> &'static str {
        if self.opened.described().is_some() { "frame" } else { "bundle" }
    }

    #[getter]
    fn layout(&self) -> &'static str {
        self.opened.reading.format()
    }

    #[getter]
    fn orient(&self) -> &'static str {
        self.opened.described().map_or("columns", |d| d.orient)
    }

    #[getter]
    fn packing(&self) -> Option<&'static str> {
        self.opened.packing.map(Codec::name)
    }

    #[getter]
    fn dropped(&self) -> u64 {
        self.opened.described().map_or(0, |d| d.dropped)
    }

    #[getter]
    fn nulled(&self) -> u64 {
        self.opened.described().map_or(0, |d| d.nulled)
    }

    #[getter]
    fn dialect(&self) -> Option<String> {
        self.opened.described().and_then(|d| d.dialect.clone())
    }

    #[getter]
    fn nrows(&self) -> usize {
        self.opened.described().map_or(0, |d| d.nrows)
    }

    #[getter]
    fn ncols(&self) -> usize {
        self.opened.described().map_or(0, |d| d.columns.len())
    }

    #[getter]
    fn index(&self) -> PyAxis {
        PyAxis::new(self.opened.described().map_or_else(|| Axis::range(0), |d| d.index.clone()))
    }

    #[getter]
    fn columns(&self) -> PyAxis {
        PyAxis::new(self.opened.described().map_or_else(|| Axis::range(0), |d| d.columns.clone()))
    }

    #[getter]
    fn name(&self) -> String {
        self.tags().name
    }

    #[getter]
    fn attrs(&self) -> Option<String> {
        self.tags().attrs
    }

    #[getter]
    fn origin(&self) -> Option<String> {
        self.tags().origin
    }

    #[getter]
    fn version(&self) -> Option<u64> {
        self.opened.described().and_then(|d| d.version)
    }

    #[getter]
    fn file_nbytes(&self) -> u64 {
        self.opened.file_nbytes
    }

    #[getter]
    fn nbytes(&self) -> u64 {
        self.opened.described().map_or(self.opened.text_nbytes, |d| d.nbytes)
    }

    fn dtypes(&self) -> Vec<String> {
        self.opened.described().map_or_else(Vec::new, |d| d.dtypes.clone())
    }

    /// One: the text.
    fn members<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let opened = &self.opened;
        let out = PyDict::new(py);
        out.set_item("name", opened.reading.format())?;
        out.set_item("method", opened.packing.map_or("stored", Codec::name))?;
        out.set_item("nbytes", opened.text_nbytes)?;
        out.set_item("compressed_nbytes", opened.file_nbytes)?;
        out.set_item("offset", 0)?;
        for name in ["crc32", "descr", "fortran_order"] {
            out.set_item(name, py.None())?;
        }
        out.set_item("shape", opened.described().map(|d| (d.nrows, d.columns.len())))?;
        Ok(vec![out])
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
        let _ = threads; // Those of opening.
        let progress = PyProgress::new(progress);
        let result = py.guarded(|| self.opened.load(positions.as_deref(), rows, private, &progress));
        progress.finish(result)
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

    /// Opening has decoded everything; of a bundle every frame is decoded here.
    #[pyo3(signature = (threads = None, progress = None))]
    fn verify(&self, py: Python<'_>, threads: Option<usize>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let _ = (threads, progress);
        let (opened, progress) = (&self.opened, PyProgress::new(None));
        let verified = py.guarded(|| {
            opened.verify(&progress)?;
            opened
                .labels()
                .iter()
                .try_for_each(|label| opened.open_label(label, &progress)?.verify(&progress))
        });
        progress.finish(verified)
    }

    fn array_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn labels(&self) -> Vec<String> {
        self.opened.labels()
    }

    fn open_label(&self, py: Python<'_>, label: &str) -> PyResult<Self> {
        let progress = PyProgress::new(None);
        let opened = py.guarded(|| self.opened.open_label(label, &progress));
        progress.finish(opened).map(Self::wrap)
    }
}

impl TextFile {
    fn tags(&self) -> Tags {
        let none = || Tags { name: "null".into(), ..Tags::default() };
        self.opened.described().map_or_else(none, |d| d.tags.clone())
    }

    fn from_stream(
        py: Python<'_>,
        stream: &mut (dyn std::io::Read + Send),
        reading: Reading,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let progress = PyProgress::new(progress);
        let opened = py.guarded(|| Opened::from_stream(stream, reading, &progress));
        progress.finish(opened).map(Self::wrap)
    }
}
