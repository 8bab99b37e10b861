//! MessagePack's values. Specification: <https://github.com/msgpack/msgpack/blob/master/spec.md>.
//!
//! A column is read by something that takes cells from the front of some bytes ([`column::Cells`]): the same code reads a
//! whole file, the extent of one column on its own thread, and what has come of a message so far.

pub mod column;
pub mod head;
pub mod heads;
pub mod options;
pub mod skip;
