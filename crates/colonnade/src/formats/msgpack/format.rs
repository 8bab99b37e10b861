//! The registry entry of `msgpack`.

use super::opened::OpenedMsgpack;
use super::series::{FrameSeries, is_series};
use super::{ReadOptions, SeriesWriter, WriteOptions, encode, encode_bundle};
use crate::error::{Error, Result};
use crate::formats::chunk_reader::ChunkReader;
use crate::formats::{
    Capabilities, Format, FormatSpec, FrameWriter, IncrementalReader, Opened, Options, options_of,
};
use crate::frame::Frame;
use crate::progress::{NoProgress, Progress};
use crate::sink::Sink;
use crate::source::Source;
use std::path::Path;

static SPEC: FormatSpec = FormatSpec {
    name: "msgpack",
    suffixes: &[".msgpack"],
    magic: &[],
    capabilities: Capabilities {
        incremental: true,
        chunks: true,
        bundle: true,
        messages: true,
        projection: true,
        ..Capabilities::NONE
    },
};

/// The format `msgpack`; see the module's documentation.
pub struct MsgpackFormat;

impl Format for MsgpackFormat {
    fn spec(&self) -> &'static FormatSpec {
        &SPEC
    }

    fn open(
        &self,
        source: Source<'_>,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Opened>> {
        Ok(Box::new(OpenedMsgpack::open(source, options_of(SPEC.name, options)?, progress)?))
    }

    fn reader(
        &self,
        options: &Options,
        max_rows: usize,
        path: Option<&Path>,
    ) -> Result<Box<dyn IncrementalReader>> {
        let _ = (max_rows, path);
        Ok(Box::new(ChunkReader::new(FrameSeries::new(options_of(SPEC.name, options)?))))
    }

    fn is_series(&self, source: Source<'_>, options: &Options, progress: &dyn Progress) -> Result<bool> {
        let options: &ReadOptions = options_of(SPEC.name, options)?;
        let bytes = source.read(SPEC.name, &options.limits, options.threads, progress)?;
        is_series(&bytes, options, progress)
    }

    fn encode(
        &self,
        frame: &Frame,
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        encode(frame, options_of::<WriteOptions>("msgpack", options)?, sink, progress)
    }

    fn writer(&self, options: &Options) -> Result<Box<dyn FrameWriter>> {
        Ok(Box::new(SeriesWriter::new(*options_of::<WriteOptions>("msgpack", options)?)))
    }

    fn check_message(&self, frame: &Frame, options: &Options) -> Result<()> {
        let options = options_of::<WriteOptions>("msgpack", options)?;
        if options.header || frame.ncols > 0 {
            return Ok(());
        }
        let mut bytes = Vec::new();
        encode(frame, options, &mut bytes, &NoProgress)?;
        if bytes != EMPTY_MAP {
            return Ok(());
        }
        let message = "an empty map alone is no message of a connection. Send the frame with its header, or \
                       orient='records'.";
        Err(Error::unrepresentable("msgpack", message))
    }

    fn encode_bundle(
        &self,
        frames: &[(String, Frame)],
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        encode_bundle(frames, options_of::<WriteOptions>("msgpack", options)?, sink, progress)
    }
}

/// Pickles begin with this byte too, so a receiver reads more bytes before it decides.
const EMPTY_MAP: [u8; 1] = [0x80];

impl FrameWriter for SeriesWriter {
    fn write(&mut self, frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        Self::write(self, frame, sink, progress)
    }

    fn finish(&mut self, _sink: &mut dyn Sink, _progress: &dyn Progress) -> Result<()> {
        Self::finish(self)
    }

    fn nbatches(&self) -> usize {
        self.count()
    }

    fn nrows(&self) -> usize {
        Self::nrows(self)
    }
}
