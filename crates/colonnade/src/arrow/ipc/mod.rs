//! Arrow IPC's encapsulated messages: schemas, record batches and dictionaries, from their headers to checked arrays.
//!
//! Specification: <https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format>, metadata version V5 (V4
//! is read too). Arrow files and streams are made of these messages; Parquet, MessagePack and text keep schemas as one.
//!
//! ```text
//! FF FF FF FF | length (4) | flatbuffer, padded | body: buffers at multiples of 8 (ours: 64) bytes
//! ```
//!
//! [`scan`] reads headers alone: rows, types and where each buffer is. [`arrays`] hands buffers out where they are, after
//! [`check`] has found them sound. [`encode`] writes headers.

pub(crate) mod allowed;
pub(crate) mod arrays;
pub(crate) mod body;
pub(crate) mod catalog;
pub(crate) mod check;
pub(crate) mod dictionaries;
mod dictionary_batches;
pub(crate) mod encapsulated_message;
pub(crate) mod encode;
pub(crate) mod message;
mod plain;
pub(crate) mod scan;
pub(crate) mod shape;
pub(crate) mod swap;
pub(crate) mod template;

pub use message::BodyCodec;
pub(crate) use plain::{Plain, plain};
pub use scan::MAGIC;
pub use shape::NROWS_KEY;
pub(crate) use shape::width;

use crate::error::{Error, Result};
use crate::frame::{MAX_DEPTH, children, too_deep};
use crate::limits::Limits;

/// The schema of a schema message that stands alone.
///
/// # Errors
/// Malformed, unsupported, over the limit.
pub(crate) fn schema_of(bytes: &[u8], limits: &Limits) -> Result<arrow_schema::SchemaRef> {
    message::check_header_nbytes(bytes.len(), limits)?;
    match bytes.split_at_checked(8) {
        Some(([0xff, 0xff, 0xff, 0xff, ..], flatbuffer)) => Ok(shape::Shape::of_message(flatbuffer)?.schema),
        _ => Err(Error::malformed("arrow", "expected a schema message (FF FF FF FF).")),
    }
}

/// The schema of a schema message without what stands before its flatbuffer, in bytes that are aligned and never change.
///
/// # Errors
/// Malformed, unsupported, over the limit.
pub(crate) fn schema_of_own(flatbuffer: &[u8], limits: &Limits) -> Result<arrow_schema::SchemaRef> {
    message::check_header_nbytes(flatbuffer.len(), limits)?;
    Ok(shape::Shape::of_own(flatbuffer)?.schema)
}

/// The schema message, with its prefix, as Arrow libraries read one that stands alone.
///
/// # Errors
/// Schemas of more than 2 GiB.
pub(crate) fn schema_bytes(schema: &arrow_schema::Schema) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    encode::frame(&mut out, 0, encode::schema(schema, None).finished_data())?;
    Ok(out)
}

/// Refuses types that no reader of ours would take.
///
/// # Errors
/// `Unrepresentable`: fields that nest too deep.
pub(crate) fn check_depth(schema: &arrow_schema::Schema) -> Result<()> {
    fn deeper(field: &arrow_schema::Field, level: usize) -> bool {
        level > MAX_DEPTH || children(field.data_type()).into_iter().any(|below| deeper(below, level + 1))
    }
    let Some(field) = schema.fields().iter().find(|field| deeper(field, 0)) else { return Ok(()) };
    Err(too_deep("arrow").in_member(field.name().clone()))
}
