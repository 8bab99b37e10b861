//! csv and ndjson read a chunk of rows at a time.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::RawFd;

use colonnade::codec::packed::Unpacking;
use colonnade::frame::Frame;
use colonnade::memory::Buffer;
use colonnade::plan::Progress;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyMemoryView, PySlice};

use super::formats::{Chunked, ReadArgument};
use super::sidecar::beside;
use crate::errors::{self, IntoPy};
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::http_file::PyHttpFile;
use crate::path::PathArgument;
use crate::progress::PyProgress;
use crate::view::{after, bytes_of};

/// Bytes taken from the source at once.
const STEP_NBYTES: usize = 256 << 10;

type Source = Box<dyn Read + Send + Sync>;

/// Text read chunk by chunk.
#[pyclass(module = "colonnade._core")]
pub(crate) struct TextReader {
    source: Unpacking<Source>,
    chunks: Chunked,
    max_rows: usize,
    scratch: Vec<u8>,
    ended: bool,
    failed: bool,
    /// A frame of no rows, once the first chunk came.
    empty: Option<CoreFrame>,
    /// A chunk that came while the schema was asked for.
    waiting: Option<CoreFrame>,
}

impl TextReader {
    fn new(
        source: Source,
        options: &ReadArgument<'_>,
        sidecar: Option<Vec<u8>>,
        max_rows: usize,
    ) -> PyResult<Self> {
        let mut reading = options.core();
        if reading.wants_sidecar() && sidecar.is_some() {
            reading.set_sidecar(sidecar);
        }
        Ok(Self {
            source: Unpacking::new(source),
            chunks: Chunked::new(&reading).py()?,
            max_rows: max_rows.max(1),
            scratch: vec![0; STEP_NBYTES],
            ended: false,
            failed: false,
            empty: None,
            waiting: None,
        })
    }

    fn advance(&mut self, progress: &PyProgress) -> colonnade::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.chunks.next(self.max_rows)? {
                return Ok(Some(frame));
            }
            if self.ended {
                return Ok(None);
            }
            match self.source.read(&mut self.scratch) {
                Ok(0) => {
                    self.ended = true;
                    self.chunks.finish()?;
                }
                Ok(count) => self.chunks.feed(self.scratch.get(..count).unwrap_or_default())?,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => progress.interrupted()?,
                Err(e) => return Err(e.into()),
            }
        }
    }

    fn take(&mut self, py: Python<'_>) -> PyResult<Option<CoreFrame>> {
        if self.failed {
            return Ok(None);
        }
        let progress = PyProgress::new(None);
        let result = py.guarded(|| self.advance(&progress));
        // After an error nothing comes any more: rows behind it are not taken for those that were to come.
        self.failed = result.is_err();
        let Some(frame) = progress.finish(result)? else { return Ok(None) };
        if self.empty.is_none() {
            self.empty = Some(CoreFrame::new(frame.slice(0, 0)));
        }
        Ok(Some(CoreFrame::new(frame)))
    }
}

#[pymethods]
impl TextReader {
    #[staticmethod]
    #[pyo3(signature = (path, *, options, max_rows))]
    fn open_path(path: PathArgument, options: ReadArgument<'_>, max_rows: usize) -> PyResult<Self> {
        let at = |e: io::Error| errors::with_path(e.into(), &path.0);
        let file = File::open(&path.0).map_err(at)?;
        let sidecar = beside(&path.0).map_err(|e| errors::with_path(e, &path.0))?;
        Self::new(Box::new(file), &options, sidecar, max_rows)
    }

    #[staticmethod]
    #[pyo3(signature = (buffer, *, options, max_rows))]
    fn open_buffer(buffer: &Bound<'_, PyAny>, options: ReadArgument<'_>, max_rows: usize) -> PyResult<Self> {
        Self::new(Box::new(Held { bytes: bytes_of(buffer)?, start: 0 }), &options, None, max_rows)
    }

    #[staticmethod]
    #[pyo3(signature = (fd, *, options, max_rows, head = None))]
    fn open_fd(
        fd: RawFd,
        options: ReadArgument<'_>,
        max_rows: usize,
        head: Option<Vec<u8>>,
    ) -> PyResult<Self> {
        Self::new(Box::new(after(head, fd)), &options, None, max_rows)
    }

    #[staticmethod]
    #[pyo3(signature = (read_into, *, options, max_rows))]
    fn open_callable(
        py: Python<'_>,
        read_into: Py<PyAny>,
        options: ReadArgument<'_>,
        max_rows: usize,
    ) -> PyResult<Self> {
        let scratch = PyByteArray::new(py, &vec![0; STEP_NBYTES]).unbind();
        Self::new(Box::new(Callable { read_into, scratch }), &options, None, max_rows)
    }

    #[staticmethod]
    #[pyo3(signature = (file, *, options, max_rows))]
    fn open_http(file: &PyHttpFile, options: ReadArgument<'_>, max_rows: usize) -> PyResult<Self> {
        Self::new(Box::new(file.stream(false)?), &options, None, max_rows)
    }

    fn schema(&mut self, py: Python<'_>) -> PyResult<CoreFrame> {
        if self.empty.is_none() {
            self.waiting = self.take(py)?;
        }
        match &self.empty {
            Some(frame) => Ok(CoreFrame::new((*frame.frame).clone())),
            None => Err(errors::decode("text: the source failed before its columns were known.")),
        }
    }

    #[getter]
    fn layout(&self) -> &'static str {
        match &self.chunks {
            Chunked::Csv(_) => "csv",
            Chunked::Ndjson(_) => "ndjson",
        }
    }

    #[getter]
    fn dropped(&self) -> u64 {
        self.chunks.lost().0
    }

    #[getter]
    fn nulled(&self) -> u64 {
        self.chunks.lost().1
    }

    fn next_batch(&mut self, py: Python<'_>) -> PyResult<Option<CoreFrame>> {
        match self.waiting.take() {
            Some(frame) => Ok(Some(frame)),
            None => self.take(py),
        }
    }
}

/// Memory read from front to back.
struct Held {
    bytes: Buffer,
    start: usize,
}

impl Read for Held {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut rest = self.bytes.as_slice().get(self.start..).unwrap_or_default();
        let count = rest.read(room)?;
        self.start += count;
        Ok(count)
    }
}

/// A function of Python that fills a view.
struct Callable {
    read_into: Py<PyAny>,
    scratch: Py<PyByteArray>,
}

impl Read for Callable {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| self.fill(py, room)).map_err(io::Error::from)
    }
}

impl Callable {
    /// By way of `scratch`: a view that is kept never sees memory of ours.
    fn fill(&self, py: Python<'_>, room: &mut [u8]) -> PyResult<usize> {
        let scratch = self.scratch.bind(py);
        let wanted = room.len().min(scratch.len());
        let end = isize::try_from(wanted)?;
        let view = PyMemoryView::from(scratch.as_any())?.get_item(PySlice::new(py, 0, end, 1))?;
        let count: usize = self.read_into.bind(py).call1((view,))?.extract()?;
        if count > wanted {
            let message = format!("read_into: expected at most {wanted}, answered {count}");
            return Err(PyValueError::new_err(message));
        }
        // SAFETY: the interpreter lock is held and no Python code runs while the bytes are copied.
        let bytes = unsafe { scratch.as_bytes() };
        let (Some(to), Some(from)) = (room.get_mut(..count), bytes.get(..count)) else {
            return Err(PyValueError::new_err("read_into: the buffer it was lent is no longer there"));
        };
        to.copy_from_slice(from);
        Ok(count)
    }
}
