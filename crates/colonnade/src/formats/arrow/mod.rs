//! Arrow IPC files (`.arrow`, `.ipc`, `.feather` version 2): record batches that can be read one by one, by a footer.
//!
//! Specification: <https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format>, format version 1.5, metadata version
//! V5 (V4 is read too). Streams share [`read`] and [`write`].
//!
//! ```text
//! "ARROW1" 00 00
//! schema message                                   FF FF FF FF | length | flatbuffer
//! dictionary messages, record batch messages       the same, and a body: buffers at multiples of 64 bytes
//! FF FF FF FF 00 00 00 00                          end mark
//! footer | its length (4) | "ARROW1"               the schema again, and where each message stands: the truth
//! ```
//!
//! | holds | how |
//! |---|---|
//! | every NumPy dtype but object | the Arrow type that is closest, and its dtype in the field's metadata |
//! | every Arrow type | as it is |
//! | labels, names, attrs | fields, and the schema's metadata: `colonnade` for us, `pandas` for the others |
//! | dictionaries that differ from chunk to chunk | one of all values, behind the batches |
//! | compression | LZ4 or Zstandard, each buffer for itself |
//! | a dictionary whose values are a dictionary | refused by name |
//! | Feather version 1 | refused by name |

mod format;

pub use format::ArrowFileFormat;

mod opened;
mod options;
pub mod read;
pub mod stream;
pub mod write;

#[cfg(test)]
mod tests;

pub use self::read::OpenOptions as ReadOptions;
pub use options::WriteOptions;

use crate::error::Result;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use read::Form;
use write::Writer;

/// Writes `frame` whole. Not compressed, it is one record batch: a map of the file is the frame.
///
/// # Errors
/// `Unrepresentable`, naming column and reason; the sink's own.
pub fn encode(
    frame: &Frame,
    options: WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    write::encode(frame, Form::File, options, sink, progress)
}

/// A writer of chunks, one record batch each where they are not compressed.
#[must_use]
pub fn writer(options: WriteOptions) -> Writer {
    Writer::new(Form::File, options)
}
