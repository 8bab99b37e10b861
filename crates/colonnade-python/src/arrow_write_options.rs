//! Options for writing arrow and arrows.

use colonnade::formats::arrow;
use pyo3::prelude::*;

use crate::errors::IntoPy;
use crate::read_options::threads;
use crate::write_options::WriteOptions;

/// The options of both formats: the file and the stream are written alike.
fn base(
    format: &'static str,
    compression: Option<&str>,
    level: Option<i32>,
    batch_nbytes: Option<usize>,
    fsync: bool,
    threads: Option<usize>,
    nrows: Option<usize>,
) -> PyResult<WriteOptions> {
    let codec = arrow::WriteOptions::codec_of(compression).py()?;
    let threads = self::threads(threads);
    let core = arrow::WriteOptions::new(codec, level, batch_nbytes, nrows, threads).py()?;
    WriteOptions::new(format, core, fsync)
}

/// Options for writing arrow.
#[pyclass(frozen, extends = WriteOptions, module = "colonnade._core")]
pub(crate) struct ArrowWriteOptions;

#[pymethods]
impl ArrowWriteOptions {
    #[new]
    #[pyo3(signature = (
        *, compression = None, level = None, batch_nbytes = None, fsync = false, threads = None, nrows = None
    ))]
    fn new(
        compression: Option<&str>,
        level: Option<i32>,
        batch_nbytes: Option<usize>,
        fsync: bool,
        threads: Option<usize>,
        nrows: Option<usize>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let base = base("arrow", compression, level, batch_nbytes, fsync, threads, nrows)?;
        Ok(PyClassInitializer::from(base).add_subclass(Self))
    }
}

/// Options for writing arrows.
#[pyclass(frozen, extends = WriteOptions, module = "colonnade._core")]
pub(crate) struct ArrowsWriteOptions;

#[pymethods]
impl ArrowsWriteOptions {
    #[new]
    #[pyo3(signature = (
        *, compression = None, level = None, batch_nbytes = None, fsync = false, threads = None, nrows = None
    ))]
    fn new(
        compression: Option<&str>,
        level: Option<i32>,
        batch_nbytes: Option<usize>,
        fsync: bool,
        threads: Option<usize>,
        nrows: Option<usize>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let base = base("arrows", compression, level, batch_nbytes, fsync, threads, nrows)?;
        Ok(PyClassInitializer::from(base).add_subclass(Self))
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<ArrowWriteOptions>()?;
    m.add_class::<ArrowsWriteOptions>()
}
