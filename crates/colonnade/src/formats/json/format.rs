//! Registers the JSON format.

use super::{WriteOptions, encode, encode_bundle, losses, opened};
use crate::error::Result;
use crate::formats::{Capabilities, Format, FormatSpec, Opened, Options, options_of};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;
use crate::text::loss::Loss;

static SPEC: FormatSpec = FormatSpec {
    name: "json",
    suffixes: &[".json"],
    magic: &[],
    capabilities: Capabilities { bundle: true, compressed: true, ..Capabilities::NONE },
};

/// The format `json`; see the module's documentation.
pub struct JsonFormat;

impl Format for JsonFormat {
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

    fn encode(
        &self,
        frame: &Frame,
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        encode(frame, options_of::<WriteOptions>("json", options)?, sink, progress)
    }

    fn losses(&self, frame: &Frame, options: &Options) -> Result<Vec<Loss>> {
        losses(frame, options_of::<WriteOptions>("json", options)?)
    }

    fn encode_bundle(
        &self,
        frames: &[(String, Frame)],
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        encode_bundle(frames, options_of::<WriteOptions>("json", options)?, sink, progress)
    }
}
