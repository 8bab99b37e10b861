//! Opened files of all formats: describes their content, and decodes it on request.

use std::os::fd::RawFd;
use std::path::Path;

use colonnade::decode::{MemoryLayout, Request};
use colonnade::formats::Opened;
use colonnade::progress::NoProgress;
use colonnade::source::Source;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::Arrays;
use crate::axis::PyAxis;
use crate::byte_source::{bytes_of, prefixed_descriptor};
use crate::errors::IntoPy;
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::http_file::PyHttpFile;
use crate::path::PathArgument;
use crate::read_options::PyReadOptions;
use crate::run::{Callback, LoadRequest, run_with_progress};
use crate::store_file::PyStoreFile;
use crate::{dtype, facts, projection};

/// An opened file, directory, buffer or stream.
#[pyclass(frozen, name = "File", module = "colonnade._core")]
pub(crate) struct PyFile {
    opened: Box<dyn Opened>,
    threads: usize,
}

impl PyFile {
    /// Wraps an opened file.
    pub(crate) fn of(opened: Box<dyn Opened>, threads: usize) -> Self {
        Self { opened, threads }
    }

    /// Opens `source`. Errors of the operating system name `path`.
    fn open(
        py: Python<'_>,
        source: Source<'_>,
        path: Option<&Path>,
        options: &PyReadOptions,
        progress: Callback,
    ) -> PyResult<Self> {
        let (format, core) = (options.format, options.core());
        let opened = run_with_progress(py, progress, path, |watch| format.open(source, core, watch))?;
        let file = Self::of(opened, options.threads);
        if options.verify {
            file.verify(py, None, None)?;
        }
        Ok(file)
    }

    /// Converts the requested projections of nested columns, by the columns' types.
    fn projection(
        &self,
        paths: projection::RequestedPaths,
    ) -> PyResult<Option<colonnade::frame::paths::Projection>> {
        projection::of_paths(paths, &|position| self.opened.arrow_type(position))
    }
}

#[pymethods]
impl PyFile {
    #[staticmethod]
    #[pyo3(signature = (path, *, mmap, options, progress = None))]
    fn open_path(
        py: Python<'_>,
        path: PathArgument,
        mmap: bool,
        options: &PyReadOptions,
        progress: Callback,
    ) -> PyResult<Self> {
        Self::open(py, Source::Path { path: &path.0, mmap }, Some(&path.0), options, progress)
    }

    #[staticmethod]
    #[pyo3(signature = (buffer, *, options, progress = None))]
    fn open_buffer(
        py: Python<'_>,
        buffer: &Bound<'_, PyAny>,
        options: &PyReadOptions,
        progress: Callback,
    ) -> PyResult<Self> {
        Self::open(py, Source::Memory(bytes_of(buffer)?), None, options, progress)
    }

    #[staticmethod]
    #[pyo3(signature = (fd, *, options, head = None, progress = None))]
    fn open_fd(
        py: Python<'_>,
        fd: RawFd,
        options: &PyReadOptions,
        head: Option<Vec<u8>>,
        progress: Callback,
    ) -> PyResult<Self> {
        Self::open(py, Source::Stream(&mut prefixed_descriptor(head, fd)), None, options, progress)
    }

    #[staticmethod]
    #[pyo3(signature = (file, *, options, progress = None))]
    fn open_http(
        py: Python<'_>,
        file: &PyHttpFile,
        options: &PyReadOptions,
        progress: Callback,
    ) -> PyResult<Self> {
        let is_ranged = options.format.spec().capabilities.ranged;
        match is_ranged.then(|| file.remote(options.limits)).flatten() {
            Some(remote) => Self::open(py, Source::Ranges(remote.py()?), None, options, progress),
            None => {
                let mut stream = file.stream(options.allow_truncated)?;
                Self::open(py, Source::Stream(&mut stream), None, options, progress)
            }
        }
    }

    #[staticmethod]
    #[pyo3(signature = (file, *, options, progress = None))]
    fn open_store(
        py: Python<'_>,
        file: &PyStoreFile,
        options: &PyReadOptions,
        progress: Callback,
    ) -> PyResult<Self> {
        if options.format.spec().capabilities.ranged {
            let remote = file.remote(py, options.limits).py()?;
            return Self::open(py, Source::Ranges(remote), None, options, progress);
        }
        Self::open(py, Source::Stream(&mut file.stream(py)?), None, options, progress)
    }

