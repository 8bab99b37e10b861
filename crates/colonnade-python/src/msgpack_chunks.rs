//! MessagePack written and read chunk by chunk: one value behind the other.

use std::io;
use std::os::fd::RawFd;
use std::sync::{Mutex, PoisonError};

use colonnade::formats::msgpack::{ChunkWriter, Opened, ReadOptions, is_series, is_series_file};
use colonnade::frame::Frame;
use colonnade::ipc::read::Request;
use colonnade::message::{Received, Series};
use colonnade::plan::Progress;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::callable::{Origin, SCRATCH_NBYTES, call};
use crate::errors::{self, IntoPy};
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::http_file::PyHttpFile;
use crate::ipc_write::{CallableSink, Target};
use crate::msgpack_options::{MsgpackReadOptions, MsgpackWriteOptions};
use crate::path::PathArgument;
use crate::progress::PyProgress;
use crate::sink::BufferSink;
use crate::view::{after, bytes_of};
use crate::watched::{Callback, watched};

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

/// Frames one behind the other, read as they come.
#[pyclass(module = "colonnade._core")]
pub(crate) struct MsgpackReader {
    origin: Origin,
    /// Nobody shares it: a lock that is never waited for.
    series: Mutex<Series>,
    options: ReadOptions,
    /// Nothing comes any more, or what comes cannot be told apart.
    ended: bool,
    waiting: Option<Frame>,
    schema: Option<Frame>,
}

impl MsgpackReader {
    fn new(origin: Origin, options: &MsgpackReadOptions) -> Self {
        let options = options.core();
        let series = Mutex::new(Series::new(options));
        Self { origin, series, options, ended: false, waiting: None, schema: None }
    }

    fn advance(&mut self, py: Python<'_>) -> PyResult<Option<Frame>> {
        let series = self.series.get_mut().unwrap_or_else(PoisonError::into_inner);
        let options = self.options;
        match &mut self.origin {
            Origin::Stream(stream) => {
                let progress = PyProgress::new(None);
                let result = py.guarded(|| {
                    let next = series.next(&mut |room| loop {
                        progress.look()?;
                        match stream.read(room) {
                            Ok(count) => return Ok(count),
                            Err(e) if e.kind() == io::ErrorKind::Interrupted => {
                                progress.interrupted()?;
                            }
                            Err(e) => return Err(e.into()),
                        }
                    });
                    next?.map(|(received, base)| frame(received, base, options, &progress)).transpose()
                });
                progress.finish(result)
            }
            Origin::Callable(read_into, scratch) => {
                let (read_into, scratch) = (read_into.bind(py), scratch.bind(py));
                let next = series
                    .next(&mut |room| call(read_into, scratch, room).map_err(|e| io::Error::other(e).into()))
                    .py()?;
                let whole =
                    |(received, base)| watched(py, None, None, |watch| frame(received, base, options, watch));
                next.map(whole).transpose()
            }
        }
    }

    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Frame>> {
        if self.ended {
            return Ok(None);
        }
        let result = self.advance(py);
        self.ended = !matches!(result, Ok(Some(_)));
        if let Ok(Some(frame)) = &result
            && self.schema.is_none()
        {
            self.schema = Some(frame.slice(0, 0));
        }
        result
    }
}

/// The frame of a value that began at `base`.
fn frame(
    received: Received,
    base: u64,
    options: ReadOptions,
    progress: &dyn Progress,
) -> colonnade::Result<Frame> {
    let request = Request::all(options.threads, progress);
    let frame = received.frame().and_then(|kept| match kept {
        Ok(frame) => Ok(frame),
        Err(bytes) => Opened::open_buffer(bytes, options, progress)?.load(&request),
    });
    frame.map_err(|e| e.shifted(base))
}

#[pymethods]
impl MsgpackReader {
    #[staticmethod]
    #[pyo3(signature = (fd, options, *, head = None))]
    fn open_fd(fd: RawFd, options: &MsgpackReadOptions, head: Option<Vec<u8>>) -> Self {
        Self::new(Origin::Stream(Box::new(after(head, fd))), options)
    }

    #[staticmethod]
    fn open_callable(py: Python<'_>, read_into: Py<PyAny>, options: &MsgpackReadOptions) -> Self {
        let scratch = PyByteArray::new(py, &vec![0; SCRATCH_NBYTES]).unbind();
        Self::new(Origin::Callable(read_into, scratch), options)
    }

    #[staticmethod]
    fn open_http(file: &PyHttpFile, options: &MsgpackReadOptions) -> PyResult<Self> {
        Ok(Self::new(Origin::Stream(Box::new(file.stream(false)?)), options))
    }

    fn schema(&mut self, py: Python<'_>) -> PyResult<CoreFrame> {
        if self.schema.is_none() {
            self.waiting = self.next(py)?;
        }
        let none = || errors::decode("msgpack: expected a frame, found the end of the input.");
        self.schema.clone().map(CoreFrame::new).ok_or_else(none)
    }

    fn next_batch(&mut self, py: Python<'_>) -> PyResult<Option<CoreFrame>> {
        let frame = match self.waiting.take() {
            Some(frame) => Some(frame),
            None => self.next(py)?,
        };
        Ok(frame.map(CoreFrame::new))
    }
}

/// Whether more than one value stands in a file.
#[pyfunction]
#[pyo3(signature = (path, options, *, mmap))]
fn msgpack_is_series_path(
    py: Python<'_>,
    path: PathArgument,
    options: &MsgpackReadOptions,
    mmap: bool,
) -> PyResult<bool> {
    let options = options.core();
    watched(py, None, Some(&path.0), |watch| {
        is_series_file(std::fs::File::open(&path.0)?, mmap, &options, watch)
    })
}

/// Whether more than one value stands in a buffer.
#[pyfunction]
fn msgpack_is_series(
    py: Python<'_>,
    buffer: &Bound<'_, PyAny>,
    options: &MsgpackReadOptions,
) -> PyResult<bool> {
    let (bytes, options) = (bytes_of(buffer)?, options.core());
    watched(py, None, None, |watch| is_series(&bytes, &options, watch))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<MsgpackWriter>()?;
    m.add_class::<MsgpackReader>()?;
    m.add_function(wrap_pyfunction!(msgpack_is_series_path, m)?)?;
    m.add_function(wrap_pyfunction!(msgpack_is_series, m)?)
}
