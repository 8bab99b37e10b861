//! Decodes all record batches of a stream to one frame.

use std::sync::Arc;

use crate::arrow::import::FramePlan;
use crate::arrow::ipc::catalog::{BatchPosition, Catalog};
use crate::arrow::ipc::message::{BatchHeader, CONTINUATION, MessageKind, VerifiedHeader};
use crate::error::{Error, Result};
use crate::limits::{Limits, StreamLimit};

use super::blocks::Blocks;
use super::body::{self, BodyReceipt, BodySegment, SegmentTarget, TextReceipt};
use super::schemas::{CachedSchema, Schemas};
use super::stream_bytes::StreamBytes;
use super::texts::TextColumns;
use super::whole_body::WholeBody;

/// A stream whose rows are received into blocks.
#[derive(Debug)]
pub(super) struct WholeFrame {
    pub(super) schemas: Schemas,
    /// The cached schema, if an earlier stream had the same header.
    cached_schema: Option<Arc<CachedSchema>>,
    pub(super) rows: Option<ReceivedRows>,
    pub(super) stream_bytes: StreamBytes,
    /// The text of the body that is received.
    parts: Vec<TextReceipt>,
    /// The number of complete batches, and of their rows.
    pub(super) whole: (usize, usize),
    /// The limit for a stream that does not announce its rows.
    stream: StreamLimit,
}

/// The rows received so far.
#[derive(Debug)]
pub(super) struct ReceivedRows {
    pub(super) schema: Arc<CachedSchema>,
    pub(super) blocks: Blocks,
    pub(super) texts: TextColumns,
    pub(super) catalog: Catalog,
}

impl WholeFrame {
    pub(super) fn new(limits: &Limits, schemas: Schemas) -> Result<Self> {
        let (stream_bytes, stream) = (StreamBytes::new(limits)?, StreamLimit::new(limits));
        Ok(Self {
            schemas,
            cached_schema: None,
            rows: None,
            stream_bytes,
            parts: Vec::new(),
            whole: (0, 0),
            stream,
        })
    }

    pub(super) fn plan(&self) -> Option<&FramePlan> {
        self.rows.as_ref().map(|rows| &rows.schema.plan)
    }

    /// Whether `head` is the cached schema of an earlier stream.
    pub(super) fn has_cached_schema(&mut self, head: &[u8]) -> bool {
        if self.rows.is_none() {
            self.cached_schema = self.schemas.find(head);
        }
        self.rows.is_none() && self.cached_schema.is_some()
    }

    /// Prepares for the body of a message, which begins at `at` of the stream.
    ///
    /// # Errors
    /// Malformed messages; a limit.
    pub(super) fn begin(
        &mut self,
        head: &mut [u8],
        found: &VerifiedHeader,
        (at, body_nbytes): (u64, usize),
        limits: &Limits,
    ) -> Result<BodyReceipt> {
        let wrong = |message: &str| Err(Error::malformed("arrow", message));
        let Some(rows) = &mut self.rows else {
            return match found.kind {
                MessageKind::Schema => {
                    self.learn(head, limits)?;
                    Ok(BodyReceipt::Segments(vec![BodySegment {
                        dest: SegmentTarget::Padding,
                        at: 0,
                        nbytes: body_nbytes,
                    }]))
                }
                _ => wrong("expected a schema as the first message, found another."),
            };
        };
        match found.kind {
            MessageKind::Schema => wrong("expected one schema, found a second one."),
            kind if rows.schema.keeps_bytes() => {
                if let MessageKind::Batch(batch) = kind {
                    self.whole = (self.whole.0 + 1, self.whole.1.saturating_add(batch.nrows));
                }
                self.keep(head)?;
                Ok(BodyReceipt::Segments(vec![BodySegment {
                    dest: SegmentTarget::StreamBytes,
                    at: self.stream_bytes.len(),
                    nbytes: body_nbytes,
                }]))
            }
            MessageKind::Batch(header) => self.begin_batch(head, header, (at, body_nbytes), limits),
            MessageKind::Dictionary { id, delta, batch } => {
                let header_at = self.stream_bytes.push_aligned(head)?;
                let body_at = self.stream_bytes.push_aligned(&[])?;
                let batch = BatchPosition {
                    header_at,
                    header: batch,
                    body_at,
                    body_nbytes,
                    input_at: at,
                    first_row: 0,
                };
                rows.catalog.dictionary(id, delta, batch)?;
                Ok(BodyReceipt::Segments(vec![BodySegment {
                    dest: SegmentTarget::StreamBytes,
                    at: body_at,
                    nbytes: body_nbytes,
                }]))
            }
        }
    }

