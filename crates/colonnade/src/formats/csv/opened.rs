//! Opens CSV as a whole, or reads it incrementally.

use std::path::Path;
use std::sync::Arc;

use super::{CsvChunks, ReadOptions, SchemaOption, decode_with, sidecar};
use crate::error::Result;
use crate::formats::chunk_reader::{ChunkReader, DecodeRows, TextChunks};
use crate::formats::opened_text::open_text;
use crate::formats::{IncrementalReader, Opened};
use crate::frame::Frame;
use crate::infer::nulls::nulls_as_nan;
use crate::limits::Limits;
use crate::memory::Buffer;
use crate::progress::Progress;
use crate::source::Source;
use crate::text::DecodedText;
use crate::text::input::TextPart;
use crate::text::opened::DecodeText;

/// Opens a source. The schema of a file may be stored next to it.
pub(super) fn open(
    source: Source<'_>,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Box<dyn Opened>> {
    let path = match &source {
        Source::Path { path, .. } => Some(*path),
        _ => None,
    };
    let options = with_sidecar(options, path)?;
    let threads = options.threads;
    open_text(source, Arc::new(options), threads, progress)
}

/// An incremental reader of rows.
pub(super) fn reader(
    options: &ReadOptions,
    max_rows: usize,
    path: Option<&Path>,
) -> Result<Box<dyn IncrementalReader>> {
    let chunks = CsvChunks::new(with_sidecar(options, path)?)?;
    Ok(Box::new(ChunkReader::new(TextChunks::new(chunks, max_rows))))
}

/// Adds the schema stored next to the file at `path`, if the options request a sidecar and contain none.
fn with_sidecar(options: &ReadOptions, path: Option<&Path>) -> Result<ReadOptions> {
    let mut options = options.clone();
    if options.sidecar.is_none() && matches!(options.schema, SchemaOption::Found | SchemaOption::Sidecar) {
        options.sidecar = path.map(sidecar::read).transpose()?.flatten();
    }
    Ok(options)
}

impl DecodeText for ReadOptions {
    fn format(&self) -> &'static str {
        "csv"
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn decode(&self, text: &Buffer, _part: Option<TextPart>, progress: &dyn Progress) -> Result<DecodedText> {
        let mut decoded = decode_with(text, self, progress)?;
        if decoded.version.is_none() {
            nulls_as_nan(&mut decoded.frame);
        }
        Ok(decoded)
    }
}

impl DecodeRows for CsvChunks {
    fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        Self::feed(self, bytes)
    }

    fn next(&mut self, max_rows: usize) -> Result<Option<Frame>> {
        Self::next(self, max_rows)
    }

    fn finish(&mut self) -> Result<()> {
        Self::finish(self)
    }

    fn lost(&self) -> (u64, u64) {
        (self.dropped(), self.nulled())
    }
}
