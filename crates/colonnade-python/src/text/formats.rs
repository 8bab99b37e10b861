//! The formats behind one face each way: what an options object stands for.

use colonnade::codec::packed::Codec;
use colonnade::formats::{csv, json, ndjson, yaml};
use colonnade::frame::Frame;
use colonnade::plan::Progress;
use colonnade::sink::Sink;
use colonnade::{Error, Result};
use pyo3::prelude::*;

use super::options_csv::{Common, CsvWriteOptions};
use super::options_json::{JsonWriteOptions, NdjsonWriteOptions, YamlWriteOptions};

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
