//! What a message needs, once its header is there.

use std::sync::Arc;

use crate::arrow::ipc::catalog::{Batch, Catalog};
use crate::arrow::ipc::message::{BatchHeader, Header, Kind, header};
use crate::error::{Error, Result};
use crate::formats::arrow::read::land::nat;

use super::super::body::{self, Dest, Segment, Whole};
use super::super::direct::Blocks;
use super::super::kept::Kept;
use super::{Arrival, Expected, Schemas, State};

impl Arrival {
    pub(super) fn begin(&mut self, head: &mut [u8]) -> Result<()> {
        // What is remembered was proven when it first came, and has no body: see `Schemas`.
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
    pub(super) fn learn(&mut self, schemas: &mut Schemas) -> Result<()> {
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
            self.kept = Kept::new(&self.limits)?;
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

    pub(super) fn settle(&mut self) -> Result<()> {
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
    pub(super) fn patch(&mut self) {
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
}
