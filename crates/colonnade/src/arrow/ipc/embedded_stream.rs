//! A small stream within metadata, decoded to arrays. The reader ignores `colonnade` metadata in its schema.

use std::sync::Arc;

use arrow_data::ArrayData;
use arrow_schema::SchemaRef;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::memory::Buffer;

use super::allowed::DecodeBudget;
use super::arrays::{FieldCursor, field_of};
use super::body::{BatchBody, IpcSource};
use super::dictionaries::DictionaryHistory;
use super::scan;

/// The fields of a stream of one batch, and their validated values.
#[derive(Debug)]
pub(crate) struct EmbeddedStream {
    /// The schema.
    pub(crate) schema: SchemaRef,
    /// One array a field.
    pub(crate) arrays: Vec<ArrayData>,
}

/// Decodes and validates a stream of one batch. `accepts` gets the number of rows first, and may refuse it.
///
/// # Errors
/// Malformed or truncated messages; more than one batch; compressed bodies; a limit.
pub(crate) fn decode_embedded_stream(
    bytes: Vec<u8>,
    accepts: &dyn Fn(usize) -> Result<()>,
) -> Result<EmbeddedStream> {
    let limits = Limits::default();
    let source = IpcSource::new(Buffer::from_vec(bytes));
    let catalog = scan::stream(source.bytes.as_slice(), &limits, false)?;
    let mut all = catalog.batches.iter().chain(catalog.dictionaries.iter().map(|d| &d.batch));
    if all.any(|batch| batch.header.codec.is_some()) {
        return Err(Error::malformed("arrow", "expected bodies without compression, found compressed ones."));
    }
    let [batch] = catalog.batches.as_slice() else {
        let message = format!("expected one batch, found {}.", catalog.batches.len());
        return Err(Error::malformed("arrow", message));
    };
    accepts(batch.header.nrows)?;
    let budget = DecodeBudget::new(&limits, source.bytes.nbytes());
    let history = DictionaryHistory::new(&source, &catalog, &budget, None)?;
    let body = BatchBody::new(&source, batch)?;
    let shape = &catalog.shape;
    let array = |(i, place)| {
        FieldCursor::new(&body, shape, history.at(0), place, &budget)?.field(field_of(shape, i)?)
    };
    let arrays = shape.places.iter().copied().enumerate().map(array).collect::<Result<_>>()?;
    Ok(EmbeddedStream { schema: Arc::clone(&shape.schema), arrays })
}
