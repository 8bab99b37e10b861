//! The framing of a stream: prefix, header, body, as far as they have come.

use crate::arrow::import::Plan;
use crate::arrow::ipc::message::{CONTINUATION, Header, Kind, Prefix, check_header_nbytes, header, prefix};
use crate::arrow::ipc::scan::cut_short;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::arrow::read::open::feather_v1;
use crate::frame::Frame;
use crate::limits::Limits;
use crate::memory::Region;
use crate::progress::Progress;

use super::batches::{self, Batches};
use super::body::{Dest, Segment};
use super::frame::WholeFrame;
use super::kept::Kept;
use super::schemas::Schemas;
use super::whole_body::WholeBody;

/// What came of the bytes.
#[derive(Debug)]
pub enum Event {
    /// More are needed: see [`IncrementalDecoder::io_buffers`].
    Need,
    /// The schema is known.
    Schema,
    /// A record batch, in Arrow's layout, in memory of its own.
    Batch(Box<Frame>),
    /// The end mark.
    End,
}

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
    Bytes(Kept),
}

/// How a body is received.
pub(super) enum Receipt {
    Segments(Vec<Segment>),
    Whole,
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
    received: u64,
    /// Where the piece (prefix, header, or header with body) begins that is received now.
    piece_at: u64,
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
    pub(in crate::formats::arrow::read) fn bytes(limits: Limits) -> Result<Self> {
        Ok(Self::new(limits, Target::Bytes(Kept::new(&limits)?)))
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

    /// Says that the first `count` bytes of the buffers were filled.
    ///
    /// # Errors
    /// Malformed messages; a limit.
    pub fn filled(&mut self, mut count: usize) -> Result<Event> {
        loop {
            if !self.takes(&mut count) {
                return Ok(Event::Need);
            }
            let event = self.piece();
            // A frame's errors stand where its bytes have come to, those of other targets where the piece begins.
            let at = if matches!(self.target, Target::Frame(_)) { self.received } else { self.piece_at };
            match event.map_err(|e| e.at(at))? {
                Event::Need if count > 0 => {}
                event => return Ok(event),
            }
        }
    }

    /// Takes what belongs to the piece from `count` bytes; answers whether the piece is whole.
    fn takes(&mut self, count: &mut usize) -> bool {
        let received = &mut self.received;
        let mut take = |filled: &mut usize, wanted: usize| {
            let taken = (*count).min(wanted - *filled);
            *filled += taken;
            *count -= taken;
            *received += taken as u64;
            *filled == wanted
        };
        match &mut self.state {
            State::Done => true,
            State::Prefix | State::Header => take(&mut self.filled, self.wanted),
            State::Whole(body) => take(&mut body.filled, body.wanted),
            State::Segments { at, done } => {
                while let Some(segment) = self.segments.get(*at) {
                    let is_whole = take(done, segment.nbytes);
                    if segment.dest == Dest::Kept {
                        self.target.kept_to(segment.at + *done);
                    }
                    if !is_whole {
                        return false;
                    }
                    (*at, *done) = (*at + 1, 0);
                }
                true
            }
        }
    }

    /// The piece is whole.
    fn piece(&mut self) -> Result<Event> {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Done => Ok(Event::End),
            State::Prefix => self.prefix(),
            State::Header => self.header(),
            State::Whole(body) => {
                self.next();
                match &mut self.target {
                    Target::Batches(batches) => batches.take(*body, &self.limits),
                    Target::Frame(frame) => frame.take(*body).map(|()| Event::Need),
                    Target::Bytes(_) => Ok(Event::Need),
                }
            }
            State::Segments { .. } => {
                self.next();
                if let Target::Frame(frame) = &mut self.target {
                    frame.patch();
                }
                Ok(Event::Need)
            }
        }
    }

    fn prefix(&mut self) -> Result<Event> {
        let bytes = self.small.get(..self.filled).unwrap_or(&[]);
        if self.is_modern && !bytes.starts_with(&CONTINUATION.to_le_bytes()) {
            let message = format!("expected a message of an Arrow stream, found the bytes {bytes:02x?}.");
            return Err(Error::malformed("arrow", message));
        }
        let found = prefix(bytes)?;
        if found == Prefix::Short {
            (self.state, self.wanted) = (State::Prefix, 8);
            return Ok(Event::Need);
        }
        if let Target::Bytes(kept) = &mut self.target {
            if bytes == b"FEA1" {
                return Err(feather_v1());
            }
            kept.push(bytes)?;
        }
        let Prefix::Message { nbytes, skip } = found else {
            let has_schema = self.keeps_bytes() || self.plan().is_some();
            return if has_schema {
                Ok(Event::End)
            } else {
                Err(Error::malformed("arrow", "expected a schema, found the end mark."))
            };
        };
        if !self.keeps_bytes() {
            check_header_nbytes(nbytes, &self.limits)?;
        }
        self.is_modern = skip == 8;
        self.piece_at += skip as u64;
        (self.state, self.filled, self.wanted) = (State::Header, 0, nbytes);
        Ok(Event::Need)
    }

    fn header(&mut self) -> Result<Event> {
        let mut head = std::mem::take(&mut self.small);
        head.truncate(self.wanted);
        let event = self.begin(&mut head);
        self.small = head;
        event
    }

