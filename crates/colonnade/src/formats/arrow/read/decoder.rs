//! A stream decoded as it comes, without I/O: it says how many bytes it wants next, and where they go.

use arrow_data::ArrayData;

use crate::arrow::import::{Plan, fits, to_block};
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::limits::Limits;
use crate::memory::{Buffer, Region, RegionMut};

use super::open::check_nbytes;
use crate::arrow::ipc::allowed::Allowed;
use crate::arrow::ipc::arrays::{Cursor, field_of};
use crate::arrow::ipc::body::{Body, Source};
use crate::arrow::ipc::catalog::{Batch, Catalog, DictionaryBatch};
use crate::arrow::ipc::dictionaries::{Dictionaries, Known};
use crate::arrow::ipc::encapsulated_message::EncapsulatedMessage;
use crate::arrow::ipc::message::{Kind, Prefix, check_header_nbytes, header, prefix};
use crate::arrow::ipc::scan::{cut_short, take};

/// A length is believed as far as bytes come: room for so many at first, then for twice what has come.
const FIRST_ROOM_NBYTES: usize = 4 << 20;

/// What came of the bytes.
#[derive(Debug)]
pub enum Event {
    /// More are needed: see [`Decoder::room`].
    Need,
    /// The schema is known.
    Schema,
    /// A record batch, in Arrow's layout, in memory of its own.
    Batch(Box<Frame>),
    /// The end mark.
    End,
}

#[derive(Debug)]
enum State {
    Prefix,
    Header {
        nbytes: usize,
    },
    /// The header lies at the front of the room, the body behind it.
    Body(Box<EncapsulatedMessage>),
    Done,
}

/// The incremental decoder.
#[derive(Debug)]
pub struct Decoder {
    limits: Limits,
    state: State,
    room: RegionMut,
    filled: usize,
    wanted: usize,
    catalog: Option<Catalog>,
    plan: Option<Plan>,
    dictionaries: Dictionaries,
    nbatches: usize,
    nrows: usize,
    received: u64,
    /// Prefixes begin with the marker.
    modern: bool,
}

impl Decoder {
    /// A decoder at the front of a stream.
    ///
    /// # Errors
    /// The system's refusal of memory.
    pub fn new(limits: Limits) -> Result<Self> {
        Ok(Self {
            limits,
            state: State::Prefix,
            room: Region::allocate(FIRST_ROOM_NBYTES.min(4096), true)?,
            filled: 0,
            wanted: 4,
            catalog: None,
            plan: None,
            dictionaries: Dictionaries::default(),
            nbatches: 0,
            nrows: 0,
            received: 0,
            modern: false,
        })
    }

    /// Bytes wanted before anything happens; 0 after the end mark.
    #[must_use]
    pub fn needs(&self) -> usize {
        self.wanted - self.filled
    }

    /// Where the next bytes go: at most [`Decoder::needs`] of them, fewer where a claim is not believed yet.
    ///
    /// # Errors
    /// The system's refusal of memory.
    pub fn room(&mut self) -> Result<&mut [u8]> {
        let end = self.wanted.min((self.filled * 2).max(FIRST_ROOM_NBYTES));
        if self.room.capacity() < end || self.room.as_mut_slice().len() < end {
            self.room.grow(end)?;
        }
        Ok(self.room.as_mut_slice().get_mut(self.filled..end).unwrap_or(&mut []))
    }

    /// Says that `count` bytes of the room were filled.
    ///
    /// # Errors
    /// Malformed messages.
    pub fn filled(&mut self, count: usize) -> Result<Event> {
        self.filled += count;
        self.received += count as u64;
        if self.filled < self.wanted {
            return Ok(Event::Need);
        }
        let at = self.received - self.filled as u64;
        let done = std::mem::replace(&mut self.state, State::Done);
        match done {
            State::Prefix => self.prefix(at),
            State::Header { nbytes } => self.header(nbytes, at),
            State::Body(found) => self.body(&found).map_err(|e| e.at(at)),
            State::Done => Ok(Event::End),
        }
    }

    /// Says that no more bytes come.
    ///
    /// # Errors
    /// Truncated, with the count of batches and rows received, unless the end mark came.
    pub fn finish(&self) -> Result<()> {
        if self.wanted == 0 {
            return Ok(());
        }
        let needed = self.received + self.needs() as u64;
        Err(cut_short(self.nbatches, self.nrows, needed, self.received))
    }

    /// How its fields become a frame, once the schema is known.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// Bytes of an unfinished message.
    #[must_use]
    pub fn partial(&self) -> usize {
        self.filled
    }

    /// What has come of a piece (prefix, header, body) that is not whole; before a body stands its header.
    #[must_use]
    pub fn partial_bytes(&mut self) -> &[u8] {
        let from = if let State::Body(found) = &self.state { found.body_at } else { 0 };
        self.room.as_mut_slice().get(from..self.filled).unwrap_or(&[])
    }

    /// Rows of all batches together, where the writer said it.
    #[must_use]
    pub fn announced(&self) -> Option<u64> {
        self.catalog.as_ref().and_then(|catalog| catalog.shape.announced)
    }

    /// Batches and rows received.
    #[must_use]
    pub fn received(&self) -> (usize, usize) {
        (self.nbatches, self.nrows)
    }

    /// A frame of no rows.
    ///
    /// # Errors
    /// Malformed before the schema came.
    pub fn empty(&self) -> Result<Frame> {
        let plan =
            self.plan.as_ref().ok_or_else(|| Error::malformed("arrow", "the schema has not come yet."))?;
        let arrays: Vec<ArrayData> = plan.fields.iter().map(|f| ArrayData::new_empty(&f.data_type)).collect();
        framed(plan, &arrays, 0, 0)
    }

