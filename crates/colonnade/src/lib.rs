//! Colonnade's core: the frame model and its formats. No Python, no sockets.

pub mod arrow;
mod calendar;
pub mod cells;
pub mod codec;
pub mod container;
pub mod decode;
pub mod error;
mod excerpt;
pub mod filter;
pub mod formats;
pub mod frame;
pub mod infer;
mod json_skip;
pub mod limits;
pub mod memory;
pub mod message;
pub mod nearest;
pub mod panics;
pub mod parallel;
mod platform;
pub mod progress;
pub mod sink;
pub mod source;
pub mod text;

pub use error::{Error, ErrorKind, Location, Result};
