//! Where a writer's bytes go.

use std::io;
use std::os::fd::RawFd;
use std::path::PathBuf;

use colonnade::progress::Progress;
use colonnade::sink::Sink;
use colonnade_transport::{AtomicFile, Descriptor};
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PySlice};

use crate::connection::ConnectionTarget;
use crate::errors;
use crate::path::PathArgument;
use crate::sink::{BufferSink, DescriptorSink, FileSink};
use crate::watched::{Callback, watched};

/// A function that takes bytes: all of them, or as many as it answers.
pub(crate) struct CallableSink(pub(crate) Py<PyAny>);

impl Sink for CallableSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        Python::attach(|py| {
            // A copy: the function may keep the view, and the bytes are gone when this returns.
            let held = PyBytes::new(py, bytes);
            let mut start = 0;
            while start < bytes.len() {
                let view = PyMemoryView::from(&held)?.into_any();
                let rest = if start == 0 {
                    view
                } else {
                    view.get_item(PySlice::new(py, isize::try_from(start)?, isize::MAX, 1))?
                };
                let answer = self.0.bind(py).call1((rest,))?;
                match answer.extract::<usize>() {
                    Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                    Ok(count) => start = start.saturating_add(count),
                    Err(_) => break,
                }
            }
            Ok(())
        })
        .map_err(|e: PyErr| io::Error::other(e))
    }
}

/// What is written frame by frame.
pub(crate) enum Target {
    File(FileSink, PathBuf),
    Descriptor(DescriptorSink),
    /// Memory, and how much of it there was before.
    Buffer(Py<BufferSink>, usize),
    Callable(CallableSink),
    Connection(ConnectionTarget),
}

impl Target {
    /// Lets `work` write to it.
    pub(crate) fn run(
        &mut self,
        py: Python<'_>,
        progress: Callback,
        last: bool,
        work: impl FnOnce(&mut dyn Sink, &dyn Progress) -> colonnade::Result<()> + Send,
    ) -> PyResult<()> {
        match self {
            Self::File(sink, path) => watched(py, progress, Some(path), |watch| work(sink, watch)),
            Self::Descriptor(sink) => watched(py, progress, None, |watch| work(sink, watch)),
            Self::Callable(sink) => watched(py, progress, None, |watch| work(sink, watch)),
            Self::Connection(target) => target.run(py, progress, last, work),
            Self::Buffer(sink, _) => {
                let mut held = sink.bind(py).try_borrow_mut().map_err(|_| busy())?;
                let mut appender = held.appender()?;
                watched(py, progress, None, |watch| work(&mut appender, watch))?;
                appender.keep();
                Ok(())
            }
        }
    }

    /// A file that appears when the last frame is written.
    pub(crate) fn path(path: PathArgument) -> PyResult<Self> {
        let file = AtomicFile::create(&path.0).map_err(|e| errors::with_path(e.into(), &path.0))?;
        Ok(Self::File(FileSink(file), path.0))
    }

    /// A pipe, socket or device.
    pub(crate) fn descriptor(fd: RawFd) -> Self {
        Self::Descriptor(DescriptorSink(Descriptor::new(fd)))
    }

    /// Memory, behind what is there.
    pub(crate) fn buffer(sink: &Bound<'_, BufferSink>) -> PyResult<Self> {
        let before = sink.try_borrow().map_err(|_| busy())?.filled();
        Ok(Self::Buffer(sink.clone().unbind(), before))
    }

    /// Nothing of it shall stay. A connection's breaks its message off as it drops.
    pub(crate) fn abort(self, py: Python<'_>) -> PyResult<()> {
        if let Self::Buffer(sink, before) = self {
            sink.bind(py).try_borrow_mut().map_err(|_| busy())?.truncate(before)?;
        }
        Ok(())
    }
}

/// The error of a sink that another call is writing to.
pub(crate) fn busy() -> PyErr {
    PyBufferError::new_err("the sink is being written")
}