    fn want(&mut self, state: State, wanted: usize) -> Event {
        (self.state, self.filled, self.wanted) = (state, 0, wanted);
        Event::Need
    }

    fn prefix(&mut self, at: u64) -> Result<Event> {
        let bytes = self.room.as_mut_slice().get(..self.filled).unwrap_or(&[]);
        match prefix(bytes).map_err(|e| e.at(at))? {
            Prefix::Short => {
                self.state = State::Prefix;
                self.wanted = 8;
                Ok(Event::Need)
            }
            Prefix::End(_) => {
                self.want(State::Done, 0);
                if self.plan.is_none() {
                    return Err(Error::malformed("arrow", "expected a schema, found the end mark.").at(at));
                }
                Ok(Event::End)
            }
            Prefix::Message { nbytes, skip } => {
                check_header_nbytes(nbytes, &self.limits).map_err(|e| e.at(at))?;
                self.modern = skip == 8;
                Ok(self.want(State::Header { nbytes }, nbytes))
            }
        }
    }

    fn header(&mut self, nbytes: usize, at: u64) -> Result<Event> {
        let bytes = self.room.as_mut_slice().get(..nbytes).unwrap_or(&[]);
        let header = header(bytes).map_err(|e| e.at(at))?;
        if header.body_nbytes > self.limits.max_nbytes {
            let message = format!(
                "a body of {} bytes, over the limit of {}.",
                header.body_nbytes, self.limits.max_nbytes
            );
            return Err(Error::limit("arrow", message).at(at));
        }
        // Body and header in one buffer, the body 64-byte aligned.
        let body_at = nbytes.next_multiple_of(64);
        let body_nbytes = usize::try_from(header.body_nbytes).unwrap_or(usize::MAX);
        let first = (body_at + body_nbytes.min(FIRST_ROOM_NBYTES)).max(64);
        let mut room = Region::allocate(first, first < 1 << 20)?;
        if let (Some(to), Some(from)) =
            (room.as_mut_slice().get_mut(..nbytes), self.room.as_mut_slice().get(..nbytes))
        {
            to.copy_from_slice(from);
        }
        self.room = room;
        let found = EncapsulatedMessage { header, header_at: 0, header_nbytes: nbytes, body_at, body_nbytes };
        self.state = State::Body(Box::new(found));
        (self.filled, self.wanted) = (body_at, body_at.saturating_add(body_nbytes));
        // What is padding was not received.
        self.received += (body_at - nbytes) as u64;
        if self.filled == self.wanted { self.filled(0) } else { Ok(Event::Need) }
    }

    fn body(&mut self, found: &EncapsulatedMessage) -> Result<Event> {
        self.received -= (found.body_at - found.header_nbytes) as u64;
        let room = std::mem::replace(&mut self.room, Region::allocate(4096, true)?);
        let source = Source::new(Buffer::from_region(room.finish(), true));
        take(source.bytes.as_slice(), found, &mut self.catalog, &self.limits)?;
        // The end mark before Arrow 0.15 was four bytes, and no more may be asked for.
        let wanted = if self.modern { 8 } else { 4 };
        self.want(State::Prefix, wanted);
        let Some(catalog) = self.catalog.as_mut() else { return Ok(Event::Need) };
        match found.header.kind {
            Kind::Schema => {
                self.plan = Some(Plan::new(&catalog.shape.schema)?);
                Ok(Event::Schema)
            }
            Kind::Dictionary { .. } => {
                // An endless stream's must not pile up: the values are taken here.
                if let Some(message) = catalog.dictionaries.pop() {
                    let message = DictionaryBatch { before: 0, ..message };
                    check_nbytes(&source, std::iter::once(&message.batch), &self.limits)?;
                    let allowed = Allowed::new(&self.limits, source.bytes.nbytes());
                    self.dictionaries.take(&source, &catalog.shape, &message, &allowed)?;
                }
                Ok(Event::Need)
            }
            Kind::Batch(_) => {
                let Some(batch) = catalog.batches.pop() else { return Ok(Event::Need) };
                catalog.passed += 1;
                let plan = self
                    .plan
                    .as_ref()
                    .ok_or_else(|| Error::malformed("arrow", "a batch before the schema."))?;
                let named = |e: Error| e.in_member(format!("batch {}", self.nbatches));
                let arrays = arrays(&source, catalog, &batch, Known::Now(&self.dictionaries), &self.limits)
                    .map_err(named)?;
                let frame = framed(plan, &arrays, batch.header.nrows, self.nrows)?;
                self.nbatches += 1;
                self.nrows = catalog.nrows;
                Ok(Event::Batch(Box::new(frame)))
            }
        }
    }
}

fn arrays(
    source: &Source,
    catalog: &Catalog,
    batch: &Batch,
    dictionaries: Known<'_>,
    limits: &Limits,
) -> Result<Vec<ArrayData>> {
    check_nbytes(source, std::iter::once(batch), limits)?;
    let body = Body::new(source, batch)?;
    let (shape, allowed) = (&catalog.shape, Allowed::new(limits, batch.body_nbytes));
    let one = |(i, place): (usize, &crate::arrow::ipc::shape::Place)| {
        Cursor::new(&body, shape, dictionaries, *place, &allowed)?.field(field_of(shape, i)?)
    };
    shape.places.iter().enumerate().map(one).collect()
}

fn framed(plan: &Plan, arrays: &[ArrayData], nrows: usize, first_row: usize) -> Result<Frame> {
    let said = |i: usize, data: &ArrayData| {
        let dtype = plan.fields.get(i).and_then(|f| f.dtype).filter(|d| fits(*d, data.data_type()));
        dtype.map_or(Ok(None), |dtype| to_block(dtype, data))
    };
    plan.frame_with(arrays, nrows, first_row, &said)
}
