//! JSON by lines (`.ndjson`, `.jsonl`): an object a row and line.
//!
//! Specification: <https://github.com/ndjson/ndjson-spec>. The work is done in [`crate::json`].

mod format;
mod opened;

pub use format::NdjsonFormat;

pub use crate::json::read::chunks::Chunks;
pub use crate::json::read::lines::{decode, decode_with};
pub use crate::json::read::options::LinesReadOptions as ReadOptions;
pub use crate::json::write::lines::{ChunkWriter, encode};
pub use crate::json::write::options::{LinesOptions as WriteOptions, Nonfinite};
