//! Registers CSV as a format.

use super::{CsvChunkWriter, OutputEncoding, SchemaPlace, WriteOptions, encode, losses, opened, sidecar};
use crate::error::Result;
use crate::formats::encoding::endless;
use crate::formats::{
    Capabilities, Format, FormatSpec, FrameWriter, IncrementalReader, Opened, Options, Sidecar, options_of,
};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;
use crate::text::chunked::no_chunks;
use crate::text::loss::Loss;
use std::path::Path;

static SPEC: FormatSpec = FormatSpec {
    name: "csv",
    suffixes: &[".csv", ".tsv"],
    magic: &[],
    capabilities: Capabilities {
        incremental: true,
        chunks: true,
        messages: true,
        compressed: true,
        ..Capabilities::NONE
    },
};

/// The CSV format, named `csv` in the registry; see the module's documentation.
pub struct CsvFormat;

impl Format for CsvFormat {
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

    fn reader(
        &self,
        options: &Options,
        max_rows: usize,
        path: Option<&Path>,
    ) -> Result<Box<dyn IncrementalReader>> {
        opened::reader(options_of(SPEC.name, options)?, max_rows, path)
    }

    fn encode(
        &self,
        frame: &Frame,
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        encode(frame, options_of::<WriteOptions>("csv", options)?, sink, progress)
    }

    fn losses(&self, frame: &Frame, options: &Options) -> Result<Vec<Loss>> {
        losses(frame, options_of::<WriteOptions>("csv", options)?)
    }

    fn writer(&self, options: &Options) -> Result<Box<dyn FrameWriter>> {
        Ok(Box::new(CsvChunkWriter::new(options_of::<WriteOptions>("csv", options)?.clone())))
    }

    /// The header declares the number of rows. A receiver decodes only UTF-8 incrementally.
    fn check_message(&self, _frame: &Frame, options: &Options) -> Result<()> {
        let options = options_of::<WriteOptions>("csv", options)?;
        let ends = options.schema == SchemaPlace::Header && options.encoding == OutputEncoding::Utf8;
        if ends { Ok(()) } else { Err(endless()) }
    }

    /// Frames written chunk by chunk have no sidecar. Readers would apply the sidecar of an earlier file to them.
    fn sidecar(&self, frame: Option<&Frame>, options: &Options) -> Result<Option<Sidecar>> {
        let options = options_of::<WriteOptions>("csv", options)?;
        let content = match frame {
            Some(frame) if options.schema == SchemaPlace::Sidecar => Some(sidecar(frame, options)?),
            _ => None,
        };
        Ok(Some(Sidecar { suffix: sidecar::SUFFIX, content, is_sidecar }))
    }
}

/// Whether a file is a schema that [`sidecar()`] wrote. Other programs may use the same file name.
fn is_sidecar(bytes: &[u8]) -> bool {
    let has = |word: &[u8]| bytes.windows(word.len()).any(|part| part == word);
    bytes.first() == Some(&b'{') && has(b"\"schema\"") && has(b"\"csv\"") && has(b"\"orient\"")
}

impl FrameWriter for CsvChunkWriter {
    fn write(&mut self, frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        Self::write(self, frame, sink, progress)
    }

    fn finish(&mut self, sink: &mut dyn Sink, _progress: &dyn Progress) -> Result<()> {
        if Self::nbatches(self) == 0 { Err(no_chunks()) } else { Self::finish(self, sink) }
    }

    fn nbatches(&self) -> usize {
        Self::nbatches(self)
    }

    fn nrows(&self) -> usize {
        Self::nrows(self)
    }
}
