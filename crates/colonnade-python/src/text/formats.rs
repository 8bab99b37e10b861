//! The formats behind one face each way: what an options object stands for.

use std::ops::Range;

use colonnade::formats::{csv, json, ndjson, yaml};
use colonnade::frame::Frame;
use colonnade::limits::Limits;
use colonnade::memory::Buffer;
use colonnade::plan::Progress;
use colonnade::text::Decoded;
use colonnade::text::nulls::as_readers_have_them;
use colonnade::{Error, Result};
use pyo3::prelude::*;

use super::options_csv::CsvReadOptions;
use super::options_json::{JsonReadOptions, NdjsonReadOptions, YamlReadOptions};

/// Labels of frames, and where their text stands.
pub(super) type Labelled = Vec<(String, Range<usize>)>;

/// Options of reading, as Python gives them.
#[derive(FromPyObject)]
pub(crate) enum ReadArgument<'py> {
    Csv(PyRef<'py, CsvReadOptions>),
    Json(PyRef<'py, JsonReadOptions>),
    Ndjson(PyRef<'py, NdjsonReadOptions>),
    Yaml(PyRef<'py, YamlReadOptions>),
}

impl ReadArgument<'_> {
    pub(super) fn core(&self) -> Reading {
        match self {
            Self::Csv(options) => Reading::Csv(Box::new(options.core.clone())),
            Self::Json(options) => Reading::Json(options.core),
            Self::Ndjson(options) => Reading::Ndjson(options.core),
            Self::Yaml(options) => Reading::Yaml(options.core),
        }
    }
}

/// A format, and how it is read.
#[derive(Clone)]
pub(super) enum Reading {
    Csv(Box<csv::ReadOptions>),
    Json(json::ReadOptions),
    Ndjson(ndjson::ReadOptions),
    Yaml(yaml::ReadOptions),
}

impl Reading {
    pub(super) fn format(&self) -> &'static str {
        match self {
            Self::Csv(_) => "csv",
            Self::Json(_) => "json",
            Self::Ndjson(_) => "ndjson",
            Self::Yaml(_) => "yaml",
        }
    }

    pub(super) fn limits(&self) -> &Limits {
        match self {
            Self::Csv(options) => &options.limits,
            Self::Json(options) => &options.limits,
            Self::Ndjson(options) => &options.limits,
            Self::Yaml(options) => &options.limits,
        }
    }

    pub(super) fn threads(&self) -> usize {
        match self {
            Self::Csv(options) => options.threads,
            Self::Json(options) => options.threads,
            Self::Ndjson(options) => options.threads,
            Self::Yaml(options) => options.threads,
        }
    }

    pub(super) fn decode(&self, text: &Buffer, progress: &dyn Progress) -> Result<Decoded> {
        match self {
            Self::Csv(options) => {
                let mut decoded = csv::decode_with(text, options, progress)?;
                if decoded.version.is_none() {
                    as_readers_have_them(&mut decoded.frame);
                }
                Ok(decoded)
            }
            Self::Json(options) => json::decode_with(text, options, progress),
            Self::Ndjson(options) => ndjson::decode_with(text, options, progress),
            Self::Yaml(options) => yaml::decode_with(text, options, progress),
        }
    }

    /// Labels of several frames, and where their text stands; `None` of one frame.
    pub(super) fn bundle(&self, text: &Buffer, progress: &dyn Progress) -> Result<Option<Labelled>> {
        match self {
            Self::Json(options) => json::bundle(text, options),
            Self::Yaml(options) => yaml::bundle_with(text, options, progress),
            Self::Csv(_) | Self::Ndjson(_) => Ok(None),
        }
    }

    /// How one frame of a bundle is read: from its part of the text.
    pub(super) fn of_part(&self, part: &Range<usize>) -> Self {
        let part = Some((part.start, part.len()));
        match self {
            Self::Json(options) => Self::Json(json::ReadOptions { part, ..*options }),
            Self::Yaml(options) => Self::Yaml(yaml::ReadOptions { part, ..*options }),
            Self::Csv(_) | Self::Ndjson(_) => self.clone(),
        }
    }

    pub(super) fn is_bundle(&self, labels: &[String]) -> Error {
        let some: Vec<&str> = labels.iter().take(5).map(String::as_str).collect();
        let cells = match self {
            Self::Json(_) => ", or say orient=\"columns\" where they are columns whose cells are objects",
            _ => "",
        };
        let message = format!(
            "expected one frame, found a map of {} frames: {}. Open one by its label, read_bundle(source)[{:?}]{cells}.",
            labels.len(),
            some.join(", "),
            some.first().unwrap_or(&"")
        );
        Error::malformed(self.format(), message)
    }

    /// Whether a file beside the data may say what they are.
    pub(super) fn wants_sidecar(&self) -> bool {
        use csv::Schema::{Found, Sidecar};
        matches!(self, Self::Csv(options) if options.sidecar.is_none() && matches!(options.schema, Found | Sidecar))
    }

    pub(super) fn set_sidecar(&mut self, schema: Option<Vec<u8>>) {
        if let Self::Csv(options) = self {
            options.sidecar = schema;
        }
    }
}

/// Frames that come out of text as it comes in.
pub(super) enum Chunked {
    Csv(Box<csv::Chunks>),
    Ndjson(Box<ndjson::Chunks>),
}

impl Chunked {
    pub(super) fn new(reading: &Reading) -> Result<Self> {
        match reading {
            Reading::Csv(options) => Ok(Self::Csv(Box::new(csv::Chunks::new((**options).clone())?))),
            Reading::Ndjson(options) => Ok(Self::Ndjson(Box::new(ndjson::Chunks::new(*options)?))),
            Reading::Json(_) | Reading::Yaml(_) => Err(Error::unsupported(
                reading.format(),
                "it is read whole: a value ends with its last byte.",
            )),
        }
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Csv(chunks) => chunks.feed(bytes),
            Self::Ndjson(chunks) => chunks.feed(bytes),
        }
    }

    pub(super) fn next(&mut self, max_rows: usize) -> Result<Option<Frame>> {
        match self {
            Self::Csv(chunks) => chunks.next(max_rows),
            Self::Ndjson(chunks) => chunks.next(max_rows),
        }
    }

    /// Rows that were left out so far, and values that became null.
    pub(super) fn lost(&self) -> (u64, u64) {
        match self {
            Self::Csv(chunks) => (chunks.dropped(), chunks.nulled()),
            Self::Ndjson(_) => (0, 0),
        }
    }

    /// No more bytes come.
    pub(super) fn finish(&mut self) -> Result<()> {
        match self {
            Self::Csv(chunks) => chunks.finish(),
            Self::Ndjson(chunks) => chunks.finish(),
        }
    }
}
