//! From frames to a file.
//!
//! A frame's columns are leaves of the schema ([`layout`]), taken where they lie ([`source`], [`leaves`]); each column of each
//! row group is encoded by itself ([`super::column`]), many at once, and taken in order ([`groups`]), while the footer is put
//! into its form ([`footer`]). What Parquet's own types do not say stands in the file's metadata ([`metadata`]).

mod array_leaf;
mod dictionaries;
mod elements;
mod entries;
mod fits;
mod footer;
mod groups;
mod layout;
mod leaves;
mod metadata;
mod nested;
mod node;
mod options;
mod pending;
mod root;
mod shred;
mod source;
mod tree;
mod writer;

#[cfg(test)]
mod tests;

pub use options::{Asked, WriteOptions};
pub use writer::Writer;

use crate::error::Result;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;

/// One frame, whole.
///
/// # Errors
/// As [`Writer::write`].
pub fn encode(
    frame: &Frame,
    options: WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    Writer::new(options).whole(frame, sink, progress)
}
