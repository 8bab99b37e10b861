//! The format as the registry knows it.

use std::path::Path;

use super::ReadOptions;
use super::opened::OpenedMsgpack;
use super::series::{SeriesReader, is_series};
use crate::error::Result;
use crate::formats::{Capabilities, Format, FormatSpec, IncrementalReader, Opened, Options, options_of};
use crate::frame::Frame;
use crate::plan::Progress;
use crate::sink::Sink;
use crate::source::Source;

static SPEC: FormatSpec = FormatSpec {
    name: "msgpack",
    suffixes: &[".msgpack"],
    magic: &[],
    capabilities: Capabilities {
        incremental: true,
        chunks: true,
        bundle: true,
        messages: true,
        projection: true,
        ..Capabilities::NONE
    },
};

/// `msgpack`; see the module's documentation.
pub struct MsgpackFormat;

impl Format for MsgpackFormat {
    fn spec(&self) -> &'static FormatSpec {
        &SPEC
    }

    // --- reading

    fn open(
        &self,
        source: Source<'_>,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Opened>> {
        Ok(Box::new(OpenedMsgpack::open(source, options_of(SPEC.name, options)?, progress)?))
    }

    fn reader(
        &self,
        options: &Options,
        max_rows: usize,
        path: Option<&Path>,
    ) -> Result<Box<dyn IncrementalReader>> {
        let _ = (max_rows, path);
        Ok(Box::new(SeriesReader::new(options_of(SPEC.name, options)?)))
    }

    fn is_series(&self, source: Source<'_>, options: &Options, progress: &dyn Progress) -> Result<bool> {
        let options: &ReadOptions = options_of(SPEC.name, options)?;
        let bytes = source.read(SPEC.name, &options.limits, options.threads, progress)?;
        is_series(&bytes, options, progress)
    }

    // --- writing

    fn encode(
        &self,
        _frame: &Frame,
        _options: &Options,
        _sink: &mut dyn Sink,
        _progress: &dyn Progress,
    ) -> Result<()> {
        Err(SPEC.refuse("not joined yet."))
    }
}
