//! Options for reading: a format, its own options, and the options that every source needs.

use std::any::Any;
use std::sync::Arc;

use colonnade::formats::{Format, Options, registry};
use pyo3::PyClass;
use pyo3::prelude::*;

use crate::errors;
use crate::limits::PyLimits;

/// The number of threads, by default that which the system allows this process.
pub(crate) fn threads(threads: Option<usize>) -> usize {
    threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
}

/// The base class of each format's options for reading. `File` and `Reader` accept the options of any format.
#[pyclass(frozen, subclass, name = "ReadOptions", module = "colonnade._core")]
pub(crate) struct PyReadOptions {
    pub(crate) format: &'static dyn Format,
    /// The format's own options, which its methods downcast.
    core: Arc<Options>,
    pub(crate) limits: PyLimits,
    pub(crate) threads: usize,
    /// Whether opening a source verifies all of it.
    pub(crate) verify: bool,
    /// Whether a source without its end is accepted.
    pub(crate) allow_truncated: bool,
}

impl PyReadOptions {
    /// Options for the format registered as `format`.
    pub(crate) fn new(
        format: &str,
        core: impl Any + Send + Sync,
        limits: PyLimits,
        threads: usize,
        verify: bool,
    ) -> PyResult<Self> {
        let format = registry().by_name(format).ok_or_else(|| {
            errors::option(format!("format: expected one of this build, found {format:?}."))
        })?;
        Ok(Self { format, core: Arc::new(core), limits, threads, verify, allow_truncated: false })
    }

    /// The same options with `allow_truncated`.
    pub(crate) fn with_allow_truncated(self, allow_truncated: bool) -> Self {
        Self { allow_truncated, ..self }
    }

    /// An object of the class `Class`, which extends this one.
    pub(crate) fn into_subclass<Class: PyClass<BaseType = Self>>(
        self,
        class: Class,
    ) -> PyClassInitializer<Class> {
        PyClassInitializer::from(self).add_subclass(class)
    }

    /// The format's own options.
    pub(crate) fn core(&self) -> &Options {
        &*self.core
    }
}

#[pymethods]
impl PyReadOptions {
    #[getter]
    fn format(&self) -> &'static str {
        self.format.spec().name
    }

    #[getter]
    fn limits(&self) -> PyLimits {
        self.limits
    }

    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }
}
