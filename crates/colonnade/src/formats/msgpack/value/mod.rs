//! A MessagePack value that comes in. It says nowhere how long it is, so its end is looked for while it comes; and what can be
//! decoded is decoded then, so that after the last byte little is left to do.

mod received_bytes;
mod way;

#[cfg(test)]
mod tests;

use crate::cells::msgpack::column::CellError;
use crate::cells::msgpack::options::ReadOptions;
use crate::cells::msgpack::skip::Skipper;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::msgpack::header;
use crate::formats::msgpack::read::own::{Broken, IncrementalColumns};
use crate::frame::Frame;
use crate::infer::schemaless::SchemalessDecoder;
use crate::limits::{Limits, StreamLimit};
use crate::memory::Buffer;

use received_bytes::ReceivedBytes;
use way::{Front, Told};

/// From so many bytes to come on it is worth receiving them in their place; fewer are copied there from what was taken
/// ahead, and none that belong to the next message come along.
const IN_PLACE_NBYTES: usize = 16 << 10;

/// What is received at once where it is decoded at once: the second look at it is in the cache still.
const PIECE_NBYTES: usize = 256 << 10;

/// A whole value.
#[derive(Debug)]
pub enum Received {
    /// As it came: nothing of it could be decoded before it was whole.
    Bytes(Buffer),
    /// A frame of our own.
    Own(Box<IncrementalColumns>),
    /// A frame of others.
    Foreign(Box<SchemalessDecoder>),
    /// No frame.
    Refused(Error),
}

impl Received {
    /// Which of a series it is, where a header says so.
    #[must_use]
    pub fn chunk(&self, limits: &Limits) -> Option<u64> {
        match self {
            Self::Own(columns) => columns.chunk(),
            Self::Bytes(bytes) => header::read(bytes.as_slice(), limits).ok()??.0.chunk,
            Self::Foreign(_) | Self::Refused(_) => None,
        }
    }

    /// The frame; its bytes where it was not decoded while it came.
    ///
    /// # Errors
    /// Malformed, over a limit, with place.
    pub fn frame(self) -> Result<std::result::Result<Frame, Buffer>> {
        match self {
            Self::Bytes(bytes) => Ok(Err(bytes)),
            Self::Own(columns) => columns.finish().map(Ok),
            Self::Foreign(frame) => frame.finish().map(Ok),
            Self::Refused(error) => Err(error),
        }
    }
}

/// A value as far as it has come.
#[derive(Debug)]
pub(crate) struct Value {
    /// All bytes where they are kept, else those that are not decoded yet.
    bytes: ReceivedBytes,
    /// Bytes of the value so far.
    seen: usize,
    way: Way,
    /// Bytes of others that are worth another look.
    enough: usize,
    /// The value does not say its length: one that never ends stops here.
    stream: StreamLimit,
    options: ReadOptions,
}

/// What is done with the bytes.
#[derive(Debug)]
enum Way {
    /// ReceivedBytes until it is clear what they are.
    Front(Front),
    /// ReceivedBytes to the end.
    Keep(Skipper),
    Own(Box<IncrementalColumns>),
    /// What finds the end, and what decodes until it cannot.
    Foreign(Skipper, std::result::Result<Box<SchemalessDecoder>, Error>),
    /// What is wrong; the rest is passed over.
    Refused(Skipper, Error),
}

/// Whether a message that begins with `marker` is a MessagePack map or array: anything else could be no frame. Not an
/// empty map: every pickle begins as one does.
pub(crate) fn is_value(marker: u8) -> bool {
    matches!(marker, 0x81..=0x9f | 0xdc..=0xdf)
}

impl Value {
    pub(crate) fn new(options: &ReadOptions) -> Result<Self> {
        let way = Way::Front(Front::new(options));
        let stream = StreamLimit::new(&options.limits);
        Ok(Self { bytes: ReceivedBytes::new()?, seen: 0, way, enough: 0, stream, options: *options })
    }

    /// Bytes that are not taken in yet.
    pub(crate) fn bytes(&mut self) -> &[u8] {
        self.bytes.get()
    }

