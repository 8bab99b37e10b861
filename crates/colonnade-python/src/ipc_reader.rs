//! Arrow IPC streams read batch by batch.

use std::io::{self, Read};
use std::os::fd::RawFd;

use colonnade::ipc::read::{Decoder, Event};
use colonnade::plan::Progress;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyMemoryView, PySlice};

use crate::errors::IntoPy;
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::http_file::PyHttpFile;
use crate::limits::PyLimits;
use crate::progress::PyProgress;
use crate::view::after;

/// Python fills at most so many bytes a call.
pub(crate) const SCRATCH_NBYTES: usize = 256 << 10;

/// Where the bytes come from.
pub(crate) enum Origin {
    Stream(Box<dyn Read + Send + Sync>),
    Callable(Py<PyAny>, Py<PyByteArray>),
}

/// A stream read batch by batch.
#[pyclass(module = "colonnade._core")]
pub(crate) struct IpcReader {
    origin: Origin,
    decoder: Decoder,
    allow_truncated: bool,
    ended: bool,
    /// A batch that came while the schema was asked for.
    waiting: Option<CoreFrame>,
}

impl IpcReader {
    fn new(origin: Origin, limits: PyLimits, allow_truncated: bool) -> PyResult<Self> {
        let decoder = Decoder::new(limits.core()).py()?;
        Ok(Self { origin, decoder, allow_truncated, ended: false, waiting: None })
    }

    /// Reads until something happens; `None` where no more bytes come.
    fn advance(&mut self, py: Python<'_>) -> PyResult<Option<Event>> {
        let decoder = &mut self.decoder;
        match &mut self.origin {
            Origin::Stream(stream) => {
                let progress = PyProgress::new(None);
                let result = py.guarded(|| from_stream(decoder, stream, &progress));
                progress.finish(result)
            }
            Origin::Callable(read_into, scratch) => loop {
                let count = call(read_into.bind(py), scratch.bind(py), decoder.room().py()?)?;
                if count == 0 {
                    return Ok(None);
                }
                match decoder.filled(count).py()? {
                    Event::Need => {}
                    event => return Ok(Some(event)),
                }
            },
        }
    }

    fn ends(&mut self) -> PyResult<()> {
        self.ended = true;
        if self.allow_truncated && self.decoder.plan().is_some() {
            Ok(())
        } else {
            self.decoder.finish().py()
        }
    }
}

fn from_stream(
    decoder: &mut Decoder,
    stream: &mut dyn Read,
    progress: &PyProgress,
) -> colonnade::Result<Option<Event>> {
    loop {
        match stream.read(decoder.room()?) {
            Ok(0) => return Ok(None),
            Ok(count) => match decoder.filled(count)? {
                Event::Need => {}
                event => return Ok(Some(event)),
            },
            Err(e) if e.kind() == io::ErrorKind::Interrupted => progress.interrupted()?,
            Err(e) => return Err(e.into()),
        }
    }
}

/// Lets Python fill the front of `room`, by way of `scratch`: a view that is kept never sees memory of ours.
pub(crate) fn call(
    read_into: &Bound<'_, PyAny>,
    scratch: &Bound<'_, PyByteArray>,
    room: &mut [u8],
) -> PyResult<usize> {
    let wanted = room.len().min(scratch.len());
    let view = PyMemoryView::from(scratch.as_any())?.get_item(PySlice::new(
        read_into.py(),
        0,
        isize::try_from(wanted)?,
        1,
    ))?;
    let count: usize = read_into.call1((view,))?.extract()?;
    if count > wanted {
        return Err(PyValueError::new_err(format!("read_into: expected at most {wanted}, answered {count}")));
    }
    // SAFETY: the interpreter lock is held and no Python code runs while the bytes are copied.
    let bytes = unsafe { scratch.as_bytes() };
    let (Some(to), Some(from)) = (room.get_mut(..count), bytes.get(..count)) else {
        return Err(PyValueError::new_err("read_into: the buffer it was lent is no longer there"));
    };
    to.copy_from_slice(from);
    Ok(count)
}

#[pymethods]
impl IpcReader {
    #[staticmethod]
    #[pyo3(signature = (fd, *, limits, threads, allow_truncated = false, head = None))]
    fn open_fd(
        fd: RawFd,
        limits: PyLimits,
        threads: Option<usize>,
        allow_truncated: bool,
        head: Option<Vec<u8>>,
    ) -> PyResult<Self> {
        let _ = threads;
        Self::new(Origin::Stream(Box::new(after(head, fd))), limits, allow_truncated)
    }

    #[staticmethod]
    #[pyo3(signature = (read_into, *, limits, threads, allow_truncated = false))]
    fn open_callable(
        py: Python<'_>,
        read_into: Py<PyAny>,
        limits: PyLimits,
        threads: Option<usize>,
        allow_truncated: bool,
    ) -> PyResult<Self> {
        let _ = threads;
        let scratch = PyByteArray::new(py, &vec![0; SCRATCH_NBYTES]).unbind();
        Self::new(Origin::Callable(read_into, scratch), limits, allow_truncated)
    }

    #[staticmethod]
    #[pyo3(signature = (file, *, limits, threads, allow_truncated = false))]
    fn open_http(
        file: &PyHttpFile,
        limits: PyLimits,
        threads: Option<usize>,
        allow_truncated: bool,
    ) -> PyResult<Self> {
        let _ = threads;
        Self::new(Origin::Stream(Box::new(file.stream(allow_truncated)?)), limits, allow_truncated)
    }

    fn schema(&mut self, py: Python<'_>) -> PyResult<CoreFrame> {
        // After an error nothing comes any more, nor does a schema then.
        while self.decoder.plan().is_none() && !self.ended {
            match self.advance(py)? {
                None => self.ends()?,
                Some(Event::Batch(frame)) => self.waiting = Some(CoreFrame::new(*frame)),
                Some(_) => {}
            }
        }
        Ok(CoreFrame::new(self.decoder.empty().py()?))
    }

    fn next_batch(&mut self, py: Python<'_>) -> PyResult<Option<CoreFrame>> {
        if let Some(frame) = self.waiting.take() {
            return Ok(Some(frame));
        }
        while !self.ended {
            match self.advance(py)? {
                Some(Event::Batch(frame)) => return Ok(Some(CoreFrame::new(*frame))),
                Some(Event::End) => self.ended = true,
                Some(_) => {}
                None => self.ends()?,
            }
        }
        Ok(None)
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<IpcReader>()
}
