//! Options for writing MessagePack.

use crate::cells::msgpack::column::FORMAT;
use crate::error::{Error, Result};

pub use crate::cells::msgpack::options::{Fallback, MsgpackOrient, ReadOptions};

/// Options for writing.
#[derive(Debug, Clone, Copy)]
pub struct WriteOptions {
    /// The layout of the frame.
    pub orient: MsgpackOrient,
    /// Whether an entry `__colonnade__` has axes, names, dtypes and attrs; without it only the data is written.
    pub header: bool,
    /// Whether numeric columns are one `bin` each instead of arrays; only with a header and in columns.
    pub packed: bool,
    /// Whether the output suits readers of the specification before 2013: no `bin`, no `str 8`, no extensions.
    pub compatible: bool,
    /// The number of threads.
    pub threads: usize,
    /// The number of this frame in a series; only with a header.
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
    /// Checks the combination of options.
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
