//! The recycled memory of this process.

use colonnade::memory;
use pyo3::prelude::*;

use crate::guard::Guarded;

/// Returns the recycled memory to the system.
#[pyfunction]
fn pool_trim(py: Python<'_>) -> PyResult<usize> {
    py.guarded(|| Ok(memory::trim()))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(pool_trim, m)?)
}
