//! Formats: a frame to bytes and back. They never import each other.

pub mod arrow;
pub mod arrows;
pub mod csv;
pub mod json;
pub mod msgpack;
pub mod ndjson;
pub mod npy;
pub mod npz;
pub mod parquet;
pub mod yaml;

/// The formats of this build, by name.
pub const NAMES: [&str; 4] = ["npz", "npy", "arrow", "arrows"];
