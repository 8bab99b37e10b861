//! MessagePack values. Specification: <https://github.com/msgpack/msgpack/blob/master/spec.md>.
//!
//! The reader of a column takes cells from the front of a slice ([`column::CellReader`]). The same code reads a whole file, the
//! extent of one column on its own thread, and the received part of a message.

pub mod column;
pub mod extension_codes;
pub mod head;
pub mod heads;
pub mod options;
pub mod skip;
