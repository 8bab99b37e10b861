//! Reads a file chunk by chunk, as an Arrow stream that decodes each chunk when the consumer asks for it.

use std::ffi::c_char;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_data::ArrayData;
use colonnade::arrow::export::Exporter;
use colonnade::codec::file::DecompressReader;
use colonnade::decode::Request;
use colonnade::formats::{Event, IncrementalReader, Opened};
use colonnade::frame::Frame;
use colonnade::progress::{NoProgress, Progress};
use colonnade::source::Source;
use colonnade::{Error, Result};

use crate::error::{CnCode, CnError, report};
use crate::options::read;
use crate::text::{null, optional, required};
use crate::{detect, stream};

/// Rows of a chunk, where the format does not fix them.
pub const DEFAULT_ROWS: usize = 65_536;

/// The chunks of a file.
pub enum Chunks {
    /// The batches of a file with random access.
    Batches {
        /// The file.
        opened: Box<dyn Opened>,
        /// The next batch.
        next: usize,
        /// Number of batches.
        count: usize,
        /// Number of threads.
        threads: usize,
    },
    /// A file that is decoded front to back.
    Incremental(Box<IncrementalChunks>),
}

/// Decodes a file front to back.
pub struct IncrementalChunks {
    stream: Box<dyn Read + Send>,
    decoder: Box<dyn IncrementalReader>,
    /// A chunk that arrived while the columns were read.
    lookahead: Option<Frame>,
    ended: bool,
}

impl Chunks {
    /// Opens a file.
    ///
    /// # Errors
    /// `Unsupported`: the format is read whole; errors of the operating system and of the format.
    pub fn open(
        path: &str,
        format: Option<&str>,
        options: Option<&str>,
        max_rows: usize,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let format = detect::of_file(format, path)?;
        let options = read::parse(format, options, None)?;
        let spec = format.spec();
        if !spec.capabilities.incremental {
            let source = Source::Path { path: Path::new(path), mmap: options.mmap };
            let opened = format.open(source, &*options.core, progress)?;
            let Some(rows) = opened.batch_rows() else {
                let message = "it is read whole: a file has no chunks. Use read_frame or cn_file_read.";
                return Err(Error::unsupported(spec.name, message));
            };
            return Ok(Self::Batches { opened, next: 0, count: rows.len(), threads: options.threads });
        }
        let decoder = format.reader(&*options.core, max_rows.max(1), Some(Path::new(path)))?;
        let file = File::open(path)?;
        let stream: Box<dyn Read + Send> =
            if spec.capabilities.compressed { Box::new(DecompressReader::new(file)) } else { Box::new(file) };
        Ok(Self::Incremental(Box::new(IncrementalChunks { stream, decoder, lookahead: None, ended: false })))
    }

    /// The next chunk; `None` at the end.
    ///
    /// # Errors
    /// Errors of the operating system and of the format.
    pub fn next(&mut self, progress: &dyn Progress) -> Result<Option<Frame>> {
        match self {
            Self::Incremental(chunks) => chunks.next(progress),
            Self::Batches { opened, next, count, threads } => {
                if next >= count {
                    return Ok(None);
                }
                let frame = opened.batch(*next, &Request::all(*threads, progress))?;
                *next += 1;
                Ok(Some(frame))
            }
        }
    }

    /// A frame without rows.
    ///
    /// # Errors
    /// As [`Chunks::next`].
    pub fn schema(&mut self, progress: &dyn Progress) -> Result<Frame> {
        match self {
            Self::Incremental(chunks) => chunks.schema(progress),
            Self::Batches { opened, count: 0, threads, .. } => {
                Ok(opened.load(&Request::all(*threads, progress))?.frame)
            }
            Self::Batches { opened, threads, .. } => {
                Ok(opened.batch(0, &Request::all(*threads, progress))?.slice(0, 0))
            }
        }
    }
}

impl IncrementalChunks {
    fn event(&mut self, progress: &dyn Progress) -> Result<Option<Event>> {
        let mut count = 0;
        loop {
            match self.decoder.filled(count, progress)? {
                Event::Need if self.ended => return Ok(None),
                Event::Need => {}
                Event::End => {
                    self.ended = true;
                    return Ok(None);
                }
                event => return Ok(Some(event)),
            }
            count = self.read(progress)?;
            if count == 0 {
                self.ended = true;
                self.decoder.finish()?;
            }
        }
    }

    fn read(&mut self, progress: &dyn Progress) -> Result<usize> {
        loop {
            match self.stream.read(self.decoder.room()?) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => progress.interrupted()?,
                other => return Ok(other?),
            }
        }
    }

    fn next(&mut self, progress: &dyn Progress) -> Result<Option<Frame>> {
        if let Some(frame) = self.lookahead.take() {
            return Ok(Some(frame));
        }
        loop {
            match self.event(progress)? {
                Some(Event::Batch(frame)) => return Ok(Some(*frame)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }

    fn schema(&mut self, progress: &dyn Progress) -> Result<Frame> {
        loop {
            if let Some(frame) = self.decoder.schema()? {
                return Ok(frame);
            }
            match self.event(progress)? {
                Some(Event::Batch(frame)) => self.lookahead = Some(*frame),
                Some(_) => {}
                None => break,
            }
        }
        let missing = || Error::malformed("frame", "the source ended before its columns were known.");
        self.decoder.schema()?.ok_or_else(missing)
    }
}

/// The batches of the chunks, converted by the exporter of the first.
struct Exported {
    chunks: Chunks,
    exporter: Exporter,
}

impl Iterator for Exported {
    type Item = Result<(usize, Vec<ArrayData>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let frame = self.chunks.next(&NoProgress).transpose()?;
        Some(frame.and_then(|frame| Ok((frame.nrows, self.exporter.arrays(&frame)?))))
    }
}

/// Opens a file as an Arrow stream whose `get_next` decodes one chunk of at most `max_rows` rows (0: 65,536), so that a file need
/// not fit in memory. Formats with record batches or row groups have their own.
///
/// # Safety
/// Texts are C strings or null, `out` points at a released or uninitialised stream, `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_open_reader(
    path: *const c_char,
    format: *const c_char,
    options: *const c_char,
    max_rows: usize,
    out: *mut FFI_ArrowArrayStream,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer, as documented.
    unsafe {
        report(error, || {
            if out.is_null() {
                return Err(null("out"));
            }
            let (path, format) = (required("path", path)?, optional("format", format)?);
            let max_rows = if max_rows == 0 { DEFAULT_ROWS } else { max_rows };
            let options = optional("options", options)?;
            let mut chunks = Chunks::open(path, format, options, max_rows, &NoProgress)?;
            let schema = Arc::new(chunks.schema(&NoProgress)?);
            let exporter = Exporter::new(&schema, None)?.with_own_dictionaries();
            out.write(stream::of_batches(exporter.schema(), Exported { chunks, exporter })?);
            Ok(())
        })
    }
}
