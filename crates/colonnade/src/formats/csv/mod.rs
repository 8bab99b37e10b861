//! CSV (`.csv`, `.tsv`): one record per line, with fields between delimiters.
//!
//! Specification: RFC 4180, <https://www.rfc-editor.org/rfc/rfc4180>.

mod format;
mod opened;
pub mod read;
mod sidecar;
pub mod write;

pub use format::CsvFormat;

pub use read::{
    BigInts, CsvChunks, Dates, IndexColumns, OnError, ReadOptions, SchemaOption, decode, decode_with,
};
pub use write::options::{OutputEncoding, Quoting, SchemaPlace, WriteOptions};
pub use write::{CsvChunkWriter, encode, losses, sidecar};
