//! The state of a stream that arrives.

use std::io::IoSliceMut;
use std::sync::Arc;

use crate::arrow::import::Plan;
use crate::container::store::Limits;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Frame;
use crate::memory::Buffer;

use super::super::assemble::assembled;
use super::super::body::Source;
use super::super::catalog::{Batch, Catalog};
use super::super::dictionaries::History;
use super::super::land::{Landed, Landing, nat};
use super::super::message::{
    BatchHeader, CONTINUATION, Header, Kind, Prefix, check_header_nbytes, header, prefix,
};
use super::super::open::{Form, Ipc, OpenOptions, check_nbytes};
use super::super::scan::check_columns;
use super::super::shape::Shape;
use super::body::{self, Dest, Patch, Segment, Whole};
use super::direct::{Blocks, Layout};
use super::kept::Kept;
use crate::plan::Progress;

/// A header is believed as far as its bytes come: room for so many at first.
const HEADER_NBYTES: usize = 64 << 10;

/// Places given out at once.
const MAX_ROOMS: usize = 256;

/// Where padding goes.
const NOWHERE_NBYTES: usize = 4096;

/// Schemas that are remembered: streams of one connection are often alike.
const REMEMBERED: usize = 4;

/// Larger ones are not: they cost what they cost each time.
const REMEMBERED_NBYTES: usize = 1 << 20;

/// What a schema message says, proven once.
#[derive(Debug)]
struct Known {
    head: Vec<u8>,
    shape: Arc<Shape>,
    plan: Plan,
    layout: Layout,
}

/// Schema messages that came before; streams that begin with the same bytes share what they say.
#[derive(Debug, Default)]
pub struct Schemas(Vec<Arc<Known>>);

impl Schemas {
    fn find(&self, head: &[u8]) -> Option<Arc<Known>> {
        self.0.iter().find(|known| known.head == head).cloned()
    }

