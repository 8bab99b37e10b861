//! CSV (`.csv`, `.tsv`): a record a line, fields between delimiters.
//!
//! Specification: RFC 4180, <https://www.rfc-editor.org/rfc/rfc4180>. The work is done in [`crate::csv`].

mod format;
mod opened;
mod sidecar;

pub use format::CsvFormat;

pub use crate::csv::read::{
    BigInts, Chunks, Dates, IndexColumns, OnError, ReadOptions, Schema, decode, decode_with,
};
pub use crate::csv::write::options::{Encoding, Quoting, SchemaPlace, WriteOptions};
pub use crate::csv::write::{ChunkWriter, encode, sidecar};