    fn learn(&mut self, head: &[u8], limits: &Limits) -> Result<()> {
        let schema = match self.cached_schema.take() {
            Some(schema) => schema,
            None => self.schemas.learn(head, limits)?,
        };
        let blocks = Blocks::new(&schema, limits.max_nbytes)?;
        let texts = TextColumns::new(&schema.layout, schema.shape.announced, limits)?;
        let catalog = Catalog::new(Arc::clone(&schema.shape));
        if schema.keeps_bytes() {
            self.keep(head)?;
        }
        self.rows = Some(ReceivedRows { schema, blocks, texts, catalog });
        Ok(())
    }

    /// Keeps a header, after its prefix.
    fn keep(&mut self, head: &[u8]) -> Result<()> {
        self.stream_bytes.push(&CONTINUATION.to_le_bytes())?;
        self.stream_bytes.push(&u32::try_from(head.len()).unwrap_or(u32::MAX).to_le_bytes())?;
        self.stream_bytes.push(head)
    }

    fn begin_batch(
        &mut self,
        head: &mut [u8],
        header: BatchHeader,
        (input_at, body_nbytes): (u64, usize),
        limits: &Limits,
    ) -> Result<BodyReceipt> {
        let Some(ReceivedRows { schema, blocks, texts, catalog }) = &mut self.rows else {
            return Ok(BodyReceipt::Whole);
        };
        let first_row = catalog.nrows;
        catalog.batch(
            head,
            BatchPosition { header_at: 0, header, body_at: 0, body_nbytes, input_at, first_row },
            limits,
        )?;
        let nrows = catalog.nrows;
        match schema.shape.announced {
            Some(announced) if nrows as u64 > announced => {
                let message =
                    format!("{announced} rows were announced, and {nrows} have come. The bytes are damaged.");
                return Err(Error::malformed("arrow", message));
            }
            Some(_) => {}
            None => {
                let received = texts.nbytes().saturating_add(self.stream_bytes.len() as u64);
                self.stream.check("arrow", blocks.row_nbytes(nrows).saturating_add(received))?;
                blocks.grow(schema, nrows, first_row, limits.max_nbytes)?;
            }
        }
        let header_at = self.stream_bytes.len().next_multiple_of(64);
        let body_at = (header_at + head.len()).next_multiple_of(64);
        let targets = (&schema.layout, &*blocks, &*texts);
        let Some(plan) = body::plan(&header, head, body_nbytes, targets, first_row, body_at)? else {
            return Ok(BodyReceipt::Whole);
        };
        texts.grant(body_nbytes);
        self.stream_bytes.push_aligned(head)?;
        self.stream_bytes.push_aligned(&[])?;
        if let Some(last) = catalog.batches.last_mut() {
            (last.header_at, last.body_at, last.body_nbytes) = (header_at, body_at, plan.kept_nbytes);
        }
        self.parts = plan.texts;
        Ok(BodyReceipt::Segments(plan.segments))
    }

    /// Decodes a record batch that was received as a whole.
    ///
    /// # Errors
    /// Malformed buffers.
    pub(super) fn take(&mut self, body: WholeBody) -> Result<()> {
        let Some(ReceivedRows { schema, blocks, texts, catalog }) = &mut self.rows else { return Ok(()) };
        if let Some(last) = catalog.batches.last_mut() {
            let places = body.settle(last, (&schema.layout, blocks, texts), &mut self.stream_bytes)?;
            (last.header_at, last.body_at, last.body_nbytes) = places;
        }
        self.whole = (catalog.batches.len(), catalog.nrows);
        Ok(())
    }

    /// Ends a batch whose body was received at its final position.
    pub(super) fn complete(&mut self) {
        let Some(ReceivedRows { texts, catalog, .. }) = &mut self.rows else { return };
        let Some(batch) = catalog.batches.last() else { return };
        self.whole = (catalog.batches.len(), catalog.nrows);
        for (column, part) in self.parts.drain(..).enumerate() {
            let offsets =
                self.stream_bytes.bytes().get(part.offsets_at..part.offsets_at + part.offsets_nbytes);
            texts.complete(column, offsets.unwrap_or(&[]), batch.header.nrows, part.stored);
        }
    }
}
