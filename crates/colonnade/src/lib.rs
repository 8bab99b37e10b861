//! Colonnade's core: the frame model and its formats. No Python, no sockets.

pub mod arrow;
mod calendar;
pub mod cells;
pub mod codec;
pub mod container;
pub mod decode;
pub mod error;
pub mod formats;
pub mod frame;
pub mod infer;
mod json_skip;
pub mod limits;
pub mod memory;
pub mod message;
pub mod panics;
pub mod parallel;
pub mod progress;
mod shown;
pub mod sink;
pub mod source;
pub mod text;

pub use error::{Error, ErrorKind, Location, Result};

/// Old names of modules, until the bindings use the new ones.
#[doc(hidden)]
pub mod plan {
    pub use crate::decode::Request;
    pub use crate::parallel::*;
    pub use crate::progress::*;
}

/// See [`plan`].
#[doc(hidden)]
pub mod ipc {
    pub use crate::formats::arrow::write;
    pub mod read {
        pub use crate::arrow::ipc::{BodyCodec, MAGIC};
        pub use crate::formats::arrow::read::*;
    }
}

/// See [`plan`].
#[doc(hidden)]
pub mod msgpack {
    pub use crate::cells::{msgpack::head, typed};
    pub use crate::formats::msgpack::{options, read, write};
}

#[doc(hidden)]
pub use formats::parquet; // see [`plan`]
