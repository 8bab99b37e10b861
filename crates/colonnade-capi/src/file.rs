//! Opened sources: described, and read into an Arrow stream.

use std::ffi::c_char;
use std::path::Path;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use colonnade::decode::{MemoryLayout, Request};
use colonnade::formats::Opened;
use colonnade::frame::Frame;
use colonnade::memory::Buffer;
use colonnade::nearest::nearest;
use colonnade::progress::Progress;
use colonnade::source::Source;
use colonnade::{Error, Result};

use crate::bytes::copied;
use crate::error::{CnCode, CnError, report};
use crate::options::read;
use crate::progress::{CnProgress, PolledProgress};
use crate::text::{null, optional, required};
use crate::{describe, detect, stream};

/// An opened file or buffer.
pub struct CnFile {
    opened: Box<dyn Opened>,
    threads: usize,
}

impl CnFile {
    /// Opens a file or directory. `columns`: the columns that will be read, if not all.
    ///
    /// # Errors
    /// Errors of the operating system and of the format.
    pub fn open_path(
        path: &str,
        format: Option<&str>,
        options: Option<&str>,
        columns: Option<&[String]>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let format = detect::of_file(format, path)?;
        let options = read::parse(format, options, columns)?;
        let source = Source::Path { path: Path::new(path), mmap: options.mmap };
        let opened = format.open(source, &*options.core, progress)?;
        Ok(Self { opened, threads: options.threads })
    }

    /// Opens bytes in memory.
    ///
    /// # Errors
    /// Errors of the format.
    pub fn open_bytes(
        bytes: Buffer,
        format: Option<&str>,
        options: Option<&str>,
        columns: Option<&[String]>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let format = detect::of_bytes(format, bytes.as_slice(), None)?;
        let options = read::parse(format, options, columns)?;
        let opened = format.open(Source::Memory(bytes), &*options.core, progress)?;
        Ok(Self { opened, threads: options.threads })
    }

    /// The opened source.
    #[must_use]
    pub fn opened(&self) -> &dyn Opened {
        &*self.opened
    }

    /// The positions of columns, by name. A name that several columns have selects all of them.
    ///
    /// # Errors
    /// `NotFound`: no column of this name.
    pub fn positions(&self, names: &[String]) -> Result<Vec<usize>> {
        let labels = colonnade::arrow::label_texts(&self.opened.columns()?)?;
        let mut places: std::collections::HashMap<&str, Vec<usize>> = std::collections::HashMap::new();
        for (position, label) in labels.iter().enumerate() {
            if let Some(label) = label {
                places.entry(label).or_default().push(position);
            }
        }
        let mut out = Vec::with_capacity(names.len());
        for name in names {
            let found = places.get(name.as_str()).ok_or_else(|| {
                let near = nearest(name, labels.iter().flatten());
                let hint = near.map_or_else(String::new, |near| format!(" Did you mean {near:?}?"));
                let message = format!("columns: expected a column of the source, found {name:?}.{hint}");
                Error::not_found(self.opened.format(), message).in_member(name.clone())
            })?;
            out.extend_from_slice(found);
        }
        Ok(out)
    }

    /// Loads the requested part in one frame.
    ///
    /// # Errors
    /// As [`Opened::load`].
    pub fn load(
        &self,
        positions: Option<&[usize]>,
        rows: Option<(usize, usize)>,
        progress: &dyn Progress,
    ) -> Result<Frame> {
        let request = Request { positions, rows, ..Request::all(self.threads, progress) };
        Ok(self.opened.load(&request)?.frame)
    }

    /// Loads the requested part as batches in Arrow's layout.
    ///
    /// # Errors
    /// As [`Opened::load_arrow`].
    pub fn load_arrow(
        &self,
        positions: Option<&[usize]>,
        rows: Option<(usize, usize)>,
        progress: &dyn Progress,
    ) -> Result<Vec<Frame>> {
        let layout = MemoryLayout::Arrow;
        let request = Request { positions, rows, layout, ..Request::all(self.threads, progress) };
        self.opened.load_arrow(&request)
    }
}

/// The part of a source to read. A zeroed structure asks for everything.
#[repr(C)]
#[derive(Debug)]
pub struct CnRequest {
    /// Names of columns, in the order of the result; null for all columns.
    pub columns: *const *const c_char,
    /// Their number.
    pub ncolumns: usize,
    /// Whether only the rows from `start_row` to `stop_row` are read.
    pub has_rows: bool,
    /// The first row, from 0.
    pub start_row: usize,
    /// One past the last row.
    pub stop_row: usize,
}

