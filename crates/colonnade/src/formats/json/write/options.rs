//! Options for writing JSON and its lines, validated when they are made.

use crate::error::{Error, Result};

/// How a frame is laid out: pandas' words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Orient {
    /// A map of names to arrays; without a header, to maps of row labels.
    #[default]
    Columns,
    /// A map of row labels to maps of names.
    Index,
    /// An array of maps, one a row.
    Records,
    /// Names, row labels and an array of rows apart.
    Split,
    /// An array of rows.
    Values,
    /// `Records` behind a description of the fields (Frictionless' table schema).
    Table,
}

/// All of them, with their names.
const ORIENTS: [(Orient, &str); 6] = [
    (Orient::Columns, "columns"),
    (Orient::Index, "index"),
    (Orient::Records, "records"),
    (Orient::Split, "split"),
    (Orient::Values, "values"),
    (Orient::Table, "table"),
];

impl Orient {
    /// The orient of a name.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn named(name: &str) -> Result<Self> {
        let found = ORIENTS.iter().find(|(_, known)| *known == name);
        found.map(|(orient, _)| *orient).ok_or_else(|| {
            let known = ORIENTS.map(|(_, name)| name).join(", ");
            Error::invalid_option(super::FORMAT, format!("orient: expected one of {known}, found {name:?}."))
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        ORIENTS.iter().find(|(orient, _)| *orient == self).map_or("columns", |(_, name)| name)
    }
}

/// What NaN and the infinities are where no header says that a column is of floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Nonfinite {
    /// `null`.
    #[default]
    Null,
    /// `NaN`, `Infinity`, `-Infinity`: no JSON, though many take it.
    Literal,
    /// They are refused.
    Error,
}

/// Options for writing JSON.
#[derive(Debug, Clone, Copy)]
pub struct WriteOptions {
    /// How the frame is laid out.
    pub orient: Orient,
    /// Whether axes, names, types and attrs stand in an entry `__colonnade__`; without it the data alone.
    pub header: bool,
    /// Without a header only.
    pub nonfinite: Nonfinite,
    /// Spaces a level; one line where `None`.
    pub indent: Option<usize>,
    /// Threads.
    pub threads: usize,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { orient: Orient::Columns, header: true, nonfinite: Nonfinite::Null, indent: None, threads: 1 }
    }
}

/// Options for writing JSON by lines.
#[derive(Debug, Clone, Copy)]
pub struct LinesOptions {
    /// Whether the first line says what the others do not.
    pub header: bool,
    /// Without a header only.
    pub nonfinite: Nonfinite,
    /// Threads.
    pub threads: usize,
}

impl Default for LinesOptions {
    fn default() -> Self {
        Self { header: true, nonfinite: Nonfinite::Null, threads: 1 }
    }
}
