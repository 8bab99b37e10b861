//! The state of a stream that arrives.

mod begin;
mod finish;
mod rooms;
mod schemas;

pub use schemas::Schemas;

use std::sync::Arc;

use schemas::Known;

use crate::arrow::ipc::catalog::Catalog;
use crate::arrow::ipc::message::{BatchHeader, CONTINUATION, Prefix, check_header_nbytes, prefix};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::arrow::read::open::Ipc;
use crate::frame::Frame;
use crate::limits::Limits;

use super::body::{Dest, Patch, Segment, Whole};
use super::direct::Blocks;
use super::kept::Kept;

/// What arrived.
#[derive(Debug)]
pub enum Arrived {
    /// A frame in its final memory.
    Landed(Box<Frame>),
    /// A stream of unknown length, kept as it came.
    Opened(Box<Ipc>),
}

#[derive(Debug)]
enum State {
    Prefix,
    Header,
    Segments { at: usize, done: usize },
    Whole(Box<(Whole, BatchHeader)>),
    Done,
}

/// A stream whose rows have blocks waiting for them.
#[derive(Debug)]
struct Expected {
    blocks: Blocks,
    catalog: Catalog,
}

/// One stream that arrives.
#[derive(Debug)]
pub struct Arrival {
    limits: Limits,
    state: State,
    /// Prefix or header, as far as it has come.
    small: Vec<u8>,
    filled: usize,
    wanted: usize,
    segments: Vec<Segment>,
    patches: Vec<Patch>,
    known: Option<Arc<Known>>,
    /// What the schema's header says, where the same one came before.
    remembered: Option<Arc<Known>>,
    expected: Option<Box<Expected>>,
    kept: Kept,
    nowhere: Vec<u8>,
    received: u64,
    nbatches: usize,
    nrows: usize,
}

impl Arrival {
    /// At the front of a stream.
    ///
    /// # Errors
    /// The system's refusal of memory.
    pub fn new(limits: Limits) -> Result<Self> {
        Ok(Self {
            limits,
            state: State::Prefix,
            small: Vec::new(),
            filled: 0,
            wanted: 8,
            segments: Vec::new(),
            patches: Vec::new(),
            known: None,
            remembered: None,
            expected: None,
            kept: Kept::new(&limits)?,
            nowhere: Vec::new(),
            received: 0,
            nbatches: 0,
            nrows: 0,
        })
    }

    /// Whether the end mark has come.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// Bytes received so far.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Says that the first `count` bytes of the rooms were filled.
    ///
    /// # Errors
    /// Malformed messages; a limit.
    pub fn filled(&mut self, mut count: usize) -> Result<()> {
        self.received += count as u64;
        let at = self.received;
        let work = match &mut self.state {
            State::Done => Ok(()),
            State::Prefix | State::Header => {
                self.filled += count;
                if self.filled < self.wanted {
                    return Ok(());
                }
                if matches!(self.state, State::Prefix) { self.prefix() } else { self.header() }
            }
            State::Whole(whole) => {
                whole.0.filled += count;
                if whole.0.filled < whole.0.wanted {
                    return Ok(());
                }
                self.settle()
            }
            State::Segments { at, done } => {
                while let Some(segment) = self.segments.get(*at) {
                    let taken = count.min(segment.nbytes - *done);
                    count -= taken;
                    *done += taken;
                    if segment.dest == Dest::Kept {
                        self.kept.filled_to(segment.at + *done);
                    }
                    if *done < segment.nbytes {
                        return Ok(());
                    }
                    (*at, *done) = (*at + 1, 0);
                }
                self.patch();
                self.next();
                Ok(())
            }
        };
        work.map_err(|e| e.at(at))
    }

    /// The error of a stream that ends here.
    #[must_use]
    pub fn cut_short(&self) -> Error {
        let (had, needed) =
            (self.received, self.received + self.wanted.saturating_sub(self.filled).max(1) as u64);
        let message = format!(
            "the input ends inside a message: {had} bytes of it came, {needed} at least are needed; {} batches with {} rows are among them. Read it batch by batch to have those.",
            self.nbatches, self.nrows
        );
        Error::new(ErrorKind::Truncated { needed, had }, "arrow", message)
    }

    fn next(&mut self) {
        self.segments.clear();
        self.patches.clear();
        (self.state, self.filled, self.wanted) = (State::Prefix, 0, 8);
    }

    fn prefix(&mut self) -> Result<()> {
        let bytes = self.small.get(..8).unwrap_or(&[]);
        if !bytes.starts_with(&CONTINUATION.to_le_bytes()) {
            let message = format!("expected a message of an Arrow stream, found the bytes {bytes:02x?}.");
            return Err(Error::malformed("arrow", message));
        }
        match prefix(bytes)? {
            Prefix::Message { nbytes, .. } => {
                check_header_nbytes(nbytes, &self.limits)?;
                (self.state, self.filled, self.wanted) = (State::Header, 0, nbytes);
                // Kept as it comes, until the schema says otherwise.
                if self.expected.is_none() {
                    let bytes: [u8; 8] = bytes.try_into().unwrap_or_default();
                    self.keep(&bytes)?;
                }
            }
            _ => {
                if self.expected.is_none() {
                    let bytes: [u8; 8] = bytes.try_into().unwrap_or_default();
                    self.keep(&bytes)?;
                }
                self.state = State::Done;
                if self.known.is_none() {
                    return Err(Error::malformed("arrow", "expected a schema, found the end mark."));
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<()> {
        let at = self.kept.len();
        self.kept.put(at, bytes)
    }

    fn header(&mut self) -> Result<()> {
        let nbytes = self.wanted;
        let mut head = std::mem::take(&mut self.small);
        head.truncate(nbytes);
        let made = self.begin(&mut head);
        self.small = head;
        made
    }

    /// Takes up the schema, where its header has just come; see [`Schemas`].
    ///
    /// # Errors
    /// As [`Arrival::filled`].
    pub fn advance(&mut self, count: usize, schemas: &mut Schemas) -> Result<()> {
        if self.known.is_none() && matches!(self.state, State::Header) && self.filled + count == self.wanted {
            self.remembered = schemas.find(self.small.get(..self.wanted).unwrap_or(&[]));
        }
        self.filled(count)?;
        if self.known.is_none() && matches!(self.state, State::Prefix) && self.kept.len() > 8 {
            self.learn(schemas)?;
        }
        Ok(())
    }
}
