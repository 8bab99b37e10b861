//! Decodes one MessagePack value while it arrives. A value does not contain its length, so the end is searched for while it
//! arrives. As much as possible is decoded at the same time, so that little work is left after the last byte.

mod detect;
mod received_bytes;

#[cfg(test)]
mod tests;

use crate::cells::msgpack::column::CellError;
use crate::cells::msgpack::options::ReadOptions;
use crate::cells::msgpack::skip::Skipper;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::msgpack::header;
use crate::formats::msgpack::read::with_header::{FrameFault, IncrementalColumns};
use crate::frame::Frame;
use crate::infer::schemaless::SchemalessDecoder;
use crate::limits::{Limits, StreamLimit};
use crate::memory::Buffer;

use detect::{ValueKind, ValueStart};
use received_bytes::ReceivedBytes;

/// From this number of expected bytes on they are received at their final position. Fewer bytes are copied there from those
/// read ahead. No bytes of the next message are received with them.
const IN_PLACE_NBYTES: usize = 16 << 10;

/// The size of a read if the bytes are decoded at once: they are still in the cache then.
const PIECE_NBYTES: usize = 256 << 10;

/// A complete value.
#[derive(Debug)]
pub enum Received {
    /// The unchanged bytes, of which nothing could be decoded before the value was complete.
    Bytes(Buffer),
    /// A frame with our header.
    WithHeader(Box<IncrementalColumns>),
    /// A frame without a header.
    WithoutHeader(Box<SchemalessDecoder>),
    /// Not a frame.
    Refused(Error),
}

impl Received {
    /// Its number in a series, if a header declares it.
    #[must_use]
    pub fn chunk(&self, limits: &Limits) -> Option<u64> {
        match self {
            Self::WithHeader(columns) => columns.chunk(),
            Self::Bytes(bytes) => header::read(bytes.as_slice(), limits).ok()??.0.chunk,
            Self::WithoutHeader(_) | Self::Refused(_) => None,
        }
    }

    /// Returns the frame, or the bytes if they were not decoded while they arrived.
    ///
    /// # Errors
    /// Malformed, over a limit, with the position.
    pub fn frame(self) -> Result<std::result::Result<Frame, Buffer>> {
        match self {
            Self::Bytes(bytes) => Ok(Err(bytes)),
            Self::WithHeader(columns) => columns.finish().map(Ok),
            Self::WithoutHeader(frame) => frame.finish().map(Ok),
            Self::Refused(error) => Err(error),
        }
    }
}

/// A value whose bytes are arriving.
#[derive(Debug)]
pub(crate) struct ValueDecoder {
    /// All bytes if they are kept, else the bytes that are not decoded yet.
    bytes: ReceivedBytes,
    /// The number of received bytes of the value.
    seen: usize,
    state: ValueState,
    /// The number of undecoded bytes from which decoding a value without a header is tried again.
    enough: usize,
    /// The limit for a value that never ends, because it does not declare its length.
    stream: StreamLimit,
    options: ReadOptions,
}

/// The handling of the bytes.
#[derive(Debug)]
enum ValueState {
    /// Collects bytes until their kind is detected.
    Front(ValueStart),
    /// Collects bytes to the end of the value.
    Keep(Skipper),
    WithHeader(Box<IncrementalColumns>),
    /// Searches for the end, and decodes until an error.
    WithoutHeader(Skipper, std::result::Result<Box<SchemalessDecoder>, Error>),
    /// Skips the rest after an error.
    Refused(Skipper, Error),
}

/// Whether a message that begins with `marker` is a MessagePack map or array, since no other value is a frame. An empty map
/// does not count, because every pickle begins like one.
pub(crate) fn is_value(marker: u8) -> bool {
    matches!(marker, 0x81..=0x9f | 0xdc..=0xdf)
}

impl ValueDecoder {
    pub(crate) fn new(options: &ReadOptions) -> Result<Self> {
        let state = ValueState::Front(ValueStart::new(options));
        let stream = StreamLimit::new(&options.limits);
        Ok(Self { bytes: ReceivedBytes::new()?, seen: 0, state, enough: 0, stream, options: *options })
    }

    /// The bytes that are not decoded yet.
    pub(crate) fn bytes(&mut self) -> &[u8] {
        self.bytes.get()
    }

    pub(crate) fn is_whole(&self) -> bool {
        match &self.state {
            ValueState::Front(_) => false,
            ValueState::WithHeader(columns) => columns.is_whole(),
            ValueState::Keep(skipper)
            | ValueState::WithoutHeader(skipper, _)
            | ValueState::Refused(skipper, _) => skipper.is_whole(),
        }
    }

