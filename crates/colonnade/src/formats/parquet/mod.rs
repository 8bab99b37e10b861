//! Parquet files (`.parquet`, `.pq`): columns in pages, pages in column chunks, a chunk of each column in a row group.
//!
//! Specification: <https://github.com/apache/parquet-format>, data pages of versions 1 and 2. The metadata of [`crate::arrow`] hold
//! what Parquet's types cannot express.
//!
//! ```text
//! "PAR1"
//! row group 0: column 0: dictionary page, data pages | column 1: ... | ...      each page: header (thrift) | levels, values
//! row group 1: ...
//! column indexes, offset indexes          bounds and offset of each page
//! footer | its length (4) | "PAR1"        schema, offsets, sizes, encodings, statistics; the Arrow schema and metadata
//! ```
//!
//! | holds | how |
//! |---|---|
//! | every NumPy dtype but object | the closest of Parquet's types, and its dtype in the metadata |
//! | every other Arrow type | the closest of Parquet's types, and the Arrow schema |
//! | labels, names, attrs | columns, and the file's metadata: key `colonnade`, and key `pandas` for other readers |
//! | categories | dictionary pages of all categories, in their order |
//! | unions, structs without fields | structs, and the type in the tag |

pub mod chunk;
pub mod codec;
pub mod delta;
mod facts;
pub mod footer;
mod format;
pub mod keys;
pub mod levels;
pub mod logical_type;
mod lowered;
mod opened;
pub mod page;
pub mod read;
pub mod rle_bit_packed;
pub mod schema;
pub mod statistics;
pub mod thrift;
pub mod thrift_out;
pub mod types;
pub mod unpack;
pub mod values;
pub mod write;

pub use format::ParquetFormat;
pub use logical_type::LogicalTimeUnit;
pub use read::{Parquet, ReadOptions};
pub use write::file::{WriteOptions, Writer, encode};
