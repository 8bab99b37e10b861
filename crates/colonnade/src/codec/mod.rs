//! Compression codecs and filters of bytes, one file for each.

pub mod brotli;
pub mod deflate;
pub(crate) mod dictionary;
pub mod file;
pub mod filter;
pub mod gzip;
pub mod hadoop_lz4;
pub mod lz4;
pub mod lz4_block;
mod profile;
#[cfg(test)]
pub(crate) mod samples;
pub mod snappy;
pub mod zstd;

pub use profile::Profile;
