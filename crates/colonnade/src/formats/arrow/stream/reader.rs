//! Reads a stream while it arrives.

use crate::error::{Error, Result};
use crate::formats::arrow::read;
use crate::formats::arrow::read::{IncrementalDecoder, OpenOptions};
use crate::formats::{Event, IncrementalReader};
use crate::frame::Frame;
use crate::progress::Progress;

/// Adapts [`IncrementalDecoder`] to the registry's traits.
pub(super) struct Reader {
    decoder: IncrementalDecoder,
    allow_truncated: bool,
    /// The input has ended, or was invalid.
    ended: bool,
}

impl Reader {
    /// A reader at the start of a stream.
    pub(super) fn new(options: &OpenOptions) -> Self {
        let decoder = IncrementalDecoder::batches(options.limits);
        Self { decoder, allow_truncated: options.allow_truncated, ended: false }
    }
}

impl IncrementalReader for Reader {
    fn room(&mut self) -> Result<&mut [u8]> {
        self.decoder.buffer()
    }

    fn filled(&mut self, count: usize, _progress: &dyn Progress) -> Result<Event> {
        let event = self.decoder.filled(count).and_then(|event| {
            if matches!(event, read::StreamEvent::End) {
                self.decoder.check_announced()?;
            }
            Ok(event)
        });
        // After an error there are no further events and no schema.
        self.ended |= event.is_err();
        Ok(match event? {
            read::StreamEvent::Need => Event::Need,
            read::StreamEvent::Schema => Event::Schema,
            read::StreamEvent::Batch(frame) => Event::Batch(frame),
            read::StreamEvent::End => Event::End,
        })
    }

    fn finish(&mut self) -> Result<()> {
        self.ended = true;
        if self.allow_truncated && self.decoder.plan().is_some() { Ok(()) } else { self.decoder.finish() }
    }

    fn schema(&self) -> Result<Option<Frame>> {
        match self.decoder.plan() {
            Some(_) => self.decoder.empty().map(Some),
            None if self.ended => Err(Error::malformed("arrow", "the schema has not come yet.")),
            None => Ok(None),
        }
    }
}
