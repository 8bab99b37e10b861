//! Arrow's IPC: messages, bodies, compression; streams and random-access files share them.

pub mod read;
pub mod write;
