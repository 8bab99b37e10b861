//! Registers the NDJSON format.

use super::{NdjsonChunkWriter, WriteOptions, encode, losses, opened};
use crate::error::Result;
use crate::formats::encoding::endless;
use crate::formats::{
    Capabilities, Format, FormatSpec, FrameWriter, IncrementalReader, Opened, Options, options_of,
};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;
use crate::text::chunked::no_chunks;
use crate::text::loss::Loss;
use std::path::Path;

static SPEC: FormatSpec = FormatSpec {
    name: "ndjson",
    suffixes: &[".ndjson", ".jsonl"],
    magic: &[],
    capabilities: Capabilities {
        incremental: true,
        chunks: true,
        messages: true,
        compressed: true,
        ..Capabilities::NONE
    },
};

/// The format `ndjson`; see the module's documentation.
pub struct NdjsonFormat;

impl Format for NdjsonFormat {
    fn spec(&self) -> &'static FormatSpec {
        &SPEC
    }

    fn open(
        &self,
        source: Source<'_>,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Opened>> {
        opened::open(source, options_of(SPEC.name, options)?, progress)
    }

    fn reader(
        &self,
        options: &Options,
        max_rows: usize,
        path: Option<&Path>,
    ) -> Result<Box<dyn IncrementalReader>> {
        let _ = path;
        opened::reader(options_of(SPEC.name, options)?, max_rows)
    }

    fn encode(
        &self,
        frame: &Frame,
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        encode(frame, options_of::<WriteOptions>("ndjson", options)?, sink, progress)
    }

    fn losses(&self, frame: &Frame, options: &Options) -> Result<Vec<Loss>> {
        losses(frame, options_of::<WriteOptions>("ndjson", options)?)
    }

    fn writer(&self, options: &Options) -> Result<Box<dyn FrameWriter>> {
        Ok(Box::new(NdjsonChunkWriter::new(*options_of::<WriteOptions>("ndjson", options)?)))
    }

    /// The header states the number of rows.
    fn check_message(&self, _frame: &Frame, options: &Options) -> Result<()> {
        if options_of::<WriteOptions>("ndjson", options)?.header { Ok(()) } else { Err(endless()) }
    }
}

impl FrameWriter for NdjsonChunkWriter {
    fn write(&mut self, frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        Self::write(self, frame, sink, progress)
    }

    fn finish(&mut self, sink: &mut dyn Sink, _progress: &dyn Progress) -> Result<()> {
        if Self::nbatches(self) == 0 { Err(no_chunks()) } else { Self::finish(self, sink) }
    }

    fn nbatches(&self) -> usize {
        Self::nbatches(self)
    }

    fn nrows(&self) -> usize {
        Self::nrows(self)
    }
}
