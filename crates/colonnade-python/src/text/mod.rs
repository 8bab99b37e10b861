//! The text formats: csv, json, ndjson, yaml. One class each for files and chunks read; the options' class says which format it is.

mod file;
mod formats;
mod opened;
mod options_csv;
mod options_json;
mod reader;
mod sidecar;

use pyo3::prelude::*;

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<file::TextFile>()?;
    m.add_class::<reader::TextReader>()?;
    options_csv::register(m)?;
    options_json::register(m)
}
