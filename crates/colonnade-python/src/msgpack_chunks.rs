//! MessagePack written chunk by chunk: one value behind the other.

use std::os::fd::RawFd;

use colonnade::formats::msgpack::ChunkWriter;
use pyo3::prelude::*;

use crate::errors::{self, IntoPy};
use crate::frame::CoreFrame;
use crate::ipc_write::{CallableSink, Target};
use crate::msgpack_options::MsgpackWriteOptions;
use crate::path::PathArgument;
use crate::sink::BufferSink;
use crate::watched::Callback;

/// Frames of one schema, written one behind the other.
#[pyclass(module = "colonnade._core")]
pub(crate) struct MsgpackWriter {
    core: ChunkWriter,
    target: Option<Target>,
    fsync: bool,
}

impl MsgpackWriter {
    fn new(target: Target, options: &MsgpackWriteOptions) -> Self {
        Self { core: ChunkWriter::new(*options.core()), target: Some(target), fsync: options.fsync() }
    }
}

#[pymethods]
impl MsgpackWriter {
    #[staticmethod]
    fn to_path(path: PathArgument, options: &MsgpackWriteOptions) -> PyResult<Self> {
        Ok(Self::new(Target::path(path)?, options))
    }

    #[staticmethod]
    fn to_fd(fd: RawFd, options: &MsgpackWriteOptions) -> Self {
        Self::new(Target::descriptor(fd), options)
    }

    #[staticmethod]
    fn to_sink(sink: &Bound<'_, BufferSink>, options: &MsgpackWriteOptions) -> PyResult<Self> {
        Ok(Self::new(Target::buffer(sink)?, options))
    }

    #[staticmethod]
    fn to_callable(send: Py<PyAny>, options: &MsgpackWriteOptions) -> Self {
        Self::new(Target::Callable(CallableSink(send)), options)
    }

    #[pyo3(signature = (frame, progress = None))]
    fn write(&mut self, py: Python<'_>, frame: &CoreFrame, progress: Callback) -> PyResult<()> {
        let (frame, core) = (frame.frame.clone(), &mut self.core);
        let closed = || errors::encode("msgpack: the writer was closed.");
        let target = self.target.as_mut().ok_or_else(closed)?;
        target.run(py, progress, false, |sink, watch| core.write(&frame, sink, watch))
    }

    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        self.core.finish().py()?;
        self.target.take().map_or(Ok(()), |target| target.close(py, self.fsync))
    }

    fn abort(&mut self, py: Python<'_>) -> PyResult<()> {
        self.target.take().map_or(Ok(()), |target| target.abort(py))
    }

    #[getter]
    fn nbatches(&self) -> usize {
        self.core.count()
    }

    #[getter]
    fn nrows(&self) -> usize {
        self.core.nrows()
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<MsgpackWriter>()
}
