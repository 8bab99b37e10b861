//! Writes a file chunk by chunk.

use std::ffi::c_char;
use std::path::{Path, PathBuf};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use colonnade::formats::FrameWriter;
use colonnade::frame::Frame;
use colonnade::progress::Progress;
use colonnade::{Error, Result};
use colonnade_transport::AtomicFile;

use crate::error::{CnCode, CnError, report};
use crate::file::hand_out;
use crate::options::write::{self, WriteOptions};
use crate::progress::{CnProgress, PolledProgress};
use crate::sink::FileSink;
use crate::text::{null, optional, required};
use crate::{detect, stream};

/// A file that is written chunk by chunk. It appears when it is closed.
pub struct CnWriter {
    frames: Box<dyn FrameWriter>,
    options: WriteOptions,
    path: PathBuf,
    /// `None` after the file was closed, or after an error.
    sink: Option<FileSink>,
}

impl CnWriter {
    /// Creates a file.
    ///
    /// # Errors
    /// `Unsupported`: the format is written whole; `InvalidOption`; errors of the operating system.
    pub fn create(path: &str, format: Option<&str>, options: Option<&str>) -> Result<Self> {
        let (format, codec) = detect::for_target(format, Some(path))?;
        let options = write::parse(format, options, codec, None)?;
        let frames = options.encoding.writer()?;
        let path = PathBuf::from(path);
        let sink = Some(FileSink(AtomicFile::create(&path)?));
        Ok(Self { frames, options, path, sink })
    }

    fn run(&mut self, work: impl FnOnce(&mut dyn FrameWriter, &mut FileSink) -> Result<()>) -> Result<()> {
        let format = self.options.encoding.format().spec().name;
        let sink =
            self.sink.as_mut().ok_or_else(|| Error::invalid_option(format, "the writer was closed."))?;
        work(&mut *self.frames, sink).inspect_err(|error| {
            // A refused chunk has written nothing. After other errors the file has a gap, and is dropped.
            if !matches!(error.kind(), colonnade::ErrorKind::Unrepresentable) {
                self.sink = None;
            }
        })
    }

    /// Appends a chunk. The first chunk decides the schema.
    ///
    /// # Errors
    /// `Unrepresentable`: another schema; errors of the operating system.
    pub fn write(&mut self, frame: &Frame, progress: &dyn Progress) -> Result<()> {
        self.run(|frames, sink| frames.write(frame, sink, progress))
    }

    /// Writes the end, and renames the file to its path.
    ///
    /// # Errors
    /// `Unrepresentable`: no chunk was written; errors of the operating system.
    pub fn close(&mut self, progress: &dyn Progress) -> Result<()> {
        self.run(|frames, sink| frames.finish(sink, progress))?;
        match self.sink.take() {
            Some(sink) => {
                sink.commit(&self.options.encoding, None, Path::new(&self.path), self.options.fsync)
            }
            None => Ok(()),
        }
    }

    /// Rows written so far.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.frames.nrows()
    }
}

/// Creates a file that is written chunk by chunk.
///
/// # Safety
/// Texts are C strings or null, `out` is valid for writes, `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_writer_create(
    path: *const c_char,
    format: *const c_char,
    options: *const c_char,
    out: *mut *mut CnWriter,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer, as documented.
    unsafe {
        report(error, || {
            let (path, format) = (required("path", path)?, optional("format", format)?);
            hand_out(out, CnWriter::create(path, format, optional("options", options)?)?)
        })
    }
}

/// Appends all batches of a stream as one chunk. The stream is released.
///
/// # Safety
/// `writer` is open, `frame` is a valid stream, `progress` is null or valid, `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_writer_write(
    writer: *mut CnWriter,
    frame: *mut FFI_ArrowArrayStream,
    progress: *const CnProgress,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer, as documented.
    unsafe {
        report(error, || {
            if frame.is_null() {
                return Err(null("frame"));
            }
            let frame = stream::to_frame(frame)?;
            writer.as_mut().ok_or_else(|| null("writer"))?.write(&frame, &PolledProgress::new(progress))
        })
    }
}

/// Writes the end of the file, and gives it its name. The writer is freed by `cn_writer_free` all the same.
///
/// # Safety
/// As `cn_writer_write`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_writer_close(
    writer: *mut CnWriter,
    progress: *const CnProgress,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer, as documented.
    unsafe {
        report(error, || writer.as_mut().ok_or_else(|| null("writer"))?.close(&PolledProgress::new(progress)))
    }
}

/// Frees a writer. A file that was not closed is removed. Null is ignored.
///
/// # Safety
/// `writer` is null, or a result of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_writer_free(writer: *mut CnWriter) {
    if !writer.is_null() {
        // SAFETY: the caller guarantees it.
        drop(unsafe { Box::from_raw(writer) });
    }
}
