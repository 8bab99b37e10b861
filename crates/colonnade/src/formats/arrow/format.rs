//! The registry entry of `arrow`.

use super::read::{Form, Ipc, OpenOptions};
use super::write::Writer;
use super::{WriteOptions, encode, writer};
use crate::error::{Error, Result};
use crate::formats::{Capabilities, Format, FormatSpec, FrameWriter, Opened, Options, options_of};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;

static SPEC: FormatSpec = FormatSpec {
    name: "arrow",
    suffixes: &[".arrow", ".ipc", ".feather"],
    magic: &[b"ARROW1"],
    capabilities: Capabilities { chunks: true, ranged: true, projection: true, ..Capabilities::NONE },
};

/// The format `arrow`; see the module's documentation.
pub struct ArrowFileFormat;

impl Format for ArrowFileFormat {
    fn spec(&self) -> &'static FormatSpec {
        &SPEC
    }

    fn open(
        &self,
        source: Source<'_>,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Opened>> {
        let options = OpenOptions { form: Some(Form::File), ..*options_of(SPEC.name, options)? };
        Ok(Box::new(Ipc::open_source(source, options, progress)?))
    }

    fn encode(
        &self,
        frame: &Frame,
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        encode(frame, *options_of::<WriteOptions>("arrow", options)?, sink, progress)
    }

    fn writer(&self, options: &Options) -> Result<Box<dyn FrameWriter>> {
        Ok(Box::new(writer(*options_of::<WriteOptions>("arrow", options)?)))
    }

    fn check_message(&self, _frame: &Frame, _options: &Options) -> Result<()> {
        Err(message_error())
    }

    fn message_writer(&self, _options: &Options) -> Result<Box<dyn FrameWriter>> {
        Err(message_error())
    }
}

fn message_error() -> Error {
    let message = "expected \"arrows\", found \"arrow\": a connection cannot carry a file.";
    Error::invalid_option("format", message)
}

/// One writer serves files and streams; `Writer::new` takes the form.
impl FrameWriter for Writer {
    fn write(&mut self, frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        Self::write(self, frame, sink, progress)
    }

    fn finish(&mut self, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        Self::finish(self, sink, progress)
    }

    fn nbatches(&self) -> usize {
        Self::nbatches(self)
    }

    fn nrows(&self) -> usize {
        Self::nrows(self)
    }
}
