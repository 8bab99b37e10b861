//! Options of MessagePack, validated when they are made.

use crate::error::{Error, Result};
use crate::limits::Limits;

use super::cells::FORMAT;

/// How a frame is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Orient {
    /// A map of names to arrays.
    #[default]
    Columns,
    /// An array of maps, one a row.
    Records,
    /// A map of names, row labels and an array of rows, as `DataFrame.to_dict(orient="split")` has it.
    Split,
}

impl Orient {
    /// The orient of a name.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "columns" => Ok(Self::Columns),
            "records" => Ok(Self::Records),
            "split" => Ok(Self::Split),
            other => Err(Error::invalid_option(
                FORMAT,
                format!("orient: expected \"columns\", \"records\" or \"split\", found {other:?}."),
            )),
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Columns => "columns",
            Self::Records => "records",
            Self::Split => "split",
        }
    }
}

/// Options for writing.
#[derive(Debug, Clone, Copy)]
pub struct WriteOptions {
    /// How the frame is laid out.
    pub orient: Orient,
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
            orient: Orient::Columns,
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
        if self.packed && (!self.header || self.orient != Orient::Columns || self.compatible) {
            let message = "numbers=\"packed\": expected header=True, orient=\"columns\" and compatible=False, as the dtype \
                           of packed numbers stands in the header and their bytes in a `bin`. Write numbers=\"plain\".";
            return Err(Error::invalid_option(FORMAT, message));
        }
        Ok(self)
    }
}

/// What happens to something that has no column type of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Otherwise {
    /// It is an error.
    #[default]
    Error,
    /// It is kept as bytes.
    Bytes,
}

/// Options for reading.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions {
    /// How foreign data are laid out; told by their look where `None`.
    pub orient: Option<Orient>,
    /// Extensions that nobody knows: an error, or a struct of `code` and `data`.
    pub ext: Otherwise,
    /// Text that is no UTF-8: an error, or the column becomes bytes.
    pub invalid_utf8: Otherwise,
    /// Caps, depth among them.
    pub limits: Limits,
    /// Threads.
    pub threads: usize,
}
