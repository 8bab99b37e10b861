//! Options for writing arrow: those of Arrow IPC in general.

pub use super::write::WriteOptions;
