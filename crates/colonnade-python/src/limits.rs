//! `Limits` and `StreamLimit` for Python.

use colonnade::limits::{Limits, StreamLimit};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;

use crate::errors::{self, IntoPy};

/// Limits on the resources that a file may request.
#[pyclass(frozen, name = "Limits", module = "colonnade._core", get_all, from_py_object)]
#[derive(Clone, Copy)]
#[allow(clippy::struct_field_names)] // Python-visible names
pub(crate) struct PyLimits {
    pub(crate) max_nbytes: u64,
    max_members: u64,
    max_member_nbytes: u64,
    max_columns: u64,
    max_unbacked_rows: u64,
    max_unbacked_nbytes: u64,
    max_expansion: u64,
    max_stream_nbytes: Option<u64>,
    max_meta_nbytes: u64,
    max_depth: u64,
}

#[pymethods]
impl PyLimits {
    #[new]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    #[pyo3(signature = (*, max_nbytes = None, max_members = None, max_member_nbytes = None, max_columns = None, max_unbacked_rows = None, max_unbacked_nbytes = None, max_expansion = None, max_stream_nbytes = None, max_meta_nbytes = None, max_depth = None))]
    fn new(
        max_nbytes: Option<Bound<'_, PyAny>>,
        max_members: Option<Bound<'_, PyAny>>,
        max_member_nbytes: Option<Bound<'_, PyAny>>,
        max_columns: Option<Bound<'_, PyAny>>,
        max_unbacked_rows: Option<Bound<'_, PyAny>>,
        max_unbacked_nbytes: Option<Bound<'_, PyAny>>,
        max_expansion: Option<Bound<'_, PyAny>>,
        max_stream_nbytes: Option<Bound<'_, PyAny>>,
        max_meta_nbytes: Option<Bound<'_, PyAny>>,
        max_depth: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let base = Limits::default();
        let cap = |name: &str, value: Option<Bound<'_, PyAny>>, base: u64| match value {
            None => Ok(base),
            Some(given) => whole(name, &given),
        };
        Ok(Self {
            max_nbytes: cap("max_nbytes", max_nbytes, base.max_nbytes)?,
            max_members: cap("max_members", max_members, base.max_members)?,
            max_member_nbytes: cap("max_member_nbytes", max_member_nbytes, base.max_member_nbytes)?,
            max_columns: cap("max_columns", max_columns, base.max_columns)?,
            max_unbacked_rows: cap("max_unbacked_rows", max_unbacked_rows, base.max_unbacked_rows)?,
            max_unbacked_nbytes: cap("max_unbacked_nbytes", max_unbacked_nbytes, base.max_unbacked_nbytes)?,
            max_expansion: cap("max_expansion", max_expansion, base.max_expansion)?,
            max_stream_nbytes: max_stream_nbytes
                .map(|value| cap("max_stream_nbytes", Some(value), 0))
                .transpose()?,
            max_meta_nbytes: cap("max_meta_nbytes", max_meta_nbytes, base.max_meta_nbytes)?,
            max_depth: cap("max_depth", max_depth, base.max_depth)?,
        })
    }

    fn decoded_nbytes(&self, input: u64, ncells: u64) -> u64 {
        self.core().decoded_nbytes(input, ncells)
    }

    fn __repr__(&self) -> String {
        format!(
            "Limits(max_nbytes={}, max_members={}, max_member_nbytes={}, max_columns={}, max_unbacked_rows={}, max_unbacked_nbytes={}, max_expansion={}, max_stream_nbytes={}, max_meta_nbytes={}, max_depth={})",
            self.max_nbytes,
            self.max_members,
            self.max_member_nbytes,
            self.max_columns,
            self.max_unbacked_rows,
            self.max_unbacked_nbytes,
            self.max_expansion,
            self.max_stream_nbytes.map_or_else(|| "None".to_owned(), |limit| limit.to_string()),
            self.max_meta_nbytes,
            self.max_depth
        )
    }
}

impl PyLimits {
    pub(crate) fn core(self) -> Limits {
        Limits {
            max_nbytes: self.max_nbytes,
            max_members: self.max_members,
            max_member_nbytes: self.max_member_nbytes,
            max_columns: self.max_columns,
            max_unbacked_rows: self.max_unbacked_rows,
            max_unbacked_nbytes: self.max_unbacked_nbytes,
            max_expansion: self.max_expansion,
            max_stream_nbytes: self.max_stream_nbytes,
            max_meta_nbytes: self.max_meta_nbytes,
            max_depth: self.max_depth,
        }
    }
}

/// A limit that Python gave.
fn whole(name: &str, given: &Bound<'_, PyAny>) -> PyResult<u64> {
    given.extract().map_err(|error: PyErr| {
        let py = given.py();
        let expected = error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyOverflowError>(py);
        if !expected {
            return error; // what the object itself raises
        }
        let found = given.repr().map_or_else(|_| "something else".to_owned(), |text| text.to_string());
        errors::option(format!("{name}: expected a whole number of 0 to {}, found {found}.", u64::MAX))
    })
}

/// Counts the bytes that Python collects from a source of unknown length.
#[pyclass(name = "StreamLimit", module = "colonnade._core")]
pub(crate) struct PyStreamLimit(StreamLimit);

#[pymethods]
impl PyStreamLimit {
    #[new]
    fn new(limits: PyLimits) -> Self {
        Self(StreamLimit::new(&limits.core()))
    }

    fn check(&mut self, nbytes: u64) -> PyResult<()> {
        self.0.check("source", nbytes).py()
    }
}
