//! The format as the registry knows it.

use crate::error::Result;
use crate::formats::{Capabilities, Format, FormatSpec, Opened, Options};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;

static SPEC: FormatSpec = FormatSpec {
    name: "parquet",
    suffixes: &[".parquet", ".pq"],
    magic: &[b"PAR1", b"PARE"],
    capabilities: Capabilities { chunks: true, ranged: true, projection: true, ..Capabilities::NONE },
};

/// `parquet`; see the module's documentation.
pub struct ParquetFormat;

impl Format for ParquetFormat {
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
