//! The format as the registry knows it.

use std::path::Path;

use super::opened;
use crate::error::Result;
use crate::formats::{Capabilities, Format, FormatSpec, IncrementalReader, Opened, Options, options_of};
use crate::frame::Frame;
use crate::plan::Progress;
use crate::sink::Sink;
use crate::source::Source;

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

/// `ndjson`; see the module's documentation.
pub struct NdjsonFormat;

impl Format for NdjsonFormat {
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
