//! Options for the text formats: csv, json, ndjson, yaml.

mod csv_options;
mod json_options;

use pyo3::prelude::*;

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    csv_options::register(m)?;
    json_options::register(m)
}
