//! The one decoder of streams: its state, and what its messages become.

use crate::arrow::import::Plan;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::limits::Limits;

use super::batches::{self, Batches};
use super::body::Segment;
use super::frame::WholeFrame;
use super::schemas::Schemas;
use super::stream_bytes::StreamBytes;
use super::whole_body::WholeBody;

#[derive(Debug)]
pub(super) enum State {
    Prefix,
    Header,
    /// The body is received into the segments: so many are filled, and so many bytes of the next one.
    Segments {
        at: usize,
        done: usize,
    },
    /// The body is received whole, behind its header.
    Whole(Box<WholeBody>),
    Done,
}

/// What the messages become.
#[derive(Debug)]
pub(super) enum Target {
    /// A frame each.
    Batches(Box<Batches>),
    /// One frame.
    Frame(Box<WholeFrame>),
    /// The bytes of the stream, as they come.
    Bytes(StreamBytes),
}

/// Decodes one stream while its bytes come, without I/O: it lends the memory that the next bytes belong into.
#[derive(Debug)]
pub struct IncrementalDecoder {
    pub(super) limits: Limits,
    pub(super) state: State,
    /// Prefix or header, as far as it has come.
    pub(super) small: Vec<u8>,
    pub(super) filled: usize,
    pub(super) wanted: usize,
    pub(super) segments: Vec<Segment>,
    /// Receives padding.
    pub(super) padding: Vec<u8>,
    pub(super) target: Target,
    pub(super) received: u64,
    /// Where the piece (prefix, header, or header with body) begins that is received now.
    pub(super) piece_at: u64,
    /// Prefixes have eight bytes; before Arrow 0.15 they had four, and no byte behind the end mark may be asked for.
    pub(super) is_modern: bool,
}

impl IncrementalDecoder {
    /// Gives each record batch as it comes.
    #[must_use]
    pub fn batches(limits: Limits) -> Self {
        Self::new(limits, Target::Batches(Box::default()))
    }

    /// Makes one frame of all record batches. `schemas` are those of earlier streams.
    ///
    /// # Errors
    /// The system's refusal of memory.
    pub fn frame(limits: Limits, schemas: Schemas) -> Result<Self> {
        Ok(Self::new(limits, Target::Frame(Box::new(WholeFrame::new(&limits, schemas)?))))
    }

    /// Keeps the bytes of the stream, for a caller that opens them afterwards.
    ///
    /// # Errors
    /// The system's refusal of memory.
    pub(in crate::formats::arrow) fn bytes(limits: Limits) -> Result<Self> {
        Ok(Self::new(limits, Target::Bytes(StreamBytes::new(&limits)?)))
    }

    fn new(limits: Limits, target: Target) -> Self {
        Self {
            limits,
            state: State::Prefix,
            small: Vec::new(),
            filled: 0,
            wanted: 4,
            segments: Vec::new(),
            padding: Vec::new(),
            target,
            received: 0,
            piece_at: 0,
            is_modern: false,
        }
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

    /// Whether each batch is given as it comes.
    #[must_use]
    pub fn gives_batches(&self) -> bool {
        matches!(self.target, Target::Batches(_))
    }

    /// Whether the bytes are only kept.
    pub(super) fn keeps_bytes(&self) -> bool {
        matches!(self.target, Target::Bytes(_))
    }

    /// How its fields become a frame, once the schema is known.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        match &self.target {
            Target::Batches(batches) => batches.plan(),
            Target::Frame(frame) => frame.plan(),
            Target::Bytes(_) => None,
        }
    }

    /// Rows of all batches together, where the writer said it.
    #[must_use]
    pub fn announced(&self) -> Option<u64> {
        if let Target::Batches(batches) = &self.target { batches.announced() } else { None }
    }

    /// A frame of no rows.
    ///
    /// # Errors
    /// Malformed before the schema came.
    pub fn empty(&self) -> Result<Frame> {
        batches::empty(self.plan().ok_or_else(|| Error::malformed("arrow", "the schema has not come yet."))?)
    }

    /// The schemas of this stream and of those before it.
    #[must_use]
    pub fn schemas(&mut self) -> Schemas {
        if let Target::Frame(frame) = &mut self.target {
            std::mem::take(&mut frame.schemas)
        } else {
            Schemas::default()
        }
    }
}

impl Target {
    /// Everything kept up to `end` has come.
    pub(super) fn kept_to(&mut self, end: usize) {
        match self {
            Self::Frame(frame) => frame.kept.filled_to(end),
            Self::Bytes(kept) => kept.filled_to(end),
            Self::Batches(_) => {}
        }
    }
}
