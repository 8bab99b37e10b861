//! The incremental decoder of streams: its state and its targets.

use crate::arrow::import::FramePlan;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::limits::Limits;

use super::batches::{self, Batches};
use super::body::BodySegment;
use super::frame::WholeFrame;
use super::schemas::Schemas;
use super::stream_bytes::StreamBytes;
use super::whole_body::WholeBody;

#[derive(Debug)]
pub(super) enum DecoderState {
    Prefix,
    Header,
    /// The body is received into segments: the number of filled ones, and the number of filled bytes of the next one.
    Segments {
        at: usize,
        done: usize,
    },
    /// The body is received as a whole, after its header.
    Whole(Box<WholeBody>),
    Done,
}

/// The result of decoding.
#[derive(Debug)]
pub(super) enum StreamTarget {
    /// A frame for each record batch.
    Batches(Box<Batches>),
    /// One frame.
    Frame(Box<WholeFrame>),
    /// The unchanged bytes of the stream.
    Bytes(StreamBytes),
}

/// Decodes one stream while its bytes arrive, without I/O: it lends the buffers that the next bytes are read into.
#[derive(Debug)]
pub struct IncrementalDecoder {
    pub(super) limits: Limits,
    pub(super) state: DecoderState,
    /// The received part of a prefix or header.
    pub(super) small: Vec<u8>,
    pub(super) filled: usize,
    pub(super) needed_nbytes: usize,
    pub(super) segments: Vec<BodySegment>,
    /// Receives padding.
    pub(super) padding: Vec<u8>,
    pub(super) target: StreamTarget,
    pub(super) received: u64,
    /// The offset of the current piece (prefix, header, or header with body).
    pub(super) piece_at: u64,
    /// Prefixes have eight bytes, or four before Arrow 0.15. No byte after the end mark may be requested.
    pub(super) is_modern: bool,
}

impl IncrementalDecoder {
    /// A decoder that returns each record batch when it is complete.
    #[must_use]
    pub fn batches(limits: Limits) -> Self {
        Self::new(limits, StreamTarget::Batches(Box::default()))
    }

    /// A decoder that builds one frame of all record batches. `schemas` are those of earlier streams.
    ///
    /// # Errors
    /// Errors of the operating system: no memory.
    pub fn frame(limits: Limits, schemas: Schemas) -> Result<Self> {
        Ok(Self::new(limits, StreamTarget::Frame(Box::new(WholeFrame::new(&limits, schemas)?))))
    }

    /// A decoder that keeps the bytes of the stream, for a caller that opens them afterwards.
    ///
    /// # Errors
    /// Errors of the operating system: no memory.
    pub(in crate::formats::arrow) fn bytes(limits: Limits) -> Result<Self> {
        Ok(Self::new(limits, StreamTarget::Bytes(StreamBytes::new(&limits)?)))
    }

    fn new(limits: Limits, target: StreamTarget) -> Self {
        Self {
            limits,
            state: DecoderState::Prefix,
            small: Vec::new(),
            filled: 0,
            needed_nbytes: 4,
            segments: Vec::new(),
            padding: Vec::new(),
            target,
            received: 0,
            piece_at: 0,
            is_modern: false,
        }
    }

    /// Whether the end mark has arrived.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self.state, DecoderState::Done)
    }

    /// Bytes received so far.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Whether each batch is returned when it is complete.
    #[must_use]
    pub fn gives_batches(&self) -> bool {
        matches!(self.target, StreamTarget::Batches(_))
    }

    /// Whether the bytes are only kept.
    pub(super) fn keeps_bytes(&self) -> bool {
        matches!(self.target, StreamTarget::Bytes(_))
    }

    /// The conversion of the fields to a frame, once the schema is known.
    #[must_use]
    pub fn plan(&self) -> Option<&FramePlan> {
        match &self.target {
            StreamTarget::Batches(batches) => batches.plan(),
            StreamTarget::Frame(frame) => frame.plan(),
            StreamTarget::Bytes(_) => None,
        }
    }

    /// The announced number of rows of all batches, if the writer declared it.
    #[must_use]
    pub fn announced(&self) -> Option<u64> {
        if let StreamTarget::Batches(batches) = &self.target { batches.announced() } else { None }
    }

    /// Checks, at the end mark, that the batches have as many rows as were announced. One frame is checked when it is built, so that a
    /// connection can go on behind it.
    ///
    /// # Errors
    /// Malformed.
    pub(in crate::formats::arrow) fn check_announced(&self) -> Result<()> {
        match &self.target {
            StreamTarget::Batches(batches) => batches.check_announced().map_err(|e| e.at(self.piece_at)),
            StreamTarget::Frame(_) | StreamTarget::Bytes(_) => Ok(()),
        }
    }

    /// Builds a frame without rows.
    ///
    /// # Errors
    /// Malformed: the schema has not arrived.
    pub fn empty(&self) -> Result<Frame> {
        batches::empty(self.plan().ok_or_else(|| Error::malformed("arrow", "the schema has not come yet."))?)
    }

    /// The schemas of this stream and of earlier ones.
    #[must_use]
    pub fn schemas(&mut self) -> Schemas {
        if let StreamTarget::Frame(frame) = &mut self.target {
            std::mem::take(&mut frame.schemas)
        } else {
            Schemas::default()
        }
    }
}

impl StreamTarget {
    /// Records that all kept bytes before `end` have arrived.
    pub(super) fn filled_to(&mut self, end: usize) {
        match self {
            Self::Frame(frame) => frame.stream_bytes.filled_to(end),
            Self::Bytes(stream_bytes) => stream_bytes.filled_to(end),
            Self::Batches(_) => {}
        }
    }
}
