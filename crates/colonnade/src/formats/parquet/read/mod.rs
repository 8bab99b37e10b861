//! Reading: from the file to final memory, each page once.
//!
//! The footer says what lies where ([`open`]); every page is decoded, in parallel, to where its values will stay ([`land`]).

mod arrow_schema;
mod cast;
mod categories;
mod chunk;
mod column_plan;
mod columns;
mod conversion;
mod describe;
mod encrypted;
mod file;
pub mod filter;
pub(crate) mod land;
mod leaf_type;
mod level_streams;
mod limits;
mod load;
mod names;
mod nested_projection;
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
pub use describe::{Bounds, ChunkInfo, GroupInfo};
pub use encrypted::Keys;
pub use file::Parquet;
pub use open::MAGIC;
pub use options::ReadOptions;
