//! Messages that are MessagePack.

use colonnade::Result;
use colonnade::formats::Opened;
use colonnade::formats::arrow::read::Request;
use colonnade::formats::msgpack::{OpenedMsgpack, ReadOptions};
use colonnade::frame::Frame;
use colonnade::message::Received;
use colonnade::progress::Progress;

use crate::connect_options::ConnectOptions;

/// What a message holds.
pub(super) enum Held {
    /// A frame, decoded.
    Frame(Box<Frame>),
    /// Several frames by name.
    Bundle(Box<dyn Opened>),
}

/// What a whole message holds.
pub(super) fn open(
    received: Received,
    private: bool,
    options: &ConnectOptions,
    progress: &dyn Progress,
) -> Result<Held> {
    let bytes = match received.frame()? {
        Ok(frame) => return Ok(Held::Frame(Box::new(frame))),
        Err(bytes) => bytes,
    };
    let threads = options.threads;
    let read = ReadOptions { limits: options.limits.core(), threads, ..ReadOptions::default() };
    let opened = OpenedMsgpack::open_buffer(bytes, read, progress)?;
    if opened.kind() == "bundle" {
        return Ok(Held::Bundle(Box::new(opened)));
    }
    let request = Request { private, ..Request::all(threads, progress) };
    Ok(Held::Frame(Box::new(opened.load(&request)?.frame)))
}
