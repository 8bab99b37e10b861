//! Options of yaml, validated by their constructors.

use crate::cells::msgpack::options::MsgpackOrient;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::text::input::{TextEncoding, TextPart};

use super::FORMAT;

/// The layout of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum YamlOrient {
    /// A sequence of mappings, one per row.
    #[default]
    Records,
    /// A mapping of names to sequences.
    Columns,
}

impl YamlOrient {
    /// Returns the orient of a name.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "records" => Ok(Self::Records),
            "columns" => Ok(Self::Columns),
            other => Err(Error::invalid_option(
                FORMAT,
                format!("orient: expected \"records\" or \"columns\", found {other:?}."),
            )),
        }
    }

    /// The layout of schemaless MessagePack that has the same rules.
    pub(in crate::formats::yaml) fn msgpack(self) -> MsgpackOrient {
        match self {
            Self::Records => MsgpackOrient::Records,
            Self::Columns => MsgpackOrient::Columns,
        }
    }

    /// The name of the orient in the options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Columns => "columns",
        }
    }
}

/// Options for writing.
#[derive(Debug, Clone, Copy)]
pub struct WriteOptions {
    /// Layout of the frame.
    pub orient: YamlOrient,
    /// Whether to write the entry `__colonnade__` with types, axes, names and attrs.
    pub header: bool,
    /// Number of threads.
    pub threads: usize,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { orient: YamlOrient::Records, header: true, threads: 1 }
    }
}

/// Options for reading.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions {
    /// Layout of a document without a header; `None` to detect it.
    pub orient: Option<YamlOrient>,
    /// Whether text of ISO 8601 dates and instants is read as timestamps in a document without a header.
    pub dates: bool,
    /// Character encoding of the text.
    pub encoding: TextEncoding,
    /// The part of the input to read, as [`crate::formats::yaml::read::bundle`] returns it.
    pub part: Option<TextPart>,
    /// Limits, among them the depth.
    pub limits: Limits,
    /// Number of threads.
    pub threads: usize,
}
