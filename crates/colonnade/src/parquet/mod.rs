//! Parquet, its bytes.

pub mod chunk;
pub mod codec;
pub mod delta;
pub mod footer;
pub mod hybrid;
pub mod keys;
pub mod levels;
pub mod page;
pub mod read;
pub mod schema;
pub mod statistics;
pub mod thrift;
pub mod thrift_out;
pub mod types;
pub mod unpack;
pub mod values;
pub mod write;
