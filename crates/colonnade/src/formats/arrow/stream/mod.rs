//! Arrow IPC streams (`.arrows`): a schema, then record batches, front to back.
//!
//! Specification: <https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format>, format version 1.5, metadata
//! version V5 (V4 is read too). Files share its reader and writer.
//!
//! ```text
//! schema message                     FF FF FF FF | length | flatbuffer
//! dictionary message                 ... | body; before the first batch that uses its values
//! record batch message               ... | body: buffers at multiples of 64 bytes
//! ...
//! FF FF FF FF 00 00 00 00            end mark; without it the stream was cut short
//! ```
//!
//! | holds | how |
//! |---|---|
//! | every NumPy dtype but object | the Arrow type that is closest, and its dtype in the field's metadata |
//! | every Arrow type | as it is |
//! | labels, names, attrs | fields, and the schema's metadata: `colonnade` for us, `pandas` for the others |
//! | dictionaries that differ from chunk to chunk | sent again, or what was added to a large one |
//! | compression | LZ4 or Zstandard, each buffer for itself |
//! | a dictionary whose values are a dictionary | refused by name |

mod format;

pub use format::ArrowStreamFormat;

mod options;
mod reader;

#[cfg(test)]
mod tests;

pub use crate::formats::arrow::read::OpenOptions as ReadOptions;
pub use options::WriteOptions;

use crate::error::Result;
use crate::formats::arrow::read::Form;
use crate::formats::arrow::write;
use crate::formats::arrow::write::Writer;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;

/// Writes a whole frame, in record batches of about 1 MiB.
///
/// # Errors
/// `Unrepresentable`, naming column and reason; errors of the sink.
pub fn encode(
    frame: &Frame,
    options: WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    write::encode(frame, Form::Stream, options, sink, progress)
}

/// A writer of chunks; small ones are joined to record batches of about 1 MiB.
#[must_use]
pub fn writer(options: WriteOptions) -> Writer {
    Writer::new(Form::Stream, options)
}
