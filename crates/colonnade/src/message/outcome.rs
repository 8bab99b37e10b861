//! What comes of the bytes of a connection.

use std::any::Any;
use std::fmt::Debug;
use std::io;

use crate::formats::arrow::read::IncrementalDecoder;
use crate::formats::msgpack::value::Received;
use crate::frame::Frame;
use crate::memory::Buffer;

use super::table::TableFormat;

/// Memory for opaque bytes, which the caller makes.
pub trait IoBuffer: Send + Debug {
    /// All of it.
    fn as_mut_slice(&mut self) -> &mut [u8];

    /// What it is, for whoever made it.
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

/// Makes memory for so many bytes, which the peer claims and the limits allow.
pub type NewIoBuffer = fn(usize) -> io::Result<Box<dyn IoBuffer>>;

/// A whole message.
#[derive(Debug)]
pub enum Message {
    /// A frame: see [`IncrementalDecoder::into_decoded`].
    Frame(Box<IncrementalDecoder>),
    /// A MessagePack value: a map or an array, decoded as far as it could be while it came.
    Msgpack(Box<Received>),
    /// A table of text behind its header.
    Table(TableFormat, Buffer),
    /// Opaque bytes.
    Bytes(Box<dyn IoBuffer>),
}

/// What the message is that has begun or is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Nothing has come, or too little to tell.
    Nothing,
    /// A frame.
    Frame,
    /// Opaque bytes.
    Bytes,
}

/// What came of the bytes.
#[derive(Debug)]
pub enum Step {
    /// More are needed.
    Need,
    /// A message is whole: see [`super::Incoming::take`].
    Whole,
    /// Batch by batch: the schema is known.
    Schema,
    /// Batch by batch: one of them.
    Batch(Box<Frame>),
    /// Batch by batch: the end mark.
    End,
}
