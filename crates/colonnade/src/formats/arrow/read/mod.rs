//! Decodes messages to columns in their final memory.
//!
//! A first pass over the headers finds the number of rows, the types and the offset of each buffer ([`crate::arrow::ipc`],
//! [`footer`]). Then each buffer is copied once, in parallel, to its final position ([`decode`]), or returned without a copy
//! after validation.

mod assemble;
mod batches;
mod decode;
mod describe;
mod footer;
mod incremental;
mod load;
mod open;
mod options;
mod remote;

pub use crate::decode::Request;
pub use describe::MessageInfo;
pub use incremental::{DecodedStream, IncrementalDecoder, Schemas, StreamEvent};
pub use open::Ipc;
pub use options::{Form, OpenOptions};
