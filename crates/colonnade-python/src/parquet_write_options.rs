//! Options for writing parquet.

use std::collections::BTreeMap;

use colonnade::formats::parquet::write::file;
use colonnade::formats::parquet::write::file::RawWriteOptions;
use pyo3::prelude::*;

use crate::errors::{self, IntoPy};
use crate::read_options::threads;
use crate::write_options::WriteOptions;

/// Options for writing parquet.
#[pyclass(frozen, extends = WriteOptions, module = "colonnade._core")]
pub(crate) struct ParquetWriteOptions;

/// An encoding for all columns, or encodings by column name.
#[derive(FromPyObject)]
enum EncodingArgument {
    All(String),
    Named(BTreeMap<String, String>),
}

/// Whether dictionary encoding is allowed, or the columns for which it is.
#[derive(FromPyObject)]
enum DictionaryArgument {
    All(bool),
    Named(Vec<String>),
}

#[pymethods]
impl ParquetWriteOptions {
    #[new]
    #[pyo3(signature = (
        *, compression = Some("auto"), level = None, encoding = None, use_dictionary = None, profile = None,
        row_group_rows = None, page_nbytes = None, data_page_version = 1, statistics = true, page_index = true,
        crc = true, fsync = false, threads = None, nrows = None
    ))]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    fn new(
        compression: Option<&str>,
        level: Option<i32>,
        encoding: Option<EncodingArgument>,
        use_dictionary: Option<DictionaryArgument>,
        profile: Option<&str>,
        row_group_rows: Option<usize>,
        page_nbytes: Option<usize>,
        data_page_version: u8,
        statistics: bool,
        page_index: bool,
        crc: bool,
        fsync: bool,
        threads: Option<usize>,
        nrows: Option<usize>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (all, named) = match encoding {
            None => (None, BTreeMap::new()),
            Some(EncodingArgument::All(name)) => (Some(name), BTreeMap::new()),
            Some(EncodingArgument::Named(named)) => (None, named),
        };
        if !(1..=2).contains(&data_page_version) {
            let message = format!("parquet: data_page_version: expected 1 or 2, found {data_page_version}.");
            return Err(errors::option(message));
        }
        let asked = RawWriteOptions {
            compression,
            level,
            encoding: all.as_deref(),
            dictionary: !matches!(use_dictionary, Some(DictionaryArgument::All(false))),
            profile,
            group_rows: row_group_rows,
            page_nbytes,
            version_2: data_page_version == 2,
            statistics,
            page_index,
            crc,
        };
        let core = file::WriteOptions::new(&asked, self::threads(threads), nrows).py()?;
        let mut core = core.with_encodings(named.iter().map(|(k, v)| (k.as_str(), v.as_str()))).py()?;
        if let Some(DictionaryArgument::Named(names)) = use_dictionary {
            core = core.with_dictionaries(names.iter().map(String::as_str));
        }
        Ok(PyClassInitializer::from(WriteOptions::new("parquet", core, fsync)?).add_subclass(Self))
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<ParquetWriteOptions>()
}
