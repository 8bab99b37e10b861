//! The results of decoding the bytes of a connection.

use std::any::Any;
use std::fmt::Debug;
use std::io;

use crate::formats::arrow::read::IncrementalDecoder;
use crate::formats::msgpack::value::Received;
use crate::frame::Frame;
use crate::memory::Buffer;

use super::table::TableFormat;

/// Memory for opaque bytes, which the caller allocates.
pub trait IoBuffer: Send + Debug {
    /// All of its bytes.
    fn as_mut_slice(&mut self) -> &mut [u8];

    /// Converts it to `Any`, so that the caller gets its own type back.
    fn into_object(self: Box<Self>) -> Box<dyn Any + Send>;
}

impl IoBuffer for Vec<u8> {
    fn as_mut_slice(&mut self) -> &mut [u8] {
        self
    }

    fn into_object(self: Box<Self>) -> Box<dyn Any + Send> {
        self
    }
}

/// Allocates memory for as many bytes as the peer declared and the limits allow.
pub type NewIoBuffer = fn(usize) -> io::Result<Box<dyn IoBuffer>>;

/// A complete message.
#[derive(Debug)]
pub enum Message {
    /// A frame: see [`IncrementalDecoder::into_decoded`].
    Frame(Box<IncrementalDecoder>),
    /// A MessagePack value: a map or an array, decoded as far as possible while it arrived.
    Msgpack(Box<Received>),
    /// A CSV or NDJSON table that begins with its header.
    Table(TableFormat, Buffer),
    /// Opaque bytes.
    Bytes(Box<dyn IoBuffer>),
}

/// The kind of the message that has begun or is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingMessage {
    /// No bytes, or too few to identify the message.
    Nothing,
    /// A frame.
    Frame,
    /// Opaque bytes.
    Bytes,
}

/// The result of a step of decoding.
#[derive(Debug)]
pub enum MessageStep {
    /// The decoder needs more bytes.
    Need,
    /// A message is complete: see [`super::Incoming::take`].
    Whole,
    /// In batch-by-batch reading: the schema has arrived.
    Schema,
    /// In batch-by-batch reading: a batch.
    Batch(Box<Frame>),
    /// In batch-by-batch reading: the end mark.
    End,
}
