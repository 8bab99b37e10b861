//! The text formats: csv, json, ndjson, yaml. One class each for chunks written; the options' class says which format it is.

mod formats;
mod options_csv;
mod options_json;
mod sidecar;
mod write;
mod writer;

use pyo3::prelude::*;

pub(crate) use formats::{WriteArgument, Writing};

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<writer::TextWriter>()?;
    options_csv::register(m)?;
    options_json::register(m)?;
    write::register(m)
}
