//! YAML (`.yaml`, `.yml`): a frame as a sequence of mappings, or a mapping of sequences.
//!
//! Specification: YAML 1.2.2, its core schema, <https://yaml.org/spec/1.2.2/>. Version of the header: 1.
//!
//! The parser is `saphyr-parser`, which returns events. Each event becomes a node with a type of the core schema. Nodes are read as
//! the cells that a header declares ([`with_header`]). Without a header the columns are inferred from them, in the layouts of
//! schemaless MessagePack ([`schemaless`]).
//!
//! ```text
//! __colonnade__: {"version":1,...}   the header, as JSON on one line
//! records:                           orient="columns": a key for each column instead
//! - x: 1.5
//!   c: text
//! ```
//!
//! | data | how |
//! |---|---|
//! | all types | spelled as in [`crate::cells::text`]; types, axes and categories in the header |
//! | several frames | a mapping of labels to them |
//! | chunks | not supported: a document is read whole |

mod check;
mod extents;
mod format;
mod nodes;
mod numbers;
mod opened;
pub mod options;
pub mod read;
mod resolve;
mod schemaless;
mod with_header;
pub mod write;

#[cfg(test)]
mod tests;

pub use format::YamlFormat;

pub use options::{ReadOptions, WriteOptions, YamlOrient};
pub use read::{bundle, bundle_with, decode, decode_with};
pub use write::{encode, encode_bundle, losses};

/// The format's name in errors.
pub(crate) const FORMAT: &str = "yaml";
