//! Options for reading JSON and NDJSON.

use crate::formats::json::write::options::JsonOrient;
use crate::limits::Limits;
use crate::text::input::{TextEncoding, TextPart};

use crate::cells::json::value::JsonRules;

/// Options for reading JSON.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions {
    /// The layout of schemaless data; detected from the data if `None`.
    pub orient: Option<JsonOrient>,
    /// Whether `NaN`, `Infinity` and `-Infinity` are numbers.
    pub allow_nonfinite: bool,
    /// Whether a column of integers beyond 64 bits is read as decimals; otherwise such integers are an error.
    pub big_decimals: bool,
    /// Whether schemaless text of ISO 8601 dates and instants is read as timestamps.
    pub dates: bool,
    /// The encoding of the text.
    pub encoding: TextEncoding,
    /// The part of the input to read, from [`super::root::bundle`].
    pub part: Option<TextPart>,
    /// Limits, including depth.
    pub limits: Limits,
    /// Number of threads.
    pub threads: usize,
}

/// Options for reading NDJSON.
#[derive(Debug, Clone, Copy, Default)]
pub struct LinesReadOptions {
    /// Whether `NaN`, `Infinity` and `-Infinity` are numbers.
    pub allow_nonfinite: bool,
    /// Whether a column of integers beyond 64 bits is read as decimals; otherwise such integers are an error.
    pub big_decimals: bool,
    /// Whether schemaless text of ISO 8601 dates and instants is read as timestamps.
    pub dates: bool,
    /// The encoding of the text.
    pub encoding: TextEncoding,
    /// Limits, including depth.
    pub limits: Limits,
    /// Number of threads.
    pub threads: usize,
}

impl From<LinesReadOptions> for ReadOptions {
    fn from(options: LinesReadOptions) -> Self {
        let LinesReadOptions { allow_nonfinite, big_decimals, dates, encoding, limits, threads } = options;
        Self { orient: None, allow_nonfinite, big_decimals, dates, encoding, part: None, limits, threads }
    }
}

impl ReadOptions {
    /// Returns the scanner's rules for an input of `nbytes`.
    pub(crate) fn rules(&self, nbytes: usize) -> JsonRules {
        JsonRules {
            max_depth: self.limits.max_depth,
            max_columns: self.limits.max_columns,
            max_missing: self.limits.missing_cells(nbytes as u64),
            nbytes: nbytes as u64,
            nonfinite: self.allow_nonfinite,
            decimals: self.big_decimals,
        }
    }
}
