//! The registry entry of `arrows`.

use super::reader::Reader;
use super::{WriteOptions, encode, writer};
use crate::error::Result;
use crate::formats::arrow::read::{
    DecodedStream, Form, IncrementalDecoder, Ipc, OpenOptions, Request, Schemas,
};
use crate::formats::arrow::write::Encoder;
use crate::formats::{
    Capabilities, Format, FormatSpec, FrameEncoder, FrameWriter, IncrementalReader, Loaded, Opened, Options,
    options_of,
};
use crate::frame::Frame;
use crate::memory::Buffer;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;
use std::io::Read;
use std::path::Path;

static SPEC: FormatSpec = FormatSpec {
    name: "arrows",
    suffixes: &[".arrows"],
    magic: &[],
    capabilities: Capabilities {
        incremental: true,
        chunks: true,
        messages: true,
        projection: true,
        ..Capabilities::NONE
    },
};

/// The format `arrows`; see the module's documentation.
pub struct ArrowStreamFormat;

impl Format for ArrowStreamFormat {
    fn spec(&self) -> &'static FormatSpec {
        &SPEC
    }

    fn open(
        &self,
        source: Source<'_>,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Opened>> {
        let options = OpenOptions { form: Some(Form::Stream), ..*options_of(SPEC.name, options)? };
        let Source::Stream(stream) = source else {
            return Ok(Box::new(Ipc::open_source(source, options, progress)?));
        };
        let mut decoder = IncrementalDecoder::bytes(options.limits)?;
        decoder.read(stream, progress)?;
        let bytes = Buffer::from_region(decoder.into_bytes()?, false);
        Ok(Box::new(Ipc::open_buffer(bytes, options)?))
    }

    /// Receives record batches in the memory of the frame.
    fn read_stream(
        &self,
        stream: &mut (dyn Read + Send),
        options: &Options,
        request: &Request<'_>,
    ) -> Result<Loaded> {
        let own: &OpenOptions = options_of(SPEC.name, options)?;
        if own.allow_truncated {
            // The memory of a frame is exact where the stream ends well. What came of another one is decoded afterwards.
            return self.open(Source::Stream(stream), options, request.progress)?.load(request);
        }
        let mut decoder = IncrementalDecoder::frame(own.limits, Schemas::default())?;
        decoder.read(stream, request.progress)?;
        let frame = match decoder.into_decoded(request)? {
            DecodedStream::Frame(frame) => *frame,
            DecodedStream::Opened(ipc) => ipc.load(request)?,
        };
        Ok(Loaded { frame, private: request.private })
    }

    fn reader(
        &self,
        options: &Options,
        _max_rows: usize,
        _path: Option<&Path>,
    ) -> Result<Box<dyn IncrementalReader>> {
        Ok(Box::new(Reader::new(options_of(SPEC.name, options)?)))
    }

    fn encode(
        &self,
        frame: &Frame,
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        encode(frame, *options_of::<WriteOptions>("arrows", options)?, sink, progress)
    }

    fn encoder(&self) -> Option<Box<dyn FrameEncoder>> {
        Some(Box::new(Encoder::new()))
    }

    fn writer(&self, options: &Options) -> Result<Box<dyn FrameWriter>> {
        Ok(Box::new(writer(*options_of::<WriteOptions>("arrows", options)?)))
    }

    fn message_writer(&self, options: &Options) -> Result<Box<dyn FrameWriter>> {
        self.writer(options)
    }
}

impl FrameEncoder for Encoder {
    fn encode(
        &mut self,
        frame: &Frame,
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        let options = options_of::<WriteOptions>("arrows", options)?;
        Self::encode(self, frame, Form::Stream, *options, sink, progress)
    }
}
