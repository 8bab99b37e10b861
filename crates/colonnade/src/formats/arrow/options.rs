//! Options of arrow, validated when they are made: those of Arrow IPC in general.

pub use super::write::WriteOptions;
