//! The targets of a writer.

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
use crate::run::{Callback, run_with_progress};
use crate::sink::{BufferSink, DescriptorSink, FileSink};

/// A Python function that takes bytes: all of them, or the number that it returns.
pub(crate) struct CallableSink(pub(crate) Py<PyAny>);

impl Sink for CallableSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        Python::attach(|py| {
            // A copy: the function may keep the view after the bytes are freed.
            let copy = PyBytes::new(py, bytes);
            let mut start = 0;
            while start < bytes.len() {
                let view = PyMemoryView::from(&copy)?.into_any();
                let rest = if start == 0 {
                    view
                } else {
                    view.get_item(PySlice::new(py, isize::try_from(start)?, isize::MAX, 1))?
                };
                let count = self.0.bind(py).call1((rest,))?;
                match count.extract::<usize>() {
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

/// The target of a writer.
pub(crate) enum Target {
    File(FileSink, PathBuf),
    Descriptor(DescriptorSink),
    /// Memory, and its length before the first frame.
    Buffer(Py<BufferSink>, usize),
    Callable(CallableSink),
    Connection(ConnectionTarget),
}

impl Target {
    /// Runs `work` on the target's sink.
    pub(crate) fn run(
        &mut self,
        py: Python<'_>,
        progress: Callback,
        last: bool,
        work: impl FnOnce(&mut dyn Sink, &dyn Progress) -> colonnade::Result<()> + Send,
    ) -> PyResult<()> {
        match self {
            Self::File(sink, path) => run_with_progress(py, progress, Some(path), |watch| work(sink, watch)),
            Self::Descriptor(sink) => run_with_progress(py, progress, None, |watch| work(sink, watch)),
            Self::Callable(sink) => run_with_progress(py, progress, None, |watch| work(sink, watch)),
            Self::Connection(target) => target.run(py, progress, last, work),
            Self::Buffer(sink, _) => {
                let mut sink = sink.bind(py).try_borrow_mut().map_err(|_| sink_in_use())?;
                let mut appender = sink.appender()?;
                run_with_progress(py, progress, None, |watch| work(&mut appender, watch))?;
                appender.commit();
                Ok(())
            }
        }
    }

    /// A file that appears when the writer closes.
    pub(crate) fn path(path: PathArgument) -> PyResult<Self> {
        let file = AtomicFile::create(&path.0).map_err(|e| errors::with_path(e.into(), &path.0))?;
        Ok(Self::File(FileSink(file), path.0))
    }

    /// A pipe, socket or device.
    pub(crate) fn descriptor(fd: RawFd) -> Self {
        Self::Descriptor(DescriptorSink(Descriptor::new(fd)))
    }

    /// Memory, after its present content.
    pub(crate) fn buffer(sink: &Bound<'_, BufferSink>) -> PyResult<Self> {
        let before = sink.try_borrow().map_err(|_| sink_in_use())?.filled();
        Ok(Self::Buffer(sink.clone().unbind(), before))
    }

    /// Discards the written bytes. A connection aborts its message when the target drops.
    pub(crate) fn abort(self, py: Python<'_>) -> PyResult<()> {
        if let Self::Buffer(sink, before) = self {
            sink.bind(py).try_borrow_mut().map_err(|_| sink_in_use())?.truncate(before)?;
        }
        Ok(())
    }
}

/// The error of a sink that another call is writing to.
pub(crate) fn sink_in_use() -> PyErr {
    PyBufferError::new_err("the sink is being written")
}
