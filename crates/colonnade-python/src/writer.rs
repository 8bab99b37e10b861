//! The writer of all formats that are written frame by frame.

use std::os::fd::RawFd;

use colonnade::formats::{FrameEncoding, FrameWriter};
use colonnade::progress::Progress;
use colonnade::sink::Sink;
use pyo3::prelude::*;

use crate::connection::{Connection, ConnectionTarget};
use crate::errors::{self, IntoPy};
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::path::PathArgument;
use crate::run::Callback;
use crate::sidecar::update_sidecar;
use crate::sink::BufferSink;
use crate::target::{CallableSink, Target};
use crate::write_options::WriteOptions;

/// Writes a file or stream frame by frame. The first frame decides the schema.
#[pyclass(module = "colonnade._core")]
pub(crate) struct Writer {
    frames: Box<dyn FrameWriter>,
    target: Option<Target>,
    encoding: FrameEncoding,
    fsync: bool,
}

impl Writer {
    fn new(target: Target, options: &WriteOptions) -> PyResult<Self> {
        let (encoding, fsync) = (options.encoding.clone(), options.fsync);
        Ok(Self { frames: encoding.writer().py()?, target: Some(target), encoding, fsync })
    }

    /// Runs `work` on the target's sink.
    fn run(
        &mut self,
        py: Python<'_>,
        progress: Callback,
        last: bool,
        work: impl FnOnce(&mut dyn FrameWriter, &mut dyn Sink, &dyn Progress) -> colonnade::Result<()> + Send,
    ) -> PyResult<()> {
        let frames = &mut *self.frames;
        let Some(target) = self.target.as_mut() else {
            let format = self.encoding.format().spec().name;
            return Err(errors::encode(format!("{format}: the writer was closed.")));
        };
        target.run(py, progress, last, |sink, watch| work(frames, sink, watch))
    }
}

#[pymethods]
impl Writer {
    #[staticmethod]
    fn to_path(path: PathArgument, options: &WriteOptions) -> PyResult<Self> {
        Self::new(Target::path(path)?, options)
    }

    #[staticmethod]
    fn to_fd(fd: RawFd, options: &WriteOptions) -> PyResult<Self> {
        Self::new(Target::descriptor(fd), options)
    }

    #[staticmethod]
    fn to_sink(sink: &Bound<'_, BufferSink>, options: &WriteOptions) -> PyResult<Self> {
        Self::new(Target::buffer(sink)?, options)
    }

    #[staticmethod]
    fn to_callable(send: Py<PyAny>, options: &WriteOptions) -> PyResult<Self> {
        Self::new(Target::Callable(CallableSink(send)), options)
    }

    /// A writer of one message.
    #[staticmethod]
    #[pyo3(signature = (connection, options, timeout_s = None))]
    fn to_connection(
        py: Python<'_>,
        connection: &Connection,
        options: &WriteOptions,
        timeout_s: Option<f64>,
    ) -> PyResult<Self> {
        let frames = options.encoding.message_writer().py()?;
        let target = Target::Connection(ConnectionTarget::begin(py, connection, timeout_s)?);
        let (encoding, fsync) = (options.encoding.clone(), options.fsync);
        Ok(Self { frames, target: Some(target), encoding, fsync })
    }

    #[pyo3(signature = (frame, progress = None))]
    fn write(&mut self, py: Python<'_>, frame: &CoreFrame, progress: Callback) -> PyResult<()> {
        let frame = frame.frame.clone();
        self.run(py, progress, false, |frames, sink, watch| frames.write(&frame, sink, watch))
    }

    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        self.run(py, None, true, |frames, sink, watch| frames.finish(sink, watch))?;
        let (encoding, fsync) = (&self.encoding, self.fsync);
        if let Some(Target::File(sink, path)) = self.target.take() {
            let commit = || {
                update_sidecar(encoding.sidecar(None)?, &path, fsync)?;
                Ok(sink.0.commit(fsync)?)
            };
            py.guarded(commit).map_err(|e: colonnade::Error| errors::with_path(e, &path))?;
        }
        Ok(())
    }

    fn abort(&mut self, py: Python<'_>) -> PyResult<()> {
        self.target.take().map_or(Ok(()), |target| target.abort(py))
    }

    #[getter]
    fn nbatches(&self) -> usize {
        self.frames.nbatches()
    }

    #[getter]
    fn nrows(&self) -> usize {
        self.frames.nrows()
    }
}
