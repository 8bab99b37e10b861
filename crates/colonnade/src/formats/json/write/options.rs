//! Options for writing JSON and NDJSON, validated on creation.

use crate::error::{Error, Result};

/// The layout of a frame, in pandas' terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum JsonOrient {
    /// A map of names to arrays; without a header, to maps of row labels.
    #[default]
    Columns,
    /// A map of row labels to maps of names.
    Index,
    /// An array of maps, one a row.
    Records,
    /// Separate names, row labels and an array of rows.
    Split,
    /// An array of rows.
    Values,
    /// `Records` after a description of the fields (Frictionless' table schema).
    Table,
}

/// All orients with their names.
const ORIENTS: [(JsonOrient, &str); 6] = [
    (JsonOrient::Columns, "columns"),
    (JsonOrient::Index, "index"),
    (JsonOrient::Records, "records"),
    (JsonOrient::Split, "split"),
    (JsonOrient::Values, "values"),
    (JsonOrient::Table, "table"),
];

impl JsonOrient {
    /// Parses the name of an orient.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn from_name(name: &str) -> Result<Self> {
        let found = ORIENTS.iter().find(|(_, known)| *known == name);
        found.map(|(orient, _)| *orient).ok_or_else(|| {
            let known = ORIENTS.map(|(_, name)| name).join(", ");
            Error::invalid_option(super::FORMAT, format!("orient: expected one of {known}, found {name:?}."))
        })
    }

    /// Returns the name of the orient.
    #[must_use]
    pub fn name(self) -> &'static str {
        ORIENTS.iter().find(|(orient, _)| *orient == self).map_or("columns", |(_, name)| name)
    }
}

/// The spelling of NaN and infinities in columns that no header declares as floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NonfiniteOption {
    /// `null`.
    #[default]
    Null,
    /// `NaN`, `Infinity`, `-Infinity`: not JSON, though many readers accept them.
    Literal,
    /// An error.
    Error,
}

/// Options for writing JSON.
#[derive(Debug, Clone, Copy)]
pub struct WriteOptions {
    /// The layout of the frame.
    pub orient: JsonOrient,
    /// Whether axes, names, types and attrs are written in an entry `__colonnade__`; otherwise only the data.
    pub header: bool,
    /// The spelling of NaN and infinities without a header.
    pub nonfinite: NonfiniteOption,
    /// Spaces per level; one line if `None`.
    pub indent: Option<usize>,
    /// Number of threads.
    pub threads: usize,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            orient: JsonOrient::Columns,
            header: true,
            nonfinite: NonfiniteOption::Null,
            indent: None,
            threads: 1,
        }
    }
}

/// Options for writing JSON by lines.
#[derive(Debug, Clone, Copy)]
pub struct LinesOptions {
    /// Whether the first line is a header.
    pub header: bool,
    /// The spelling of NaN and infinities without a header.
    pub nonfinite: NonfiniteOption,
    /// Number of threads.
    pub threads: usize,
}

impl Default for LinesOptions {
    fn default() -> Self {
        Self { header: true, nonfinite: NonfiniteOption::Null, threads: 1 }
    }
}