    pub(crate) fn is_whole(&self) -> bool {
        match &self.way {
            Way::Front(_) => false,
            Way::Own(columns) => columns.is_whole(),
            Way::Keep(skipper) | Way::Foreign(skipper, _) | Way::Refused(skipper, _) => skipper.is_whole(),
        }
    }

    /// Bytes that are still to come at least.
    fn least(&self) -> u64 {
        match &self.way {
            Way::Front(front) => front.least(),
            Way::Own(columns) => (columns.end() as u64).saturating_sub(self.seen as u64),
            Way::Keep(skipper) | Way::Foreign(skipper, _) | Way::Refused(skipper, _) => skipper.least(),
        }
    }

    /// (had, needed): what has come, and what will have come at least.
    pub(crate) fn so_far(&self) -> (u64, u64) {
        let had = self.seen as u64;
        (had, had.saturating_add(self.least()))
    }

    /// The error of an input that ends here: `what` it ends inside, `base` bytes behind the start of all.
    pub(crate) fn cut_short(&self, what: &str, base: u64) -> Error {
        let (had, needed) = self.so_far();
        let (had, needed) = (base.saturating_add(had), base.saturating_add(needed));
        let message =
            format!("the input ends inside {what}: {had} bytes came, {needed} at least are needed.");
        let error = Error::new(ErrorKind::Truncated { needed, had }, "msgpack", message).at(had);
        match &self.way {
            Way::Own(columns) => error.in_member(columns.path()),
            _ => error,
        }
    }

    /// Whether [`Value::room`] lends any.
    pub(crate) fn has_room(&self) -> bool {
        self.least() >= IN_PLACE_NBYTES as u64 && !matches!(self.way, Way::Front(_))
    }

    /// Where bytes go that belong to this value for certain; none where they are few.
    ///
    /// # Errors
    /// The system's refusal of memory.
    pub(crate) fn room(&mut self) -> Result<Option<&mut [u8]>> {
        if !self.has_room() {
            return Ok(None);
        }
        let least = usize::try_from(self.least()).unwrap_or(usize::MAX);
        let piece = match &self.way {
            Way::Keep(_) => self.bytes.nbytes().max(IN_PLACE_NBYTES),
            // What waits is the front of one cell: the longer it is, the more of it should come before it is looked at again.
            _ => PIECE_NBYTES.max(self.bytes.nbytes()),
        };
        self.bytes.room(least.min(piece)).map(Some)
    }

    /// The first `count` bytes of the room were filled.
    ///
    /// # Errors
    /// What no value holds; a limit. Nobody knows where the next message begins then.
    pub(crate) fn advance(&mut self, count: usize) -> Result<()> {
        self.bytes.filled(count);
        self.seen += count;
        let start = self.seen - count;
        match &mut self.way {
            Way::Front(_) => {}
            Way::Keep(skipper) | Way::Refused(skipper, _) => {
                skipper.feed(self.bytes.last(count)).map_err(|e| placed(e, start))?;
            }
            Way::Foreign(skipper, _) => {
                skipper.feed(self.bytes.last(count)).map_err(|e| placed(e, start))?;
                self.decode()?;
            }
            Way::Own(_) => self.columns()?,
        }
        if matches!(self.way, Way::Refused(..)) {
            self.bytes.drop_front(self.bytes.nbytes());
        }
        self.check()
    }

