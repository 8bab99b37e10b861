//! Decodes each record batch to a separate frame.

use arrow_data::ArrayData;

use crate::arrow::import::{FramePlan, fits, to_block};
use crate::error::{Error, Result};
use crate::formats::arrow::read::open::check_nbytes;
use crate::frame::Frame;
use crate::limits::Limits;

use super::event::StreamEvent;
use super::whole_body::WholeBody;
use crate::arrow::ipc::allowed::DecodeBudget;
use crate::arrow::ipc::arrays::{FieldCursor, field_of};
use crate::arrow::ipc::body::{BatchBody, IpcSource};
use crate::arrow::ipc::catalog::{BatchPosition, Catalog, DictionaryBatch};
use crate::arrow::ipc::dictionaries::{DictionaryLookup, DictionaryMap};
use crate::arrow::ipc::message::MessageKind;
use crate::arrow::ipc::scan;

/// The state that later batches need of earlier ones.
#[derive(Debug, Default)]
pub(super) struct Batches {
    catalog: Option<Catalog>,
    plan: Option<FramePlan>,
    dictionaries: DictionaryMap,
    nbatches: usize,
    nrows: usize,
}

impl Batches {
    pub(super) fn plan(&self) -> Option<&FramePlan> {
        self.plan.as_ref()
    }

    pub(super) fn announced(&self) -> Option<u64> {
        self.catalog.as_ref().and_then(|catalog| catalog.shape.announced)
    }

    /// Checks, at the end mark, that as many rows came as were announced.
    ///
    /// # Errors
    /// Malformed.
    pub(super) fn check_announced(&self) -> Result<()> {
        self.catalog.as_ref().map_or(Ok(()), Catalog::check_announced)
    }

    /// The number of complete batches, and of their rows.
    pub(super) fn whole(&self) -> (usize, usize) {
        (self.nbatches, self.nrows)
    }

    /// Decodes a message.
    ///
    /// # Errors
    /// Malformed messages; a limit.
    pub(super) fn take(&mut self, body: WholeBody, limits: &Limits) -> Result<StreamEvent> {
        let header_at = body.input_at();
        self.decode(body, limits).map_err(|e| e.at(header_at))
    }

    fn decode(&mut self, body: WholeBody, limits: &Limits) -> Result<StreamEvent> {
        let header_at = body.input_at();
        let (found, source) = body.into_source();
        // The message's own offsets begin at its memory.
        let input_at = header_at + found.header_nbytes as u64;
        let added = scan::add_message(source.bytes.as_slice(), &found, &mut self.catalog, limits);
        added.map_err(|e| e.moved_to(header_at))?;
        let Some(catalog) = self.catalog.as_mut() else { return Ok(StreamEvent::Need) };
        match found.header.kind {
            MessageKind::Schema => {
                self.plan = Some(FramePlan::new(&catalog.shape.schema)?);
                Ok(StreamEvent::Schema)
            }
            MessageKind::Dictionary { .. } => {
                // Removes the values, so that those of an endless stream do not accumulate.
                if let Some(message) = catalog.dictionaries.pop() {
                    let batch = BatchPosition { input_at, ..message.batch };
                    let message = DictionaryBatch { before: 0, batch, ..message };
                    check_nbytes(&source, std::iter::once(&message.batch), limits)?;
                    let allowed = DecodeBudget::new(limits, source.bytes.nbytes());
                    self.dictionaries.decode(&source, &catalog.shape, &message, &allowed)?;
                }
                Ok(StreamEvent::Need)
            }
            MessageKind::Batch(_) => {
                let Some(batch) = catalog.batches.pop() else { return Ok(StreamEvent::Need) };
                let batch = BatchPosition { input_at, ..batch };
                catalog.dropped += 1;
                let plan = self
                    .plan
                    .as_ref()
                    .ok_or_else(|| Error::malformed("arrow", "a batch before the schema."))?;
                let named = |e: Error| e.in_member(format!("batch {}", self.nbatches));
                let arrays =
                    arrays(&source, catalog, &batch, DictionaryLookup::Now(&self.dictionaries), limits)
                        .map_err(named)?;
                let frame = batch_frame(plan, &arrays, batch.header.nrows, self.nrows)?;
                self.nbatches += 1;
                self.nrows = catalog.nrows;
                Ok(StreamEvent::Batch(Box::new(frame)))
            }
        }
    }
}

fn arrays(
    source: &IpcSource,
    catalog: &Catalog,
    batch: &BatchPosition,
    dictionaries: DictionaryLookup<'_>,
    limits: &Limits,
) -> Result<Vec<ArrayData>> {
    check_nbytes(source, std::iter::once(batch), limits)?;
    let body = BatchBody::new(source, batch)?;
    let (shape, allowed) = (&catalog.shape, DecodeBudget::new(limits, batch.body_nbytes));
    let one = |(i, place): (usize, &crate::arrow::ipc::field_position::FieldPosition)| {
        FieldCursor::new(&body, shape, dictionaries, *place, &allowed)?.field(field_of(shape, i)?)
    };
    shape.places.iter().enumerate().map(one).collect()
}

/// Builds a frame without rows.
///
/// # Errors
/// As [`FramePlan::frame_with`].
pub(super) fn empty(plan: &FramePlan) -> Result<Frame> {
    let arrays: Vec<ArrayData> = plan.fields.iter().map(|f| ArrayData::new_empty(&f.data_type)).collect();
    batch_frame(plan, &arrays, 0, 0)
}

fn batch_frame(plan: &FramePlan, arrays: &[ArrayData], nrows: usize, first_row: usize) -> Result<Frame> {
    let dtype_of = |i: usize, data: &ArrayData| {
        let dtype = plan.fields.get(i).and_then(|f| f.dtype).filter(|d| fits(*d, data.data_type()));
        dtype.map_or(Ok(None), |dtype| to_block(dtype, data))
    };
    plan.frame_with(arrays, nrows, first_row, &dtype_of)
}
