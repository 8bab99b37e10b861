//! Frames as streams of the Arrow C data interface, and back.

use std::sync::Arc;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatch, RecordBatchOptions, RecordBatchReader, make_array};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use colonnade::arrow::concat::concat_all;
use colonnade::arrow::export::Exporter;
use colonnade::arrow::import::FramePlan;
use colonnade::frame::Frame;
use colonnade::panics::catch_panic;
use colonnade::{Error, Result};

/// A stream over `frames`, which have one layout and are at least one. Each frame is converted when the consumer asks for it.
///
/// # Errors
/// `Unrepresentable`: data that Arrow cannot hold, or a frame of another layout than the first.
pub fn of_frames(frames: Vec<Arc<Frame>>) -> Result<FFI_ArrowArrayStream> {
    let first = frames
        .first()
        .ok_or_else(|| Error::malformed("arrow", "expected one frame at least, found none."))?;
    let exporter = Exporter::new(first, Some(frames.iter().map(|frame| frame.nrows).sum()))?;
    let exporter = exporter.with_required(&frames).with_nulls_of(&frames);
    for frame in &frames {
        exporter.admit_apart(frame)?;
    }
    let schema = exporter.schema();
    let batches =
        frames.into_iter().map(move |frame| exporter.admitted(&frame).map(|arrays| (frame.nrows, arrays)));
    of_batches(schema, batches)
}

/// A stream over batches of arrays.
pub(crate) fn of_batches(
    schema: SchemaRef,
    batches: impl Iterator<Item = Result<(usize, Vec<ArrayData>)>> + Send + 'static,
) -> Result<FFI_ArrowArrayStream> {
    Ok(FFI_ArrowArrayStream::new(Box::new(Batches { schema, batches })))
}

struct Batches<I> {
    schema: SchemaRef,
    batches: I,
}

/// The error that the consumer of a stream gets, with the text of an error of the core.
pub(crate) fn arrow_error(error: Error) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}

impl<I: Iterator<Item = Result<(usize, Vec<ArrayData>)>>> Iterator for Batches<I> {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // Arrow's callback cannot pass on a panic: it would end the process.
        let batch = catch_panic(|| {
            let batch = self.batches.next()?;
            Some(batch.map_err(arrow_error).and_then(|(nrows, arrays)| {
                let arrays = arrays.into_iter().map(make_array).collect();
                let options = RecordBatchOptions::new().with_row_count(Some(nrows));
                RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            }))
        });
        batch.unwrap_or_else(|panic| Some(Err(arrow_error(panic))))
    }
}

impl<I: Iterator<Item = Result<(usize, Vec<ArrayData>)>>> RecordBatchReader for Batches<I> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// The error of a foreign stream.
pub(crate) fn foreign(error: &ArrowError) -> Error {
    Error::malformed("arrow", format!("the Arrow stream failed: {error}."))
}

/// Reads a foreign stream to its end and joins its batches to one frame. The stream is released.
///
/// # Errors
/// `Malformed`: the stream fails; types that a frame cannot hold.
///
/// # Safety
/// `stream` is a valid stream of the Arrow C stream interface.
pub unsafe fn to_frame(stream: *mut FFI_ArrowArrayStream) -> Result<Frame> {
    // SAFETY: the caller guarantees it.
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream) }.map_err(|e| foreign(&e))?;
    let schema = reader.schema();
    let mut batches = Vec::new();
    for batch in reader {
        batches.push(arrays_of(&batch.map_err(|e| foreign(&e))?));
    }
    let frames = frames_of(&schema, batches)?;
    match frames.as_slice() {
        [one] => Ok(one.clone()),
        many => concat_all(&many.iter().collect::<Vec<_>>()),
    }
}

/// The rows and the arrays of a batch.
pub(crate) fn arrays_of(batch: &RecordBatch) -> (usize, Vec<ArrayData>) {
    (batch.num_rows(), batch.columns().iter().map(|column| column.to_data()).collect())
}

/// The frames of batches; without batches, one frame without rows.
fn frames_of(schema: &Schema, mut batches: Vec<(usize, Vec<ArrayData>)>) -> Result<Vec<Frame>> {
    if batches.is_empty() {
        let empty = schema.fields().iter().map(|f| ArrayData::new_empty(f.data_type())).collect();
        batches.push((0, empty));
    }
    FramePlan::new(schema)?.frames(&batches)
}
