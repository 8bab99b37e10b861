//! MessagePack: values, and frames made of them. Knows nothing of files, pipes and connections.
//!
//! Specification: <https://github.com/msgpack/msgpack/blob/master/spec.md>.

pub(crate) mod header;
pub mod options;
pub mod read;
pub mod write;

#[doc(hidden)]
pub use crate::cells::{msgpack::head, typed}; // see crate::plan
