//! Options for reading arrow and arrows.

use colonnade::formats::arrow::ReadOptions;
use pyo3::prelude::*;

use crate::limits::PyLimits;
use crate::read_options::{PyReadOptions, threads};

/// Options for reading arrow, the random-access file.
#[pyclass(frozen, extends = PyReadOptions, module = "colonnade._core")]
pub(crate) struct ArrowReadOptions;

/// Options for reading arrows, the stream.
#[pyclass(frozen, extends = PyReadOptions, module = "colonnade._core")]
pub(crate) struct ArrowsReadOptions;

fn base(
    format: &str,
    limits: PyLimits,
    threads: Option<usize>,
    verify: bool,
    allow_truncated: bool,
) -> PyResult<PyReadOptions> {
    let threads = self::threads(threads);
    let core = ReadOptions { form: None, limits: limits.core(), allow_truncated, threads };
    let base = PyReadOptions::new(format, core, limits, threads, verify)?;
    Ok(base.with_allow_truncated(allow_truncated))
}

#[pymethods]
impl ArrowReadOptions {
    #[new]
    #[pyo3(signature = (*, limits, threads = None, verify = false, allow_truncated = false))]
    fn new(
        limits: PyLimits,
        threads: Option<usize>,
        verify: bool,
        allow_truncated: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(base("arrow", limits, threads, verify, allow_truncated)?.into_subclass(Self))
    }
}

#[pymethods]
impl ArrowsReadOptions {
    #[new]
    #[pyo3(signature = (*, limits, threads = None, verify = false, allow_truncated = false))]
    fn new(
        limits: PyLimits,
        threads: Option<usize>,
        verify: bool,
        allow_truncated: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(base("arrows", limits, threads, verify, allow_truncated)?.into_subclass(Self))
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<ArrowReadOptions>()?;
    m.add_class::<ArrowsReadOptions>()
}
