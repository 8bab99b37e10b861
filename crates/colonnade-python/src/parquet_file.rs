//! Opened Parquet files.

use std::os::fd::RawFd;
use std::sync::Arc;

use colonnade::parquet::read::{ChunkInfo, Keys, Parquet, ReadOptions};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::axis::PyAxis;
use crate::errors::IntoPy;
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::http_file::PyHttpFile;
use crate::leaves;
use crate::limits::PyLimits;
use crate::npz_file::threads as threads_of;
use crate::parquet_filter::{Conditions, filter_of};
use crate::parquet_values;
use crate::path::PathArgument;
use crate::view::{after, bytes_of};
use crate::watched::{Asked, Callback, watched};

/// Options for reading parquet.
#[pyclass(frozen, module = "colonnade._core")]
#[derive(Clone)]
pub(crate) struct ParquetReadOptions {
    core: ReadOptions,
    limits: PyLimits,
}

#[pymethods]
impl ParquetReadOptions {
    #[new]
    #[pyo3(signature = (
        *, limits, threads = None, columns = None, categories = None, filter = None, use_statistics = true,
        footer_key = None, column_keys = None, aad_prefix = None
    ))]
    #[allow(clippy::too_many_arguments)] // the arguments of a Python class
    fn new(
        limits: PyLimits,
        threads: Option<usize>,
        columns: Option<Vec<String>>,
        categories: Option<Vec<String>>,
        filter: Option<Conditions<'_>>,
        use_statistics: bool,
        footer_key: Option<Vec<u8>>,
        column_keys: Option<Vec<(String, Vec<u8>)>>,
        aad_prefix: Option<Vec<u8>>,
    ) -> PyResult<Self> {
        let columns_of = column_keys.unwrap_or_default();
        let core = ReadOptions {
            limits: limits.core(),
            columns,
            categories: categories.unwrap_or_default(),
            filter: filter.map(filter_of).transpose()?,
            ignore_statistics: !use_statistics,
            threads: threads_of(threads),
            keys: footer_key.map(|footer| Keys { footer, columns: columns_of, aad_prefix }),
            ..ReadOptions::default()
        };
        Ok(Self { core, limits })
    }
}

impl ParquetReadOptions {
    /// `verify`: checksums are compared whenever a page is decoded.
    fn core(&self, verify: bool) -> ReadOptions {
        ReadOptions { verify, ..self.core.clone() }
    }
}

/// An opened Parquet file: its footer read and checked, pages untouched.
#[pyclass(frozen, module = "colonnade._core")]
pub(crate) struct ParquetFile {
    file: Arc<Parquet>,
    threads: usize,
}

impl ParquetFile {
    fn wrap(py: Python<'_>, file: Parquet, verify: bool, threads: usize) -> PyResult<Self> {
        let file = Self { file: Arc::new(file), threads };
        if verify {
            file.verify(py, None, None)?;
        }
        Ok(file)
    }
}

#[pymethods]
impl ParquetFile {
    #[staticmethod]
    #[pyo3(signature = (path, *, mmap, verify, options, progress = None))]
    fn open_path(
        py: Python<'_>,
        path: PathArgument,
        mmap: bool,
        verify: bool,
        options: &ParquetReadOptions,
        progress: Callback,
    ) -> PyResult<Self> {
        let core = options.core(verify);
        let opened = watched(py, progress, Some(&path.0), |watch| {
            Parquet::open_file(std::fs::File::open(&path.0)?, mmap, core, watch)
        })?;
        Self::wrap(py, opened, verify, options.core.threads)
    }

    #[staticmethod]
    #[pyo3(signature = (buffer, *, verify, options, progress = None))]
    fn open_buffer(
        py: Python<'_>,
        buffer: &Bound<'_, PyAny>,
        verify: bool,
        options: &ParquetReadOptions,
        progress: Callback,
    ) -> PyResult<Self> {
        let bytes = bytes_of(buffer)?;
        let core = options.core(verify);
        let opened = watched(py, progress, None, |watch| Parquet::open_buffer(bytes, core, watch))?;
        Self::wrap(py, opened, verify, options.core.threads)
    }

    #[staticmethod]
    #[pyo3(signature = (fd, *, verify, options, head = None, progress = None))]
    fn open_fd(
        py: Python<'_>,
        fd: RawFd,
        verify: bool,
        options: &ParquetReadOptions,
        head: Option<Vec<u8>>,
        progress: Callback,
    ) -> PyResult<Self> {
        let core = options.core(verify);
        let opened =
            watched(py, progress, None, |watch| Parquet::open_stream(&mut after(head, fd), core, watch))?;
        Self::wrap(py, opened, verify, options.core.threads)
    }

    #[staticmethod]
    #[pyo3(signature = (file, *, verify, options, progress = None))]
    fn open_http(
        py: Python<'_>,
        file: &PyHttpFile,
        verify: bool,
        options: &ParquetReadOptions,
        progress: Callback,
    ) -> PyResult<Self> {
        let core = options.core(verify);
        let opened = match file.remote(options.limits) {
            Some(remote) => watched(py, progress, None, |watch| Parquet::open_remote(remote?, core, watch)),
            None => {
                let mut stream = file.stream(false)?;
                watched(py, progress, None, |watch| Parquet::open_stream(&mut stream, core, watch))
            }
        };
        Self::wrap(py, opened?, verify, options.core.threads)
    }

