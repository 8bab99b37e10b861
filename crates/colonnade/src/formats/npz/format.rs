//! The `Format` of npz.

use super::bundle::check_labels;
use super::{WriteOptions, encode, encode_bundle};
use crate::container::store::{ReadOptions, Store};
use crate::error::Result;
use crate::formats::{Capabilities, Format, FormatSpec, Opened, Options, options_of};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;

static SPEC: FormatSpec = FormatSpec {
    name: "npz",
    suffixes: &[".npz"],
    magic: &[b"PK\x03\x04", b"PK\x05\x06"],
    capabilities: Capabilities {
        bundle: true,
        directory: true,
        ranged: true,
        projection: true,
        ..Capabilities::NONE
    },
};

/// `npz`; see the module's documentation.
pub struct NpzFormat;

impl Format for NpzFormat {
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
        Ok(Box::new(Store::open(source, *options, progress)?))
    }

    fn encode(
        &self,
        frame: &Frame,
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        encode(frame, options_of::<WriteOptions>("npz", options)?, sink, progress).map(drop)
    }

    fn patches(&self) -> bool {
        true
    }

    fn check_bundle(&self, frames: &[(String, Frame)]) -> Result<()> {
        check_labels(frames)
    }

    fn encode_bundle(
        &self,
        frames: &[(String, Frame)],
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        encode_bundle(frames, options_of::<WriteOptions>("npz", options)?, sink, progress)
    }
}