    /// Begins the body whose header is `head`.
    fn begin(&mut self, head: &mut [u8]) -> Result<Event> {
        let remembered =
            if let Target::Frame(frame) = &mut self.target { frame.remembers(head) } else { false };
        // A remembered schema was checked when it first came, and has no body: see `Schemas`.
        let found = match remembered {
            true => Header { version: 0, kind: Kind::Schema, body_nbytes: 0 },
            false => header(head)?,
        };
        let is_kept = self.keeps_bytes();
        let body_nbytes = usize::try_from(found.body_nbytes).unwrap_or(usize::MAX);
        if !is_kept && found.body_nbytes > self.limits.max_nbytes {
            let message = format!(
                "a body of {} bytes, over the limit of {}. Raise max_nbytes to read it.",
                found.body_nbytes, self.limits.max_nbytes
            );
            return Err(Error::limit("arrow", message));
        }
        let receipt = match &mut self.target {
            Target::Batches(_) => Receipt::Whole,
            Target::Frame(frame) => frame.begin(head, &found, body_nbytes, &self.limits)?,
            Target::Bytes(kept) => {
                kept.push(head)?;
                Receipt::Segments(vec![Segment { dest: Dest::Kept, at: kept.len(), nbytes: body_nbytes }])
            }
        };
        self.state = match receipt {
            Receipt::Whole => State::Whole(Box::new(WholeBody::new(head, found, body_nbytes)?)),
            Receipt::Segments(segments) => {
                self.segments = segments;
                self.segments.retain(|segment| segment.nbytes > 0);
                State::Segments { at: 0, done: 0 }
            }
        };
        // A body of no bytes is there at once.
        if self.takes(&mut 0) { self.piece() } else { Ok(Event::Need) }
    }

    fn next(&mut self) {
        self.segments.clear();
        self.piece_at = self.received;
        (self.state, self.filled, self.wanted) = (State::Prefix, 0, if self.is_modern { 8 } else { 4 });
    }

    /// Batches that came whole, and their rows.
    fn whole(&self) -> (usize, usize) {
        match &self.target {
            Target::Batches(batches) => batches.whole(),
            Target::Frame(frame) => frame.whole,
            Target::Bytes(_) => (0, 0),
        }
    }

    /// The error of a file or a pipe that ends here.
    pub(super) fn cut_short(&self) -> Error {
        let had = self.received;
        let (nbatches, nrows) = self.whole();
        cut_short(nbatches, nrows, had + self.missing() as u64, had).at(self.piece_at)
    }

    /// Bytes that are missing at least.
    fn missing(&self) -> usize {
        match &self.state {
            State::Done => 0,
            State::Whole(body) => body.wanted - body.filled,
            State::Prefix | State::Header | State::Segments { .. } => {
                self.wanted.saturating_sub(self.filled).max(1)
            }
        }
    }

    /// The error of a stream that ends here; none behind its end mark.
    ///
    /// # Errors
    /// Truncated, with both counts, and the count of batches and rows received.
    pub fn finish(&self) -> Result<()> {
        if self.is_done() {
            return Ok(());
        }
        let had = self.received;
        let needed = had + self.missing() as u64;
        let (nbatches, nrows) = self.whole();
        Err(match &self.target {
            Target::Batches(_) | Target::Bytes(_) => cut_short(nbatches, nrows, needed, had),
            Target::Frame(_) => {
                let message = format!(
                    "the input ends inside a message: {had} bytes of it came, {needed} at least are needed; {nbatches} batches with {nrows} rows are among them. Read it batch by batch to have those."
                );
                Error::new(ErrorKind::Truncated { needed, had }, "arrow", message)
            }
        })
    }

    /// The frame of a [`IncrementalDecoder::frame`] whose end mark has come. `is_private`: in memory that no other frame sees.
    ///
    /// # Errors
    /// Truncated; malformed bodies; another number of rows than was announced.
    pub fn into_frame(self, is_private: bool, threads: usize, progress: &dyn Progress) -> Result<Frame> {
        self.finish()?;
        match self.target {
            Target::Frame(frame) => frame.finish(is_private, threads, &self.limits, progress),
            Target::Batches(_) | Target::Bytes(_) => {
                Err(Error::malformed("arrow", "the batches were given out."))
            }
        }
    }

    /// The bytes so far of a [`IncrementalDecoder::bytes`].
    ///
    /// # Errors
    /// The system's refusal of memory.
    pub(in crate::formats::arrow::read) fn into_bytes(mut self) -> Result<Region> {
        let partial = if matches!(self.state, State::Segments { .. }) { Vec::new() } else { self.partial() };
        match self.target {
            Target::Bytes(mut kept) => {
                kept.push(&partial)?;
                kept.finish()
            }
            Target::Batches(_) | Target::Frame(_) => {
                Err(Error::malformed("arrow", "the bytes were decoded."))
            }
        }
    }
}

impl Target {
    /// Everything kept up to `end` has come.
    fn kept_to(&mut self, end: usize) {
        match self {
            Self::Frame(frame) => frame.kept.filled_to(end),
            Self::Bytes(kept) => kept.filled_to(end),
            Self::Batches(_) => {}
        }
    }
}
