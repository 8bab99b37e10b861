//! Options for json, ndjson and yaml.

use colonnade::formats::json::lines;
use colonnade::formats::{json, yaml};
use colonnade::text::input::TextEncoding;
use pyo3::prelude::*;

use super::csv_options::choice;
use crate::errors::IntoPy;
use crate::limits::PyLimits;
use crate::read_options::{PyReadOptions, threads};
use crate::write_options::WriteOptions;

/// Options for reading json.
#[pyclass(frozen, extends = PyReadOptions, module = "colonnade._core")]
pub(crate) struct JsonReadOptions;

#[pymethods]
impl JsonReadOptions {
    #[new]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    #[pyo3(signature = (
        *, limits, threads = None, verify = false, orient = None, allow_nonfinite = false, big_ints = "error", dates = true,
        encoding = "utf-8"
    ))]
    fn new(
        limits: PyLimits,
        threads: Option<usize>,
        verify: bool,
        orient: Option<&str>,
        allow_nonfinite: bool,
        big_ints: &str,
        dates: bool,
        encoding: &str,
    ) -> PyResult<PyClassInitializer<Self>> {
        let _ = verify; // Opening decodes everything.
        let core = json::ReadOptions {
            orient: orient.map(json::JsonOrient::from_name).transpose().py()?,
            allow_nonfinite,
            big_decimals: is_decimal("json", big_ints)?,
            dates,
            encoding: TextEncoding::from_name("json", encoding).py()?,
            part: None,
            limits: limits.core(),
            threads: self::threads(threads),
        };
        Ok(PyReadOptions::new("json", core, limits, core.threads, false)?.into_subclass(Self))
    }
}

/// Options for reading ndjson.
#[pyclass(frozen, extends = PyReadOptions, module = "colonnade._core")]
pub(crate) struct NdjsonReadOptions;

#[pymethods]
impl NdjsonReadOptions {
    #[new]
    #[pyo3(signature = (
        *, limits, threads = None, verify = false, allow_nonfinite = false, big_ints = "error", dates = true, encoding = "utf-8"
    ))]
    fn new(
        limits: PyLimits,
        threads: Option<usize>,
        verify: bool,
        allow_nonfinite: bool,
        big_ints: &str,
        dates: bool,
        encoding: &str,
    ) -> PyResult<PyClassInitializer<Self>> {
        let _ = verify; // Opening decodes everything.
        let core = lines::ReadOptions {
            allow_nonfinite,
            big_decimals: is_decimal("ndjson", big_ints)?,
            dates,
            encoding: TextEncoding::from_name("ndjson", encoding).py()?,
            limits: limits.core(),
            threads: self::threads(threads),
        };
        Ok(PyReadOptions::new("ndjson", core, limits, core.threads, false)?.into_subclass(Self))
    }
}

fn is_decimal(format: &'static str, big_ints: &str) -> PyResult<bool> {
    choice(format, "big_ints", big_ints, &[("error", false), ("decimal", true)])
}

/// Options for reading yaml.
#[pyclass(frozen, extends = PyReadOptions, module = "colonnade._core")]
pub(crate) struct YamlReadOptions;

#[pymethods]
impl YamlReadOptions {
    #[new]
    #[pyo3(signature = (*, limits, threads = None, verify = false, orient = None, dates = true, encoding = "utf-8"))]
    fn new(
        limits: PyLimits,
        threads: Option<usize>,
        verify: bool,
        orient: Option<&str>,
        dates: bool,
        encoding: &str,
    ) -> PyResult<PyClassInitializer<Self>> {
        let _ = verify; // Opening decodes everything.
        let core = yaml::ReadOptions {
            orient: orient.map(yaml::YamlOrient::named).transpose().py()?,
            dates,
            encoding: TextEncoding::from_name("yaml", encoding).py()?,
            part: None,
            limits: limits.core(),
            threads: self::threads(threads),
        };
        Ok(PyReadOptions::new("yaml", core, limits, core.threads, false)?.into_subclass(Self))
    }
}

fn nonfinite_of(format: &'static str, name: &str) -> PyResult<json::NonfiniteOption> {
    use json::NonfiniteOption::{Error, Literal, Null};
    choice(format, "nonfinite", name, &[("null", Null), ("literal", Literal), ("error", Error)])
}

/// Options for writing json.
#[pyclass(frozen, extends = WriteOptions, module = "colonnade._core")]
pub(crate) struct JsonWriteOptions;

#[pymethods]
impl JsonWriteOptions {
    #[new]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    #[pyo3(signature = (
        *, orient = "columns", header = true, nonfinite = "null", indent = None, packing = None, level = None,
        fsync = false, threads = None
    ))]
    fn new(
        orient: &str,
        header: bool,
        nonfinite: &str,
        indent: Option<usize>,
        packing: Option<&str>,
        level: Option<i32>,
        fsync: bool,
        threads: Option<usize>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let orient = json::JsonOrient::from_name(orient).py()?;
        let nonfinite = nonfinite_of("json", nonfinite)?;
        let core = json::WriteOptions { orient, header, nonfinite, indent, threads: self::threads(threads) };
        Ok(PyClassInitializer::from(WriteOptions::new("json", core, fsync)?.with_packing(packing, level)?)
            .add_subclass(Self))
    }
}

/// Options for writing ndjson.
#[pyclass(frozen, extends = WriteOptions, module = "colonnade._core")]
pub(crate) struct NdjsonWriteOptions;

#[pymethods]
impl NdjsonWriteOptions {
    #[new]
    #[pyo3(signature = (
        *, header = true, nonfinite = "null", packing = None, level = None, fsync = false, threads = None
    ))]
    fn new(
        header: bool,
        nonfinite: &str,
        packing: Option<&str>,
        level: Option<i32>,
        fsync: bool,
        threads: Option<usize>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let nonfinite = nonfinite_of("ndjson", nonfinite)?;
        let core = lines::WriteOptions { header, nonfinite, threads: self::threads(threads) };
        Ok(PyClassInitializer::from(WriteOptions::new("ndjson", core, fsync)?.with_packing(packing, level)?)
            .add_subclass(Self))
    }
}

/// Options for writing yaml.
#[pyclass(frozen, extends = WriteOptions, module = "colonnade._core")]
pub(crate) struct YamlWriteOptions;

#[pymethods]
impl YamlWriteOptions {
    #[new]
    #[pyo3(signature = (
        *, orient = "records", header = true, packing = None, level = None, fsync = false, threads = None
    ))]
    fn new(
        orient: &str,
        header: bool,
        packing: Option<&str>,
        level: Option<i32>,
        fsync: bool,
        threads: Option<usize>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let orient = yaml::YamlOrient::named(orient).py()?;
        let core = yaml::WriteOptions { orient, header, threads: self::threads(threads) };
        Ok(PyClassInitializer::from(WriteOptions::new("yaml", core, fsync)?.with_packing(packing, level)?)
            .add_subclass(Self))
    }
}

pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<JsonReadOptions>()?;
    m.add_class::<JsonWriteOptions>()?;
    m.add_class::<NdjsonReadOptions>()?;
    m.add_class::<NdjsonWriteOptions>()?;
    m.add_class::<YamlReadOptions>()?;
    m.add_class::<YamlWriteOptions>()
}