    /// The number of missing bytes, at least.
    fn least(&self) -> u64 {
        match &self.state {
            ValueState::Front(front) => front.least(),
            ValueState::WithHeader(columns) => (columns.end() as u64).saturating_sub(self.seen as u64),
            ValueState::Keep(skipper)
            | ValueState::WithoutHeader(skipper, _)
            | ValueState::Refused(skipper, _) => skipper.least(),
        }
    }

    /// Returns the number of received bytes, and the number that the value has at least.
    pub(crate) fn so_far(&self) -> (u64, u64) {
        let had = self.seen as u64;
        (had, had.saturating_add(self.least()))
    }

    /// The error of an input that ends here: inside `what`, at `base` bytes after the start of the input.
    pub(crate) fn cut_short(&self, what: &str, base: u64) -> Error {
        let (had, needed) = self.so_far();
        let (had, needed) = (base.saturating_add(had), base.saturating_add(needed));
        let message = format!("the input ends inside {what}: found {had} bytes, expected at least {needed}.");
        let error = Error::new(ErrorKind::Truncated { needed, had }, "msgpack", message).at(had);
        match &self.state {
            ValueState::WithHeader(columns) => error.in_member(columns.path()),
            _ => error,
        }
    }

    /// Whether [`ValueDecoder::room`] returns memory.
    pub(crate) fn has_room(&self) -> bool {
        self.least() >= IN_PLACE_NBYTES as u64 && !matches!(self.state, ValueState::Front(_))
    }

    /// Returns memory for bytes that certainly belong to this value; `None` if they are few.
    ///
    /// # Errors
    /// Errors of the operating system: no memory.
    pub(crate) fn room(&mut self) -> Result<Option<&mut [u8]>> {
        if !self.has_room() {
            return Ok(None);
        }
        let least = usize::try_from(self.least()).unwrap_or(usize::MAX);
        let piece = match &self.state {
            ValueState::Keep(_) => self.bytes.nbytes().max(IN_PLACE_NBYTES),
            // The undecoded bytes are the start of one cell: the longer it is, the more bytes are read before the next
            // attempt.
            _ => PIECE_NBYTES.max(self.bytes.nbytes()),
        };
        self.bytes.room(least.min(piece)).map(Some)
    }

    /// Records that the first `count` bytes of that memory are filled.
    ///
    /// # Errors
    /// Bytes that no value has; a limit. The start of the next message is unknown then.
    pub(crate) fn advance(&mut self, count: usize) -> Result<()> {
        self.bytes.filled(count);
        self.seen += count;
        let start = self.seen - count;
        match &mut self.state {
            ValueState::Front(_) => {}
            ValueState::Keep(skipper) | ValueState::Refused(skipper, _) => {
                skipper.feed(self.bytes.last(count)).map_err(|e| with_offset(e, start))?;
            }
            ValueState::WithoutHeader(skipper, _) => {
                skipper.feed(self.bytes.last(count)).map_err(|e| with_offset(e, start))?;
                self.decode()?;
            }
            ValueState::WithHeader(_) => self.columns()?,
        }
        if matches!(self.state, ValueState::Refused(..)) {
            self.bytes.drop_front(self.bytes.nbytes());
        }
        self.check()
    }

