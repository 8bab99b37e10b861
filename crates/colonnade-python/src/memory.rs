//! The recycled memory of this process.

use colonnade::memory;
use pyo3::prelude::*;

use crate::guard::Guarded;

/// Returns the recycled memory to the system.
#[pyfunction]
fn release_memory(py: Python<'_>) -> PyResult<usize> {
    py.guarded(|| Ok(memory::trim()))
}

/// Sets the most bytes that wait to be recycled, and returns the limit before.
#[pyfunction]
fn keep_memory(py: Python<'_>, nbytes: usize) -> PyResult<usize> {
    py.guarded(|| Ok(memory::set_limit(nbytes)))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(release_memory, m)?)?;
    m.add_function(wrap_pyfunction!(keep_memory, m)?)
}
