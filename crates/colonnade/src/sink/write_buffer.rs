//! Buffers small writes, and passes large ones to the sink without a copy.

use std::io::IoSlice;

use super::{Sink, write_with_progress};
use crate::error::Result;
use crate::progress::Progress;

/// Writes up to this size are buffered.
const SMALL_NBYTES: usize = 256 << 10;

/// Size at which the buffer is flushed.
const CHUNK_NBYTES: usize = 1 << 20;

/// The sink and the progress of one call.
pub(crate) struct SinkTarget<'t> {
    pub(crate) sink: &'t mut dyn Sink,
    pub(crate) progress: &'t dyn Progress,
    /// Total of bytes to write, if known.
    pub(crate) total: Option<u64>,
}

/// A write buffer, with the count of bytes already sent.
#[derive(Debug, Default)]
pub(crate) struct WriteBuffer {
    written: u64,
    scratch: Vec<u8>,
}

impl WriteBuffer {
    /// A buffer that reuses memory.
    pub(crate) fn reusing(mut scratch: Vec<u8>) -> Self {
        scratch.clear();
        Self { written: 0, scratch }
    }

    /// Returns the memory for reuse.
    pub(crate) fn into_scratch(self) -> Vec<u8> {
        self.scratch
    }

    /// Offset of the next byte.
    pub(crate) fn position(&self) -> u64 {
        self.written + self.scratch.len() as u64
    }

    /// The buffer, for appending small writes. Call [`WriteBuffer::flush_if_full`] afterwards.
    pub(crate) fn scratch(&mut self) -> &mut Vec<u8> {
        &mut self.scratch
    }

    /// Flushes the buffer if it is full.
    pub(crate) fn flush_if_full(&mut self, target: &mut SinkTarget<'_>) -> Result<()> {
        if self.scratch.len() >= CHUNK_NBYTES { self.flush(target) } else { Ok(()) }
    }

    /// Sends the buffer and then `pieces`, `nbytes` in total, in one call without a copy.
    pub(crate) fn put_pieces<'p>(
        &mut self,
        pieces: impl Iterator<Item = IoSlice<'p>>,
        nbytes: usize,
        target: &mut SinkTarget<'_>,
    ) -> Result<()> {
        let position = self.position();
        let scratch = std::mem::take(&mut self.scratch);
        let mut list = vec![IoSlice::new(&scratch)];
        // Not `extend`: each piece's lifetime shrinks to that of `scratch`.
        for piece in pieces {
            list.push(piece);
        }
        target.sink.write_pieces(&list)?;
        self.written = position + nbytes as u64;
        self.scratch = scratch;
        self.scratch.clear();
        target.progress.advance(self.written, target.total)
    }

    /// Writes bytes of any size.
    pub(crate) fn put(&mut self, bytes: &[u8], target: &mut SinkTarget<'_>) -> Result<()> {
        if bytes.len() > SMALL_NBYTES {
            self.flush(target)?;
            return self.send(bytes, target);
        }
        self.scratch.extend_from_slice(bytes);
        self.flush_if_full(target)
    }

    /// Sends the buffer.
    pub(crate) fn flush(&mut self, target: &mut SinkTarget<'_>) -> Result<()> {
        let scratch = std::mem::take(&mut self.scratch);
        self.send(&scratch, target)?;
        self.scratch = scratch;
        self.scratch.clear();
        Ok(())
    }

    fn send(&mut self, bytes: &[u8], target: &mut SinkTarget<'_>) -> Result<()> {
        write_with_progress(target.sink, bytes, &mut self.written, target.total, target.progress)
    }
}
