//! Paths from Python: str, bytes, or PathLike of either.

use std::path::PathBuf;

use pyo3::prelude::*;

/// A path argument, decoded by `os.fsdecode`.
pub(crate) struct PathArgument(pub(crate) PathBuf);

impl<'py> FromPyObject<'_, 'py> for PathArgument {
    type Error = PyErr;

    fn extract(obj: pyo3::Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let decoded = obj.py().import("os")?.call_method1("fsdecode", (obj,))?;
        Ok(Self(decoded.extract()?))
    }
}
