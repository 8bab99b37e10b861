//! The format as the registry knows it.

use std::path::Path;

use super::reader::Reader;
use crate::error::Result;
use crate::formats::{Capabilities, Format, FormatSpec, IncrementalReader, Opened, Options, options_of};
use crate::frame::Frame;
use crate::ipc::read::{Form, Ipc, OpenOptions};
use crate::plan::Progress;
use crate::sink::Sink;
use crate::source::Source;

static SPEC: FormatSpec = FormatSpec {
    name: "arrows",
    suffixes: &[".arrows"],
    magic: &[],
    capabilities: Capabilities {
        incremental: true,
        chunks: true,
        messages: true,
        projection: true,
        ..Capabilities::NONE
    },
};

/// `arrows`; see the module's documentation.
pub struct ArrowStreamFormat;

impl Format for ArrowStreamFormat {
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
        let options = OpenOptions { form: Some(Form::Stream), ..*options_of(SPEC.name, options)? };
        Ok(Box::new(Ipc::open_source(source, options, progress)?))
    }

    fn reader(
        &self,
        options: &Options,
        _max_rows: usize,
        _path: Option<&Path>,
    ) -> Result<Box<dyn IncrementalReader>> {
        Ok(Box::new(Reader::new(options_of(SPEC.name, options)?)?))
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
