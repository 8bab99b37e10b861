//! The `Format` of parquet.

use super::{WriteOptions, Writer, encode};
use crate::error::Result;
use crate::formats::parquet::read::{Parquet, ReadOptions};
use crate::formats::{Capabilities, Format, FormatSpec, FrameWriter, Opened, Options, options_of};
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

    fn open(
        &self,
        source: Source<'_>,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Opened>> {
        let options = options_of::<ReadOptions>(SPEC.name, options)?;
        Ok(Box::new(Parquet::open_source(source, options.clone(), progress)?))
    }

    fn encode(
        &self,
        frame: &Frame,
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        encode(frame, options_of::<WriteOptions>("parquet", options)?.clone(), sink, progress)
    }

    fn writer(&self, options: &Options) -> Result<Box<dyn FrameWriter>> {
        Ok(Box::new(Writer::new(options_of::<WriteOptions>("parquet", options)?.clone())))
    }
}

impl FrameWriter for Writer {
    fn write(&mut self, frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        Self::write(self, frame, sink, progress)
    }

    fn finish(&mut self, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        Self::finish(self, sink, progress)
    }

    fn nbatches(&self) -> usize {
        self.ngroups()
    }

    fn nrows(&self) -> usize {
        Self::nrows(self)
    }
}
