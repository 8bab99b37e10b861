//! The format as the registry knows it.

use crate::error::Result;
use crate::formats::{Capabilities, Format, FormatSpec, Opened, Options, options_of};
use crate::frame::Frame;
use crate::parquet::read::{Parquet, ReadOptions};
use crate::plan::Progress;
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
        source: Source<'_>,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Opened>> {
        let options = options_of::<ReadOptions>(SPEC.name, options)?;
        Ok(Box::new(Parquet::open_source(source, options.clone(), progress)?))
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
