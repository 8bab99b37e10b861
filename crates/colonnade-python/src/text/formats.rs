//! The formats behind one face each way: what an options object stands for.

use std::ops::Range;

use colonnade::codec::packed::Codec;
use colonnade::formats::{csv, json, ndjson, yaml};
use colonnade::frame::Frame;
use colonnade::limits::Limits;
use colonnade::memory::Buffer;
use colonnade::plan::Progress;
use colonnade::sink::Sink;
use colonnade::text::Decoded;
use colonnade::text::nulls::as_readers_have_them;
use colonnade::{Error, Result};
use pyo3::prelude::*;

use super::options_csv::{Common, CsvReadOptions, CsvWriteOptions};
use super::options_json::{
    JsonReadOptions, JsonWriteOptions, NdjsonReadOptions, NdjsonWriteOptions, YamlReadOptions,
    YamlWriteOptions,
};

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

/// Options of writing, as Python gives them.
#[derive(FromPyObject)]
pub(crate) enum WriteArgument<'py> {
    Csv(PyRef<'py, CsvWriteOptions>),
    Json(PyRef<'py, JsonWriteOptions>),
    Ndjson(PyRef<'py, NdjsonWriteOptions>),
    Yaml(PyRef<'py, YamlWriteOptions>),
}

impl WriteArgument<'_> {
    pub(crate) fn core(&self) -> Writing {
        let (format, Common { packing, level, fsync }) = match self {
            Self::Csv(options) => (Format::Csv(options.core.clone()), options.common),
            Self::Json(options) => (Format::Json(options.core), options.common),
            Self::Ndjson(options) => (Format::Ndjson(options.core), options.common),
            Self::Yaml(options) => (Format::Yaml(options.core), options.common),
        };
        Writing { format, packing, level, fsync }
    }
}

/// A format, how it is written, and how what is written is packed.
pub(crate) struct Writing {
    format: Format,
    pub(super) packing: Option<Codec>,
    pub(super) level: Option<i32>,
    pub(super) fsync: bool,
}

enum Format {
    Csv(csv::WriteOptions),
    Json(json::WriteOptions),
    Ndjson(ndjson::WriteOptions),
    Yaml(yaml::WriteOptions),
}

impl Writing {
    pub(crate) fn encode(&self, frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        match &self.format {
            Format::Csv(options) => csv::encode(frame, options, sink, progress),
            Format::Json(options) => json::encode(frame, options, sink, progress),
            Format::Ndjson(options) => ndjson::encode(frame, options, sink, progress),
            Format::Yaml(options) => yaml::encode(frame, options, sink, progress),
        }
    }

    pub(crate) fn format_name(&self) -> &'static str {
        match self.format {
            Format::Csv(_) => "csv",
            Format::Json(_) => "json",
            Format::Ndjson(_) => "ndjson",
            Format::Yaml(_) => "yaml",
        }
    }

    /// Whether a reader knows from the first line where the table ends.
    pub(crate) fn says_its_rows(&self) -> bool {
        self.packing.is_none()
            && match &self.format {
                Format::Csv(options) => {
                    options.schema == csv::SchemaPlace::Header && options.encoding == csv::Encoding::Utf8
                }
                Format::Ndjson(options) => options.header,
                Format::Json(_) | Format::Yaml(_) => false,
            }
    }

    pub(super) fn encode_bundle(
        &self,
        frames: &[(String, Frame)],
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        match &self.format {
            Format::Json(options) => json::encode_bundle(frames, options, sink, progress),
            Format::Yaml(options) => yaml::encode_bundle(frames, options, sink, progress),
            Format::Csv(_) => Err(Error::unsupported("csv", "it holds one frame. Write a file for each.")),
            Format::Ndjson(_) => {
                Err(Error::unsupported("ndjson", "it holds one frame. Write a file for each."))
            }
        }
    }

    /// What stands beside the file; `None` where nothing does.
    pub(super) fn sidecar(&self, frame: &Frame) -> Result<Option<Vec<u8>>> {
        match &self.format {
            Format::Csv(options) if options.schema == csv::SchemaPlace::Sidecar => {
                csv::sidecar(frame, options).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether a file of this format may have one beside it.
    pub(super) fn may_have_sidecar(&self) -> bool {
        matches!(self.format, Format::Csv(_))
    }
}

/// Frames written one behind the other.
pub(super) enum ChunkWriter {
    Csv(csv::ChunkWriter),
    Ndjson(ndjson::ChunkWriter),
}

impl ChunkWriter {
    pub(super) fn new(writing: &Writing) -> Result<Self> {
        match &writing.format {
            Format::Csv(options) => Ok(Self::Csv(csv::ChunkWriter::new(options.clone()))),
            Format::Ndjson(options) => Ok(Self::Ndjson(ndjson::ChunkWriter::new(*options))),
            Format::Json(_) => Err(Error::unsupported("json", "it is written whole.")),
            Format::Yaml(_) => Err(Error::unsupported("yaml", "it is written whole.")),
        }
    }

    pub(super) fn write(
        &mut self,
        frame: &Frame,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        match self {
            Self::Csv(writer) => writer.write(frame, sink, progress),
            Self::Ndjson(writer) => writer.write(frame, sink, progress),
        }
    }

    pub(super) fn finish(&mut self, sink: &mut dyn Sink) -> Result<()> {
        match self {
            Self::Csv(writer) => writer.finish(sink),
            Self::Ndjson(writer) => writer.finish(sink),
        }
    }
}
