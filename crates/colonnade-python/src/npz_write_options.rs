//! Options for writing npz and npy.

use std::collections::BTreeMap;

use colonnade::container::members::Compat;
use colonnade::formats::npy;
use colonnade::formats::npz::{self, BundleLayout, FilterChoice, MemberCodec};
use pyo3::prelude::*;

use crate::errors::{self, IntoPy};
use crate::read_options::threads;
use crate::write_options::WriteOptions;

/// The name of a codec or filter for all columns, or names by column.
#[derive(FromPyObject)]
enum ByColumn {
    Columns(BTreeMap<usize, Option<String>>),
    Name(String),
}

impl ByColumn {
    /// The value for all columns, and values for some by position.
    fn parse<T: Default>(
        argument: Option<Self>,
        parse: impl Fn(Option<&str>) -> colonnade::Result<T>,
    ) -> PyResult<(T, BTreeMap<usize, T>)> {
        match argument {
            None => Ok((T::default(), BTreeMap::new())),
            Some(Self::Name(name)) => Ok((parse(Some(&name)).py()?, BTreeMap::new())),
            Some(Self::Columns(columns)) => {
                let parse_column =
                    |(position, name): (usize, Option<String>)| Ok((position, parse(name.as_deref())?));
                Ok((
                    T::default(),
                    columns.into_iter().map(parse_column).collect::<colonnade::Result<_>>().py()?,
                ))
            }
        }
    }
}

fn compat_of(name: Option<&str>) -> PyResult<Compat> {
    match name {
        None => Ok(Compat::Ours),
        Some("static-frame") => Ok(Compat::StaticFrame),
        Some(other) => {
            let message = format!("npz: compat: expected None or \"static-frame\", found {other:?}.");
            Err(errors::option(message))
        }
    }
}

/// Options for writing npz.
#[pyclass(frozen, extends = WriteOptions, module = "colonnade._core")]
pub(crate) struct NpzWriteOptions;

#[pymethods]
impl NpzWriteOptions {
    #[new]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    #[pyo3(signature = (
        *, compression = None, transform = None, profile = None, level = None, compat = None, layout = "npz",
        outer = None, fsync = false, threads = None
    ))]
    fn new(
        compression: Option<ByColumn>,
        transform: Option<ByColumn>,
        profile: Option<&str>,
        level: Option<i32>,
        compat: Option<&str>,
        layout: &str,
        outer: Option<&str>,
        fsync: bool,
        threads: Option<usize>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (codec, columns) = ByColumn::parse(compression, MemberCodec::parse)?;
        let (filter, filters) = ByColumn::parse(transform, FilterChoice::parse)?;
        let profile = profile.map(npz::profile).transpose().py()?;
        let threads = self::threads(threads);
        let core = npz::WriteOptions::new(codec, columns, level, compat_of(compat)?, threads).py()?;
        let core = core.with_filters(filter, filters, profile);
        let core = core.with_bundle(BundleLayout::parse(layout).py()?, MemberCodec::parse(outer).py()?);
        Ok(PyClassInitializer::from(WriteOptions::new("npz", core, fsync)?).add_subclass(Self))
    }
}

/// Options for writing npy.
#[pyclass(frozen, extends = WriteOptions, module = "colonnade._core")]
pub(crate) struct NpyWriteOptions;

#[pymethods]
impl NpyWriteOptions {
    #[new]
    #[pyo3(signature = (*, compat = None, fsync = false))]
    fn new(compat: Option<&str>, fsync: bool) -> PyResult<PyClassInitializer<Self>> {
        let core = npy::WriteOptions { compat: compat_of(compat)? };
        Ok(PyClassInitializer::from(WriteOptions::new("npy", core, fsync)?).add_subclass(Self))
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<NpzWriteOptions>()?;
    m.add_class::<NpyWriteOptions>()
}
