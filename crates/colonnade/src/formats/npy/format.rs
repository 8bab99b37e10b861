//! The `Format` of npy.

use super::{WriteOptions, encode, encode_directory};
use crate::container::members::MemberName;
use crate::container::store::{ReadOptions, Store};
use crate::error::Result;
use crate::formats::{Capabilities, Format, FormatSpec, OpenMember, Opened, Options, options_of};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;

static SPEC: FormatSpec = FormatSpec {
    name: "npy",
    suffixes: &[".npy"],
    magic: &[b"\x93NUMPY"],
    capabilities: Capabilities { directory: true, ranged: true, projection: true, ..Capabilities::NONE },
};

/// `npy`; see the module's documentation.
pub struct NpyFormat;

impl Format for NpyFormat {
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
        options_of::<WriteOptions>("npy", options)?;
        encode(frame, sink, progress)
    }

    fn patches(&self) -> bool {
        // An array is written in small pieces, so a sink that copies each call gets it in one.
        true
    }

    fn encode_directory(
        &self,
        frame: &Frame,
        options: &Options,
        open: &mut OpenMember<'_>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let compat = options_of::<WriteOptions>("npy", options)?.compat;
        encode_directory(frame, compat, progress, open, &mut |member| member.commit())
    }

    fn is_member(&self, name: &str) -> bool {
        MemberName::parse(name.as_bytes()).is_some()
    }
}
