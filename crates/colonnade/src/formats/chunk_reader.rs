//! Incremental reading of text, shared by the formats of rows.

use super::{Event, Facts, IncrementalReader};
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::progress::Progress;

/// Bytes read from the source at once.
const STEP_NBYTES: usize = 256 << 10;

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
pub(super) struct ChunkReader<D> {
    decoder: D,
    max_rows: usize,
    room: Vec<u8>,
    /// A frame without rows; `None` before the first frame.
    empty: Option<Frame>,
    is_finished: bool,
    is_over: bool,
}

impl<D: DecodeRows> ChunkReader<D> {
    pub(super) fn new(decoder: D, max_rows: usize) -> Self {
        Self {
            decoder,
            max_rows: max_rows.max(1),
            room: Vec::new(),
            empty: None,
            is_finished: false,
            is_over: false,
        }
    }

    /// Runs `work`. After an error the reader returns no more rows, because rows are missing.
    fn guard<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let result = work(self);
        self.is_over |= result.is_err();
        result
    }

    fn next(&mut self, count: usize) -> Result<Event> {
        if count > 0 {
            self.decoder.feed(self.room.get(..count).unwrap_or_default())?;
        }
        match self.decoder.next(self.max_rows)? {
            Some(frame) => {
                self.empty.get_or_insert_with(|| frame.slice(0, 0));
                Ok(Event::Batch(Box::new(frame)))
            }
            None if self.is_finished => {
                self.is_over = true;
                Ok(Event::End)
            }
            None => Ok(Event::Need),
        }
    }
}

impl<D: DecodeRows> IncrementalReader for ChunkReader<D> {
    fn room(&mut self) -> Result<&mut [u8]> {
        self.room.resize(STEP_NBYTES, 0);
        Ok(&mut self.room)
    }

    fn filled(&mut self, count: usize, _progress: &dyn Progress) -> Result<Event> {
        if self.is_over {
            return Ok(Event::End);
        }
        self.guard(|reader| reader.next(count))
    }

    fn finish(&mut self) -> Result<()> {
        if self.is_over {
            return Ok(());
        }
        self.is_finished = true;
        self.guard(|reader| reader.decoder.finish())
    }

    fn schema(&self) -> Result<Option<Frame>> {
        if self.empty.is_none() && self.is_over {
            let message = "the source failed before its columns were known.";
            return Err(Error::malformed("text", message));
        }
        Ok(self.empty.clone())
    }

    fn facts(&self) -> Facts {
        let (dropped, nulled) = self.decoder.lost();
        vec![("dropped", dropped.into()), ("nulled", nulled.into())]
    }
}