    fn learn(&mut self, head: &[u8], limits: &Limits) -> Result<Arc<Known>> {
        let shape = Shape::of_message(head)?;
        check_columns(&shape, limits)?;
        let mut plan = Plan::new(&shape.schema)?;
        if let Some(nrows) = shape.announced.and_then(|n| usize::try_from(n).ok()) {
            plan.settle(nrows);
        }
        let layout = Layout::new(&shape, &plan);
        let known = Arc::new(Known { head: head.to_vec(), shape: Arc::new(shape), plan, layout });
        // `begin` takes it that what is remembered has no body.
        if head.len() > REMEMBERED_NBYTES || header(head)?.body_nbytes > 0 {
            return Ok(known);
        }
        if self.0.len() == REMEMBERED {
            self.0.remove(0);
        }
        self.0.push(Arc::clone(&known));
        Ok(known)
    }
}

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
            kept: Kept::new(limits.max_nbytes)?,
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

    /// Where the next bytes go, in this order; none after the end mark. Places for `enough` bytes will do, where that many
    /// are expected at once.
    ///
    /// # Errors
    /// A limit; the system's refusal of memory.
    pub fn rooms(&mut self, enough: usize) -> Result<Vec<IoSliceMut<'_>>> {
        if let State::Segments { at, done } = self.state {
            return self.scattered(at, done, enough);
        }
        match &mut self.state {
            State::Done | State::Segments { .. } => Ok(Vec::new()),
            State::Prefix | State::Header => {
                let end = self.wanted.min((self.filled * 2).max(HEADER_NBYTES));
                if self.small.len() < end {
                    self.small.resize(end, 0);
                }
                Ok(vec![IoSliceMut::new(self.small.get_mut(self.filled..end).unwrap_or(&mut []))])
            }
            State::Whole(whole) => Ok(vec![IoSliceMut::new(whole.0.place()?)]),
        }
    }

    fn scattered(&mut self, at: usize, done: usize, enough: usize) -> Result<Vec<IoSliceMut<'_>>> {
        let rest = self.segments.get(at..self.segments.len().min(at + MAX_ROOMS)).unwrap_or(&[]);
        let mut nbytes = 0usize;
        let count = rest.iter().position(|segment| {
            nbytes = nbytes.saturating_add(segment.nbytes);
            nbytes - done.min(nbytes) >= enough
        });
        let window = rest.get(..count.map_or(rest.len(), |i| i + 1)).unwrap_or(&[]);
        let kept_end = window.iter().filter(|s| s.dest == Dest::Kept).map(|s| s.at + s.nbytes).max();
        let kept = match kept_end {
            Some(end) => self.kept.room(end)?,
            None => &mut [],
        };
        let (kept_at, kept_nbytes) = (kept.as_mut_ptr(), kept.len());
        if self.nowhere.is_empty() {
            self.nowhere.resize(NOWHERE_NBYTES, 0);
        }
        let mut unused = self.nowhere.as_mut_slice();
        let mut out = Vec::with_capacity(window.len());
        let mut skipped = done;
        for segment in window {
            let (from, nbytes) = (segment.at + skipped, segment.nbytes - skipped);
            skipped = 0;
            let (room, whole) = match segment.dest {
                Dest::Nowhere => {
                    let count = nbytes.min(unused.len());
                    let (room, rest) = std::mem::take(&mut unused).split_at_mut(count);
                    unused = rest;
                    (room, count == nbytes)
                }
                Dest::Kept => {
                    let count = nbytes.min(kept_nbytes.saturating_sub(from));
                    if count == 0 {
                        break;
                    }
                    // SAFETY: inside the room that `kept` gave, which grows no more while `self` is borrowed; segments of one
                    // body are apart (`body::plan` places each behind the one before).
                    (unsafe { std::slice::from_raw_parts_mut(kept_at.add(from), count) }, count == nbytes)
                }
                Dest::Block(region) => {
                    let blocks = self.expected.as_mut().map(|e| &mut e.blocks);
                    let place = blocks.and_then(|b| b.regions.get_mut(region)?.address(from, nbytes));
                    let place = place.ok_or_else(super::super::land::too_large)?;
                    // SAFETY: a live range of the region, which `self` owns and is borrowed for as long; each target has columns
                    // and each batch rows of its own, so no two segments overlap.
                    (unsafe { std::slice::from_raw_parts_mut(place, nbytes) }, true)
                }
            };
            if !room.is_empty() {
                out.push(IoSliceMut::new(room));
            }
            if !whole {
                break;
            }
        }
        Ok(out)
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

    /// The bytes of the piece (prefix, header, body) that is not whole yet.
    #[must_use]
    pub fn partial(&mut self) -> Vec<u8> {
        match &mut self.state {
            State::Done => Vec::new(),
            State::Prefix | State::Header => self.small.get(..self.filled).unwrap_or(&[]).to_vec(),
            State::Whole(whole) => whole.0.received().to_vec(),
            State::Segments { at, done } => {
                let mut out = Vec::new();
                for (i, segment) in self.segments.iter().enumerate().take(*at + 1) {
                    let nbytes = if i == *at { *done } else { segment.nbytes };
                    let range = segment.at..segment.at + nbytes;
                    let bytes = match segment.dest {
                        Dest::Nowhere => None,
                        Dest::Kept => self.kept.bytes().get(range).map(<[u8]>::to_vec),
                        Dest::Block(region) => {
                            let region =
                                self.expected.as_mut().and_then(|e| e.blocks.regions.get_mut(region));
                            region.and_then(|r| r.as_mut_slice().get(range).map(<[u8]>::to_vec))
                        }
                    };
                    out.extend(bytes.unwrap_or_else(|| vec![0; nbytes]));
                }
                out
            }
        }
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

    fn begin(&mut self, head: &mut [u8]) -> Result<()> {
        // What is remembered was proven when it first came, and has no body: see `learn`.
        let found = match &self.remembered {
            Some(_) => Header { version: 0, kind: Kind::Schema, body_nbytes: 0 },
            None => header(head)?,
        };
        let body_nbytes =
            usize::try_from(found.body_nbytes).ok().filter(|&n| n as u64 <= self.limits.max_nbytes);
        let body_nbytes = body_nbytes.ok_or_else(|| {
            let message = format!(
                "a body of {} bytes, over the limit of {}. Raise max_nbytes to read it.",
                found.body_nbytes, self.limits.max_nbytes
            );
            Error::limit("arrow", message)
        })?;
        match (found.kind, self.known.is_some()) {
            (Kind::Schema, true) => {
                return Err(Error::malformed("arrow", "expected one schema, found a second one."));
            }
            (_, false) if !matches!(found.kind, Kind::Schema) => {
                return Err(Error::malformed(
                    "arrow",
                    "expected a schema as the first message, found another.",
                ));
            }
            _ => {}
        }
        if self.expected.is_none() {
            if let Kind::Batch(batch) = found.kind {
                self.nbatches += 1;
                self.nrows = self.nrows.saturating_add(batch.nrows);
            }
            return self.begin_kept(head, body_nbytes);
        }
        let dest = |at| vec![Segment { dest: Dest::Kept, at, nbytes: body_nbytes }];
        match found.kind {
            Kind::Batch(batch) => self.begin_batch(head, batch, body_nbytes)?,
            Kind::Dictionary { id, delta, batch } => {
                let header_at = self.kept.len().next_multiple_of(64);
                self.kept.put(header_at, head)?;
                let body_at = self.kept.len().next_multiple_of(64);
                let batch = Batch { header_at, header: batch, body_at, body_nbytes, first_row: 0 };
                if let Some(expected) = &mut self.expected {
                    expected.catalog.dictionary(id, delta, batch)?;
                }
                self.segments = dest(body_at);
                self.state = State::Segments { at: 0, done: 0 };
            }
            Kind::Schema => {}
        }
        self.start()
    }

    /// A body of no bytes is there at once.
    fn start(&mut self) -> Result<()> {
        self.segments.retain(|segment| segment.nbytes > 0);
        match &self.state {
            State::Segments { .. } if self.segments.is_empty() => self.filled(0),
            State::Whole(whole) if whole.0.filled == whole.0.wanted => self.settle(),
            _ => Ok(()),
        }
    }

    /// A message of a stream that is kept as it comes; the first may say how long it is.
    fn begin_kept(&mut self, head: &[u8], body_nbytes: usize) -> Result<()> {
        self.keep(head)?;
        self.segments = vec![Segment { dest: Dest::Kept, at: self.kept.len(), nbytes: body_nbytes }];
        self.state = State::Segments { at: 0, done: 0 };
        self.start()
    }

    /// Says what the schema is, once its header is there; the caller remembers those before.
    ///
    /// # Errors
    /// Malformed or unsupported types; a limit.
    fn learn(&mut self, schemas: &mut Schemas) -> Result<()> {
        let bytes = self.kept.bytes();
        let Some(head) = bytes.get(8..) else { return Ok(()) };
        let known = match self.remembered.take() {
            Some(known) => known,
            None => schemas.learn(head, &self.limits)?,
        };
        if let Some(announced) = known.shape.announced {
            let blocks =
                Blocks::new(&known.shape, &known.plan, &known.layout, announced, self.limits.max_nbytes)?;
            let catalog = Catalog::new(Arc::clone(&known.shape));
            self.expected = Some(Box::new(Expected { blocks, catalog }));
            self.kept = Kept::new(self.limits.max_nbytes)?;
        }
        self.known = Some(known);
        Ok(())
    }

    fn begin_batch(&mut self, head: &mut [u8], header: BatchHeader, body_nbytes: usize) -> Result<()> {
        let Some(expected) = self.expected.as_mut() else { return Ok(()) };
        let first_row = self.nrows;
        let batch = Batch { header_at: 0, header, body_at: 0, body_nbytes, first_row };
        expected.catalog.batch(head, batch, &self.limits)?;
        let (nrows, announced) = (expected.catalog.nrows, expected.blocks.nrows);
        if nrows > announced {
            let message =
                format!("{announced} rows were announced, and {nrows} have come. The bytes are damaged.");
            return Err(Error::malformed("arrow", message));
        }
        self.nrows = nrows;
        self.nbatches += 1;
        let header_at = self.kept.len().next_multiple_of(64);
        let body_at = (header_at + head.len()).next_multiple_of(64);
        match body::plan(&header, head, body_nbytes, &expected.blocks, first_row, body_at)? {
            Some(way) => {
                self.kept.put(header_at, head)?;
                self.kept.put(body_at, &[])?;
                if let Some(last) = expected.catalog.batches.last_mut() {
                    (last.header_at, last.body_at, last.body_nbytes) = (header_at, body_at, way.kept_nbytes);
                }
                (self.segments, self.patches) = (way.segments, way.patches);
                self.state = State::Segments { at: 0, done: 0 };
            }
            None => self.state = State::Whole(Box::new((Whole::new(head, body_nbytes)?, header))),
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<()> {
        let State::Whole(whole) = std::mem::replace(&mut self.state, State::Prefix) else { return Ok(()) };
        let (whole, header) = *whole;
        if let Some(expected) = &mut self.expected {
            let first_row = self.nrows - header.nrows;
            let places = whole.settle(&header, first_row, &mut expected.blocks, &mut self.kept)?;
            if let Some(last) = expected.catalog.batches.last_mut() {
                (last.header_at, last.body_at, last.body_nbytes) = places;
            }
        }
        self.next();
        Ok(())
    }

    /// Times without a value become NaT.
    fn patch(&mut self) {
        let Some(expected) = &mut self.expected else { return };
        let Some(batch) = expected.catalog.batches.last() else { return };
        let (first_row, nrows) = (batch.first_row, batch.header.nrows);
        for patch in &self.patches {
            let Some(target) = expected.blocks.targets.get(patch.target).copied() else { continue };
            let bits = self.kept.bytes().get(patch.bits_at..patch.bits_at + nrows.div_ceil(8));
            let place = expected.blocks.place(&target, first_row, nrows * target.item);
            if let (Some(bits), Some(place)) = (bits, place) {
                nat(place, bits, 0);
            }
        }
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

    /// The frame, or the opened stream, once the end mark has come. `private`: in memory that no other frame sees.
    ///
    /// # Errors
    /// Malformed bodies; another number of rows than was announced.
    pub fn finish(self, private: bool, threads: usize, progress: &dyn Progress) -> Result<Arrived> {
        if !self.is_done() {
            return Err(self.cut_short());
        }
        let (Some(known), Some(expected)) = (&self.known, self.expected) else {
            let options = OpenOptions {
                form: Some(Form::Stream),
                limits: self.limits,
                allow_truncated: false,
                threads,
            };
            let bytes = Buffer::from_region(self.kept.finish()?, false);
            return Ok(Arrived::Opened(Box::new(Ipc::open_buffer(bytes, options)?)));
        };
        let Expected { blocks, catalog } = *expected;
        let nrows = blocks.nrows;
        if catalog.nrows != nrows {
            let message =
                format!("{nrows} rows were announced, and {} came. The bytes are damaged.", catalog.nrows);
            return Err(Error::malformed("arrow", message));
        }
        let source = Source::new(Buffer::from_region(self.kept.finish()?, false));
        let batches = catalog.batches.iter().chain(catalog.dictionaries.iter().map(|d| &d.batch));
        check_nbytes(&source, batches, self.limits.max_nbytes)?;
        let history = History::new(&source, &catalog, self.limits.max_unbacked_rows, None)?;
        let landing = Landing {
            source: &source,
            catalog: &catalog,
            plan: &known.plan,
            history: &history,
            rows: (0, nrows),
            threads,
            unbacked: self.limits.max_unbacked_rows,
            in_place: None,
        };
        let mut landed = Landed::default();
        for rest in known.layout.rest.iter().filter(|rest| !rest.is_empty()) {
            let made = landing.run(rest, progress)?;
            let of = |i: usize| rest.get(i).copied().unwrap_or(0);
            let renamed = |members: Vec<usize>| members.into_iter().map(of).collect();
            landed.blocks.extend(made.blocks.into_iter().map(|(block, members)| (block, renamed(members))));
            landed.columns.extend(made.columns.into_iter().map(|(i, data)| (of(i), data)));
        }
        let validity = |field: usize| landing.validity_of(field);
        blocks.finish(&known.layout, &known.plan, &catalog.nulls, private, &validity, &mut landed)?;
        Ok(Arrived::Landed(Box::new(assembled(&known.plan, landed, nrows)?)))
    }
}
