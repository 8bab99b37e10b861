//! Reading: from the file to final memory, each page once.
//!
//! The footer says what lies where ([`open`]); every page is decoded, in parallel, to where its values will stay ([`land`]).

mod backed;
mod categories;
mod chunk;
mod column_plan;
mod columns;
mod conversion;
mod describe;
mod encrypted;
mod file;
pub mod filter;
mod front;
mod hints;
pub(crate) mod land;
mod leaf_type;
mod load;
mod names;
mod narrow;
mod open;
mod options;
mod page;
mod pandas;
mod row_filter;
mod schema;
mod selection;
mod shape;
mod structure;
#[cfg(test)]
mod tests;
mod tree;
mod turned;
mod verify;
mod wanted;

pub use crate::decode::Request;
pub use describe::{Bounds, ChunkInfo, GroupInfo};
pub use encrypted::Keys;
pub use file::Parquet;
pub use open::MAGIC;
pub use options::ReadOptions;
