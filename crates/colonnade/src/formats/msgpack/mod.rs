//! MessagePack (`.msgpack`): frames as standard values that any language reads.
//!
//! Specification: <https://github.com/msgpack/msgpack/blob/master/spec.md>. The work is done in [`crate::msgpack`].

mod format;

pub use format::MsgpackFormat;

mod bundle;
mod chunks;
mod opened;
mod series;

#[cfg(test)]
mod tests;

pub use crate::msgpack::options::{Orient, Otherwise, ReadOptions, WriteOptions};
pub use bundle::encode_bundle;
pub use chunks::ChunkWriter;
pub use opened::OpenedMsgpack;

use crate::error::Result;
use crate::frame::Frame;
use crate::msgpack::write;
use crate::plan::Progress;
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
