//! From messages to final memory.
//!
//! A first pass over the headers alone tells rows, types and where each buffer lies ([`scan`], [`footer`]); then every buffer is copied
//! once, in parallel, to where it will stay ([`land`]), or handed out where it lies ([`arrays`]). What is handed out was
//! checked before ([`check`]).

mod allowed;
mod arrays;
mod arrive;
mod assemble;
mod batches;
mod body;
mod catalog;
mod check;
mod decoder;
mod describe;
mod dictionaries;
mod footer;
mod land;
mod load;
mod message;
mod open;
mod plain;
mod receive;
mod remote;
mod scan;
mod shape;
mod swap;
mod template;

pub use crate::plan::Request;
pub use arrive::{Arrival, Arrived, Schemas};
pub use decoder::{Decoder, Event};
pub use describe::Message;
pub use message::BodyCodec;
pub use open::{Form, Ipc, OpenOptions};
pub(crate) use plain::{Plain, plain};
pub use scan::MAGIC;
pub use shape::NROWS_KEY;
pub(crate) use shape::width;

use std::fs::File;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::memory::Buffer;
use crate::plan::Progress;

/// The bytes of a regular file, for readers that are not opened over a [`crate::source::Source`] yet.
///
/// # Errors
/// As [`crate::source::file_bytes`].
pub fn bytes_of(file: File, mmap: bool, threads: usize, progress: &dyn Progress) -> Result<Buffer> {
    Ok(crate::source::file_bytes(file, mmap, threads, progress)?.bytes)
}

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