impl CnRequest {
    /// The names of the columns.
    ///
    /// # Safety
    /// `columns` is null, or has `ncolumns` C strings.
    unsafe fn names(&self) -> Result<Option<Vec<String>>> {
        if self.columns.is_null() {
            return Ok(None);
        }
        // SAFETY: the caller guarantees it.
        let names = unsafe { std::slice::from_raw_parts(self.columns, self.ncolumns) };
        // SAFETY: as above.
        let text = |name: &*const c_char| unsafe { required("columns", *name) }.map(str::to_owned);
        names.iter().map(text).collect::<Result<Vec<_>>>().map(Some)
    }
}

/// Hands `value` to the caller as a pointer.
///
/// # Safety
/// `out` is null or valid for writes.
pub(crate) unsafe fn hand_out<T>(out: *mut *mut T, value: T) -> Result<()> {
    if out.is_null() {
        return Err(null("out"));
    }
    // SAFETY: the caller guarantees it.
    unsafe { out.write(Box::into_raw(Box::new(value))) };
    Ok(())
}

/// Opens a file or directory. `format`: a name such as "parquet", or null to detect it. `options`: a JSON object, or null.
/// `columns` of parquet files: pass them in `request`, or null.
///
/// # Safety
/// Texts are C strings or null, `progress` is null or valid, `out` is valid for writes, `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_open_path(
    path: *const c_char,
    format: *const c_char,
    options: *const c_char,
    progress: *const CnProgress,
    out: *mut *mut CnFile,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer, as documented.
    unsafe {
        report(error, || {
            let (path, format) = (required("path", path)?, optional("format", format)?);
            let options = optional("options", options)?;
            let file = CnFile::open_path(path, format, options, None, &PolledProgress::new(progress))?;
            hand_out(out, file)
        })
    }
}

/// Opens bytes in memory, which are copied.
///
/// # Safety
/// As `cn_open_path`; `data` is valid for reads of `nbytes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_open_bytes(
    data: *const u8,
    nbytes: usize,
    format: *const c_char,
    options: *const c_char,
    progress: *const CnProgress,
    out: *mut *mut CnFile,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer, as documented.
    unsafe {
        report(error, || {
            let (bytes, format) = (copied(data, nbytes)?, optional("format", format)?);
            let options = optional("options", options)?;
            let file = CnFile::open_bytes(bytes, format, options, None, &PolledProgress::new(progress))?;
            hand_out(out, file)
        })
    }
}

/// Closes a file. Streams that were read from it stay valid. Null is ignored.
///
/// # Safety
/// `file` is null, or a result of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_file_free(file: *mut CnFile) {
    if !file.is_null() {
        // SAFETY: the caller guarantees it.
        drop(unsafe { Box::from_raw(file) });
    }
}

/// Describes a file as the text of a JSON object: `format`, `nrows`, `ncols`, `nbytes`, `file_nbytes`, `columns` (names and
/// types), and others. Free the text with `cn_text_free`.
///
/// # Safety
/// `file` is an open file, `out` is valid for writes, `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_file_describe(
    file: *const CnFile,
    out: *mut *mut c_char,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer, as documented.
    unsafe {
        report(error, || {
            let file = file.as_ref().ok_or_else(|| null("file"))?;
            if out.is_null() {
                return Err(null("out"));
            }
            out.write(crate::error::c_text(&describe::describe(file.opened())?));
            Ok(())
        })
    }
}

/// Reads a file, or the requested part of it, into an Arrow stream. `request`: null for everything. Release the stream by its
/// own callback.
///
/// # Safety
/// As `cn_file_describe`; `request` and `progress` are null or valid; `out` points at a released or uninitialised stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_file_read(
    file: *const CnFile,
    request: *const CnRequest,
    progress: *const CnProgress,
    out: *mut FFI_ArrowArrayStream,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer, as documented.
    unsafe {
        report(error, || {
            let file = file.as_ref().ok_or_else(|| null("file"))?;
            if out.is_null() {
                return Err(null("out"));
            }
            let request = request.as_ref();
            let names = request.map_or(Ok(None), |request| request.names())?;
            let positions = names.map(|names| file.positions(&names)).transpose()?;
            let rows = request.filter(|request| request.has_rows).map(|r| (r.start_row, r.stop_row));
            let frames = file.load_arrow(positions.as_deref(), rows, &PolledProgress::new(progress))?;
            out.write(stream::of_frames(frames.into_iter().map(Arc::new).collect())?);
            Ok(())
        })
    }
}
