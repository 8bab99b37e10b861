//! The calls of the R package: read, write, encode, decode, chunks, conversions.

use std::ffi::{c_char, c_void};

use colonnade::frame::Frame;
use colonnade::memory::Buffer;
use colonnade::progress::Progress;
use colonnade::sink::Appender;
use colonnade::{Error, Result};
use colonnade_capi::error::{CnCode, CnError, c_text, report};
use colonnade_capi::progress::{CnProgress, PolledProgress};
use colonnade_capi::reader::Chunks;
use colonnade_capi::text::{optional, required};
use colonnade_capi::{CnFile, CnWriter, describe, write};

use crate::build::CnrBuilder;
use crate::pages::{self, CnrPages};
use crate::r_memory::{borrowed, defect, values_of};
use crate::read::CnrFrame;

/// A source and the part of it that is asked for.
#[repr(C)]
#[derive(Debug)]
pub struct CnrSource {
    /// The path; null for bytes in memory.
    pub path: *const c_char,
    /// The bytes.
    pub data: *const c_void,
    /// Their number.
    pub nbytes: usize,
    /// The format; null to detect it.
    pub format: *const c_char,
    /// The options: a JSON object, or null.
    pub options: *const c_char,
    /// The columns by name; null for all, or for those in `positions`.
    pub columns: *const *const c_char,
    /// The columns by position, from 0; null for all, or for those in `columns`.
    pub positions: *const i32,
    /// The number of columns.
    pub ncolumns: usize,
    /// Whether only the rows from `start_row` to `stop_row` are read.
    pub has_rows: bool,
    /// The first row, from 0.
    pub start_row: usize,
    /// One past the last row; one past the end counts as the end.
    pub stop_row: usize,
}

impl CnrSource {
    /// Opens the source.
    ///
    /// # Safety
    /// All pointers are null or valid, as documented.
    unsafe fn open(&self, columns: Option<&[String]>, progress: &dyn Progress) -> Result<CnFile> {
        // SAFETY: the caller guarantees it.
        unsafe {
            let (format, options) = (optional("format", self.format)?, optional("options", self.options)?);
            match optional("path", self.path)? {
                Some(path) => CnFile::open_path(path, format, options, columns, progress),
                None => {
                    let bytes = Buffer::from_arrow(borrowed(self.data.cast::<u8>(), self.nbytes));
                    CnFile::open_bytes(bytes, format, options, columns, progress)
                }
            }
        }
    }

    /// # Safety
    /// As [`CnrSource::open`].
    unsafe fn names(&self) -> Result<Option<Vec<String>>> {
        if self.columns.is_null() {
            return Ok(None);
        }
        // SAFETY: the caller guarantees it.
        let texts = unsafe { values_of(self.columns, self.ncolumns) };
        // SAFETY: as above.
        let name = |text: &*const c_char| unsafe { required("columns", *text) }.map(str::to_owned);
        texts.iter().map(name).collect::<Result<_>>().map(Some)
    }

    /// # Safety
    /// As [`CnrSource::open`].
    unsafe fn read(&self, progress: &dyn Progress) -> Result<Frame> {
        // SAFETY: the caller guarantees it.
        let (names, file) = unsafe {
            let names = self.names()?;
            let file = self.open(names.as_deref(), progress)?;
            (names, file)
        };
        let positions = match names {
            Some(names) => Some(file.positions(&names)?),
            None if self.positions.is_null() => None,
            None => {
                // SAFETY: the caller guarantees it.
                let given = unsafe { values_of(self.positions, self.ncolumns) };
                let place = |&p: &i32| usize::try_from(p).map_err(|_| defect("a negative position"));
                Some(given.iter().map(place).collect::<Result<Vec<_>>>()?)
            }
        };
        let rows = match self.has_rows {
            false => None,
            true => {
                let nrows = file.opened().shape()?.0;
                let stop = self.stop_row.min(nrows);
                if self.start_row > stop {
                    let message = format!(
                        "rows: expected rows from 1 to {nrows}, found {}. Ask for fewer rows.",
                        self.start_row + 1
                    );
                    return Err(Error::not_found(file.opened().format(), message));
                }
                Some((self.start_row, stop))
            }
        };
        file.load(positions.as_deref(), rows, progress)
    }
}

/// Hands `value` to the C code as a pointer.
///
/// # Safety
/// `out` is null or valid for writes.
pub(crate) unsafe fn hand_out<T>(out: *mut *mut T, value: T) -> Result<()> {
    if out.is_null() {
        return Err(defect("no place for the result"));
    }
    // SAFETY: the caller guarantees it.
    unsafe { out.write(Box::into_raw(Box::new(value))) };
    Ok(())
}

/// Hands the losses to the C code as text, one a line; nothing without losses.
///
/// # Safety
/// `losses` is null or valid for writes.
unsafe fn hand_out_losses(losses: *mut *mut c_char, lines: &[String]) {
    if !losses.is_null() && !lines.is_empty() {
        // SAFETY: the caller guarantees it.
        unsafe { losses.write(c_text(&lines.join("\n"))) };
    }
}

