//! Writes a frame, given as an Arrow stream, to a file or to memory.

use std::ffi::c_char;
use std::path::Path;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use colonnade::Result;
use colonnade::frame::Frame;
use colonnade::progress::Progress;
use colonnade::sink::Sink;
use colonnade_transport::AtomicFile;

use crate::bytes::CnBuffer;
use crate::error::{CnCode, CnError, c_text, report};
use crate::options::write::{self, WriteOptions};
use crate::progress::{CnProgress, PolledProgress};
use crate::sink::FileSink;
use crate::text::{null, optional, required};
use crate::{detect, stream};

/// Writes a frame to a file, which appears when it is complete. Returns what a plain text file does not bring back.
///
/// # Errors
/// `Unrepresentable`, naming the column; errors of the operating system.
pub fn write_path(
    frame: &Frame,
    path: &str,
    format: Option<&str>,
    options: Option<&str>,
    progress: &dyn Progress,
) -> Result<Vec<String>> {
    let (format, codec) = detect::for_target(format, Some(path))?;
    let options = write::parse(format, options, codec, Some(frame.nrows))?;
    let losses = write::check_losses(&options, frame)?;
    let WriteOptions { encoding, fsync, .. } = options;
    let path = Path::new(path);
    let mut sink = FileSink(AtomicFile::create(path)?);
    encoding.encode(frame, &mut sink, progress)?;
    sink.commit(&encoding, Some(frame), path, fsync)?;
    Ok(losses)
}

/// Encodes a frame in memory. Returns what plain text does not bring back.
///
/// # Errors
/// As [`write_path`].
pub fn encode(
    frame: &Frame,
    format: &str,
    options: Option<&str>,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<Vec<String>> {
    let options = write::parse(detect::by_name(format)?, options, None, Some(frame.nrows))?;
    let losses = write::check_losses(&options, frame)?;
    options.encoding.encode(frame, sink, progress)?;
    Ok(losses)
}

/// Hands the losses to the caller as text, one a line; null without losses.
///
/// # Safety
/// `losses` is null or valid for writes.
pub(crate) unsafe fn hand_out_losses(losses: *mut *mut c_char, lines: &[String]) {
    if !losses.is_null() {
        let text = if lines.is_empty() { std::ptr::null_mut() } else { c_text(&lines.join("\n")) };
        // SAFETY: the caller guarantees it.
        unsafe { losses.write(text) };
    }
}

/// Writes a frame to a file, which appears when it is complete. `format`: null to take that of the suffix. `losses`: null, or
/// receives one line for each thing that a plain text file does not bring back (free it with `cn_text_free`), or null. The stream
/// is released.
///
/// # Safety
/// `frame` is a valid stream; texts are C strings or null; `progress` and `losses` are null or valid; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_write_path(
    frame: *mut FFI_ArrowArrayStream,
    path: *const c_char,
    format: *const c_char,
    options: *const c_char,
    progress: *const CnProgress,
    losses: *mut *mut c_char,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer, as documented.
    unsafe {
        report(error, || {
            hand_out_losses(losses, &[]);
            if frame.is_null() {
                return Err(null("frame"));
            }
            let frame = stream::to_frame(frame)?;
            let (path, format) = (required("path", path)?, optional("format", format)?);
            let options = optional("options", options)?;
            let lines = write_path(&frame, path, format, options, &PolledProgress::new(progress))?;
            hand_out_losses(losses, &lines);
            Ok(())
        })
    }
}

/// Encodes a frame in memory. The stream is released. Free the bytes with `cn_buffer_free`.
///
/// # Safety
/// As `cn_write_path`; `out` is valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_encode(
    frame: *mut FFI_ArrowArrayStream,
    format: *const c_char,
    options: *const c_char,
    progress: *const CnProgress,
    out: *mut CnBuffer,
    losses: *mut *mut c_char,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer, as documented.
    unsafe {
        report(error, || {
            hand_out_losses(losses, &[]);
            if frame.is_null() || out.is_null() {
                return Err(null(if out.is_null() { "out" } else { "frame" }));
            }
            let frame = stream::to_frame(frame)?;
            let (format, options) = (required("format", format)?, optional("options", options)?);
            let mut bytes = Vec::new();
            let lines = encode(&frame, format, options, &mut bytes, &PolledProgress::new(progress))?;
            out.write(CnBuffer::of(bytes));
            hand_out_losses(losses, &lines);
            Ok(())
        })
    }
}
