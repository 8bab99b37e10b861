//! Reads sources of all formats frame by frame, while their bytes arrive.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::RawFd;

use colonnade::codec::file::DecompressReader;
use colonnade::formats::{Event, IncrementalReader};
use colonnade::frame::Frame;
use colonnade::memory::Buffer;
use colonnade::progress::Progress;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::byte_source::{bytes_of, prefixed_descriptor};
use crate::callable::CallableReader;
use crate::errors::{self, IntoPy};
use crate::facts;
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::http_file::PyHttpFile;
use crate::path::PathArgument;
use crate::progress::PyProgress;
use crate::read_options::PyReadOptions;
use crate::store_file::PyStoreFile;

type Stream = Box<dyn Read + Send + Sync>;

/// Reads a source batch by batch. It holds only the current batch and the state that later batches need.
#[pyclass(name = "Reader", module = "colonnade._core")]
pub(crate) struct PyReader {
    format: &'static str,
    stream: Stream,
    /// Whether the stream is decompressed. Then it cannot continue after an error of the source.
    is_unpacked: bool,
    decoder: Box<dyn IncrementalReader>,
    /// Whether the source has ended.
    ended: bool,
    /// Whether decoding has failed. Later bytes are not decoded, because they would be misinterpreted.
    failed: bool,
    /// A batch that arrived while the schema was read.
    lookahead: Option<CoreFrame>,
}

impl PyReader {
    fn new(
        stream: Stream,
        options: &PyReadOptions,
        max_rows: usize,
        path: Option<&std::path::Path>,
    ) -> PyResult<Self> {
        let spec = options.format.spec();
        let decoder = options.format.reader(options.core(), max_rows.max(1), path);
        let decoder = decoder.map_err(|e| match path {
            Some(path) => errors::with_path(e, path),
            None => errors::to_py(e),
        })?;
        let is_unpacked = spec.capabilities.compressed;
        let stream: Stream = if is_unpacked { Box::new(DecompressReader::new(stream)) } else { stream };
        Ok(Self {
            format: spec.name,
            stream,
            is_unpacked,
            decoder,
            ended: false,
            failed: false,
            lookahead: None,
        })
    }

    /// Reads until the decoder reports an event. `None`: the source has ended.
    fn advance(&mut self, py: Python<'_>) -> PyResult<Option<Event>> {
        if self.failed {
            return Ok(None);
        }
        let progress = PyProgress::new(None);
        let result = py.guarded(|| self.next_event(&progress));
        progress.finish(result)
    }

    fn next_event(&mut self, progress: &PyProgress) -> colonnade::Result<Option<Event>> {
        let mut count = 0;
        loop {
            match self.decoder.filled(count, progress).inspect_err(|_| self.failed = true)? {
                Event::Need if self.ended => return Ok(None),
                Event::Need => {}
                Event::End => {
                    self.ended = true;
                    return Ok(Some(Event::End));
                }
                event => return Ok(Some(event)),
            }
            count = self.read(progress)?;
            if count == 0 {
                self.ended = true;
                self.decoder.finish().inspect_err(|_| self.failed = true)?;
            }
        }
    }

    /// Reads bytes into the decoder's buffer. An error of the source leaves the decoded state unchanged, so the caller may try
    /// again unless the stream is decompressed.
    fn read(&mut self, progress: &PyProgress) -> colonnade::Result<usize> {
        loop {
            match self.stream.read(self.decoder.room()?) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => progress.interrupted()?,
                Err(e) => {
                    self.failed |= self.is_unpacked;
                    return Err(e.into());
                }
                Ok(count) => return Ok(count),
            }
        }
    }

    fn take(&mut self, py: Python<'_>) -> PyResult<Option<Frame>> {
        loop {
            match self.advance(py)? {
                Some(Event::Batch(frame)) => return Ok(Some(*frame)),
                Some(Event::End) | None => return Ok(None),
                Some(Event::Need | Event::Schema) => {}
            }
        }
    }
}

