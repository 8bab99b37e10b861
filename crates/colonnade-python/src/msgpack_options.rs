//! Options for MessagePack.

use colonnade::formats::msgpack::{self, Fallback, MsgpackOrient, ReadOptions};
use pyo3::prelude::*;

use crate::errors::{self, IntoPy};
use crate::limits::PyLimits;
use crate::read_options::{PyReadOptions, threads};
use crate::write_options::WriteOptions;

/// Options for reading msgpack.
#[pyclass(frozen, extends = PyReadOptions, module = "colonnade._core")]
pub(crate) struct MsgpackReadOptions;

/// The treatment of values without a column type: `error` or `bytes`.
fn fallback_of(option: &str, name: &str) -> PyResult<Fallback> {
    match name {
        "error" => Ok(Fallback::Error),
        "bytes" => Ok(Fallback::Bytes),
        other => Err(errors::option(format!(
            "msgpack: {option}: expected \"error\" or \"bytes\", found {other:?}."
        ))),
    }
}

#[pymethods]
impl MsgpackReadOptions {
    #[new]
    #[pyo3(signature = (*, limits, threads = None, verify = false, orient = None, ext = "error", invalid_utf8 = "error"))]
    fn new(
        limits: PyLimits,
        threads: Option<usize>,
        verify: bool,
        orient: Option<&str>,
        ext: &str,
        invalid_utf8: &str,
    ) -> PyResult<PyClassInitializer<Self>> {
        let core = ReadOptions {
            orient: orient.map(MsgpackOrient::from_name).transpose().py()?,
            ext: fallback_of("ext", ext)?,
            invalid_utf8: fallback_of("invalid_utf8", invalid_utf8)?,
            limits: limits.core(),
            threads: self::threads(threads),
        };
        Ok(PyReadOptions::new("msgpack", core, limits, core.threads, verify)?.into_subclass(Self))
    }
}

/// Options for writing msgpack.
#[pyclass(frozen, extends = WriteOptions, module = "colonnade._core")]
pub(crate) struct MsgpackWriteOptions;

#[pymethods]
impl MsgpackWriteOptions {
    #[new]
    #[pyo3(signature = (
        *, orient = "columns", header = true, numbers = "plain", compatible = false, fsync = false, threads = None
    ))]
    fn new(
        orient: &str,
        header: bool,
        numbers: &str,
        compatible: bool,
        fsync: bool,
        threads: Option<usize>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let packed = match numbers {
            "plain" => false,
            "packed" => true,
            other => {
                return Err(errors::option(format!(
                    "msgpack: numbers: expected \"plain\" or \"packed\", found {other:?}."
                )));
            }
        };
        let orient = MsgpackOrient::from_name(orient).py()?;
        let core = msgpack::WriteOptions {
            orient,
            header,
            packed,
            compatible,
            threads: self::threads(threads),
            chunk: None,
        };
        Ok(PyClassInitializer::from(WriteOptions::new("msgpack", core.check().py()?, fsync)?)
            .add_subclass(Self))
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<MsgpackReadOptions>()?;
    m.add_class::<MsgpackWriteOptions>()
}
