//! Options for the text formats: csv, json, ndjson, yaml.

mod options_csv;
mod options_json;

use pyo3::prelude::*;

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    options_csv::register(m)?;
    options_json::register(m)
}
