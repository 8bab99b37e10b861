//! The codes of MessagePack extensions in mixed cells, and the version of their list.
//!
//! The codes have this meaning only in a column whose tag has `"extensions":1`. `docs/formats/msgpack.md` lists them with
//! their payloads. The meaning of a code never changes.

#![allow(missing_docs, reason = "each is the code of the Python class of its name")]

/// The version of the codes below.
pub const VERSION: u64 = 1;

pub const TUPLE: i8 = 1;
pub const INT: i8 = 2;
pub const COMPLEX: i8 = 3;
pub const DATE: i8 = 4;
pub const TIME: i8 = 5;
pub const DATETIME: i8 = 6;
pub const TIMEDELTA: i8 = 7;
pub const DECIMAL: i8 = 8;
pub const UUID: i8 = 9;
/// A scalar of NumPy. `python/colonnade/_values/cell_kinds.py` writes and reads it and the codes above.
pub const SCALAR: i8 = 10;
