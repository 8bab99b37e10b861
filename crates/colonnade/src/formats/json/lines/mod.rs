//! NDJSON (`.ndjson`, `.jsonl`): one object per row and line.
//!
//! Specification: <https://github.com/ndjson/ndjson-spec>.

mod format;
mod opened;

pub use format::NdjsonFormat;

pub use crate::formats::json::read::chunks::NdjsonDecoder;
pub use crate::formats::json::read::lines::{decode, decode_with};
pub use crate::formats::json::read::options::LinesReadOptions as ReadOptions;
pub use crate::formats::json::write::lines::{NdjsonChunkWriter, encode, losses};
pub use crate::formats::json::write::options::{LinesOptions as WriteOptions, NonfiniteOption};
