//! JSON (`.json`): a frame as one value.
//!
//! Specification: RFC 8259, <https://www.rfc-editor.org/rfc/rfc8259>.
//!
//! Cells are scanned straight into columns: no tree of values stands between. Rows are read in ranges of the input, side by
//! side, and joined in order.

mod format;
pub mod lines;
mod opened;
pub mod read;
pub mod write;

pub use format::JsonFormat;

pub use read::options::ReadOptions;
pub use read::root::{bundle, decode, decode_with};
pub use write::options::{Nonfinite, Orient, WriteOptions};
pub use write::{encode, encode_bundle};
