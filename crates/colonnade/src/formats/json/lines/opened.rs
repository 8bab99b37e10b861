//! Opens an NDJSON source as a whole, or reads its rows as they arrive.

use std::sync::Arc;

use super::{NdjsonDecoder, ReadOptions, decode_with};
use crate::error::Result;
use crate::formats::chunk_reader::{ChunkReader, DecodeRows, TextChunks};
use crate::formats::opened_text::open_text;
use crate::formats::{IncrementalReader, Opened};
use crate::frame::Frame;
use crate::limits::Limits;
use crate::memory::Buffer;
use crate::progress::Progress;
use crate::source::Source;
use crate::text::DecodedText;
use crate::text::input::TextPart;
use crate::text::opened::DecodeText;

/// Opens a source.
pub(super) fn open(
    source: Source<'_>,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Box<dyn Opened>> {
    open_text(source, Arc::new(*options), options.threads, progress)
}

/// Creates a reader of rows as they arrive.
pub(super) fn reader(options: &ReadOptions, max_rows: usize) -> Result<Box<dyn IncrementalReader>> {
    Ok(Box::new(ChunkReader::new(TextChunks::new(NdjsonDecoder::new(*options)?, max_rows))))
}

impl DecodeText for ReadOptions {
    fn format(&self) -> &'static str {
        "ndjson"
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn decode(&self, text: &Buffer, _part: Option<TextPart>, progress: &dyn Progress) -> Result<DecodedText> {
        decode_with(text, self, progress)
    }
}

impl DecodeRows for NdjsonDecoder {
    fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        Self::feed(self, bytes)
    }

    fn next(&mut self, max_rows: usize) -> Result<Option<Frame>> {
        Self::next(self, max_rows)
    }

    fn finish(&mut self) -> Result<()> {
        Self::finish(self)
    }
}
