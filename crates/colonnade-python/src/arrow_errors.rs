//! Errors of Arrow data that another library produced.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::PyErr;
use pyo3::PyResult;

use crate::errors;

pub(crate) fn invalid_data(what: &str) -> PyErr {
    errors::decode(format!("arrow: {what}."))
}

/// Converts panics to errors: arrow-rs asserts that a producer follows the interface.
pub(crate) fn catch_assertions<T>(work: impl FnOnce() -> Result<T, arrow_schema::ArrowError>) -> PyResult<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(invalid_data(&error.to_string())),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("an assertion");
            Err(invalid_data(&format!("the producer's structures break the interface: {text}")))
        }
    }
}
