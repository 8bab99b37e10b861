//! Options for reading MessagePack.

use crate::error::{Error, Result};
use crate::limits::Limits;

use super::column::FORMAT;

/// How a frame is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MsgpackOrient {
    /// A map of names to arrays.
    #[default]
    Columns,
    /// An array of maps, one a row.
    Records,
    /// A map of names, row labels and an array of rows, as `DataFrame.to_dict(orient="split")` has it.
    Split,
}

impl MsgpackOrient {
    /// Parses the name of an orient.
    ///
    /// # Errors
    /// `InvalidOption` with the valid names.
    pub fn from_name(name: &str) -> Result<Self> {
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

    /// Returns the name of the orient.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Columns => "columns",
            Self::Records => "records",
            Self::Split => "split",
        }
    }
}

/// How a value without a matching column type is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fallback {
    /// It is an error.
    #[default]
    Error,
    /// It becomes bytes.
    Bytes,
}

/// Options for reading.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions {
    /// The layout of schemaless data; detected from the data if `None`.
    pub orient: Option<MsgpackOrient>,
    /// Unknown extensions: an error, or a struct of `code` and `data`.
    pub ext: Fallback,
    /// Text that is not UTF-8: an error, or the column becomes bytes.
    pub invalid_utf8: Fallback,
    /// Limits, including depth.
    pub limits: Limits,
    /// Number of threads.
    pub threads: usize,
}
