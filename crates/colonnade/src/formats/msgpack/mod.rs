//! MessagePack (`.msgpack`): frames as standard values that any language reads.
//!
//! Specification: <https://github.com/msgpack/msgpack/blob/master/spec.md>. The work is done in [`crate::msgpack`].

mod format;

pub use format::MsgpackFormat;

mod bundle;
mod chunks;
mod opened;

#[cfg(test)]
mod tests;

pub use crate::cells::msgpack::options::{Orient, Otherwise, ReadOptions};
pub use crate::msgpack::options::WriteOptions;
pub use bundle::encode_bundle;
pub use chunks::ChunkWriter;
pub use opened::{Member, Opened, is_series, is_series_file};

use crate::error::Result;
use crate::frame::Frame;
use crate::msgpack::write;
use crate::progress::Progress;
use crate::sink::Sink;

/// Writes `frame` whole.
///
/// # Errors
/// `Unrepresentable`, naming column and reason; the sink's own.
pub fn encode(
    frame: &Frame,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    write::encode_frame(frame, options, sink, progress)
}
