//! Options of reading MessagePack.

use crate::error::{Error, Result};
use crate::limits::Limits;

use super::column::FORMAT;

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
