//! Bytes to the sink: small ones joined, large ones from where they lie.

use std::io::IoSlice;

use crate::error::Result;
use crate::progress::Progress;
use crate::sink::{Sink, write_told};

use super::body::{Body, Piece};
use crate::arrow::ipc::encode::ALIGNMENT;

/// Pieces up to this size are joined.
const SMALL_NBYTES: usize = 256 << 10;

/// Bodies from this size on go out piece by piece, where the sink takes pieces.
const SCATTERED_FROM_NBYTES: usize = 64 << 10;

/// Size of what is joined.
const CHUNK_NBYTES: usize = 1 << 20;

/// The sink of one call, and who watches.
pub(crate) struct Target<'t> {
    pub(crate) sink: &'t mut dyn Sink,
    pub(crate) progress: &'t dyn Progress,
    /// Bytes that will be written in all, where known.
    pub(crate) total: Option<u64>,
}

/// What was written, and what is about to be.
#[derive(Debug, Default)]
pub(crate) struct Output {
    written: u64,
    scratch: Vec<u8>,
}

impl Output {
    /// With memory that was used before.
    pub(super) fn over(mut scratch: Vec<u8>) -> Self {
        scratch.clear();
        Self { written: 0, scratch }
    }

    /// The memory.
    pub(super) fn into_scratch(self) -> Vec<u8> {
        self.scratch
    }

    /// Offset of the next byte.
    pub(crate) fn position(&self) -> u64 {
        self.written + self.scratch.len() as u64
    }

    /// Where small bytes may be appended; [`Output::settle`] follows.
    pub(crate) fn scratch(&mut self) -> &mut Vec<u8> {
        &mut self.scratch
    }

    /// Sends what was joined, if it has become much.
    pub(super) fn settle(&mut self, target: &mut Target<'_>) -> Result<()> {
        if self.scratch.len() >= CHUNK_NBYTES { self.flush(target) } else { Ok(()) }
    }

    /// A body: its pieces and the zeros between them. Pieces that lie one behind the other in memory as they will in the
    /// file are one call.
    pub(super) fn body(&mut self, body: &Body, target: &mut Target<'_>) -> Result<()> {
        if target.sink.takes_pieces() && body.nbytes >= SCATTERED_FROM_NBYTES {
            return self.pieces(body, target);
        }
        let mut pieces = body.pieces.iter().peekable();
        while let Some(piece) = pieces.next() {
            match piece {
                Piece::Packed(bytes) => self.put(bytes, target)?,
                Piece::Stored(bytes) => {
                    self.scratch.extend_from_slice(&(-1i64).to_le_bytes());
                    self.put(bytes, target)?;
                }
                Piece::Plain(bytes) => {
                    let start = bytes.as_ptr();
                    let mut nbytes = bytes.len();
                    while let Some(Piece::Plain(next)) = pieces.peek() {
                        let follows =
                            next.as_ptr() == start.wrapping_add(nbytes) && nbytes.is_multiple_of(ALIGNMENT);
                        if !(follows && nbytes > 0 && !next.is_empty() || next.is_empty()) {
                            break;
                        }
                        nbytes += next.len();
                        pieces.next();
                    }
                    // SAFETY: the buffers of this run lie one behind the other from `start` on, `nbytes` in all; the body
                    // holds them.
                    let run = unsafe { std::slice::from_raw_parts(start, nbytes) };
                    self.put(run, target)?;
                }
            }
            let short = usize::try_from(self.position() % ALIGNMENT as u64).unwrap_or(0);
            if short > 0 {
                self.scratch.resize(self.scratch.len() + ALIGNMENT - short, 0);
            }
        }
        self.settle(target)
    }

    /// A body to a sink that takes pieces: what was joined before it, then each from where it lies.
    fn pieces(&mut self, body: &Body, target: &mut Target<'_>) -> Result<()> {
        const ZEROS: [u8; ALIGNMENT] = [0; ALIGNMENT];
        const STORED: [u8; 8] = (-1i64).to_le_bytes();
        let before = self.position();
        let scratch = std::mem::take(&mut self.scratch);
        let mut list = Vec::with_capacity(1 + 2 * body.pieces.len());
        list.push(IoSlice::new(&scratch));
        let mut nbytes = 0;
        for piece in &body.pieces {
            let bytes = match piece {
                Piece::Packed(bytes) | Piece::Plain(bytes) => bytes,
                Piece::Stored(bytes) => {
                    list.push(IoSlice::new(&STORED));
                    nbytes += STORED.len();
                    bytes
                }
            };
            nbytes += bytes.len();
            let padding = nbytes.next_multiple_of(ALIGNMENT) - nbytes;
            let zeros = ZEROS.get(..padding).unwrap_or(&[]);
            list.extend([bytes.as_slice(), zeros].into_iter().filter(|b| !b.is_empty()).map(IoSlice::new));
            nbytes += padding;
        }
        target.sink.write_pieces(&list)?;
        self.written = before + nbytes as u64;
        self.scratch = scratch;
        self.scratch.clear();
        target.progress.advance(self.written, target.total)
    }

    /// Bytes of any size.
    pub(crate) fn put(&mut self, bytes: &[u8], target: &mut Target<'_>) -> Result<()> {
        if bytes.len() > SMALL_NBYTES {
            self.flush(target)?;
            return self.send(bytes, target);
        }
        self.scratch.extend_from_slice(bytes);
        self.settle(target)
    }

    /// Sends everything.
    pub(crate) fn flush(&mut self, target: &mut Target<'_>) -> Result<()> {
        let scratch = std::mem::take(&mut self.scratch);
        self.send(&scratch, target)?;
        self.scratch = scratch;
        self.scratch.clear();
        Ok(())
    }

    fn send(&mut self, bytes: &[u8], target: &mut Target<'_>) -> Result<()> {
        write_told(target.sink, bytes, &mut self.written, target.total, target.progress)
    }
}
