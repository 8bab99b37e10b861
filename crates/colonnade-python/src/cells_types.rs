//! The Python classes of mixed cells. [`extension_codes`](colonnade::cells::msgpack::extension_codes) has the code of each.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyType};

/// Separates a time, its fold and its zone.
pub(crate) const SEPARATOR: char = '|';

/// Classes and functions, looked up once.
pub(crate) struct CellTypes {
    pub(crate) date: Py<PyType>,
    pub(crate) time: Py<PyType>,
    pub(crate) datetime: Py<PyType>,
    pub(crate) timedelta: Py<PyType>,
    pub(crate) decimal: Py<PyType>,
    pub(crate) uuid: Py<PyType>,
    /// `uuid.SafeUUID`: whether a UUID was generated in a way that is safe for several processes.
    pub(crate) safe_uuid: Py<PyType>,
    pub(crate) int: Py<PyType>,
    pub(crate) utc: Py<PyAny>,
    /// 1970-01-01 as an aware `datetime` in UTC.
    pub(crate) epoch: Py<PyAny>,
    /// `(value) -> (code, payload)` for other classes; raises TypeError for unsupported ones.
    pub(crate) encode_other: Py<PyAny>,
    /// `(code, payload) -> value`.
    pub(crate) decode_other: Py<PyAny>,
    /// `(aware value) -> text`.
    pub(crate) zoned_text: Py<PyAny>,
    /// `(class, text) -> aware value`.
    pub(crate) read_zoned: Py<PyAny>,
    pub(crate) datetime64: Py<PyAny>,
}

static TYPES: PyOnceLock<CellTypes> = PyOnceLock::new();

pub(crate) fn types(py: Python<'_>) -> PyResult<&CellTypes> {
    TYPES.get_or_try_init(py, || {
        let module = py.import("datetime")?;
        let class = |name: &str| -> PyResult<Py<PyType>> {
            Ok(module.getattr(name)?.cast_into::<PyType>()?.unbind())
        };
        let of =
            |module: &str, name: &str| -> PyResult<Bound<'_, PyAny>> { py.import(module)?.getattr(name) };
        let utc = module.getattr("timezone")?.getattr("utc")?;
        let zoned = [("tzinfo", &utc)].into_py_dict(py)?;
        let epoch = module.getattr("datetime")?.call((1970, 1, 1), Some(&zoned))?;
        let kinds = py.import("colonnade._values.cell_kinds")?;
        Ok(CellTypes {
            date: class("date")?,
            time: class("time")?,
            datetime: class("datetime")?,
            timedelta: class("timedelta")?,
            decimal: of("decimal", "Decimal")?.cast_into::<PyType>()?.unbind(),
            uuid: of("uuid", "UUID")?.cast_into::<PyType>()?.unbind(),
            safe_uuid: of("uuid", "SafeUUID")?.cast_into::<PyType>()?.unbind(),
            int: of("builtins", "int")?.cast_into::<PyType>()?.unbind(),
            utc: utc.unbind(),
            epoch: epoch.unbind(),
            encode_other: kinds.getattr("encode")?.unbind(),
            decode_other: kinds.getattr("decode")?.unbind(),
            zoned_text: kinds.getattr("zoned_text")?.unbind(),
            read_zoned: kinds.getattr("read_zoned")?.unbind(),
            datetime64: of("numpy", "datetime64")?.unbind(),
        })
    })
}
