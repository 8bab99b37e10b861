//! No panic passes into Python but as `InternalError`, which `except Exception` and `except ColonnadeError` catch.
//!
//! Work without the interpreter lock is run by [`Guarded::guarded`], and by nothing else (a test looks for it): its panic is
//! an error like any other, so that locks, progress and half-written targets are left as after one. What panics with the lock
//! held is caught by PyO3 around every function, method and property: [`adopt`] makes its exception an `InternalError`.

use std::io;

use colonnade::Error;
use colonnade::panics::{caught, note_places};
use colonnade::parallel::panic_for_tests;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::PyTuple;

use crate::errors::{self, IntoPy};

/// Errors that a panic can become.
pub(crate) trait FromPanic {
    /// The error of a panic.
    fn from_panic(error: Error) -> Self;
}

impl FromPanic for Error {
    fn from_panic(error: Error) -> Self {
        error
    }
}

impl FromPanic for PyErr {
    fn from_panic(error: Error) -> Self {
        errors::to_py(error)
    }
}

impl FromPanic for io::Error {
    fn from_panic(error: Error) -> Self {
        Self::other(error)
    }
}

/// Work without the interpreter lock.
pub(crate) trait Guarded {
    /// What `work` answers, run without the interpreter lock.
    ///
    /// # Errors
    /// Its own; `Internal` where it panics.
    fn guarded<T: Send, E: FromPanic + Send>(
        self,
        work: impl FnOnce() -> Result<T, E> + Send,
    ) -> Result<T, E>;
}

impl Guarded for Python<'_> {
    fn guarded<T: Send, E: FromPanic + Send>(
        self,
        work: impl FnOnce() -> Result<T, E> + Send,
    ) -> Result<T, E> {
        self.detach(|| caught(work)).map_err(E::from_panic)?
    }
}

/// Panics, for tests of what Python sees: with the interpreter lock, without it, or on another thread.
#[pyfunction]
fn _panic_for_test(py: Python<'_>, place: &str) -> PyResult<()> {
    match place {
        "held" => panic_for_tests(false).py(),
        "released" => py.guarded(|| panic_for_tests(false)).py(),
        _ => py.guarded(|| panic_for_tests(true)).py(),
    }
}

/// Makes PyO3's exception of a panic an `InternalError`.
fn adopt(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = m.py();
    let class = PanicException::type_object(py);
    class.setattr("__bases__", PyTuple::new(py, [m.getattr("InternalError")?])?)?;
    let methods = py.import("colonnade._errors")?.getattr("PanicMethods")?;
    for name in ["__str__", "__reduce__"] {
        class.setattr(name, methods.getattr(name)?)?;
    }
    // Tracebacks name the public class.
    class.setattr("__module__", "colonnade")?;
    class.setattr("__name__", "InternalError")?;
    class.setattr("__qualname__", "InternalError")
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    note_places();
    // An interpreter that refuses it keeps PyO3's own class, as tests of that interpreter show. It still imports the module.
    adopt(m).ok();
    m.add_function(wrap_pyfunction!(_panic_for_test, m)?)
}
