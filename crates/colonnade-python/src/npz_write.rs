//! Frames written.

use std::collections::BTreeMap;
use std::os::fd::RawFd;

use colonnade::container::members::{Compat, Name};
use colonnade::container::store::check_label;
use colonnade::formats::npz::{Codec, Wanted, WriteOptions};
use colonnade::formats::{npy, npz};
use colonnade::frame::Frame;
use colonnade_transport::{AtomicDirectory, AtomicFile, Descriptor};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{self, IntoPy};
use crate::frame::CoreFrame;
use crate::npz_file::threads;
use crate::path::PathArgument;
use crate::sink::{BufferSink, DescriptorSink, FileSink};
use crate::watched::{Callback, watched};

/// Bytes of a bundle's label: it is part of names in a ZIP, which have 65,535 at most.
const MOST_LABEL: usize = 65_000;

/// Options for writing npz and npy.
#[pyclass(frozen, module = "colonnade._core")]
#[derive(Clone)]
pub(crate) struct NpzWriteOptions {
    core: WriteOptions,
    fsync: bool,
}

/// One name, of a codec or a filter, or one a column.
#[derive(FromPyObject)]
enum ByColumn {
    Columns(BTreeMap<usize, Option<String>>),
    Name(String),
}

impl ByColumn {
    /// What is asked for of all columns, and of some by position.
    fn parsed<T: Default>(
        asked: Option<Self>,
        parse: impl Fn(Option<&str>) -> colonnade::Result<T>,
    ) -> PyResult<(T, BTreeMap<usize, T>)> {
        match asked {
            None => Ok((T::default(), BTreeMap::new())),
            Some(Self::Name(name)) => Ok((parse(Some(&name)).py()?, BTreeMap::new())),
            Some(Self::Columns(columns)) => {
                let one = |(position, name): (usize, Option<String>)| Ok((position, parse(name.as_deref())?));
                Ok((T::default(), columns.into_iter().map(one).collect::<colonnade::Result<_>>().py()?))
            }
        }
    }
}

#[pymethods]
impl NpzWriteOptions {
    #[new]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    #[pyo3(signature = (*, compression = None, filter = None, profile = None, level = None, compat = None, fsync = false, threads = None))]
    fn new(
        compression: Option<ByColumn>,
        filter: Option<ByColumn>,
        profile: Option<&str>,
        level: Option<i32>,
        compat: Option<&str>,
        fsync: bool,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (codec, columns) = ByColumn::parsed(compression, Codec::parse)?;
        let (filter, filters) = ByColumn::parsed(filter, Wanted::parse)?;
        let profile = profile.map(npz::profile).transpose().py()?;
        let compat = match compat {
            None => Compat::Ours,
            Some("static-frame") => Compat::StaticFrame,
            Some(other) => {
                let message = format!("npz: compat: expected None or \"static-frame\", found {other:?}.");
                return Err(errors::option(message));
            }
        };
        let core = WriteOptions::new(codec, columns, level, compat, self::threads(threads)).py()?;
        let core = core.with_filters(filter, filters, profile);
        Ok(Self { core, fsync })
    }
}

#[pyfunction]
#[pyo3(signature = (frame, path, options, progress = None))]
fn npz_write_path(
    py: Python<'_>,
    frame: &CoreFrame,
    path: PathArgument,
    options: &NpzWriteOptions,
    progress: Callback,
) -> PyResult<()> {
    watched(py, progress, Some(&path.0), |watch| {
        let mut sink = FileSink(AtomicFile::create(&path.0)?);
        npz::encode(&frame.frame, &options.core, &mut sink, watch)?;
        Ok(sink.0.commit(options.fsync)?)
    })
}

#[pyfunction]
#[pyo3(signature = (frame, fd, options, progress = None))]
fn npz_write_fd(
    py: Python<'_>,
    frame: &CoreFrame,
    fd: RawFd,
    options: &NpzWriteOptions,
    progress: Callback,
) -> PyResult<()> {
    watched(py, progress, None, |watch| {
        npz::encode(&frame.frame, &options.core, &mut DescriptorSink(Descriptor::new(fd)), watch).map(drop)
    })
}

#[pyfunction]
#[pyo3(signature = (frame, sink, options, progress = None))]
fn npz_write_sink(
    py: Python<'_>,
    frame: &CoreFrame,
    sink: &Bound<'_, BufferSink>,
    options: &NpzWriteOptions,
    progress: Callback,
) -> PyResult<()> {
    let busy = |_| pyo3::exceptions::PyBufferError::new_err("the sink is being written");
    let mut sink = sink.try_borrow_mut().map_err(busy)?;
    let mut appender = sink.appender()?;
    watched(py, progress, None, |watch| npz::encode(&frame.frame, &options.core, &mut appender, watch))?;
    appender.keep();
    Ok(())
}

