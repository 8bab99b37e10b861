//! Converts a file to another format.

use std::ffi::c_char;
use std::path::Path;

use colonnade::Result;
use colonnade::arrow::concat::concat_all;
use colonnade::frame::Frame;
use colonnade::progress::Progress;
use colonnade::source::Source;

use crate::detect;
use crate::error::{CnCode, CnError, report};
use crate::file::CnFile;
use crate::options::read;
use crate::progress::{CnProgress, PolledProgress};
use crate::reader::{Chunks, DEFAULT_ROWS};
use crate::text::{optional, required};
use crate::write::{hand_out_losses, write_path};
use crate::writer::CnWriter;

/// A file and how to read or write it.
#[derive(Debug, Clone, Copy)]
pub struct Endpoint<'e> {
    /// The path.
    pub path: &'e str,
    /// The format, if it is not that of the file or of the suffix.
    pub format: Option<&'e str>,
    /// The options, as the text of a JSON object.
    pub options: Option<&'e str>,
}

/// Converts `from` to `to`: chunk by chunk if both formats have chunks, else as one frame. Returns what a plain text file does not
/// bring back.
///
/// # Errors
/// Errors of reading and of writing.
pub fn convert(from: Endpoint<'_>, to: Endpoint<'_>, progress: &dyn Progress) -> Result<Vec<String>> {
    let source = detect::of_file(from.format, from.path)?.spec().capabilities;
    let target = detect::for_target(to.format, Some(to.path))?.0.spec().capabilities;
    // A text file is checked for losses as a whole.
    if source.incremental && target.chunks && !target.compressed && !source.compressed {
        let mut chunks = Chunks::open(from.path, from.format, from.options, DEFAULT_ROWS, progress)?;
        let mut writer = CnWriter::create(to.path, to.format, to.options)?;
        while let Some(frame) = chunks.next(progress)? {
            writer.write(&frame, progress)?;
        }
        if writer.nrows() > 0 {
            writer.close(progress)?;
            return Ok(Vec::new());
        }
    }
    let frame = if source.incremental && is_series(from, progress)? {
        joined(Chunks::open(from.path, from.format, from.options, DEFAULT_ROWS, progress)?, progress)?
    } else {
        let file = CnFile::open_path(from.path, from.format, from.options, None, progress)?;
        file.load(None, None, progress)?
    };
    write_path(&frame, to.path, to.format, to.options, progress)
}

/// Whether a file holds several frames, as MessagePack written by chunks does.
fn is_series(from: Endpoint<'_>, progress: &dyn Progress) -> Result<bool> {
    let format = detect::of_file(from.format, from.path)?;
    let options = read::parse(format, from.options, None)?;
    let source = Source::Path { path: Path::new(from.path), mmap: options.mmap };
    format.is_series(source, &*options.core, progress)
}

/// All chunks as one frame.
fn joined(mut chunks: Chunks, progress: &dyn Progress) -> Result<Frame> {
    let mut frames = Vec::new();
    while let Some(frame) = chunks.next(progress)? {
        frames.push(frame);
    }
    concat_all(&frames.iter().collect::<Vec<_>>())
}

/// Converts a file to another format. Formats are null to take those of the file and of the suffix; options are null or JSON
/// objects; `losses` is null or as in `cn_write_path`.
///
/// # Safety
/// Texts are C strings or null, `progress` and `losses` are null or valid, `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_convert(
    from: *const c_char,
    from_format: *const c_char,
    from_options: *const c_char,
    to: *const c_char,
    to_format: *const c_char,
    to_options: *const c_char,
    progress: *const CnProgress,
    losses: *mut *mut c_char,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer, as documented.
    unsafe {
        report(error, || {
            hand_out_losses(losses, &[]);
            let from = Endpoint {
                path: required("from", from)?,
                format: optional("from_format", from_format)?,
                options: optional("from_options", from_options)?,
            };
            let to = Endpoint {
                path: required("to", to)?,
                format: optional("to_format", to_format)?,
                options: optional("to_options", to_options)?,
            };
            hand_out_losses(losses, &convert(from, to, &PolledProgress::new(progress))?);
            Ok(())
        })
    }
}
