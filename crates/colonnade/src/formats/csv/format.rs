//! The format as the registry knows it.

use crate::error::Result;
use crate::formats::{Capabilities, Format, FormatSpec, Opened, Options};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;

static SPEC: FormatSpec = FormatSpec {
    name: "csv",
    suffixes: &[".csv", ".tsv"],
    magic: &[],
    capabilities: Capabilities {
        incremental: true,
        chunks: true,
        messages: true,
        compressed: true,
        ..Capabilities::NONE
    },
};

/// `csv`; see the module's documentation.
pub struct CsvFormat;

impl Format for CsvFormat {
    fn spec(&self) -> &'static FormatSpec {
        &SPEC
    }

    // --- reading

    fn open(
        &self,
        _source: Source<'_>,
        _options: &Options,
        _progress: &dyn Progress,
    ) -> Result<Box<dyn Opened>> {
        Err(SPEC.refuse("not joined yet."))
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
