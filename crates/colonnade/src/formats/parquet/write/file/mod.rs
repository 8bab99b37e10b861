//! Writes frames to a file.
//!
//! [`layout`] maps a frame's columns to leaves, and [`source`] and [`leaves`] borrow their values. [`super::column`] encodes the
//! columns of a row group in parallel, [`row_groups`] writes the chunks in order, and [`footer`] encodes their metadata meanwhile.
//! [`metadata`] stores what Parquet's types cannot express.

mod array_leaf;
mod dictionaries;
mod elements;
mod entries;
mod file_column;
mod fits;
mod footer;
mod layout;
mod leaves;
mod metadata;
mod nested;
mod node;
mod options;
mod row_buffer;
mod row_groups;
mod shred;
mod source;
mod tree;
mod writer;

#[cfg(test)]
mod tests;

pub use options::{RawWriteOptions, WriteOptions};
pub use writer::Writer;

use crate::error::Result;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;

/// Writes one frame as a whole file.
///
/// # Errors
/// As [`Writer::write`].
pub fn encode(
    frame: &Frame,
    options: WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    Writer::new(options).write_whole(frame, sink, progress)
}
