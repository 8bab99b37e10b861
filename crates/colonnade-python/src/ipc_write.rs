//! Arrow IPC written chunk by chunk.

use std::io;
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::sync::Mutex;

use colonnade::ipc::read::Form;
use colonnade::ipc::write::{self, Encoder, WriteOptions, Writer};
use colonnade::plan::Progress;
use colonnade::sink::Sink;
use colonnade_transport::{AtomicFile, Descriptor};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

use crate::connection::ConnectionTarget;
use crate::errors::{self, IntoPy};
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::npz_file::threads;
use crate::path::PathArgument;
use crate::sink::{BufferSink, DescriptorSink, FileSink};
use crate::watched::{Callback, watched};

/// Options for writing arrow and arrows.
#[pyclass(frozen, module = "colonnade._core")]
#[derive(Clone, Copy)]
pub(crate) struct IpcWriteOptions {
    core: WriteOptions,
    fsync: bool,
}

#[pymethods]
impl IpcWriteOptions {
    #[new]
    #[pyo3(signature = (
        *, compression = None, level = None, batch_nbytes = None, fsync = false, threads = None, nrows = None
    ))]
    fn new(
        compression: Option<&str>,
        level: Option<i32>,
        batch_nbytes: Option<usize>,
        fsync: bool,
        threads: Option<usize>,
        nrows: Option<usize>,
    ) -> PyResult<Self> {
        let codec = WriteOptions::codec_of(compression).py()?;
        let core = WriteOptions::new(codec, level, batch_nbytes, nrows, self::threads(threads)).py()?;
        Ok(Self { core, fsync })
    }
}

/// `arrow` or `arrows`.
pub(crate) struct FormArgument(pub(crate) Form);

impl<'py> FromPyObject<'_, 'py> for FormArgument {
    type Error = PyErr;

    fn extract(obj: pyo3::Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match obj.extract::<&str>()? {
            "arrow" => Ok(Self(Form::File)),
            "arrows" => Ok(Self(Form::Stream)),
            other => {
                let message = format!("arrow: format: expected \"arrow\" or \"arrows\", found {other:?}.");
                Err(errors::option(message))
            }
        }
    }
}

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
                    view.get_item(pyo3::types::PySlice::new(py, isize::try_from(start)?, isize::MAX, 1))?
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

/// What is written chunk by chunk.
pub(crate) enum Target {
    File(FileSink, PathBuf),
    Descriptor(DescriptorSink),
    /// Memory, and how much of it there was before.
    Buffer(Py<BufferSink>, usize),
    Callable(CallableSink),
    Connection(ConnectionTarget),
}

/// Arrow IPC written chunk by chunk. The schema is that of the first chunk.
#[pyclass(module = "colonnade._core")]
pub(crate) struct IpcWriter {
    core: Writer,
    target: Option<Target>,
    fsync: bool,
}

impl IpcWriteOptions {
    pub(crate) fn core(&self) -> WriteOptions {
        self.core
    }
}

impl IpcWriter {
    pub(crate) fn to_connection(
        target: ConnectionTarget,
        form: &FormArgument,
        options: &IpcWriteOptions,
    ) -> Self {
        Self::new(Target::Connection(target), form, options)
    }

    fn new(target: Target, form: &FormArgument, options: &IpcWriteOptions) -> Self {
        Self { core: Writer::new(form.0, options.core), target: Some(target), fsync: options.fsync }
    }

    /// Lets the core write to the target.
    fn run(
        &mut self,
        py: Python<'_>,
        progress: Callback,
        last: bool,
        work: impl FnOnce(&mut Writer, &mut dyn Sink, &dyn Progress) -> colonnade::Result<()> + Send,
    ) -> PyResult<()> {
        let core = &mut self.core;
        let target = self.target.as_mut().ok_or_else(|| errors::encode("arrow: the writer was closed."))?;
        target.run(py, progress, last, |sink, watch| work(core, sink, watch))
    }
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

    /// A file that appears when the last chunk is written.
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

    /// The last chunk was written.
    pub(crate) fn close(self, py: Python<'_>, fsync: bool) -> PyResult<()> {
        if let Self::File(sink, path) = self {
            py.guarded(|| sink.0.commit(fsync)).map_err(|e| errors::with_path(e.into(), &path))?;
        }
        Ok(())
    }

