//! The `Format` of yaml.

use super::{WriteOptions, encode, encode_bundle, losses, opened};
use crate::error::Result;
use crate::formats::{Capabilities, Format, FormatSpec, Opened, Options, options_of};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;
use crate::text::loss::Loss;

static SPEC: FormatSpec = FormatSpec {
    name: "yaml",
    suffixes: &[".yaml", ".yml"],
    magic: &[],
    capabilities: Capabilities { bundle: true, compressed: true, ..Capabilities::NONE },
};

/// `yaml`; see the module's documentation.
pub struct YamlFormat;

impl Format for YamlFormat {
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
        encode(frame, options_of::<WriteOptions>("yaml", options)?, sink, progress)
    }

    fn losses(&self, frame: &Frame, options: &Options) -> Result<Vec<Loss>> {
        losses(frame, options_of::<WriteOptions>("yaml", options)?)
    }

    fn encode_bundle(
        &self,
        frames: &[(String, Frame)],
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        encode_bundle(frames, options_of::<WriteOptions>("yaml", options)?, sink, progress)
    }
}
