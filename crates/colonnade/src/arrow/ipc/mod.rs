//! Arrow IPC's encapsulated messages: schemas, record batches and dictionaries, from their headers to checked arrays.
//!
//! Specification: <https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format>, metadata version V5 (V4
//! is read too). Arrow files and streams consist of these messages. Parquet, MessagePack and text keep their schema as one.
//!
//! ```text
//! FF FF FF FF | length (4) | flatbuffer, padded | body: buffers at multiples of 8 bytes (the writer uses 64)
//! ```
//!
//! [`scan`] reads only headers: rows, types and the range of each buffer. [`arrays`] builds arrays over the body's buffers
//! and [`check`] validates them. [`encode`] writes headers.

pub(crate) mod allowed;
pub(crate) mod arrays;
pub(crate) mod body;
pub(crate) mod catalog;
pub(crate) mod check;
mod content;
pub(crate) mod dictionaries;
mod dictionary_batches;
mod embedded_stream;
pub(crate) mod encapsulated_message;
pub(crate) mod encode;
mod endianness;
pub(crate) mod field_position;
mod layout_counter;
pub(crate) mod message;
pub(crate) mod scan;
pub(crate) mod shape;
mod template;

pub(crate) use embedded_stream::{EmbeddedStream, decode_embedded_stream};
pub use message::BodyCodec;
pub use scan::MAGIC;
pub use shape::NROWS_KEY;
pub(crate) use shape::width;

use crate::error::{Error, Result};
use crate::frame::{MAX_DEPTH, children, too_deep};
use crate::limits::Limits;

/// Decodes a schema message that is not part of a stream.
///
/// # Errors
/// Malformed, unsupported, over the limit.
pub(crate) fn schema_of(bytes: &[u8], limits: &Limits) -> Result<arrow_schema::SchemaRef> {
    message::check_header_nbytes(bytes.len(), limits)?;
    match bytes.split_at_checked(8) {
        Some(([0xff, 0xff, 0xff, 0xff, ..], flatbuffer)) => {
            Ok(shape::BatchLayout::of_message(flatbuffer)?.schema)
        }
        _ => Err(Error::malformed("arrow", "expected a schema message (FF FF FF FF).")),
    }
}

/// Decodes the flatbuffer of a schema message, without its prefix. The bytes must be aligned and must not change.
///
/// # Errors
/// Malformed, unsupported, over the limit.
pub(crate) fn schema_of_aligned(flatbuffer: &[u8], limits: &Limits) -> Result<arrow_schema::SchemaRef> {
    message::check_header_nbytes(flatbuffer.len(), limits)?;
    Ok(shape::BatchLayout::of_aligned(flatbuffer)?.schema)
}

/// Encodes a schema message with its prefix, the form in which Arrow libraries read a single schema.
///
/// # Errors
/// Schemas of more than 2 GiB.
pub(crate) fn schema_bytes(schema: &arrow_schema::Schema) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    encode::encapsulate(&mut out, 0, encode::schema(schema, None).finished_data())?;
    Ok(out)
}

/// Refuses types that the readers would refuse.
///
/// # Errors
/// `Unrepresentable`: fields nest too deep.
pub(crate) fn check_depth(schema: &arrow_schema::Schema) -> Result<()> {
    fn nests_deeper(field: &arrow_schema::Field, level: usize) -> bool {
        level > MAX_DEPTH
            || children(field.data_type()).into_iter().any(|below| nests_deeper(below, level + 1))
    }
    let Some(field) = schema.fields().iter().find(|field| nests_deeper(field, 0)) else { return Ok(()) };
    Err(too_deep("arrow").in_member(field.name().clone()))
}
