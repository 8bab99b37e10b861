//! Receives messages: the channel's bytes go directly into the buffers of the current message.

use std::io::{self, IoSliceMut};
use std::time::Duration;

use colonnade::decode::Request;
use colonnade::formats::arrow::read::DecodedStream;
use colonnade::formats::json::lines;
use colonnade::formats::msgpack::{OpenedMsgpack, ReadOptions};
use colonnade::formats::{Opened, csv};
use colonnade::frame::Frame;
use colonnade::message::{Message, MessageStep, TableFormat};
use colonnade::progress::Progress;
use colonnade::{Error, Result};
use colonnade_transport::Direction;

use super::{CnrConnection, Watch};
use crate::r_memory::defect;

/// Bytes received beyond a message, so that small messages do not cost a system call each.
const READ_AHEAD_NBYTES: usize = 64 << 10;

/// Bytes that one receive asks the decoder for.
const LARGE_NBYTES: usize = 4 << 20;

/// What a call to receive found.
pub(super) enum Received {
    /// A frame.
    Frame(Box<Frame>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// No whole message in the time given. What has arrived is kept.
    Pending,
    /// The peer ended sending, between two messages.
    End,
}

impl CnrConnection {
    /// The next message.
    pub(super) fn receive(&mut self, timeout: Option<Duration>, progress: &dyn Progress) -> Result<Received> {
        let watch = Watch::new(timeout.or(self.timeout), progress);
        loop {
            if let Some(message) = self.incoming.take() {
                return self.decoded(message, progress);
            }
            if self.from < self.to {
                let bytes = self.read_ahead.get(self.from..self.to).unwrap_or_default();
                let (count, _) = self.incoming.feed(bytes)?;
                self.from += count;
                continue;
            }
            if self.ended {
                self.incoming.end()?;
                return Ok(Received::End);
            }
            match self.receive_once() {
                Ok(Some(_)) => progress.check()?,
                Ok(None) => self.ended = true,
                Err(error) => {
                    let kind = match error.kind() {
                        colonnade::ErrorKind::Io(error) => error.kind(),
                        _ => return Err(error),
                    };
                    if !matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) {
                        return Err(error);
                    }
                    if !watch.wait(&*self.channel, Direction::Receive)? {
                        return Ok(Received::Pending);
                    }
                }
            }
        }
    }

    /// Receives once; `None` at the end of input.
    fn receive_once(&mut self) -> Result<Option<MessageStep>> {
        if self.read_ahead.is_empty() {
            self.read_ahead.resize(READ_AHEAD_NBYTES, 0);
        }
        let mut buffers = self.incoming.io_buffers(LARGE_NBYTES)?;
        let wanted: usize = buffers.iter().map(|buffer| buffer.len()).sum();
        // Only the end of a piece may be followed by bytes of the next one.
        if wanted < LARGE_NBYTES {
            buffers.push(IoSliceMut::new(&mut self.read_ahead));
        }
        let count = self.channel.receive(&mut buffers)?;
        if count == 0 {
            return Ok(None);
        }
        let here = count.min(wanted);
        (self.from, self.to) = (0, count - here);
        self.incoming.filled(here).map(Some)
    }

    fn decoded(&self, message: Message, progress: &dyn Progress) -> Result<Received> {
        let (threads, request) = (self.threads, Request::all(self.threads, progress));
        let frame = match message {
            Message::Bytes(buffer) => {
                let bytes =
                    buffer.into_object().downcast::<Vec<u8>>().map_err(|_| defect("another buffer"))?;
                return Ok(Received::Bytes(*bytes));
            }
            Message::Frame(decoder) => match decoder.into_decoded(&request)? {
                DecodedStream::Frame(frame) => *frame,
                DecodedStream::Opened(opened) => opened.load(&request)?,
            },
            Message::Msgpack(received) => match received.frame()? {
                Ok(frame) => frame,
                Err(bytes) => {
                    let options = ReadOptions { threads, ..ReadOptions::default() };
                    let opened = OpenedMsgpack::open_buffer(bytes, options, progress)?;
                    if opened.kind() == "bundle" {
                        let message = "expected one frame, found several by name. Receive them in Python, or send them one by one.";
                        return Err(Error::unsupported("message", message));
                    }
                    opened.load(&request)?.frame
                }
            },
            Message::Table(TableFormat::Csv, bytes) => {
                let schema = csv::SchemaOption::Header;
                let options = csv::ReadOptions { schema, threads, ..csv::ReadOptions::default() };
                csv::decode_with(&bytes, &options, progress)?.frame
            }
            Message::Table(TableFormat::Ndjson, bytes) => {
                let options = lines::ReadOptions { threads, ..lines::ReadOptions::default() };
                lines::decode_with(&bytes, &options, progress)?.frame
            }
        };
        Ok(Received::Frame(Box::new(frame)))
    }
}
