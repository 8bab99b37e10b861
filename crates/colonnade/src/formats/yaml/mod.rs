//! YAML (`.yaml`, `.yml`): a frame as a sequence of mappings, or a mapping of sequences.
//!
//! Specification: YAML 1.2.2, its core schema, <https://yaml.org/spec/1.2.2/>. The work is done in [`crate::yaml`]. Version of
//! our own header: 1.
//!
//! ```text
//! __colonnade__: {"version":1,...}   the header, as JSON on one line
//! records:                           orient="columns": a key for each column instead
//! - x: 1.5
//!   c: text
//! ```
//!
//! | what | how |
//! |---|---|
//! | all types | as [`crate::text::cells`] spells them; types, axes, categories in the header |
//! | several frames | a mapping of labels to them |
//! | chunks | no: a document is read whole |

mod format;
mod opened;

pub use format::YamlFormat;

pub use crate::yaml::options::{Orient, ReadOptions, WriteOptions};
pub use crate::yaml::read::{bundle, bundle_with, decode, decode_with};
pub use crate::yaml::write::{encode, encode_bundle};