    #[getter]
    fn format(&self) -> &'static str {
        self.opened.format()
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.opened.kind()
    }

    #[getter]
    fn layout(&self) -> &'static str {
        self.opened.layout()
    }

    #[getter]
    fn nrows(&self) -> PyResult<usize> {
        Ok(self.opened.shape().py()?.0)
    }

    #[getter]
    fn ncols(&self) -> PyResult<usize> {
        Ok(self.opened.shape().py()?.1)
    }

    /// The labels of the rows. For a remote file this fetches them.
    #[getter]
    fn index(&self, py: Python<'_>) -> PyResult<PyAxis> {
        Ok(PyAxis::new(py.guarded(|| self.opened.index()).py()?))
    }

    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<PyAxis> {
        Ok(PyAxis::new(py.guarded(|| self.opened.columns()).py()?))
    }

    #[getter]
    fn name(&self) -> PyResult<&str> {
        Ok(&self.opened.tags().py()?.name)
    }

    #[getter]
    fn attrs(&self) -> PyResult<Option<&str>> {
        Ok(self.opened.tags().py()?.attrs.as_deref())
    }

    #[getter]
    fn origin(&self) -> PyResult<Option<&str>> {
        Ok(self.opened.tags().py()?.origin.as_deref())
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

    #[getter]
    fn selects_leaves(&self) -> bool {
        self.opened.selects_leaves()
    }

    #[getter]
    fn holds_blocks(&self) -> bool {
        self.opened.holds_blocks()
    }

    #[getter]
    fn keeps_empty_batches(&self) -> bool {
        self.opened.keeps_empty_batches()
    }

    #[pyo3(signature = (position, steps = None))]
    fn leaf_paths(
        &self,
        position: usize,
        steps: Option<projection::LeafPaths>,
    ) -> Vec<(String, Vec<usize>, bool)> {
        projection::list_paths(self.opened.arrow_type(position), steps.as_ref())
    }

    fn leaf_dtype(&self, position: usize, steps: projection::LeafPaths) -> String {
        projection::type_name_of(self.opened.arrow_type(position), &steps)
    }

    fn dtypes(&self) -> PyResult<Vec<String>> {
        self.opened.dtypes().py()
    }

    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        facts::dict(py, &self.opened.facts())
    }

    fn members<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        facts::dicts(py, &self.opened.members().py()?)
    }

    fn batches<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        facts::dicts(py, &self.opened.batches().py()?)
    }

    fn batch_rows(&self) -> Option<Vec<usize>> {
        self.opened.batch_rows()
    }

    #[pyo3(signature = (
        positions = None, rows = None, *, private = false, pandas = false, threads = None, progress = None, leaves = None
    ))]
    #[allow(clippy::too_many_arguments)] // the arguments of a Python method
    fn load(
        &self,
        py: Python<'_>,
        positions: Option<Vec<usize>>,
        rows: Option<(usize, usize)>,
        private: bool,
        pandas: bool,
        threads: Option<usize>,
        progress: Callback,
        leaves: projection::RequestedPaths,
    ) -> PyResult<CoreFrame> {
        let threads = threads.unwrap_or(self.threads);
        let layout = if pandas { MemoryLayout::Pandas } else { MemoryLayout::AsStored };
        let request = LoadRequest {
            positions,
            leaf_projection: self.projection(leaves)?,
            rows,
            private,
            layout,
            threads,
        };
        let loaded = request.run(py, progress, |request| self.opened.load(request))?;
        Ok(CoreFrame::with_exclusivity(loaded.frame, loaded.private))
    }

    #[pyo3(signature = (positions = None, rows = None, *, threads = None, progress = None, leaves = None, views = false))]
    #[allow(clippy::too_many_arguments)] // the arguments of a Python method
    fn load_arrow(
        &self,
        py: Python<'_>,
        positions: Option<Vec<usize>>,
        rows: Option<(usize, usize)>,
        threads: Option<usize>,
        progress: Callback,
        leaves: projection::RequestedPaths,
        views: bool,
    ) -> PyResult<Vec<CoreFrame>> {
        let threads = threads.unwrap_or(self.threads);
        let layout = if views { MemoryLayout::ArrowViews } else { MemoryLayout::Arrow };
        let leaf_projection = self.projection(leaves)?;
        let request = LoadRequest { positions, leaf_projection, rows, private: false, layout, threads };
        let frames = request.run(py, progress, |request| self.opened.load_arrow(request))?;
        Ok(frames.into_iter().map(CoreFrame::new).collect())
    }

    #[pyo3(signature = (i, positions = None, threads = None, leaves = None))]
    fn batch(
        &self,
        py: Python<'_>,
        i: usize,
        positions: Option<Vec<usize>>,
        threads: Option<usize>,
        leaves: projection::RequestedPaths,
    ) -> PyResult<CoreFrame> {
        let threads = threads.unwrap_or(self.threads);
        let (leaf_projection, layout) = (self.projection(leaves)?, MemoryLayout::Arrow);
        let request = LoadRequest { positions, leaf_projection, rows: None, private: false, layout, threads };
        let batch = request.run(py, None, |request| self.opened.batch(i, request));
        if batch.is_err()
            && i >= self.opened.batch_rows().map_or(0, |rows| rows.len())
            && let Err(error) = self.opened.batch(i, &Request::all(1, &NoProgress))
        {
            // An `IndexError`, as lists raise, with the text of the format's error.
            return Err(PyIndexError::new_err(error.message().trim_end_matches('.').to_owned()));
        }
        batch.map(CoreFrame::new)
    }

    #[pyo3(signature = (threads = None, progress = None))]
    fn verify(&self, py: Python<'_>, threads: Option<usize>, progress: Callback) -> PyResult<()> {
        let threads = threads.unwrap_or(self.threads).max(1);
        run_with_progress(py, progress, None, |watch| self.opened.verify(threads, watch))
    }

    fn read_array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let array = py.guarded(|| self.opened.array(name, self.threads)).py()?;
        let descr = dtype::of_descr(py, &array.descr)?;
        Arrays::new(py, true).packed(&descr, &array.shape, array.fortran_order, &array.bytes)
    }

    fn array_names(&self) -> PyResult<Vec<String>> {
        self.opened.array_names().py()
    }

    fn labels(&self) -> PyResult<Vec<String>> {
        self.opened.labels().py()
    }

    fn open_label(&self, py: Python<'_>, label: &str) -> PyResult<Self> {
        let opened = run_with_progress(py, None, None, |watch| self.opened.open_label(label, watch))?;
        Ok(Self::of(opened, self.threads))
    }
}
