//! Options for csv.

use colonnade::formats::csv::{
    self, BigInts, Dates, IndexColumns, OnError, OutputEncoding as WriteEncoding, Quoting, ReadOptions,
    SchemaOption, SchemaPlace,
};
use colonnade::text::input::TextEncoding;
use pyo3::prelude::*;

use crate::errors::{self, IntoPy};
use crate::limits::PyLimits;
use crate::read_options::{PyReadOptions, threads};
use crate::write_options::WriteOptions;

/// The value that `known` has for the name `found`.
pub(super) fn choice<T>(format: &str, option: &str, found: &str, known: &[(&str, T)]) -> PyResult<T>
where
    T: Clone,
{
    known.iter().find(|(name, _)| *name == found).map(|(_, value)| value.clone()).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        errors::option(format!("{format}: {option}: expected one of {}, found {found:?}.", names.join(", ")))
    })
}

/// The byte of one ASCII character.
fn ascii_byte(option: &str, text: &str) -> PyResult<u8> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err(errors::option(format!("csv: {option}: expected one ASCII character, found {text:?}."))),
    }
}

fn optional_ascii_byte(option: &str, text: Option<&str>) -> PyResult<Option<u8>> {
    text.map(|text| ascii_byte(option, text)).transpose()
}

#[derive(FromPyObject)]
enum IndexColumnsArgument {
    Positions(Vec<usize>),
    Names(Vec<String>),
}

#[derive(FromPyObject)]
enum DatesArgument {
    All(bool),
    Names(Vec<String>),
}

/// Options for reading csv.
#[pyclass(frozen, extends = PyReadOptions, module = "colonnade._core")]
pub(crate) struct CsvReadOptions;

#[pymethods]
impl CsvReadOptions {
    #[new]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    #[pyo3(signature = (
        *, limits, threads = None, verify = false, delimiter = None, quotechar = Some("\""), escapechar = None, doublequote = true,
        comment = None, decimal = ".", thousands = None, na_values = Vec::new(), keep_default_na = true,
        header_rows = 1, index_columns = None, skip_rows = 0, encoding = "utf-8", dtypes = Vec::new(), every_dtype = None, dates = DatesArgument::All(true),
        date_format = "iso", on_error = "raise", big_ints = "text", schema = None, sidecar = None
    ))]
    fn new(
        limits: PyLimits,
        threads: Option<usize>,
        verify: bool,
        delimiter: Option<&str>,
        quotechar: Option<&str>,
        escapechar: Option<&str>,
        doublequote: bool,
        comment: Option<&str>,
        decimal: &str,
        thousands: Option<&str>,
        na_values: Vec<String>,
        keep_default_na: bool,
        header_rows: usize,
        index_columns: Option<IndexColumnsArgument>,
        skip_rows: usize,
        encoding: &str,
        dtypes: Vec<(String, String)>,
        every_dtype: Option<String>,
        dates: DatesArgument,
        date_format: &str,
        on_error: &str,
        big_ints: &str,
        schema: Option<&str>,
        sidecar: Option<Vec<u8>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let _ = verify; // Opening decodes everything.
        let core = ReadOptions {
            delimiter: optional_ascii_byte("sep", delimiter)?,
            quote: optional_ascii_byte("quotechar", quotechar)?,
            escape: optional_ascii_byte("escapechar", escapechar)?,
            doublequote,
            comment: optional_ascii_byte("comment", comment)?,
            decimal: ascii_byte("decimal", decimal)?,
            thousands: optional_ascii_byte("thousands", thousands)?,
            na_values,
            keep_default_na,
            header_rows,
            index_columns: match index_columns {
                None => IndexColumns::None,
                Some(IndexColumnsArgument::Positions(positions)) => IndexColumns::Positions(positions),
                Some(IndexColumnsArgument::Names(names)) => IndexColumns::Names(names),
            },
            skip_rows,
            encoding: TextEncoding::from_name("csv", encoding).py()?,
            dtypes,
            every_dtype,
            dates: match dates {
                DatesArgument::All(false) => Dates::None,
                DatesArgument::All(true) => Dates::All,
                DatesArgument::Names(names) => Dates::Names(names),
            },
            date_format: (date_format != "iso").then(|| date_format.to_owned()),
            on_error: choice(
                "csv",
                "on_error",
                on_error,
                &[("raise", OnError::Raise), ("null", OnError::Null), ("skip", OnError::Skip)],
            )?,
            big_ints: choice(
                "csv",
                "big_ints",
                big_ints,
                &[("text", BigInts::Text), ("decimal", BigInts::Decimal), ("error", BigInts::Error)],
            )?,
            schema: match schema {
                None => SchemaOption::Found,
                Some(name) => choice(
                    "csv",
                    "schema",
                    name,
                    &[
                        ("header", SchemaOption::Header),
                        ("sidecar", SchemaOption::Sidecar),
                        ("ignore", SchemaOption::Ignore),
                    ],
                )?,
            },
            sidecar,
            limits: limits.core(),
            threads: self::threads(threads),
        };
        let threads = core.threads;
        Ok(PyReadOptions::new("csv", core, limits, threads, false)?.into_subclass(Self))
    }
}

/// Options for writing csv.
#[pyclass(frozen, extends = WriteOptions, module = "colonnade._core")]
pub(crate) struct CsvWriteOptions;

#[pymethods]
impl CsvWriteOptions {
    #[new]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    #[pyo3(signature = (
        *, delimiter = ",", header = true, index = None, quoting = "minimal", quotechar = "\"", lineterminator = "\n",
        na_rep = "", decimal = ".", encoding = "utf-8", schema = None, packing = None, level = None,
        fsync = false, threads = None
    ))]
    fn new(
        delimiter: &str,
        header: bool,
        index: Option<bool>,
        quoting: &str,
        quotechar: &str,
        lineterminator: &str,
        na_rep: &str,
        decimal: &str,
        encoding: &str,
        schema: Option<&str>,
        packing: Option<&str>,
        level: Option<i32>,
        fsync: bool,
        threads: Option<usize>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let quotings =
            [("minimal", Quoting::Minimal), ("nonnumeric", Quoting::Nonnumeric), ("all", Quoting::All)];
        let core = csv::WriteOptions {
            delimiter: ascii_byte("sep", delimiter)?,
            quotechar: ascii_byte("quotechar", quotechar)?,
            header,
            index,
            quoting: choice("csv", "quoting", quoting, &quotings)?,
            crlf: choice("csv", "lineterminator", lineterminator, &[("\n", false), ("\r\n", true)])?,
            na_rep: na_rep.to_owned(),
            decimal: ascii_byte("decimal", decimal)?,
            encoding: WriteEncoding::named(encoding).py()?,
            schema: match schema {
                None => SchemaPlace::Nowhere,
                Some(name) => choice(
                    "csv",
                    "schema",
                    name,
                    &[("header", SchemaPlace::Header), ("sidecar", SchemaPlace::Sidecar)],
                )?,
            },
            threads: self::threads(threads),
        };
        let options = WriteOptions::new("csv", core.check().py()?, fsync)?;
        Ok(PyClassInitializer::from(options.with_packing(packing, level)?).add_subclass(Self))
    }
}

pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<CsvReadOptions>()?;
    m.add_class::<CsvWriteOptions>()
}
