//! Decodes the messages of a connection while their bytes arrive.

use super::envelope::{ENVELOPE_NBYTES, Envelope, is_envelope, parse};
use super::outcome::{IoBuffer, Message, MessageStep, NewIoBuffer, PendingMessage};
use super::table::{IncomingTable, is_table};
use crate::cells::msgpack::options::ReadOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::arrow::read::{IncrementalDecoder, Schemas, StreamEvent};
use crate::formats::msgpack::value::{ValueDecoder, is_value};
use crate::limits::Limits;
use std::io::IoSliceMut;

/// The first byte distinguishes MessagePack and text from other messages; such a message may be only this long.
const MARKER_NBYTES: usize = 1;

/// The bytes that identify all other messages; the prefix of an Arrow frame has as many.
const START_NBYTES: usize = 8;

#[derive(Debug)]
enum IncomingState {
    Start {
        bytes: [u8; ENVELOPE_NBYTES],
        filled: usize,
        needed: usize,
    },
    Frame(Box<IncrementalDecoder>),
    Value(Box<ValueDecoder>),
    Table(Box<IncomingTable>),
    Bytes {
        buffer: Box<dyn IoBuffer>,
        filled: usize,
        nbytes: usize,
    },
    /// A complete message that the caller has not taken yet.
    Whole(Box<Message>),
}

const START: IncomingState =
    IncomingState::Start { bytes: [0; ENVELOPE_NBYTES], filled: 0, needed: MARKER_NBYTES };

/// The decoder of incoming messages, one after the other.
#[derive(Debug)]
pub struct Incoming {
    limits: Limits,
    new_buffer: NewIoBuffer,
    schemas: Schemas,
    state: IncomingState,
    by_batch: bool,
    count: u64,
}

impl Incoming {
    /// Starts before the first message.
    #[must_use]
    pub fn new(limits: Limits, new_buffer: NewIoBuffer) -> Self {
        Self { limits, new_buffer, schemas: Schemas::default(), state: START, by_batch: false, count: 0 }
    }

