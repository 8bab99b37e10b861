//! `Opened` for a YAML text: a frame or a bundle.

use std::sync::Arc;

use super::{ReadOptions, bundle_with, decode_with};
use crate::error::Result;
use crate::formats::Opened;
use crate::formats::opened_text::open_text;
use crate::limits::Limits;
use crate::memory::Buffer;
use crate::progress::Progress;
use crate::source::Source;
use crate::text::DecodedText;
use crate::text::input::TextPart;
use crate::text::opened::{DecodeText, LabelledRanges};

/// Opens a source.
pub(super) fn open(
    source: Source<'_>,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Box<dyn Opened>> {
    open_text(source, Arc::new(*options), options.threads, progress)
}

impl ReadOptions {
    /// The same options for a part of the text.
    fn of(&self, part: Option<TextPart>) -> Self {
        Self { part: part.or(self.part), ..*self }
    }
}

impl DecodeText for ReadOptions {
    fn format(&self) -> &'static str {
        "yaml"
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn decode(&self, text: &Buffer, part: Option<TextPart>, progress: &dyn Progress) -> Result<DecodedText> {
        decode_with(text, &self.of(part), progress)
    }

    fn bundle(
        &self,
        text: &Buffer,
        part: Option<TextPart>,
        progress: &dyn Progress,
    ) -> Result<Option<LabelledRanges>> {
        bundle_with(text, &self.of(part), progress)
    }
}
