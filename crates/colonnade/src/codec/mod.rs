//! Codecs: bytes to bytes, one file each.

pub mod deflate;
pub mod lz4;
pub mod packed;
pub mod zstd;
