//! Options for reading npz and npy.

use colonnade::formats::npz::ReadOptions;
use pyo3::prelude::*;

use crate::limits::PyLimits;
use crate::read_options::{PyReadOptions, threads};

/// Options for reading npz.
#[pyclass(frozen, extends = PyReadOptions, module = "colonnade._core")]
pub(crate) struct NpzReadOptions;

/// Options for reading npy: a single array, or a directory.
#[pyclass(frozen, extends = PyReadOptions, module = "colonnade._core")]
pub(crate) struct NpyReadOptions;

fn base(format: &str, limits: PyLimits, threads: Option<usize>, verify: bool) -> PyResult<PyReadOptions> {
    let threads = self::threads(threads);
    PyReadOptions::new(format, ReadOptions { limits: limits.core(), threads }, limits, threads, verify)
}

#[pymethods]
impl NpzReadOptions {
    #[new]
    #[pyo3(signature = (*, limits, threads = None, verify = false))]
    fn new(limits: PyLimits, threads: Option<usize>, verify: bool) -> PyResult<PyClassInitializer<Self>> {
        Ok(base("npz", limits, threads, verify)?.into_subclass(Self))
    }
}

#[pymethods]
impl NpyReadOptions {
    #[new]
    #[pyo3(signature = (*, limits, threads = None, verify = false))]
    fn new(limits: PyLimits, threads: Option<usize>, verify: bool) -> PyResult<PyClassInitializer<Self>> {
        Ok(base("npy", limits, threads, verify)?.into_subclass(Self))
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<NpzReadOptions>()?;
    m.add_class::<NpyReadOptions>()
}