    /// The number of complete messages so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether a message is complete, or is being read batch by batch and is not at its end.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        matches!(self.state, IncomingState::Whole(_))
    }

    /// Whether no byte of the next message has arrived.
    #[must_use]
    pub fn is_between(&self) -> bool {
        matches!(self.state, IncomingState::Start { filled: 0, .. })
    }

    /// The kind of the message that has begun.
    #[must_use]
    pub fn waiting(&self) -> PendingMessage {
        match &self.state {
            IncomingState::Start { bytes, filled, .. } => match bytes.get(..*filled) {
                Some(start) if start.len() >= 3 && is_envelope(start) => PendingMessage::Bytes,
                Some([marker, ..]) if is_value(*marker) || is_table(*marker).is_some() => {
                    PendingMessage::Frame
                }
                Some(start) if start.len() >= 4 && start.starts_with(&[0xFF; 4]) => PendingMessage::Frame,
                _ => PendingMessage::Nothing,
            },
            IncomingState::Frame(_) | IncomingState::Value(_) | IncomingState::Table(_) => {
                PendingMessage::Frame
            }
            IncomingState::Bytes { .. } => PendingMessage::Bytes,
            IncomingState::Whole(message) => match **message {
                Message::Frame(_) | Message::Msgpack(_) | Message::Table(..) => PendingMessage::Frame,
                Message::Bytes(_) => PendingMessage::Bytes,
            },
        }
    }

    /// Sets whether the next frame is returned batch by batch. Returns false if it has already begun and will be returned
    /// whole.
    pub fn by_batch(&mut self, enabled: bool) -> bool {
        self.by_batch = enabled && matches!(self.state, IncomingState::Start { .. });
        self.by_batch || self.decoder().is_some()
    }

    /// The decoder of a frame that is read batch by batch.
    #[must_use]
    pub fn decoder(&self) -> Option<&IncrementalDecoder> {
        let IncomingState::Frame(decoder) = &self.state else { return None };
        decoder.gives_batches().then_some(decoder)
    }

    /// Takes the complete message.
    pub fn take(&mut self) -> Option<Message> {
        match std::mem::replace(&mut self.state, START) {
            IncomingState::Whole(message) => {
                self.count += 1;
                Some(*message)
            }
            other => {
                self.state = other;
                None
            }
        }
    }

    /// Returns the buffers for the next bytes, in order. Returns none while a complete message waits, and if the message's
    /// remaining length is unknown; then the caller passes the bytes to [`Incoming::feed`]. Buffers for `enough` bytes
    /// suffice.
    ///
    /// # Errors
    /// A limit; errors of the operating system, for example without memory.
    pub fn io_buffers(&mut self, enough: usize) -> Result<Vec<IoSliceMut<'_>>> {
        let one = |place| Ok(vec![IoSliceMut::new(place)]);
        match &mut self.state {
            IncomingState::Start { bytes, filled, needed } => {
                one(bytes.get_mut(*filled..*needed).unwrap_or(&mut []))
            }
            IncomingState::Frame(decoder) => decoder.io_buffers(enough),
            IncomingState::Value(value) => Ok(value.room()?.map(IoSliceMut::new).into_iter().collect()),
            IncomingState::Bytes { buffer, filled, nbytes } => {
                one(buffer.as_mut_slice().get_mut(*filled..*nbytes).unwrap_or(&mut []))
            }
            IncomingState::Table(_) | IncomingState::Whole(_) => Ok(Vec::new()),
        }
    }

    /// Reports that the first `count` bytes of the buffers are filled.
    ///
    /// # Errors
    /// Malformed messages; a limit. The connection cannot be decoded any further.
    pub fn filled(&mut self, count: usize) -> Result<MessageStep> {
        match &mut self.state {
            IncomingState::Start { filled, needed, .. } => {
                *filled += count;
                if filled < needed { Ok(MessageStep::Need) } else { self.begin() }
            }
            IncomingState::Frame(decoder) => Ok(match decoder.filled(count)? {
                StreamEvent::Need => MessageStep::Need,
                StreamEvent::Schema => MessageStep::Schema,
                StreamEvent::Batch(frame) => MessageStep::Batch(frame),
                StreamEvent::End => self.frame_is_whole(),
            }),
            IncomingState::Value(value) => {
                value.advance(count)?;
                self.value_is_whole()
            }
            IncomingState::Bytes { filled, nbytes, .. } => {
                *filled += count;
                Ok(if filled < nbytes { MessageStep::Need } else { self.bytes_are_whole() })
            }
            // The bytes of a table arrive through `feed`.
            IncomingState::Table(_) => Ok(MessageStep::Need),
            IncomingState::Whole(_) => Ok(MessageStep::Whole),
        }
    }

    /// Takes bytes from the front of `bytes` until a step is complete. Returns the number of bytes taken, and the step.
    ///
    /// # Errors
    /// As [`Incoming::filled`].
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(usize, MessageStep)> {
        let mut at = 0;
        while at < bytes.len() && !self.is_whole() {
            if let IncomingState::Value(value) = &mut self.state {
                at += value.feed(bytes.get(at..).unwrap_or(&[]))?;
                match self.value_is_whole()? {
                    MessageStep::Need => continue,
                    step => return Ok((at, step)),
                }
            }
            if let IncomingState::Table(table) = &mut self.state {
                at += table.feed(bytes.get(at..).unwrap_or(&[]))?;
                match self.table_is_whole() {
                    MessageStep::Need => continue,
                    step => return Ok((at, step)),
                }
            }
            let mut count = 0;
            for place in &mut self.io_buffers(bytes.len() - at)? {
                let rest = bytes.get(at + count..).unwrap_or(&[]);
                let n = place.len().min(rest.len());
                if let (Some(to), Some(from)) = (place.get_mut(..n), rest.get(..n)) {
                    to.copy_from_slice(from);
                }
                count += n;
                if n < place.len() {
                    break;
                }
            }
            at += count;
            match self.filled(count)? {
                MessageStep::Need => {}
                step => return Ok((at, step)),
            }
        }
        Ok((at, if self.is_whole() { MessageStep::Whole } else { MessageStep::Need }))
    }

    /// Handles the end of input, which is valid only between two messages.
    ///
    /// # Errors
    /// Truncated, with the number of bytes received of the message.
    pub fn end(&self) -> Result<()> {
        match &self.state {
            IncomingState::Start { filled: 0, .. } | IncomingState::Whole(_) => Ok(()),
            IncomingState::Start { filled, needed, .. } => Err(cut_short(*filled as u64, *needed as u64)),
            IncomingState::Frame(decoder) => decoder.finish(),
            IncomingState::Value(value) => Err(value.cut_short("a message", 0)),
            IncomingState::Table(table) => {
                let (had, needed) = table.so_far();
                Err(cut_short(had, needed))
            }
            IncomingState::Bytes { filled, nbytes, .. } => {
                let head = ENVELOPE_NBYTES as u64;
                Err(cut_short(head + *filled as u64, head + *nbytes as u64))
            }
        }
    }

    /// The received bytes of an incomplete piece.
    #[must_use]
    pub fn partial(&mut self) -> Vec<u8> {
        match &mut self.state {
            IncomingState::Start { bytes, filled, .. } => bytes.get(..*filled).unwrap_or(&[]).to_vec(),
            IncomingState::Frame(decoder) => decoder.partial(),
            IncomingState::Value(value) => value.bytes().to_vec(),
            IncomingState::Table(table) => table.bytes().to_vec(),
            IncomingState::Bytes { buffer, filled, .. } => {
                buffer.as_mut_slice().get(..*filled).unwrap_or(&[]).to_vec()
            }
            IncomingState::Whole(_) => Vec::new(),
        }
    }

    fn begin(&mut self) -> Result<MessageStep> {
        let IncomingState::Start { bytes, needed, .. } = &mut self.state else {
            return Ok(MessageStep::Need);
        };
        if *needed == MARKER_NBYTES {
            let [marker, ..] = *bytes;
            if let Some(format) = is_table(marker) {
                self.by_batch = false;
                self.state = IncomingState::Table(Box::new(IncomingTable::new(format, self.limits)));
                return self.feed(&[marker]).map(|(_, step)| step);
            }
            if !is_value(marker) {
                *needed = START_NBYTES;
                return Ok(MessageStep::Need);
            }
            self.by_batch = false;
            let options = ReadOptions { limits: self.limits, threads: 1, ..ReadOptions::default() };
            self.state = IncomingState::Value(Box::new(ValueDecoder::new(&options)?));
            return self.feed(&[marker]).map(|(_, step)| step);
        }
        if is_envelope(bytes) {
            if *needed < ENVELOPE_NBYTES {
                *needed = ENVELOPE_NBYTES;
                return Ok(MessageStep::Need);
            }
            let Envelope::Bytes(claimed) = parse(bytes)?;
            let nbytes = usize::try_from(claimed).ok().filter(|&n| n as u64 <= self.limits.max_nbytes);
            let nbytes = nbytes.ok_or_else(|| {
                let limit = self.limits.max_nbytes;
                let message = format!(
                    "a message of {claimed} bytes, over the limit of {limit}. Raise max_nbytes to receive it."
                );
                Error::limit("message", message)
            })?;
            self.state = IncomingState::Bytes { buffer: (self.new_buffer)(nbytes)?, filled: 0, nbytes };
            return Ok(if nbytes == 0 { self.bytes_are_whole() } else { MessageStep::Need });
        }
        let start = *bytes;
        let start = start.get(..START_NBYTES).unwrap_or(&[]);
        if !start.starts_with(&[0xFF; 4]) {
            let message = format!(
                "expected a frame (FF FF FF FF: an Arrow stream; 81 to 9F or DC to DF: MessagePack; '#' or '{{': text) or an envelope (C1 'C' 'N'), found the bytes {start:02x?}."
            );
            return Err(Error::malformed("message", message));
        }
        let decoder = if std::mem::take(&mut self.by_batch) {
            IncrementalDecoder::batches(self.limits)
        } else {
            IncrementalDecoder::frame(self.limits, std::mem::take(&mut self.schemas))?
        };
        self.state = IncomingState::Frame(Box::new(decoder));
        self.feed(start).map(|(_, step)| step)
    }

    fn frame_is_whole(&mut self) -> MessageStep {
        let IncomingState::Frame(mut decoder) = std::mem::replace(&mut self.state, START) else {
            return MessageStep::Need;
        };
        if decoder.gives_batches() {
            self.count += 1;
            return MessageStep::End;
        }
        self.schemas = decoder.schemas();
        self.state = IncomingState::Whole(Box::new(Message::Frame(decoder)));
        MessageStep::Whole
    }

    fn value_is_whole(&mut self) -> Result<MessageStep> {
        match std::mem::replace(&mut self.state, START) {
            IncomingState::Value(value) if value.is_whole() => {
                self.state = IncomingState::Whole(Box::new(Message::Msgpack(Box::new(value.finish()?))));
                Ok(MessageStep::Whole)
            }
            other => {
                self.state = other;
                Ok(MessageStep::Need)
            }
        }
    }

    fn table_is_whole(&mut self) -> MessageStep {
        match std::mem::replace(&mut self.state, START) {
            IncomingState::Table(table) if table.is_whole() => {
                let (format, bytes) = table.finish();
                self.state = IncomingState::Whole(Box::new(Message::Table(format, bytes)));
                MessageStep::Whole
            }
            other => {
                self.state = other;
                MessageStep::Need
            }
        }
    }

    fn bytes_are_whole(&mut self) -> MessageStep {
        if let IncomingState::Bytes { buffer, .. } = std::mem::replace(&mut self.state, START) {
            self.state = IncomingState::Whole(Box::new(Message::Bytes(buffer)));
        }
        MessageStep::Whole
    }
}

fn cut_short(had: u64, needed: u64) -> Error {
    let message = format!("the input ends inside a message: found {had} bytes, expected at least {needed}.");
    Error::new(ErrorKind::Truncated { needed, had }, "message", message)
}
