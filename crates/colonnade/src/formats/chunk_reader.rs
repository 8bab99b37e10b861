//! Incremental reading: the state that every format's decoder of batches shares.

use super::{Event, Facts, IncrementalReader};
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::progress::Progress;

/// Bytes of text read from the source at once.
const STEP_NBYTES: usize = 256 << 10;

/// An incremental decoder from bytes to frames.
pub(super) trait DecodeChunks: Send + Sync {
    /// The buffer for the next bytes, never empty.
    ///
    /// # Errors
    /// Errors of the operating system: no memory.
    fn room(&mut self) -> Result<&mut [u8]>;

    /// Decodes the first `count` bytes of the buffer. Returns the next frame; `None` if more bytes are needed or no rows are
    /// left.
    ///
    /// # Errors
    /// `Malformed`, with the place; `LimitExceeded`; `Cancelled` from `progress`.
    fn next(&mut self, count: usize, progress: &dyn Progress) -> Result<Option<Frame>>;

    /// Ends the input.
    ///
    /// # Errors
    /// `Truncated`, `Malformed`: the input ends too early.
    fn finish(&mut self) -> Result<()>;

    /// The error for an input without a frame.
    fn no_schema(&self) -> Error;

    /// As [`IncrementalReader::facts`].
    fn facts(&self) -> Facts {
        Facts::new()
    }
}

/// Adapts a [`DecodeChunks`] to [`IncrementalReader`]. After an error the reader returns no more rows, because rows are missing.
pub(super) struct ChunkReader<D> {
    decoder: D,
    /// A frame without rows; `None` before the first frame.
    empty: Option<Frame>,
    is_finished: bool,
    /// The last frame was returned, or decoding failed.
    is_over: bool,
}

impl<D: DecodeChunks> ChunkReader<D> {
    pub(super) fn new(decoder: D) -> Self {
        Self { decoder, empty: None, is_finished: false, is_over: false }
    }
}

impl<D: DecodeChunks> IncrementalReader for ChunkReader<D> {
    fn room(&mut self) -> Result<&mut [u8]> {
        self.decoder.room()
    }

    fn filled(&mut self, count: usize, progress: &dyn Progress) -> Result<Event> {
        if self.is_over {
            return Ok(Event::End);
        }
        let next = self.decoder.next(count, progress).inspect_err(|_| self.is_over = true)?;
        let Some(frame) = next else {
            self.is_over = self.is_finished;
            return Ok(if self.is_over { Event::End } else { Event::Need });
        };
        self.empty.get_or_insert_with(|| frame.slice(0, 0));
        Ok(Event::Batch(Box::new(frame)))
    }

    fn finish(&mut self) -> Result<()> {
        if self.is_over {
            return Ok(());
        }
        self.is_finished = true;
        self.decoder.finish().inspect_err(|_| self.is_over = true)
    }

    fn schema(&self) -> Result<Option<Frame>> {
        if self.empty.is_none() && self.is_over {
            return Err(self.decoder.no_schema());
        }
        Ok(self.empty.clone())
    }

    fn facts(&self) -> Facts {
        self.decoder.facts()
    }
}

/// An incremental decoder of rows from text to frames.
pub(super) trait DecodeRows: Send + Sync {
    /// Decodes the next bytes.
    ///
    /// # Errors
    /// `Malformed`; `LimitExceeded`.
    fn feed(&mut self, bytes: &[u8]) -> Result<()>;

    /// The next `max_rows` rows, or fewer at the end of the input; `None` if more bytes are needed or no rows are left.
    ///
    /// # Errors
    /// `Malformed`, with line, column and byte.
    fn next(&mut self, max_rows: usize) -> Result<Option<Frame>>;

    /// Ends the input.
    ///
    /// # Errors
    /// `Malformed`: the input ends inside a character.
    fn finish(&mut self) -> Result<()>;

    /// Rows dropped so far, and values replaced by null.
    fn lost(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// Reads rows incrementally, `max_rows` per frame.
pub(super) struct TextChunks<D> {
    decoder: D,
    max_rows: usize,
    room: Vec<u8>,
}

impl<D> TextChunks<D> {
    pub(super) fn new(decoder: D, max_rows: usize) -> Self {
        Self { decoder, max_rows: max_rows.max(1), room: Vec::new() }
    }
}

impl<D: DecodeRows> DecodeChunks for TextChunks<D> {
    fn room(&mut self) -> Result<&mut [u8]> {
        self.room.resize(STEP_NBYTES, 0);
        Ok(&mut self.room)
    }

    fn next(&mut self, count: usize, _progress: &dyn Progress) -> Result<Option<Frame>> {
        if count > 0 {
            self.decoder.feed(self.room.get(..count).unwrap_or_default())?;
        }
        self.decoder.next(self.max_rows)
    }

    fn finish(&mut self) -> Result<()> {
        self.decoder.finish()
    }

    fn no_schema(&self) -> Error {
        Error::malformed("text", "the source failed before its columns were known.")
    }

    fn facts(&self) -> Facts {
        let (dropped, nulled) = self.decoder.lost();
        vec![("dropped", dropped.into()), ("nulled", nulled.into())]
    }
}