#[pymethods]
impl PyReader {
    #[staticmethod]
    #[pyo3(signature = (path, *, options, max_rows = 65_536))]
    fn open_path(path: PathArgument, options: &PyReadOptions, max_rows: usize) -> PyResult<Self> {
        let path = &path.0;
        let file = File::open(path).map_err(|e| errors::with_path(e.into(), path))?;
        Self::new(Box::new(file), options, max_rows, Some(path))
    }

    #[staticmethod]
    #[pyo3(signature = (buffer, *, options, max_rows = 65_536))]
    fn open_buffer(buffer: &Bound<'_, PyAny>, options: &PyReadOptions, max_rows: usize) -> PyResult<Self> {
        Self::new(Box::new(BufferStream { bytes: bytes_of(buffer)?, start: 0 }), options, max_rows, None)
    }

    #[staticmethod]
    #[pyo3(signature = (fd, *, options, max_rows = 65_536, head = None))]
    fn open_fd(fd: RawFd, options: &PyReadOptions, max_rows: usize, head: Option<Vec<u8>>) -> PyResult<Self> {
        Self::new(Box::new(prefixed_descriptor(head, fd)), options, max_rows, None)
    }

    #[staticmethod]
    #[pyo3(signature = (read_into, *, options, max_rows = 65_536))]
    fn open_callable(
        py: Python<'_>,
        read_into: Py<PyAny>,
        options: &PyReadOptions,
        max_rows: usize,
    ) -> PyResult<Self> {
        Self::new(Box::new(CallableReader::new(py, read_into)), options, max_rows, None)
    }

    #[staticmethod]
    #[pyo3(signature = (file, *, options, max_rows = 65_536))]
    fn open_http(file: &PyHttpFile, options: &PyReadOptions, max_rows: usize) -> PyResult<Self> {
        Self::new(Box::new(file.stream(options.allow_truncated)?), options, max_rows, None)
    }

    #[staticmethod]
    #[pyo3(signature = (file, *, options, max_rows = 65_536))]
    fn open_store(
        py: Python<'_>,
        file: &PyStoreFile,
        options: &PyReadOptions,
        max_rows: usize,
    ) -> PyResult<Self> {
        Self::new(Box::new(file.stream(py)?), options, max_rows, None)
    }

    #[getter]
    fn format(&self) -> &'static str {
        self.format
    }

    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        facts::dict(py, &self.decoder.facts())
    }

    /// Returns a frame without rows. Reads as many bytes as the schema needs.
    fn schema(&mut self, py: Python<'_>) -> PyResult<CoreFrame> {
        loop {
            if let Some(frame) = self.decoder.schema().py()? {
                return Ok(CoreFrame::new(frame));
            }
            match self.advance(py)? {
                Some(Event::Batch(frame)) => self.lookahead = Some(CoreFrame::new(*frame)),
                Some(Event::Need | Event::Schema) => {}
                // The decoder's error says that the source ended before its columns were known.
                Some(Event::End) | None => break,
            }
        }
        match self.decoder.schema().py()? {
            Some(frame) => Ok(CoreFrame::new(frame)),
            None => {
                let format = self.format;
                Err(errors::decode(format!("{format}: the source failed before its columns were known.")))
            }
        }
    }

    fn next_batch(&mut self, py: Python<'_>) -> PyResult<Option<CoreFrame>> {
        match self.lookahead.take() {
            Some(frame) => Ok(Some(frame)),
            None => Ok(self.take(py)?.map(CoreFrame::new)),
        }
    }
}

/// A stream over bytes in memory.
struct BufferStream {
    bytes: Buffer,
    start: usize,
}

impl Read for BufferStream {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let mut rest = self.bytes.as_slice().get(self.start..).unwrap_or_default();
        let count = rest.read(target)?;
        self.start += count;
        Ok(count)
    }
}