#[pyfunction]
#[pyo3(signature = (frame, options, progress = None))]
fn npz_encode<'py>(
    py: Python<'py>,
    frame: &CoreFrame,
    options: &NpzWriteOptions,
    progress: Callback,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = watched(py, progress, None, |watch| {
        let mut out = Vec::new();
        npz::encode(&frame.frame, &options.core, &mut out, watch)?;
        Ok(out)
    })?;
    Ok(PyBytes::new(py, &bytes))
}

#[pyfunction]
#[pyo3(signature = (frame, path, options, progress = None))]
fn npy_write_directory(
    py: Python<'_>,
    frame: &CoreFrame,
    path: PathArgument,
    options: &NpzWriteOptions,
    progress: Callback,
) -> PyResult<()> {
    watched(py, progress, Some(&path.0), |watch| {
        let directory = AtomicDirectory::create(&path.0, &|name| Name::parse(name.as_bytes()).is_some())?;
        let mut open = |name: &str| Ok(FileSink(AtomicFile::create_member(&directory.path().join(name))?));
        let mut close = |sink: FileSink| Ok(sink.0.commit(options.fsync)?);
        npy::encode_directory(&frame.frame, options.core.compat, watch, &mut open, &mut close)?;
        Ok(directory.commit(options.fsync)?)
    })
}

#[pyfunction]
#[pyo3(signature = (frame, path, options, progress = None))]
fn npy_write_path(
    py: Python<'_>,
    frame: &CoreFrame,
    path: PathArgument,
    options: &NpzWriteOptions,
    progress: Callback,
) -> PyResult<()> {
    watched(py, progress, Some(&path.0), |watch| {
        let mut sink = FileSink(AtomicFile::create(&path.0)?);
        npy::encode(&frame.frame, &mut sink, watch)?;
        Ok(sink.0.commit(options.fsync)?)
    })
}

#[pyfunction]
#[pyo3(signature = (frame, options, progress = None))]
fn npy_encode<'py>(
    py: Python<'py>,
    frame: &CoreFrame,
    options: &NpzWriteOptions,
    progress: Callback,
) -> PyResult<Bound<'py, PyBytes>> {
    let _ = options;
    let bytes = watched(py, progress, None, |watch| {
        let mut out = Vec::new();
        npy::encode(&frame.frame, &mut out, watch)?;
        Ok(out)
    })?;
    Ok(PyBytes::new(py, &bytes))
}

#[pyfunction]
#[pyo3(signature = (frames, path, layout, outer, options, progress = None))]
fn bundle_write_path(
    py: Python<'_>,
    frames: Vec<(String, PyRef<'_, CoreFrame>)>,
    path: PathArgument,
    layout: &str,
    outer: Option<&str>,
    options: &NpzWriteOptions,
    progress: Callback,
) -> PyResult<()> {
    let mut labels: Vec<&str> = frames.iter().map(|(label, _)| label.as_str()).collect();
    for label in &labels {
        check_label(label).map_err(|e| errors::encode(e.to_string()))?;
        if label.len() > MOST_LABEL {
            let message = format!(
                "npz: expected labels of at most {MOST_LABEL} bytes, as they are part of names in a ZIP, found one of {}.",
                label.len()
            );
            return Err(errors::encode(message));
        }
    }
    labels.sort_unstable();
    if let Some(twice) = labels.windows(2).find(|w| w.first() == w.last()).and_then(|w| w.first()) {
        return Err(errors::option(format!("npz: label {twice:?} stands twice.")));
    }
    let members = match layout {
        "npz" => false,
        "npy" => true,
        other => {
            return Err(errors::option(format!(
                "npz: layout: expected \"npz\" or \"npy\", found {other:?}."
            )));
        }
    };
    let outer = match outer {
        None => Codec::None,
        Some(_) => Codec::parse(outer).py()?,
    };
    let frames: Vec<(String, std::sync::Arc<Frame>)> =
        frames.iter().map(|(label, f)| (label.clone(), f.frame.clone())).collect();
    watched(py, progress, Some(&path.0), |watch| {
        let mut sink = FileSink(AtomicFile::create(&path.0)?);
        let borrowed: Vec<(&str, &Frame)> = frames.iter().map(|(l, f)| (l.as_str(), &**f)).collect();
        if members {
            npz::encode_members(&borrowed, &options.core.with_outer(outer), &mut sink, watch)?;
        } else {
            npz::encode_archives(&borrowed, outer, &options.core, &mut sink, watch)?;
        }
        Ok(sink.0.commit(options.fsync)?)
    })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(npz_write_path, m)?)?;
    m.add_function(wrap_pyfunction!(npz_write_fd, m)?)?;
    m.add_function(wrap_pyfunction!(npz_write_sink, m)?)?;
    m.add_function(wrap_pyfunction!(npz_encode, m)?)?;
    m.add_function(wrap_pyfunction!(npy_write_directory, m)?)?;
    m.add_function(wrap_pyfunction!(npy_write_path, m)?)?;
    m.add_function(wrap_pyfunction!(npy_encode, m)?)?;
    m.add_function(wrap_pyfunction!(bundle_write_path, m)?)
}
