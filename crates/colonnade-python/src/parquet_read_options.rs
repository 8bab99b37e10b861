//! Options for reading parquet.

use colonnade::formats::parquet::read::DecryptionKeys;
use colonnade::formats::parquet::{LogicalTimeUnit, ReadOptions};
use pyo3::prelude::*;

use crate::errors::IntoPy;
use crate::limits::PyLimits;
use crate::read_options::{PyReadOptions, threads as threads_of};
use crate::row_filter::{Conditions, filter_of};

/// Options for reading parquet.
#[pyclass(frozen, extends = PyReadOptions, module = "colonnade._core")]
pub(crate) struct ParquetReadOptions;

#[pymethods]
impl ParquetReadOptions {
    /// `verify`: also compares checksums whenever a page is decoded.
    #[new]
    #[pyo3(signature = (
        *, limits, threads = None, verify = false, columns = None, categories = None, filters = None,
        use_statistics = true, statistics_only = false, int96_unit = "ns", footer_key = None, column_keys = None,
        aad_prefix = None
    ))]
    #[allow(clippy::too_many_arguments)] // the arguments of a Python class
    fn new(
        limits: PyLimits,
        threads: Option<usize>,
        verify: bool,
        columns: Option<Vec<String>>,
        categories: Option<Vec<String>>,
        filters: Option<Conditions<'_>>,
        use_statistics: bool,
        statistics_only: bool,
        int96_unit: &str,
        footer_key: Option<Vec<u8>>,
        column_keys: Option<Vec<(String, Vec<u8>)>>,
        aad_prefix: Option<Vec<u8>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let column_keys = column_keys.unwrap_or_default();
        let threads = threads_of(threads);
        let core = ReadOptions {
            limits: limits.core(),
            verify,
            columns,
            categories: categories.unwrap_or_default(),
            filter: filters.map(filter_of).transpose()?,
            ignore_statistics: !use_statistics,
            statistics_only,
            int96_unit: LogicalTimeUnit::from_name(int96_unit).py()?,
            threads,
            keys: footer_key.map(|footer| DecryptionKeys { footer, columns: column_keys, aad_prefix }),
            ..ReadOptions::default()
        };
        Ok(PyReadOptions::new("parquet", core, limits, threads, verify)?.into_subclass(Self))
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<ParquetReadOptions>()
}
