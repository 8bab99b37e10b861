//! Ends a stream: returns its result, or reports how much is missing.

use crate::arrow::ipc::scan::cut_short;
use crate::decode::Request;
use crate::error::{Error, ErrorKind, Result};
use crate::memory::Region;

use super::decoder::{DecoderState, IncrementalDecoder, StreamTarget};
use super::event::DecodedStream;

impl IncrementalDecoder {
    /// The number of complete batches, and of their rows.
    fn whole(&self) -> (usize, usize) {
        match &self.target {
            StreamTarget::Batches(batches) => batches.whole(),
            StreamTarget::Frame(frame) => frame.whole,
            StreamTarget::Bytes(_) => (0, 0),
        }
    }

    /// The error of a file or a pipe that ends here.
    pub(super) fn cut_short(&self) -> Error {
        let had = self.received;
        let (nbatches, nrows) = self.whole();
        cut_short(nbatches, nrows, had + self.missing() as u64, had).at(self.piece_at)
    }

    /// The number of missing bytes, at least.
    fn missing(&self) -> usize {
        match &self.state {
            DecoderState::Done => 0,
            DecoderState::Whole(body) => body.needed_nbytes - body.filled,
            DecoderState::Prefix | DecoderState::Header | DecoderState::Segments { .. } => {
                self.needed_nbytes.saturating_sub(self.filled).max(1)
            }
        }
    }

    /// Checks that the stream may end here, after its end mark.
    ///
    /// # Errors
    /// Truncated, with the missing and the received number of bytes, and the number of batches and rows received.
    pub fn finish(&self) -> Result<()> {
        if self.is_done() {
            return Ok(());
        }
        let had = self.received;
        let needed = had + self.missing() as u64;
        let (nbatches, nrows) = self.whole();
        Err(match &self.target {
            StreamTarget::Batches(_) | StreamTarget::Bytes(_) => cut_short(nbatches, nrows, needed, had),
            StreamTarget::Frame(_) => {
                let message = format!(
                    "the input ends inside a message: found {had} bytes, expected at least {needed}; {nbatches} batches with {nrows} rows are complete. Read it batch by batch to get them."
                );
                Error::new(ErrorKind::Truncated { needed, had }, "arrow", message)
            }
        })
    }

    /// Returns the result of a [`IncrementalDecoder::frame`] after its end mark. `request` asks for everything.
    ///
    /// # Errors
    /// Truncated; malformed bodies; the number of rows differs from the announced one.
    pub fn into_decoded(self, request: &Request<'_>) -> Result<DecodedStream> {
        self.finish()?;
        match self.target {
            StreamTarget::Frame(frame) => frame.finish(request, &self.limits),
            StreamTarget::Batches(_) | StreamTarget::Bytes(_) => {
                Err(Error::malformed("arrow", "the batches were given out."))
            }
        }
    }

    /// Returns the received bytes of a [`IncrementalDecoder::bytes`].
    ///
    /// # Errors
    /// Errors of the operating system: no memory.
    pub(in crate::formats::arrow) fn into_bytes(mut self) -> Result<Region> {
        let partial =
            if matches!(self.state, DecoderState::Segments { .. }) { Vec::new() } else { self.partial() };
        match self.target {
            StreamTarget::Bytes(mut stream_bytes) => {
                stream_bytes.push(&partial)?;
                stream_bytes.finish()
            }
            StreamTarget::Batches(_) | StreamTarget::Frame(_) => {
                Err(Error::malformed("arrow", "the bytes were decoded."))
            }
        }
    }
}
