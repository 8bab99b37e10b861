//! Reads a file into its final memory, decoding each page once.
//!
//! The footer describes where every column chunk is stored ([`open`]). Pages are decoded in parallel, straight into the memory
//! of the result ([`decode`]).

mod arrow_schema;
mod cast;
mod categories;
mod chunk;
mod column_plan;
mod columns;
mod conversion;
pub(crate) mod decode;
mod describe;
mod encrypted;
mod file;
pub mod filter;
mod leaf_type;
mod level_streams;
mod limits;
mod load;
mod names;
mod nested_projection;
mod old_lists;
mod open;
mod options;
mod page;
mod pandas;
mod projection;
mod row_filter;
mod schema;
mod selection;
mod shape;
mod structure;
#[cfg(test)]
mod tests;
mod tree;
mod verify;

pub use crate::decode::Request;
pub use describe::{ChunkInfo, GroupInfo, StatisticsInfo};
pub use encrypted::DecryptionKeys;
pub use file::Parquet;
pub use open::MAGIC;
pub use options::ReadOptions;