    /// Takes the bytes of the value from the front of `bytes`, and returns their number.
    ///
    /// # Errors
    /// As [`ValueDecoder::advance`]; errors of the operating system: no memory.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<usize> {
        let mut at = 0;
        while at < bytes.len() && !self.is_whole() {
            let taken = self.some(bytes.get(at..).unwrap_or(&[]))?;
            at += taken;
            self.check()?;
        }
        Ok(at)
    }

    /// Performs one step of [`ValueDecoder::feed`].
    fn some(&mut self, bytes: &[u8]) -> Result<usize> {
        let start = self.seen;
        match &mut self.state {
            ValueState::Front(front) => {
                let taken = front.feed(bytes).map_err(|e| with_offset(e, start))?;
                self.bytes.push(bytes.get(..taken).unwrap_or(&[]))?;
                self.seen += taken;
                self.turn()?;
                Ok(taken)
            }
            ValueState::Keep(skipper) => {
                let taken = skipper.feed(bytes).map_err(|e| with_offset(e, start))?;
                self.bytes.push(bytes.get(..taken).unwrap_or(&[]))?;
                self.seen += taken;
                Ok(taken)
            }
            ValueState::Refused(skipper, _) => {
                let taken = skipper.feed(bytes).map_err(|e| with_offset(e, start))?;
                self.seen += taken;
                Ok(taken)
            }
            ValueState::WithoutHeader(skipper, _) => {
                let taken = skipper.feed(bytes).map_err(|e| with_offset(e, start))?;
                self.bytes.push(bytes.get(..taken).unwrap_or(&[]))?;
                self.seen += taken;
                self.decode()?;
                Ok(taken)
            }
            ValueState::WithHeader(columns) => {
                let left = columns.end().saturating_sub(self.seen);
                let here = bytes.get(..left.min(bytes.len()).min(PIECE_NBYTES)).unwrap_or(&[]);
                if self.bytes.nbytes() > 0 {
                    self.bytes.push(here)?;
                    self.seen += here.len();
                    self.columns()?;
                    return Ok(here.len());
                }
                match columns.take(here) {
                    Ok(taken) => {
                        self.bytes.push(here.get(taken..).unwrap_or(&[]))?;
                        self.seen += here.len();
                        Ok(here.len())
                    }
                    Err(broken) => {
                        let FrameFault { error, taken, rest } = *broken;
                        self.seen += taken;
                        self.state = ValueState::Refused(rest, error);
                        Ok(taken)
                    }
                }
            }
        }
    }

    /// Returns the complete value.
    ///
    /// # Errors
    /// Errors of the operating system: no memory.
    pub(crate) fn finish(self) -> Result<Received> {
        Ok(match self.state {
            ValueState::Front(_) | ValueState::Keep(_) => Received::Bytes(self.bytes.finish()?),
            ValueState::WithHeader(columns) => Received::WithHeader(columns),
            ValueState::WithoutHeader(_, Ok(frame)) => Received::WithoutHeader(frame),
            ValueState::WithoutHeader(_, Err(error)) | ValueState::Refused(_, error) => {
                Received::Refused(error)
            }
        })
    }

    /// Switches to the detected kind.
    fn turn(&mut self) -> Result<()> {
        let ValueState::Front(front) = &mut self.state else { return Ok(()) };
        let Some(kind) = front.detect(self.bytes.get(), &self.options) else { return Ok(()) };
        if let ValueKind::WithHeader = kind {
            let front = std::mem::replace(&mut self.bytes, ReceivedBytes::new()?).finish()?;
            if let Some(columns) = IncrementalColumns::of(front.clone(), &self.options) {
                self.state = ValueState::WithHeader(Box::new(columns));
                return self.check();
            }
            self.bytes.push(front.as_slice())?;
        }
        let mut skipper = Skipper::new(self.options.limits.max_depth);
        skipper.feed(self.bytes.get()).map_err(|e| with_offset(e, 0))?;
        self.state = match kind {
            ValueKind::WithoutHeader => {
                ValueState::WithoutHeader(skipper, Ok(Box::new(SchemalessDecoder::new(&self.options))))
            }
            _ => ValueState::Keep(skipper),
        };
        self.decode()
    }

    /// Decodes the received part of a value without a header.
    fn decode(&mut self) -> Result<()> {
        let ValueState::WithoutHeader(skipper, state) = &mut self.state else { return Ok(()) };
        let Ok(frame) = state else {
            self.bytes.drop_front(self.bytes.nbytes());
            return Ok(());
        };
        // The undecoded bytes are the start of one cell. Trying again for every byte would be slow.
        if self.bytes.nbytes() < self.enough && !skipper.is_whole() {
            return Ok(());
        }
        match frame.feed(self.bytes.get()) {
            Ok(taken) => {
                self.bytes.drop_front(taken);
                self.enough = 2 * self.bytes.nbytes();
            }
            Err(error) => *state = Err(error),
        }
        // The decoder and the search for the end count the same cells.
        if skipper.is_whole()
            && let Ok(frame) = state
            && !frame.is_whole()
        {
            *state = Err(Error::malformed("msgpack", "expected a frame, found its end."));
        }
        Ok(())
    }

    /// Decodes the received part of the columns after our header.
    fn columns(&mut self) -> Result<()> {
        let ValueState::WithHeader(columns) = &mut self.state else { return Ok(()) };
        match columns.take(self.bytes.get()) {
            Ok(taken) => {
                self.bytes.drop_front(taken);
                Ok(())
            }
            Err(broken) => {
                let FrameFault { error, taken, mut rest } = *broken;
                self.bytes.drop_front(taken);
                let here = self.bytes.nbytes();
                let passed = rest.feed(self.bytes.get()).map_err(|e| with_offset(e, self.seen - here))?;
                self.bytes.drop_front(here);
                if passed < here {
                    // The header declared more bytes than the value has: the bytes after the value were those of the next
                    // message.
                    return Err(error);
                }
                self.state = ValueState::Refused(rest, error);
                Ok(())
            }
        }
    }

    fn check(&mut self) -> Result<()> {
        let (had, needed) = self.so_far();
        if !matches!(self.state, ValueState::Refused(..)) {
            self.stream.check("message", had)?;
        }
        let limit = self.options.limits.max_nbytes;
        if needed <= limit {
            return Ok(());
        }
        let message = format!(
            "a message of {needed} bytes at least, over the limit of {limit}. Raise max_nbytes to receive it."
        );
        Err(Error::limit("message", message))
    }
}

fn with_offset(error: CellError, base: usize) -> Error {
    error.placed("$", base as u64)
}
