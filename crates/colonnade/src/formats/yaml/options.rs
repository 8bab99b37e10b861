//! Options of YAML, validated when they are made.

use crate::cells::msgpack::options as msgpack;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::text::input::{TextEncoding, TextPart};

use super::FORMAT;

/// How a frame is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Orient {
    /// A sequence of mappings, one a row.
    #[default]
    Records,
    /// A mapping of names to sequences.
    Columns,
}

impl Orient {
    /// The orient of a name.
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

    /// Its name.
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
    /// How the frame is laid out.
    pub orient: Orient,
    /// Whether types, axes, names and attrs stand in an entry `__colonnade__`; without it the data alone.
    pub header: bool,
    /// Threads.
    pub threads: usize,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { orient: Orient::Records, header: true, threads: 1 }
    }
}

/// Options for reading.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions {
    /// How foreign data are laid out; told by their look where `None`.
    pub orient: Option<Orient>,
    /// Of the bytes.
    pub encoding: TextEncoding,
    /// The part of the input that is the document, as [`crate::formats::yaml::read::bundle`] answers it.
    pub part: Option<TextPart>,
    /// Caps, depth among them.
    pub limits: Limits,
    /// Threads.
    pub threads: usize,
}

impl ReadOptions {
    /// The options of what the nodes become.
    pub(in crate::formats::yaml) fn msgpack(&self) -> msgpack::ReadOptions {
        let orient = self.orient.map(|orient| match orient {
            Orient::Records => msgpack::MsgpackOrient::Records,
            Orient::Columns => msgpack::MsgpackOrient::Columns,
        });
        msgpack::ReadOptions { orient, limits: self.limits, ..msgpack::ReadOptions::default() }
    }
}
