//! MessagePack (`.msgpack`): frames as standard values that any language reads.
//!
//! Specification: <https://github.com/msgpack/msgpack/blob/master/spec.md>.

mod bundle;
mod chunks;
mod format;
pub(crate) mod header;
mod opened;
pub mod options;
pub mod read;
mod series;
pub mod series_decoder;
pub mod value;
pub mod write;

#[cfg(test)]
mod tests;

pub use crate::cells::msgpack::options::{Fallback, MsgpackOrient, ReadOptions};
pub use bundle::encode_bundle;
pub use chunks::SeriesWriter;
pub use format::MsgpackFormat;
pub use opened::OpenedMsgpack;
pub use options::WriteOptions;

use crate::error::Result;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;

/// Writes a whole frame.
///
/// # Errors
/// `Unrepresentable`, naming column and reason; errors of the sink.
pub fn encode(
    frame: &Frame,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    write::encode_frame(frame, options, sink, progress)
}
