//! Writes whole frames to each type of target.

use std::io;
use std::os::fd::RawFd;

use colonnade::formats::MemberSink;
use colonnade::sink::Sink;
use colonnade_transport::{AtomicDirectory, AtomicFile, Descriptor};
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use crate::encode::clone_frames;
use crate::errors::IntoPy;
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::path::PathArgument;
use crate::run::{Callback, run_with_progress};
use crate::sidecar::update_sidecar;
use crate::sink::{BufferSink, DescriptorSink, FileSink};
use crate::target::{CallableSink, sink_in_use};
use crate::write_options::WriteOptions;

/// What a file that these options write does not bring back: column names (`None`: the frame or its labels) and losses.
#[pyfunction]
fn losses(
    py: Python<'_>,
    frame: &CoreFrame,
    options: &WriteOptions,
) -> PyResult<Vec<(Option<String>, String)>> {
    let found = py.guarded(|| options.encoding.losses(&frame.frame)).py()?;
    Ok(found.into_iter().map(|loss| (loss.column, loss.what)).collect())
}

#[pyfunction]
#[pyo3(signature = (frame, path, options, progress = None))]
fn write_path(
    py: Python<'_>,
    frame: &CoreFrame,
    path: PathArgument,
    options: &WriteOptions,
    progress: Callback,
) -> PyResult<()> {
    let (path, WriteOptions { encoding, fsync }) = (path.0, options);
    run_with_progress(py, progress, Some(&path), |watch| {
        let mut sink = FileSink(AtomicFile::create(&path)?);
        encoding.encode(&frame.frame, &mut sink, watch)?;
        update_sidecar(encoding.sidecar(Some(&frame.frame))?, &path, *fsync)?;
        Ok(sink.0.commit(*fsync)?)
    })
}

#[pyfunction]
#[pyo3(signature = (frame, fd, options, progress = None))]
fn write_fd(
    py: Python<'_>,
    frame: &CoreFrame,
    fd: RawFd,
    options: &WriteOptions,
    progress: Callback,
) -> PyResult<()> {
    run_with_progress(py, progress, None, |watch| {
        options.encoding.encode(&frame.frame, &mut DescriptorSink(Descriptor::new(fd)), watch)
    })
}

#[pyfunction]
#[pyo3(signature = (frame, sink, options, progress = None))]
fn write_sink(
    py: Python<'_>,
    frame: &CoreFrame,
    sink: &Bound<'_, BufferSink>,
    options: &WriteOptions,
    progress: Callback,
) -> PyResult<()> {
    let mut sink = sink.try_borrow_mut().map_err(|_| sink_in_use())?;
    let mut appender = sink.appender()?;
    run_with_progress(py, progress, None, |watch| {
        options.encoding.encode(&frame.frame, &mut appender, watch)
    })?;
    appender.commit();
    Ok(())
}

#[pyfunction]
#[pyo3(signature = (frame, send, options, progress = None))]
fn write_callable(
    py: Python<'_>,
    frame: &CoreFrame,
    send: Py<PyAny>,
    options: &WriteOptions,
    progress: Callback,
) -> PyResult<()> {
    let encoding = &options.encoding;
    if !encoding.format().patches() {
        let mut sink = CallableSink(send);
        return run_with_progress(py, progress, None, |watch| {
            encoding.encode(&frame.frame, &mut sink, watch)
        });
    }
    let sink = Bound::new(py, BufferSink::empty())?;
    write_sink(py, frame, &sink, options, progress)?;
    let view = PyMemoryView::from(sink.as_any())?;
    send.bind(py).call1((&view,))?;
    view.call_method0("release").map(drop)
}

/// A file of a directory, and whether to call fsync.
struct MemberFile(FileSink, bool);

impl Sink for MemberFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write(bytes)
    }

    fn can_patch(&self) -> bool {
        self.0.can_patch()
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.patch(offset, bytes)
    }

    fn reserve(&mut self, total: u64) -> io::Result<()> {
        self.0.reserve(total)
    }
}

impl MemberSink for MemberFile {
    fn commit(self: Box<Self>) -> colonnade::Result<()> {
        Ok(self.0.0.commit(self.1)?)
    }
}

#[pyfunction]
#[pyo3(signature = (frame, path, options, progress = None))]
fn write_directory(
    py: Python<'_>,
    frame: &CoreFrame,
    path: PathArgument,
    options: &WriteOptions,
    progress: Callback,
) -> PyResult<()> {
    let (encoding, fsync) = (&options.encoding, options.fsync);
    run_with_progress(py, progress, Some(&path.0), |watch| {
        let directory = AtomicDirectory::create(&path.0, &|name| encoding.format().is_member(name))?;
        let mut open = |name: &str| {
            let file = AtomicFile::create_member(&directory.path().join(name))?;
            Ok(Box::new(MemberFile(FileSink(file), fsync)) as Box<dyn MemberSink>)
        };
        encoding.encode_directory(&frame.frame, &mut open, watch)?;
        Ok(directory.commit(fsync)?)
    })
}

#[pyfunction]
#[pyo3(signature = (frames, path, options, progress = None))]
fn write_bundle_path(
    py: Python<'_>,
    frames: Vec<(String, PyRef<'_, CoreFrame>)>,
    path: PathArgument,
    options: &WriteOptions,
    progress: Callback,
) -> PyResult<()> {
    let frames = clone_frames(&frames);
    run_with_progress(py, progress, Some(&path.0), |watch| {
        options.encoding.check_bundle(&frames)?;
        let mut sink = FileSink(AtomicFile::create(&path.0)?);
        options.encoding.encode_bundle(&frames, &mut sink, watch)?;
        Ok(sink.0.commit(options.fsync)?)
    })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(losses, m)?)?;
    m.add_function(wrap_pyfunction!(write_path, m)?)?;
    m.add_function(wrap_pyfunction!(write_fd, m)?)?;
    m.add_function(wrap_pyfunction!(write_sink, m)?)?;
    m.add_function(wrap_pyfunction!(write_callable, m)?)?;
    m.add_function(wrap_pyfunction!(write_directory, m)?)?;
    m.add_function(wrap_pyfunction!(write_bundle_path, m)?)
}
