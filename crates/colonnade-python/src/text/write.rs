//! Frames written as text.

use std::os::fd::RawFd;
use std::path::Path;

use colonnade::codec::packed::{Packer, Packing};
use colonnade::frame::Frame;
use colonnade::plan::Progress;
use colonnade::sink::Sink;
use colonnade_transport::{AtomicFile, Descriptor};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::formats::{WriteArgument, Writing};
use super::sidecar::{forget, sidecar_of};
use crate::bytes_sink::BytesSink;
use crate::frame::CoreFrame;
use crate::ipc_write::CallableSink;
use crate::path::PathArgument;
use crate::sink::{BufferSink, DescriptorSink, FileSink};
use crate::watched::{Callback, watched};

/// Lets `work` write to `sink`, packed where the options say so.
fn packed(
    writing: &Writing,
    sink: &mut dyn Sink,
    work: impl FnOnce(&mut dyn Sink) -> colonnade::Result<()>,
) -> colonnade::Result<()> {
    let Some(codec) = writing.packing else { return work(sink) };
    let mut packer = Packer::new(codec, writing.level)?;
    work(&mut Packing { packer: &mut packer, sink: &mut *sink })?;
    Ok(packer.finish(sink)?)
}

fn encode(
    frame: &Frame,
    writing: &Writing,
    sink: &mut dyn Sink,
    watch: &dyn Progress,
) -> colonnade::Result<()> {
    packed(writing, sink, |sink| writing.encode(frame, sink, watch))
}

/// Writes the whole of a file beside `path`, then gives it its name.
fn replaced(
    path: &Path,
    fsync: bool,
    work: impl FnOnce(&mut FileSink) -> colonnade::Result<()>,
) -> colonnade::Result<()> {
    let mut sink = FileSink(AtomicFile::create(path)?);
    work(&mut sink)?;
    Ok(sink.0.commit(fsync)?)
}

#[pyfunction]
#[pyo3(signature = (frame, options, progress = None))]
fn text_encode(
    py: Python<'_>,
    frame: &CoreFrame,
    options: WriteArgument<'_>,
    progress: Callback,
) -> PyResult<Py<PyBytes>> {
    let (mut sink, writing) = (BytesSink::default(), options.core());
    watched(py, progress, None, |watch| encode(&frame.frame, &writing, &mut sink, watch))?;
    sink.finish(py)
}

#[pyfunction]
#[pyo3(signature = (frame, path, options, progress = None))]
fn text_write_path(
    py: Python<'_>,
    frame: &CoreFrame,
    path: PathArgument,
    options: WriteArgument<'_>,
    progress: Callback,
) -> PyResult<()> {
    let (path, writing) = (path.0, options.core());
    watched(py, progress, Some(&path), |watch| {
        let mut sink = FileSink(AtomicFile::create(&path)?);
        encode(&frame.frame, &writing, &mut sink, watch)?;
        // The schema takes its name first: whoever sees the new file sees what belongs to it.
        match writing.sidecar(&frame.frame)? {
            Some(schema) => replaced(&sidecar_of(&path), writing.fsync, |beside| Ok(beside.write(&schema)?))?,
            None if writing.may_have_sidecar() => forget(&path)?,
            None => {}
        }
        Ok(sink.0.commit(writing.fsync)?)
    })
}

#[pyfunction]
#[pyo3(signature = (frame, fd, options, progress = None))]
fn text_write_fd(
    py: Python<'_>,
    frame: &CoreFrame,
    fd: RawFd,
    options: WriteArgument<'_>,
    progress: Callback,
) -> PyResult<()> {
    let writing = options.core();
    watched(py, progress, None, |watch| {
        encode(&frame.frame, &writing, &mut DescriptorSink(Descriptor::new(fd)), watch)
    })
}

#[pyfunction]
#[pyo3(signature = (frame, sink, options, progress = None))]
fn text_write_sink(
    py: Python<'_>,
    frame: &CoreFrame,
    sink: &Bound<'_, BufferSink>,
    options: WriteArgument<'_>,
    progress: Callback,
) -> PyResult<()> {
    let busy = |_| pyo3::exceptions::PyBufferError::new_err("the sink is being written");
    let mut sink = sink.try_borrow_mut().map_err(busy)?;
    let (mut appender, writing) = (sink.appender()?, options.core());
    watched(py, progress, None, |watch| encode(&frame.frame, &writing, &mut appender, watch))?;
    appender.keep();
    Ok(())
}

#[pyfunction]
#[pyo3(signature = (frame, send, options, progress = None))]
fn text_write_callable(
    py: Python<'_>,
    frame: &CoreFrame,
    send: Py<PyAny>,
    options: WriteArgument<'_>,
    progress: Callback,
) -> PyResult<()> {
    let writing = options.core();
    watched(py, progress, None, |watch| encode(&frame.frame, &writing, &mut CallableSink(send), watch))
}

/// Frames and their labels; cells are shared.
fn owned(frames: &[(String, PyRef<'_, CoreFrame>)]) -> Vec<(String, Frame)> {
    frames.iter().map(|(label, frame)| (label.clone(), (*frame.frame).clone())).collect()
}

#[pyfunction]
#[pyo3(signature = (frames, path, options, progress = None))]
fn text_bundle_path(
    py: Python<'_>,
    frames: Vec<(String, PyRef<'_, CoreFrame>)>,
    path: PathArgument,
    options: WriteArgument<'_>,
    progress: Callback,
) -> PyResult<()> {
    let (frames, path, writing) = (owned(&frames), path.0, options.core());
    watched(py, progress, Some(&path), |watch| {
        replaced(&path, writing.fsync, |sink| {
            packed(&writing, sink, |sink| writing.encode_bundle(&frames, sink, watch))
        })
    })
}

#[pyfunction]
#[pyo3(signature = (frames, options, progress = None))]
fn text_bundle_encode(
    py: Python<'_>,
    frames: Vec<(String, PyRef<'_, CoreFrame>)>,
    options: WriteArgument<'_>,
    progress: Callback,
) -> PyResult<Py<PyBytes>> {
    let (frames, writing) = (owned(&frames), options.core());
    let mut sink = BytesSink::default();
    watched(py, progress, None, |watch| {
        packed(&writing, &mut sink, |sink| writing.encode_bundle(&frames, sink, watch))
    })?;
    sink.finish(py)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(text_encode, m)?)?;
    m.add_function(wrap_pyfunction!(text_write_path, m)?)?;
    m.add_function(wrap_pyfunction!(text_write_fd, m)?)?;
    m.add_function(wrap_pyfunction!(text_write_sink, m)?)?;
    m.add_function(wrap_pyfunction!(text_write_callable, m)?)?;
    m.add_function(wrap_pyfunction!(text_bundle_path, m)?)?;
    m.add_function(wrap_pyfunction!(text_bundle_encode, m)?)
}
