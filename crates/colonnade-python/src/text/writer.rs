//! csv and ndjson written chunk by chunk.

use std::os::fd::RawFd;
use std::path::PathBuf;

use colonnade::codec::packed::{Packer, Packing};
use colonnade::plan::Progress;
use colonnade::sink::Sink;
use colonnade_transport::{AtomicFile, Descriptor};
use pyo3::prelude::*;

use super::formats::{ChunkWriter, WriteArgument};
use super::sidecar::forget;
use crate::errors::{self, IntoPy};
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::ipc_write::CallableSink;
use crate::path::PathArgument;
use crate::sink::{BufferSink, DescriptorSink, FileSink};
use crate::watched::watched;

enum Target {
    File(FileSink, PathBuf),
    Descriptor(DescriptorSink),
    /// Memory, and how much of it there was before.
    Buffer(Py<BufferSink>, usize),
    Callable(CallableSink),
}

/// Text written chunk by chunk. The schema is that of the first chunk.
#[pyclass(module = "colonnade._core")]
pub(crate) struct TextWriter {
    core: ChunkWriter,
    packer: Option<Packer>,
    target: Option<Target>,
    fsync: bool,
    /// Whether a schema may stand beside a file of this format.
    may_have_sidecar: bool,
    nbatches: usize,
    nrows: usize,
}

type Work<'a> =
    dyn FnOnce(&mut ChunkWriter, &mut dyn Sink, &dyn Progress) -> colonnade::Result<()> + Send + 'a;

/// Lets `work` write to `sink`, by way of the packer where there is one.
fn through(
    core: &mut ChunkWriter,
    packer: Option<&mut Packer>,
    sink: &mut dyn Sink,
    watch: &dyn Progress,
    last: bool,
    work: Box<Work<'_>>,
) -> colonnade::Result<()> {
    let Some(packer) = packer else { return work(core, sink, watch) };
    work(core, &mut Packing { packer: &mut *packer, sink: &mut *sink }, watch)?;
    if last { Ok(packer.finish(sink)?) } else { Ok(()) }
}

fn busy() -> PyErr {
    pyo3::exceptions::PyBufferError::new_err("the sink is being written")
}

impl TextWriter {
    fn new(target: Target, options: &WriteArgument<'_>) -> PyResult<Self> {
        let writing = options.core();
        let packer = writing.packing.map(|codec| Packer::new(codec, writing.level)).transpose().py()?;
        Ok(Self {
            core: ChunkWriter::new(&writing).py()?,
            packer,
            target: Some(target),
            fsync: writing.fsync,
            may_have_sidecar: writing.may_have_sidecar(),
            nbatches: 0,
            nrows: 0,
        })
    }

    fn run(
        &mut self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        last: bool,
        work: Box<Work<'_>>,
    ) -> PyResult<()> {
        let (core, packer) = (&mut self.core, self.packer.as_mut());
        match &mut self.target {
            None => Err(errors::encode("text: the writer was closed.")),
            Some(Target::File(sink, path)) => {
                watched(py, progress, Some(path), |watch| through(core, packer, sink, watch, last, work))
            }
            Some(Target::Descriptor(sink)) => {
                watched(py, progress, None, |watch| through(core, packer, sink, watch, last, work))
            }
            Some(Target::Callable(sink)) => {
                watched(py, progress, None, |watch| through(core, packer, sink, watch, last, work))
            }
            Some(Target::Buffer(sink, _)) => {
                let mut held = sink.bind(py).try_borrow_mut().map_err(|_| busy())?;
                let mut appender = held.appender()?;
                watched(py, progress, None, |watch| through(core, packer, &mut appender, watch, last, work))?;
                appender.keep();
                Ok(())
            }
        }
    }
}

#[pymethods]
impl TextWriter {
    #[staticmethod]
    fn to_path(path: PathArgument, options: WriteArgument<'_>) -> PyResult<Self> {
        let file = AtomicFile::create(&path.0).map_err(|e| errors::with_path(e.into(), &path.0))?;
        Self::new(Target::File(FileSink(file), path.0), &options)
    }

    #[staticmethod]
    fn to_fd(fd: RawFd, options: WriteArgument<'_>) -> PyResult<Self> {
        Self::new(Target::Descriptor(DescriptorSink(Descriptor::new(fd))), &options)
    }

    #[staticmethod]
    fn to_sink(sink: &Bound<'_, BufferSink>, options: WriteArgument<'_>) -> PyResult<Self> {
        let before = sink.try_borrow().map_err(|_| busy())?.filled();
        Self::new(Target::Buffer(sink.clone().unbind(), before), &options)
    }

    #[staticmethod]
    fn to_callable(send: Py<PyAny>, options: WriteArgument<'_>) -> PyResult<Self> {
        Self::new(Target::Callable(CallableSink(send)), &options)
    }

    #[pyo3(signature = (frame, progress = None))]
    fn write(&mut self, py: Python<'_>, frame: &CoreFrame, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let frame = frame.frame.clone();
        let nrows = frame.nrows;
        self.run(py, progress, false, Box::new(move |core, sink, watch| core.write(&frame, sink, watch)))?;
        self.nbatches += 1;
        self.nrows += nrows;
        Ok(())
    }

    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.nbatches == 0 {
            return Err(errors::encode(
                "text: expected a chunk at least, found none: nothing says the columns.",
            ));
        }
        self.run(py, None, true, Box::new(|core, sink, _| core.finish(sink)))?;
        let (fsync, may_have_sidecar) = (self.fsync, self.may_have_sidecar);
        if let Some(Target::File(sink, path)) = self.target.take() {
            let commit = || -> colonnade::Result<()> {
                // Of chunks no schema stands beside: one of an earlier file would be taken for theirs.
                if may_have_sidecar {
                    forget(&path)?;
                }
                Ok(sink.0.commit(fsync)?)
            };
            py.guarded(commit).map_err(|e| errors::with_path(e, &path))?;
        }
        Ok(())
    }

    fn abort(&mut self, py: Python<'_>) -> PyResult<()> {
        if let Some(Target::Buffer(sink, before)) = self.target.take() {
            sink.bind(py).try_borrow_mut().map_err(|_| busy())?.truncate(before)?;
        }
        Ok(())
    }

    #[getter]
    fn nbatches(&self) -> usize {
        self.nbatches
    }

    #[getter]
    fn nrows(&self) -> usize {
        self.nrows
    }
}
