//! What comes of the bytes of a stream.

use crate::formats::arrow::read::open::Ipc;
use crate::frame::Frame;

/// What came of the bytes.
#[derive(Debug)]
pub enum Event {
    /// More are needed: see [`IncrementalDecoder::io_buffers`].
    Need,
    /// The schema is known.
    Schema,
    /// A record batch, in Arrow's layout, in memory of its own.
    Batch(Box<Frame>),
    /// The end mark.
    End,
}

/// What a stream became.
#[derive(Debug)]
pub enum Decoded {
    /// A frame in its final memory.
    Frame(Box<Frame>),
    /// A stream of text whose rows were not announced, as it came.
    Opened(Box<Ipc>),
}
