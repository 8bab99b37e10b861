//! `colonnade_bench._native`: a pass over every byte, and the limits of this machine.

mod copy;
mod files;
mod memory;
mod parallel;
mod touch;

use pyo3::prelude::*;

#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(touch::touch, m)?)?;
    m.add_function(wrap_pyfunction!(memory::limit_memcpy, m)?)?;
    m.add_function(wrap_pyfunction!(memory::limit_fill, m)?)?;
    m.add_function(wrap_pyfunction!(memory::release, m)?)?;
    m.add_function(wrap_pyfunction!(copy::limit_copy, m)?)?;
    m.add_function(wrap_pyfunction!(files::limit_pread, m)?)?;
    m.add_function(wrap_pyfunction!(files::limit_write, m)?)
}