    /// Nothing of it shall stay. A connection's breaks its message off as it drops.
    pub(crate) fn abort(self, py: Python<'_>) -> PyResult<()> {
        if let Self::Buffer(sink, before) = self {
            sink.bind(py).try_borrow_mut().map_err(|_| busy())?.truncate(before)?;
        }
        Ok(())
    }
}

fn busy() -> PyErr {
    pyo3::exceptions::PyBufferError::new_err("the sink is being written")
}

#[pymethods]
impl IpcWriter {
    #[staticmethod]
    fn to_path(path: PathArgument, format: FormArgument, options: &IpcWriteOptions) -> PyResult<Self> {
        Ok(Self::new(Target::path(path)?, &format, options))
    }

    #[staticmethod]
    fn to_fd(fd: RawFd, format: FormArgument, options: &IpcWriteOptions) -> Self {
        Self::new(Target::descriptor(fd), &format, options)
    }

    #[staticmethod]
    fn to_sink(
        sink: &Bound<'_, BufferSink>,
        format: FormArgument,
        options: &IpcWriteOptions,
    ) -> PyResult<Self> {
        Ok(Self::new(Target::buffer(sink)?, &format, options))
    }

    #[staticmethod]
    fn to_callable(send: Py<PyAny>, format: FormArgument, options: &IpcWriteOptions) -> Self {
        Self::new(Target::Callable(CallableSink(send)), &format, options)
    }

    #[pyo3(signature = (frame, progress = None))]
    fn write(&mut self, py: Python<'_>, frame: &CoreFrame, progress: Callback) -> PyResult<()> {
        let frame = frame.frame.clone();
        self.run(py, progress, false, |core, sink, watch| core.write(&frame, sink, watch))
    }

    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        self.run(py, None, true, |core, sink, watch| core.finish(sink, watch))?;
        self.target.take().map_or(Ok(()), |target| target.close(py, self.fsync))
    }

    fn abort(&mut self, py: Python<'_>) -> PyResult<()> {
        self.target.take().map_or(Ok(()), |target| target.abort(py))
    }

    #[getter]
    fn nbatches(&self) -> usize {
        self.core.nbatches()
    }

    #[getter]
    fn nrows(&self) -> usize {
        self.core.nrows()
    }
}

#[pyfunction]
#[pyo3(signature = (frame, format, options, progress = None))]
fn ipc_encode<'py>(
    py: Python<'py>,
    frame: &CoreFrame,
    format: FormArgument,
    options: &IpcWriteOptions,
    progress: Callback,
) -> PyResult<Bound<'py, PyBytes>> {
    let (frame, options) = (&*frame.frame, options.core);
    if frame.ncols <= REMEMBERED_COLUMNS && frame.nbytes() <= SMALL_NBYTES {
        let mut bytes = Vec::new();
        watched(py, progress, None, |watch| match ENCODER.try_lock() {
            Ok(mut known) => {
                known.get_or_insert_default().encode(frame, format.0, options, &mut bytes, watch)
            }
            Err(_) => write::encode(frame, format.0, options, &mut bytes, watch),
        })?;
        return Ok(PyBytes::new(py, &bytes));
    }
    // A sink's memory is recycled; a vector's is fresh each time, which costs more than the copy.
    let mut sink = BufferSink::empty()?;
    let mut appender = sink.appender()?;
    watched(py, progress, None, |watch| write::encode(frame, format.0, options, &mut appender, watch))?;
    appender.keep();
    Ok(PyBytes::new(py, sink.as_slice()))
}

/// Frames up to this size cost less than their schema does.
const SMALL_NBYTES: usize = 256 << 10;

/// Frames of more columns are not remembered between calls.
const REMEMBERED_COLUMNS: usize = 1000;

/// Layouts of the last small frames.
static ENCODER: Mutex<Option<Encoder>> = Mutex::new(None);

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<IpcWriteOptions>()?;
    m.add_class::<IpcWriter>()?;
    m.add_function(wrap_pyfunction!(ipc_encode, m)?)
}
