//! The results of decoding the bytes of a stream.

use crate::formats::arrow::read::open::Ipc;
use crate::frame::Frame;

/// The result of one step.
#[derive(Debug)]
pub enum StreamEvent {
    /// The decoder needs more bytes; see [`super::IncrementalDecoder::io_buffers`].
    Need,
    /// The schema has arrived.
    Schema,
    /// A record batch, in Arrow's layout and in separate memory.
    Batch(Box<Frame>),
    /// The end mark.
    End,
}

/// The result of a whole stream.
#[derive(Debug)]
pub enum DecodedStream {
    /// A frame in its final memory.
    Frame(Box<Frame>),
    /// A stream with views or nested columns whose number of rows was not announced, as its bytes.
    Opened(Box<Ipc>),
}
