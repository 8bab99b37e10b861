//! MessagePack: values, and frames made of them. Knows nothing of files, pipes and connections.
//!
//! Specification: <https://github.com/msgpack/msgpack/blob/master/spec.md>.
//!
//! A column is read by something that takes cells from the front of some bytes ([`cells::Cells`]): the same code reads a
//! whole file, the extent of one column on its own thread, and what has come of a message so far.

pub mod cells;
pub mod head;
pub(crate) mod header;
pub mod options;
pub mod read;
pub mod series;
pub mod skip;
pub mod typed;
pub mod value;
pub mod write;