    /// Takes what belongs to the value from the front of `bytes`; answers how much that is.
    ///
    /// # Errors
    /// As [`Value::advance`]; the system's refusal of memory.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<usize> {
        let mut at = 0;
        while at < bytes.len() && !self.is_whole() {
            let taken = self.some(bytes.get(at..).unwrap_or(&[]))?;
            at += taken;
            self.check()?;
        }
        Ok(at)
    }

    /// One step of [`Value::feed`].
    fn some(&mut self, bytes: &[u8]) -> Result<usize> {
        let start = self.seen;
        match &mut self.way {
            Way::Front(front) => {
                let taken = front.feed(bytes).map_err(|e| placed(e, start))?;
                self.bytes.push(bytes.get(..taken).unwrap_or(&[]))?;
                self.seen += taken;
                self.turn()?;
                Ok(taken)
            }
            Way::Keep(skipper) => {
                let taken = skipper.feed(bytes).map_err(|e| placed(e, start))?;
                self.bytes.push(bytes.get(..taken).unwrap_or(&[]))?;
                self.seen += taken;
                Ok(taken)
            }
            Way::Refused(skipper, _) => {
                let taken = skipper.feed(bytes).map_err(|e| placed(e, start))?;
                self.seen += taken;
                Ok(taken)
            }
            Way::Foreign(skipper, _) => {
                let taken = skipper.feed(bytes).map_err(|e| placed(e, start))?;
                self.bytes.push(bytes.get(..taken).unwrap_or(&[]))?;
                self.seen += taken;
                self.decode()?;
                Ok(taken)
            }
            Way::Own(columns) => {
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
                        let Broken { error, taken, rest } = *broken;
                        self.seen += taken;
                        self.way = Way::Refused(rest, error);
                        Ok(taken)
                    }
                }
            }
        }
    }

    /// The whole value.
    ///
    /// # Errors
    /// The system's refusal of memory.
    pub(crate) fn finish(self) -> Result<Received> {
        Ok(match self.way {
            Way::Front(_) | Way::Keep(_) => Received::Bytes(self.bytes.finish()?),
            Way::Own(columns) => Received::Own(columns),
            Way::Foreign(_, Ok(frame)) => Received::Foreign(frame),
            Way::Foreign(_, Err(error)) | Way::Refused(_, error) => Received::Refused(error),
        })
    }

    /// Goes over to what the front tells.
    fn turn(&mut self) -> Result<()> {
        let Way::Front(front) = &mut self.way else { return Ok(()) };
        let Some(told) = front.told(self.bytes.get(), &self.options) else { return Ok(()) };
        if let Told::Own = told {
            let front = std::mem::replace(&mut self.bytes, ReceivedBytes::new()?).finish()?;
            if let Some(columns) = IncrementalColumns::of(front.clone(), &self.options) {
                self.way = Way::Own(Box::new(columns));
                return self.check();
            }
            self.bytes.push(front.as_slice())?;
        }
        let mut skipper = Skipper::new(self.options.limits.max_depth);
        skipper.feed(self.bytes.get()).map_err(|e| placed(e, 0))?;
        self.way = match told {
            Told::Foreign => Way::Foreign(skipper, Ok(Box::new(SchemalessDecoder::new(&self.options)))),
            _ => Way::Keep(skipper),
        };
        self.decode()
    }

    /// Decodes what others wrote as far as it has come.
    fn decode(&mut self) -> Result<()> {
        let Way::Foreign(skipper, state) = &mut self.way else { return Ok(()) };
        let Ok(frame) = state else {
            self.bytes.drop_front(self.bytes.nbytes());
            return Ok(());
        };
        // What is left is the front of one cell, which is looked at again: not for every byte of it.
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
        // Whoever decodes and whoever looks for the end count the same cells.
        if skipper.is_whole()
            && let Ok(frame) = state
            && !frame.is_whole()
        {
            *state = Err(Error::malformed("msgpack", "expected a frame, found its end."));
        }
        Ok(())
    }

    /// Decodes our own columns as far as they have come.
    fn columns(&mut self) -> Result<()> {
        let Way::Own(columns) = &mut self.way else { return Ok(()) };
        match columns.take(self.bytes.get()) {
            Ok(taken) => {
                self.bytes.drop_front(taken);
                Ok(())
            }
            Err(broken) => {
                let Broken { error, taken, mut rest } = *broken;
                self.bytes.drop_front(taken);
                let here = self.bytes.nbytes();
                let passed = rest.feed(self.bytes.get()).map_err(|e| placed(e, self.seen - here))?;
                self.bytes.drop_front(here);
                if passed < here {
                    // The header said more than there is: what came behind the value was the next message's.
                    return Err(error);
                }
                self.way = Way::Refused(rest, error);
                Ok(())
            }
        }
    }

    fn check(&mut self) -> Result<()> {
        let (had, needed) = self.so_far();
        if !matches!(self.way, Way::Refused(..)) {
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

fn placed(error: CellError, base: usize) -> Error {
    error.placed("$", base as u64)
}
