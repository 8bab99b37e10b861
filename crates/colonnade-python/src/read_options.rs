//! Options of reading: a format, what it takes, and what every source needs to be opened.

use std::any::Any;
use std::sync::Arc;

use colonnade::formats::{Format, Options, registry};
use pyo3::PyClass;
use pyo3::prelude::*;

use crate::errors;
use crate::limits::PyLimits;

/// Threads where the caller names none: what the system says this process may use.
pub(crate) fn threads(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
}

/// The base of each format's options of reading: `File` and `Reader` take any, and name no format.
#[pyclass(frozen, subclass, name = "ReadOptions", module = "colonnade._core")]
pub(crate) struct PyReadOptions {
    pub(crate) format: &'static dyn Format,
    /// What the format's methods downcast.
    core: Arc<Options>,
    pub(crate) limits: PyLimits,
    pub(crate) threads: usize,
    /// Whether everything is checked when a source is opened.
    pub(crate) verify: bool,
    /// Whether what came of a source is taken where its end is missing.
    pub(crate) allow_truncated: bool,
}

impl PyReadOptions {
    /// Options of the format that is registered under this name.
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

    /// The same, where what came of a source is taken whose end is missing.
    pub(crate) fn allowing_truncated(self, allow_truncated: bool) -> Self {
        Self { allow_truncated, ..self }
    }

    /// An object of the class `Class`, which extends this one.
    pub(crate) fn extended<Class: PyClass<BaseType = Self>>(self, class: Class) -> PyClassInitializer<Class> {
        PyClassInitializer::from(self).add_subclass(class)
    }

    /// As the methods of the format take them.
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
