//! Parquet written chunk by chunk.

use std::collections::BTreeMap;
use std::os::fd::RawFd;

use colonnade::parquet::write::file::{self, Asked, WriteOptions, Writer};
use colonnade::plan::Progress;
use colonnade::sink::Sink;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{self, IntoPy};
use crate::frame::CoreFrame;
use crate::ipc_write::{CallableSink, Target};
use crate::npz_file::threads;
use crate::path::PathArgument;
use crate::sink::BufferSink;
use crate::watched::{Callback, watched};

/// Options for writing parquet.
#[pyclass(frozen, module = "colonnade._core")]
#[derive(Clone)]
pub(crate) struct ParquetWriteOptions {
    core: WriteOptions,
    fsync: bool,
}

/// One encoding for all columns, or some by name.
#[derive(FromPyObject)]
enum EncodingArgument {
    All(String),
    Named(BTreeMap<String, String>),
}

/// Whether dictionaries may be chosen, or for which columns.
#[derive(FromPyObject)]
enum DictionaryArgument {
    All(bool),
    Named(Vec<String>),
}

#[pymethods]
impl ParquetWriteOptions {
    #[new]
    #[pyo3(signature = (
        *, compression = Some("auto"), level = None, encoding = None, use_dictionary = None, profile = None,
        row_group_rows = None, page_nbytes = None, data_page_version = 1, statistics = true, page_index = true,
        crc = true, fsync = false, threads = None, nrows = None
    ))]
    #[allow(clippy::too_many_arguments)] // keywords, one an option
    fn new(
        compression: Option<&str>,
        level: Option<i32>,
        encoding: Option<EncodingArgument>,
        use_dictionary: Option<DictionaryArgument>,
        profile: Option<&str>,
        row_group_rows: Option<usize>,
        page_nbytes: Option<usize>,
        data_page_version: u8,
        statistics: bool,
        page_index: bool,
        crc: bool,
        fsync: bool,
        threads: Option<usize>,
        nrows: Option<usize>,
    ) -> PyResult<Self> {
        let (all, named) = match encoding {
            None => (None, BTreeMap::new()),
            Some(EncodingArgument::All(name)) => (Some(name), BTreeMap::new()),
            Some(EncodingArgument::Named(named)) => (None, named),
        };
        if !(1..=2).contains(&data_page_version) {
            let message = format!("parquet: data_page_version: expected 1 or 2, found {data_page_version}.");
            return Err(errors::option(message));
        }
        let asked = Asked {
            compression,
            level,
            encoding: all.as_deref(),
            dictionary: !matches!(use_dictionary, Some(DictionaryArgument::All(false))),
            profile,
            group_rows: row_group_rows,
            page_nbytes,
            version_2: data_page_version == 2,
            statistics,
            page_index,
            crc,
        };
        let core = WriteOptions::new(&asked, self::threads(threads), nrows).py()?;
        let mut core = core.with_encodings(named.iter().map(|(k, v)| (k.as_str(), v.as_str()))).py()?;
        if let Some(DictionaryArgument::Named(names)) = use_dictionary {
            core = core.with_dictionaries(names.iter().map(String::as_str));
        }
        Ok(Self { core, fsync })
    }
}

/// Parquet written chunk by chunk. The schema is that of the first chunk.
#[pyclass(module = "colonnade._core")]
pub(crate) struct ParquetWriter {
    core: Writer,
    target: Option<Target>,
    fsync: bool,
}

impl ParquetWriter {
    fn new(target: Target, options: &ParquetWriteOptions) -> Self {
        Self { core: Writer::new(options.core.clone()), target: Some(target), fsync: options.fsync }
    }

    /// Lets the core write to the target.
    fn run(
        &mut self,
        py: Python<'_>,
        progress: Callback,
        last: bool,
        work: impl FnOnce(&mut Writer, &mut dyn Sink, &dyn Progress) -> colonnade::Result<()> + Send,
    ) -> PyResult<()> {
        let core = &mut self.core;
        let target = self.target.as_mut().ok_or_else(|| errors::encode("parquet: the writer was closed."))?;
        target.run(py, progress, last, |sink, watch| work(core, sink, watch))
    }
}

#[pymethods]
impl ParquetWriter {
    #[staticmethod]
    fn to_path(path: PathArgument, options: &ParquetWriteOptions) -> PyResult<Self> {
        Ok(Self::new(Target::path(path)?, options))
    }

    #[staticmethod]
    fn to_fd(fd: RawFd, options: &ParquetWriteOptions) -> Self {
        Self::new(Target::descriptor(fd), options)
    }

    #[staticmethod]
    fn to_sink(sink: &Bound<'_, BufferSink>, options: &ParquetWriteOptions) -> PyResult<Self> {
        Ok(Self::new(Target::buffer(sink)?, options))
    }

    #[staticmethod]
    fn to_callable(send: Py<PyAny>, options: &ParquetWriteOptions) -> Self {
        Self::new(Target::Callable(CallableSink(send)), options)
    }

    #[pyo3(signature = (frame, progress = None))]
    fn write(&mut self, py: Python<'_>, frame: &CoreFrame, progress: Callback) -> PyResult<()> {
        let frame = frame.frame.clone();
        self.run(py, progress, false, |core, sink, watch| core.write(&frame, sink, watch))
    }

    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        self.run(py, None, true, |core, sink, watch| core.finish(sink, watch))?;
        self.target.take().map_or(Ok(()), |target| target.close(py, self.fsync))
    }

    fn abort(&mut self, py: Python<'_>) -> PyResult<()> {
        self.target.take().map_or(Ok(()), |target| target.abort(py))
    }

    #[getter]
    fn nbatches(&self) -> usize {
        self.core.ngroups()
    }

    #[getter]
    fn nrows(&self) -> usize {
        self.core.nrows()
    }
}

#[pyfunction]
#[pyo3(signature = (frame, options, progress = None))]
fn parquet_encode<'py>(
    py: Python<'py>,
    frame: &CoreFrame,
    options: &ParquetWriteOptions,
    progress: Callback,
) -> PyResult<Bound<'py, PyBytes>> {
    let (frame, options) = (&*frame.frame, options.core.clone());
    // A sink's memory is recycled; a vector's is fresh each time, which costs more than the copy.
    let mut sink = BufferSink::empty()?;
    let mut appender = sink.appender()?;
    watched(py, progress, None, |watch| file::encode(frame, options, &mut appender, watch))?;
    appender.keep();
    Ok(PyBytes::new(py, sink.as_slice()))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<ParquetWriteOptions>()?;
    m.add_class::<ParquetWriter>()?;
    m.add_function(wrap_pyfunction!(parquet_encode, m)?)
}