/// Reads a source, or the part of it that is asked for.
///
/// # Safety
/// All pointers are null or valid, as documented; `error` is null or zeroed. Bytes in memory stay valid until the frame is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_read(
    source: *const CnrSource,
    progress: *const CnProgress,
    out: *mut *mut CnrFrame,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let source = source.as_ref().ok_or_else(|| defect("no source"))?;
            hand_out(out, CnrFrame::new(source.read(&PolledProgress::new(progress))?)?)
        })
    }
}

/// Describes a source as the text of a JSON object.
///
/// # Safety
/// As `cnr_read`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_info(
    source: *const CnrSource,
    progress: *const CnProgress,
    out: *mut *mut c_char,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let source = source.as_ref().ok_or_else(|| defect("no source"))?;
            let file = source.open(None, &PolledProgress::new(progress))?;
            out.write(c_text(&describe::describe(file.opened())?));
            Ok(())
        })
    }
}

/// Writes a finished frame to a file. `losses`: one line for each thing that plain text does not bring back; free it with
/// `cn_text_free`.
///
/// # Safety
/// As `cnr_read`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_write(
    builder: *const CnrBuilder,
    path: *const c_char,
    format: *const c_char,
    options: *const c_char,
    progress: *const CnProgress,
    losses: *mut *mut c_char,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let builder = builder.as_ref().ok_or_else(|| defect("no builder"))?;
            let (path, format) = (required("path", path)?, optional("format", format)?);
            let options = optional("options", options)?;
            let progress = PolledProgress::new(progress);
            hand_out_losses(losses, &write::write_path(builder.frame()?, path, format, options, &progress)?);
            Ok(())
        })
    }
}

/// Encodes a finished frame in memory that becomes an R vector. `header`: the bytes that R needs in front. Free them with
/// `cnr_pages_free`.
///
/// # Safety
/// As `cnr_read`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_encode(
    builder: *const CnrBuilder,
    format: *const c_char,
    options: *const c_char,
    header: usize,
    progress: *const CnProgress,
    out: *mut CnrPages,
    losses: *mut *mut c_char,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let builder = builder.as_ref().ok_or_else(|| defect("no builder"))?;
            let (format, options) = (required("format", format)?, optional("options", options)?);
            let progress = PolledProgress::new(progress);
            let mut bytes = pages::begin(header)?;
            let mut sink = Appender::new(&mut bytes);
            let lines = write::encode(builder.frame()?, format, options, &mut sink, &progress)?;
            sink.commit();
            out.write(pages::finish(bytes, header)?);
            hand_out_losses(losses, &lines);
            Ok(())
        })
    }
}

/// Appends a finished frame to a file that is written chunk by chunk.
///
/// # Safety
/// As `cnr_read`; `writer` is a writer of `cn_writer_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_writer_write(
    writer: *mut CnWriter,
    builder: *const CnrBuilder,
    progress: *const CnProgress,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let builder = builder.as_ref().ok_or_else(|| defect("no builder"))?;
            let writer = writer.as_mut().ok_or_else(|| defect("no writer"))?;
            // R's memory ends with the call: `FrameWriter` copies what it keeps.
            writer.write(builder.frame()?, &PolledProgress::new(progress))
        })
    }
}

/// A file that is read chunk by chunk.
pub struct CnrReader(Chunks);

/// Opens a file that is read chunk by chunk.
///
/// # Safety
/// As `cnr_read`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_reader_open(
    path: *const c_char,
    format: *const c_char,
    options: *const c_char,
    max_rows: usize,
    out: *mut *mut CnrReader,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let (path, format) = (required("path", path)?, optional("format", format)?);
            let options = optional("options", options)?;
            let progress = PolledProgress::new(std::ptr::null());
            hand_out(out, CnrReader(Chunks::open(path, format, options, max_rows, &progress)?))
        })
    }
}

/// Reads the next chunk; null at the end.
///
/// # Safety
/// As `cnr_read`; `reader` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_reader_next(
    reader: *mut CnrReader,
    progress: *const CnProgress,
    out: *mut *mut CnrFrame,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let reader = reader.as_mut().ok_or_else(|| defect("no reader"))?;
            match reader.0.next(&PolledProgress::new(progress))? {
                Some(frame) => hand_out(out, CnrFrame::new(frame)?),
                None => {
                    out.write(std::ptr::null_mut());
                    Ok(())
                }
            }
        })
    }
}

/// Frees a reader. Null is ignored.
///
/// # Safety
/// `reader` is null, or a reader that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_reader_free(reader: *mut CnrReader) {
    if !reader.is_null() {
        // SAFETY: the caller guarantees it.
        drop(unsafe { Box::from_raw(reader) });
    }
}
