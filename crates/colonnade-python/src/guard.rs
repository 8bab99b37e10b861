//! Converts panics to `InternalError`, which `except Exception` and `except ColonnadeError` catch.
//!
//! [`Guarded::guarded`] runs all work without the interpreter lock (a test checks that no other code does). It returns a
//! panic as an error, so that locks, progress and unfinished targets are handled as after any error. PyO3 catches panics
//! with the lock held, in every function, method and property. [`rebase_panic_exception`] makes its exception an
//! `InternalError`.

use std::io;

use colonnade::Error;
use colonnade::panics::{catch_panic, install_panic_hook};
use colonnade::parallel::panic_for_tests;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::PyTuple;

use crate::errors::{self, IntoPy};

/// Errors that can represent a panic.
pub(crate) trait FromPanic {
    /// Converts the error of a panic.
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

/// Runs work without the interpreter lock.
pub(crate) trait Guarded {
    /// Runs `work` without the interpreter lock and returns its result.
    ///
    /// # Errors
    /// Errors of `work`; `Internal` if it panics.
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
        self.detach(|| catch_panic(work)).map_err(E::from_panic)?
    }
}

/// Panics, for tests: with the interpreter lock, without it, or on another thread.
#[pyfunction]
fn _panic_for_test(py: Python<'_>, place: &str) -> PyResult<()> {
    match place {
        "held" => panic_for_tests(false).py(),
        "released" => py.guarded(|| panic_for_tests(false)).py(),
        _ => py.guarded(|| panic_for_tests(true)).py(),
    }
}

/// Makes PyO3's exception for panics a subclass of `InternalError`.
fn rebase_panic_exception(m: &Bound<'_, PyModule>) -> PyResult<()> {
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
    install_panic_hook();
    // An interpreter that refuses the change keeps PyO3's class, as tests on that interpreter show, and still imports the
    // module.
    rebase_panic_exception(m).ok();
    m.add_function(wrap_pyfunction!(_panic_for_test, m)?)
}
