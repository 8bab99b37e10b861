//! Options of writing MessagePack, validated when they are made.

use crate::cells::msgpack::column::FORMAT;
use crate::error::{Error, Result};

pub use crate::cells::msgpack::options::{Fallback, MsgpackOrient, ReadOptions};

/// Options for writing.
#[derive(Debug, Clone, Copy)]
pub struct WriteOptions {
    /// How the frame is laid out.
    pub orient: MsgpackOrient,
    /// Whether axes, names, dtypes and attrs stand in an entry `__colonnade__`; without it the data alone.
    pub header: bool,
    /// Numeric columns as one `bin` each rather than as arrays; with a header and in columns only.
    pub packed: bool,
    /// For readers of the specification before 2013: no `bin`, no `str 8`, no extensions.
    pub compatible: bool,
    /// Threads.
    pub threads: usize,
    /// Which of a series of frames this is; with a header only.
    pub chunk: Option<u64>,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            orient: MsgpackOrient::Columns,
            header: true,
            packed: false,
            compatible: false,
            threads: 1,
            chunk: None,
        }
    }
}

impl WriteOptions {
    /// Checks that the options go together.
    ///
    /// # Errors
    /// `InvalidOption`: packed numbers without a header, in rows, or for old readers.
    pub fn check(self) -> Result<Self> {
        if self.packed && (!self.header || self.orient != MsgpackOrient::Columns || self.compatible) {
            let message = "numbers=\"packed\": expected header=True, orient=\"columns\" and compatible=False, as the dtype \
                           of packed numbers stands in the header and their bytes in a `bin`. Write numbers=\"plain\".";
            return Err(Error::invalid_option(FORMAT, message));
        }
        Ok(self)
    }
}
