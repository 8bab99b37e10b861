//! The format as the registry knows it.

use crate::error::Result;
use crate::formats::{Capabilities, Format, FormatSpec, Opened, Options, options_of};
use crate::frame::Frame;
use crate::ipc::read::{Form, Ipc, OpenOptions};
use crate::plan::Progress;
use crate::sink::Sink;
use crate::source::Source;

static SPEC: FormatSpec = FormatSpec {
    name: "arrow",
    suffixes: &[".arrow", ".ipc", ".feather"],
    magic: &[b"ARROW1"],
    capabilities: Capabilities { chunks: true, ranged: true, projection: true, ..Capabilities::NONE },
};

/// `arrow`; see the module's documentation.
pub struct ArrowFileFormat;

impl Format for ArrowFileFormat {
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
        let options = OpenOptions { form: Some(Form::File), ..*options_of(SPEC.name, options)? };
        Ok(Box::new(Ipc::open_source(source, options, progress)?))
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
