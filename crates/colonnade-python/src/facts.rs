//! Converts the facts of a source to Python values.

use std::borrow::Cow;

use colonnade::container::npy::Descr;
use colonnade::formats::{Fact, Facts};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::dtype;

/// A dict of the facts, in order.
pub(crate) fn dict<'py>(py: Python<'py>, facts: &Facts) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    for (name, fact) in facts {
        out.set_item(name, value(py, fact)?)?;
    }
    Ok(out)
}

/// One dict for each entry.
pub(crate) fn dicts<'py>(py: Python<'py>, all: &[Facts]) -> PyResult<Vec<Bound<'py, PyDict>>> {
    all.iter().map(|facts| dict(py, facts)).collect()
}

fn value(py: Python<'_>, fact: &Fact) -> PyResult<Py<PyAny>> {
    match fact {
        Fact::None => Ok(py.None()),
        Fact::Bool(value) => value.into_py_any(py),
        Fact::Int(value) => match i64::try_from(*value) {
            Ok(small) => small.into_py_any(py),
            Err(_) => value.into_py_any(py),
        },
        Fact::Float(value) => value.into_py_any(py),
        Fact::Text(Cow::Borrowed(text)) => text.into_py_any(py),
        Fact::Text(Cow::Owned(text)) => text.into_py_any(py),
        Fact::Bytes(bytes) => PyBytes::new(py, bytes).into_py_any(py),
        Fact::Shape(lengths) => PyTuple::new(py, lengths)?.into_py_any(py),
        Fact::Dtype(Descr::Scalar(scalar)) => scalar.descr().into_py_any(py),
        Fact::Dtype(structured) => dtype::of_descr(py, structured)?.str()?.into_py_any(py),
        Fact::List(values) => {
            values.iter().map(|item| value(py, item)).collect::<PyResult<Vec<_>>>()?.into_py_any(py)
        }
        Fact::Facts(facts) => dict(py, facts)?.into_py_any(py),
    }
}
