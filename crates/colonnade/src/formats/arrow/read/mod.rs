//! From messages to final memory.
//!
//! A first pass over the headers alone tells rows, types and where each buffer lies ([`crate::arrow::ipc`], [`footer`]); then every buffer is copied
//! once, in parallel, to where it will stay ([`land`]), or handed out where it lies. What is handed out was
//! checked before.

mod assemble;
mod batches;
mod describe;
mod footer;
mod incremental;
mod land;
mod load;
mod open;
mod options;
mod remote;

pub use crate::decode::Request;
pub use describe::Message;
pub use incremental::{Decoded, Event, IncrementalDecoder, Schemas};
pub use open::Ipc;
pub use options::{Form, OpenOptions};
