//! Decodes MessagePack messages.

use colonnade::Result;
use colonnade::formats::Opened;
use colonnade::formats::arrow::read::Request;
use colonnade::formats::msgpack::{OpenedMsgpack, ReadOptions};
use colonnade::frame::Frame;
use colonnade::message::Received;
use colonnade::progress::Progress;

use crate::connect_options::ConnectOptions;

/// The content of a message.
pub(super) enum MsgpackContent {
    /// A decoded frame.
    Frame(Box<Frame>),
    /// A bundle of named frames.
    Bundle(Box<dyn Opened>),
}

/// Decodes a whole message.
pub(super) fn open(
    received: Received,
    private: bool,
    options: &ConnectOptions,
    progress: &dyn Progress,
) -> Result<MsgpackContent> {
    let bytes = match received.frame()? {
        Ok(frame) => return Ok(MsgpackContent::Frame(Box::new(frame))),
        Err(bytes) => bytes,
    };
    let threads = options.threads;
    let read = ReadOptions { limits: options.limits.core(), threads, ..ReadOptions::default() };
    let opened = OpenedMsgpack::open_buffer(bytes, read, progress)?;
    if opened.kind() == "bundle" {
        return Ok(MsgpackContent::Bundle(Box::new(opened)));
    }
    let request = Request { private, ..Request::all(threads, progress) };
    Ok(MsgpackContent::Frame(Box::new(opened.load(&request)?.frame)))
}
