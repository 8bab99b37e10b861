//! Writes Parquet files: chooses encodings and codecs, and encodes columns in parallel.

pub(crate) mod column;
pub mod file;
