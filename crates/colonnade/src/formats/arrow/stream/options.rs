//! Options of arrows, validated when they are made: those of Arrow IPC in general.

pub use crate::formats::arrow::write::WriteOptions;
