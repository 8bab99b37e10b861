//! Colonnade's core: the frame model and its formats. No Python, no sockets.

pub mod container;
pub mod error;
pub mod frame;

pub use error::{Error, ErrorKind, Location, Result};
