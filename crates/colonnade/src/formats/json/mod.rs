//! JSON (`.json`): a frame as one value.
//!
//! Specification: RFC 8259, <https://www.rfc-editor.org/rfc/rfc8259>.
//!
//! Cells are scanned straight into columns, without a tree of values. Ranges of the input are scanned in parallel, and
//! their rows joined in order.

mod format;
pub mod lines;
mod opened;
pub mod read;
pub mod write;

pub use format::JsonFormat;

pub use read::options::ReadOptions;
pub use read::root::{bundle, decode, decode_with};
pub use write::options::{JsonOrient, NonfiniteOption, WriteOptions};
pub use write::{encode, encode_bundle, losses};
