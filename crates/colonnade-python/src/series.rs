//! Whether a source has a series of frames, which `Reader` reads, or one frame, which `File` reads.

use std::path::Path;

use colonnade::progress::SignalsOnly;
use colonnade::source::Source;
use pyo3::prelude::*;

use crate::byte_source::bytes_of;
use crate::path::PathArgument;
use crate::read_options::PyReadOptions;
use crate::run::run_with_progress;

fn check_series(
    py: Python<'_>,
    source: Source<'_>,
    path: Option<&Path>,
    options: &PyReadOptions,
) -> PyResult<bool> {
    let (format, core) = (options.format, options.core());
    run_with_progress(py, None, path, |watch| format.is_series(source, core, &SignalsOnly(watch)))
}

/// Whether a file has more than one frame.
#[pyfunction]
#[pyo3(signature = (path, options, *, mmap))]
fn is_series_path(py: Python<'_>, path: PathArgument, options: &PyReadOptions, mmap: bool) -> PyResult<bool> {
    check_series(py, Source::Path { path: &path.0, mmap }, Some(&path.0), options)
}

/// Whether a buffer has more than one frame.
#[pyfunction]
fn is_series(py: Python<'_>, buffer: &Bound<'_, PyAny>, options: &PyReadOptions) -> PyResult<bool> {
    check_series(py, Source::Memory(bytes_of(buffer)?), None, options)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(is_series_path, m)?)?;
    m.add_function(wrap_pyfunction!(is_series, m)?)
}
