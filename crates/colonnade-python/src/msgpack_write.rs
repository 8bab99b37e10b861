//! Frames written as MessagePack.

use std::os::fd::RawFd;

use colonnade::formats::msgpack;
use colonnade::frame::Frame;
use colonnade_transport::{AtomicFile, Descriptor};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bytes_sink::BytesSink;
use crate::frame::CoreFrame;
use crate::ipc_write::CallableSink;
use crate::msgpack_options::MsgpackWriteOptions;
use crate::path::PathArgument;
use crate::sink::{BufferSink, DescriptorSink, FileSink};
use crate::watched::{Callback, watched};

#[pyfunction]
#[pyo3(signature = (frame, options, progress = None))]
fn msgpack_encode(
    py: Python<'_>,
    frame: &CoreFrame,
    options: &MsgpackWriteOptions,
    progress: Callback,
) -> PyResult<Py<PyBytes>> {
    let mut sink = BytesSink::default();
    watched(py, progress, None, |watch| msgpack::encode(&frame.frame, options.core(), &mut sink, watch))?;
    sink.finish(py)
}

#[pyfunction]
#[pyo3(signature = (frame, path, options, progress = None))]
fn msgpack_write_path(
    py: Python<'_>,
    frame: &CoreFrame,
    path: PathArgument,
    options: &MsgpackWriteOptions,
    progress: Callback,
) -> PyResult<()> {
    watched(py, progress, Some(&path.0), |watch| {
        let mut sink = FileSink(AtomicFile::create(&path.0)?);
        msgpack::encode(&frame.frame, options.core(), &mut sink, watch)?;
        Ok(sink.0.commit(options.fsync())?)
    })
}

#[pyfunction]
#[pyo3(signature = (frame, fd, options, progress = None))]
fn msgpack_write_fd(
    py: Python<'_>,
    frame: &CoreFrame,
    fd: RawFd,
    options: &MsgpackWriteOptions,
    progress: Callback,
) -> PyResult<()> {
    watched(py, progress, None, |watch| {
        msgpack::encode(&frame.frame, options.core(), &mut DescriptorSink(Descriptor::new(fd)), watch)
    })
}

#[pyfunction]
#[pyo3(signature = (frame, sink, options, progress = None))]
fn msgpack_write_sink(
    py: Python<'_>,
    frame: &CoreFrame,
    sink: &Bound<'_, BufferSink>,
    options: &MsgpackWriteOptions,
    progress: Callback,
) -> PyResult<()> {
    let busy = |_| pyo3::exceptions::PyBufferError::new_err("the sink is being written");
    let mut sink = sink.try_borrow_mut().map_err(busy)?;
    let mut appender = sink.appender()?;
    watched(py, progress, None, |watch| msgpack::encode(&frame.frame, options.core(), &mut appender, watch))?;
    appender.keep();
    Ok(())
}

#[pyfunction]
#[pyo3(signature = (frame, send, options, progress = None))]
fn msgpack_write_callable(
    py: Python<'_>,
    frame: &CoreFrame,
    send: Py<PyAny>,
    options: &MsgpackWriteOptions,
    progress: Callback,
) -> PyResult<()> {
    watched(py, progress, None, |watch| {
        msgpack::encode(&frame.frame, options.core(), &mut CallableSink(send), watch)
    })
}

/// Frames and their labels; cells are shared.
fn owned(frames: &[(String, PyRef<'_, CoreFrame>)]) -> Vec<(String, Frame)> {
    frames.iter().map(|(label, frame)| (label.clone(), (*frame.frame).clone())).collect()
}

#[pyfunction]
#[pyo3(signature = (frames, path, options, progress = None))]
fn msgpack_bundle_path(
    py: Python<'_>,
    frames: Vec<(String, PyRef<'_, CoreFrame>)>,
    path: PathArgument,
    options: &MsgpackWriteOptions,
    progress: Callback,
) -> PyResult<()> {
    let frames = owned(&frames);
    watched(py, progress, Some(&path.0), |watch| {
        let mut sink = FileSink(AtomicFile::create(&path.0)?);
        msgpack::encode_bundle(&frames, options.core(), &mut sink, watch)?;
        Ok(sink.0.commit(options.fsync())?)
    })
}

#[pyfunction]
#[pyo3(signature = (frames, options, progress = None))]
fn msgpack_bundle_encode(
    py: Python<'_>,
    frames: Vec<(String, PyRef<'_, CoreFrame>)>,
    options: &MsgpackWriteOptions,
    progress: Callback,
) -> PyResult<Py<PyBytes>> {
    let frames = owned(&frames);
    let mut sink = BytesSink::default();
    watched(py, progress, None, |watch| msgpack::encode_bundle(&frames, options.core(), &mut sink, watch))?;
    sink.finish(py)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(msgpack_encode, m)?)?;
    m.add_function(wrap_pyfunction!(msgpack_write_path, m)?)?;
    m.add_function(wrap_pyfunction!(msgpack_write_fd, m)?)?;
    m.add_function(wrap_pyfunction!(msgpack_write_sink, m)?)?;
    m.add_function(wrap_pyfunction!(msgpack_write_callable, m)?)?;
    m.add_function(wrap_pyfunction!(msgpack_bundle_path, m)?)?;
    m.add_function(wrap_pyfunction!(msgpack_bundle_encode, m)?)
}
