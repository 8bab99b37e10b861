//! Arrow IPC files (`.arrow`, `.ipc`, `.feather` version 2). A footer locates the record batches, so each can be read by
//! itself.
//!
//! Specification: <https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format>, format version 1.5, metadata version
//! V5 (V4 is read too). Streams share [`read`] and [`mod@write`].
//!
//! ```text
//! "ARROW1" 00 00
//! schema message                                   FF FF FF FF | length | flatbuffer
//! dictionary messages, record batch messages       the same, then a body: buffers at multiples of 64 bytes
//! FF FF FF FF 00 00 00 00                          end mark
//! footer | its length (4) | "ARROW1"               the schema again, and the offset of each message: readers rely on it
//! ```
//!
//! | holds | how |
//! |---|---|
//! | every NumPy dtype but object | the closest Arrow type, and the dtype in the field's metadata |
//! | every Arrow type | unchanged |
//! | labels, names, attrs | fields, and the schema's metadata: `colonnade` for this library, `pandas` for others |
//! | dictionaries that differ from chunk to chunk | one dictionary of all values, after the batches |
//! | compression | LZ4 or Zstandard, for each buffer |
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

/// Writes a whole frame. Without compression it is one record batch, so that a mapped file is the frame.
///
/// # Errors
/// `Unrepresentable`, naming column and reason; errors of the sink.
pub fn encode(
    frame: &Frame,
    options: WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    write::encode(frame, Form::File, options, sink, progress)
}

/// A writer of chunks. Without compression, each chunk is one record batch.
#[must_use]
pub fn writer(options: WriteOptions) -> Writer {
    Writer::new(Form::File, options)
}
