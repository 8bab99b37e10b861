//! Options for writing arrows: those of Arrow IPC in general.

pub use crate::formats::arrow::write::WriteOptions;
