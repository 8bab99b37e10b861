//! The formats of the core's registry.

use colonnade::formats::registry;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

/// One dict for each format: `name`, `suffixes`, `magic`, and a bool for each capability.
#[pyfunction]
fn formats(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let describe = |spec: &colonnade::formats::FormatSpec| {
        let out = PyDict::new(py);
        out.set_item("name", spec.name)?;
        out.set_item("suffixes", PyTuple::new(py, spec.suffixes)?)?;
        out.set_item("magic", PyTuple::new(py, spec.magic.iter().map(|magic| PyBytes::new(py, magic)))?)?;
        let can = spec.capabilities;
        for (capability, has) in [
            ("incremental", can.incremental),
            ("chunks", can.chunks),
            ("bundle", can.bundle),
            ("messages", can.messages),
            ("directory", can.directory),
            ("ranged", can.ranged),
            ("projection", can.projection),
            ("compressed", can.compressed),
        ] {
            out.set_item(capability, has)?;
        }
        Ok(out)
    };
    registry().iter().map(|format| describe(format.spec())).collect()
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(formats, m)?)
}