    #[getter]
    fn kind(&self) -> &'static str {
        "frame"
    }

    #[getter]
    fn layout(&self) -> &'static str {
        "row groups"
    }

    #[getter]
    fn nrows(&self) -> usize {
        self.file.shape().0
    }

    #[getter]
    fn ncols(&self) -> usize {
        self.file.shape().1
    }

    #[getter]
    fn index(&self, py: Python<'_>) -> PyResult<PyAxis> {
        let axis = py.guarded(|| self.file.index().cloned()).py()?;
        Ok(PyAxis::new(axis))
    }

    #[getter]
    fn columns(&self) -> PyAxis {
        PyAxis::new(self.file.plan().columns.clone())
    }

    #[getter]
    fn name(&self) -> &str {
        &self.file.plan().tags.name
    }

    #[getter]
    fn attrs(&self) -> Option<&str> {
        self.file.plan().tags.attrs.as_deref()
    }

    #[getter]
    fn origin(&self) -> Option<&str> {
        self.file.plan().tags.origin.as_deref()
    }

    #[getter]
    fn version(&self) -> Option<u64> {
        self.file.plan().version
    }

    #[getter]
    fn file_nbytes(&self) -> u64 {
        self.file.file_nbytes()
    }

    #[getter]
    fn nbytes(&self) -> u64 {
        self.file.nbytes()
    }

    #[getter]
    fn created_by(&self) -> Option<&str> {
        self.file.created_by()
    }

    #[getter]
    fn format_version(&self) -> i32 {
        self.file.version()
    }

    #[getter]
    fn labels_are_names(&self) -> bool {
        self.file.labels_are_names()
    }

    #[pyo3(signature = (position, steps = None))]
    fn leaf_paths(&self, position: usize, steps: Option<leaves::Steps>) -> Vec<(String, Vec<usize>, bool)> {
        leaves::listed(self.file.plan().arrow_type(position), steps.as_ref())
    }

    fn leaf_dtype(&self, position: usize, steps: leaves::Steps) -> String {
        leaves::named(self.file.plan().arrow_type(position), &steps)
    }

    fn dtypes(&self) -> Vec<String> {
        self.file.dtypes()
    }

    fn members<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let (_, chunks) = self.file.described().py()?;
        chunks.iter().map(|chunk| chunk_dict(py, chunk)).collect()
    }

    fn row_groups<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let (groups, _) = self.file.described().py()?;
        let one = |group: &colonnade::parquet::read::GroupInfo| {
            let out = PyDict::new(py);
            out.set_item("nrows", group.nrows)?;
            out.set_item("nbytes", group.nbytes)?;
            out.set_item("compressed_nbytes", group.compressed_nbytes)?;
            out.set_item("offset", group.offset)?;
            Ok(out)
        };
        groups.iter().map(one).collect()
    }

    fn batch_rows(&self) -> Vec<usize> {
        self.file.group_rows().collect()
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
        let kept = leaves::kept(leaves, &|position| self.file.plan().arrow_type(position))?;
        let asked = Asked { positions, kept, rows, private, threads: threads.unwrap_or(self.threads) };
        asked
            .watched(py, progress, |request| self.file.load_part(request))
            .map(|f| CoreFrame::alone(f, private))
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
        let kept = leaves::kept(leaves, &|position| self.file.plan().arrow_type(position))?;
        let asked = Asked { positions, kept, rows, private: false, threads: threads.unwrap_or(self.threads) };
        let frames = asked.watched(py, progress, |request| self.file.load_arrow_part(request))?;
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
        let kept = leaves::kept(leaves, &|position| self.file.plan().arrow_type(position))?;
        if i >= self.file.ngroups() {
            let count = self.file.ngroups();
            return Err(PyIndexError::new_err(format!("row group {i} is out of range: there are {count}")));
        }
        let threads = threads.unwrap_or(self.threads);
        let asked = Asked { positions, kept, rows: None, private: false, threads };
        asked.watched(py, None, |request| self.file.batch_part(i, request)).map(CoreFrame::new)
    }

    #[pyo3(signature = (threads = None, progress = None))]
    fn verify(&self, py: Python<'_>, threads: Option<usize>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let threads = threads.unwrap_or(self.threads).max(1);
        watched(py, progress, None, |watch| self.file.verify(threads, watch))
    }

    fn array_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}

fn chunk_dict<'py>(py: Python<'py>, chunk: &ChunkInfo) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("name", &chunk.name)?;
    out.set_item("group", chunk.group)?;
    out.set_item("method", chunk.codec)?;
    out.set_item("physical", chunk.physical)?;
    out.set_item("logical", parquet_values::logical(chunk.logical))?;
    out.set_item("encodings", &chunk.encodings)?;
    out.set_item("nvalues", chunk.nvalues)?;
    out.set_item("nbytes", chunk.nbytes)?;
    out.set_item("compressed_nbytes", chunk.compressed_nbytes)?;
    out.set_item("offset", chunk.offset)?;
    let statistics = chunk.bounds.as_ref().map(|bounds| {
        let kept = PyDict::new(py);
        kept.set_item("min", parquet_values::value(py, chunk, bounds.min.as_deref())?)?;
        kept.set_item("max", parquet_values::value(py, chunk, bounds.max.as_deref())?)?;
        kept.set_item("null_count", bounds.null_count)?;
        PyResult::Ok(kept)
    });
    out.set_item("statistics", statistics.transpose()?)?;
    out.set_item("page_index", chunk.page_index)?;
    out.set_item("bloom_filter", chunk.bloom)?;
    out.set_item("encrypted", chunk.encrypted)?;
    Ok(out)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<ParquetReadOptions>()?;
    m.add_class::<ParquetFile>()
}
