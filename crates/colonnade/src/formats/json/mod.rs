//! JSON (`.json`): a frame as one value.
//!
//! Specification: RFC 8259, <https://www.rfc-editor.org/rfc/rfc8259>. The work is done in [`crate::json`].

mod format;
mod opened;

pub use format::JsonFormat;

pub use crate::json::read::options::ReadOptions;
pub use crate::json::read::root::{bundle, decode, decode_with};
pub use crate::json::write::options::{Nonfinite, Orient, WriteOptions};
pub use crate::json::write::{encode, encode_bundle};
