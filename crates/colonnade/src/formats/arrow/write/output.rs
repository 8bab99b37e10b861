//! Bodies to the sink: small buffers joined, large ones from where they are.

use std::io::IoSlice;

use crate::arrow::ipc::encode::ALIGNMENT;
use crate::error::Result;
use crate::sink::joined::{Joined, Target};

use super::body::{Body, Piece};

/// Bodies from this size on go out piece by piece, where the sink takes pieces.
const SCATTERED_FROM_NBYTES: usize = 64 << 10;

/// Writes a body: its pieces and the zeros between them. Pieces that follow one another in memory as they will in the file
/// are one call.
pub(super) fn write_body(output: &mut Joined, body: &Body, target: &mut Target<'_>) -> Result<()> {
    if target.sink.takes_pieces() && body.nbytes >= SCATTERED_FROM_NBYTES {
        return write_pieces(output, body, target);
    }
    let mut pieces = body.pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Packed(bytes) => output.put(bytes, target)?,
            Piece::Stored(bytes) => {
                output.scratch().extend_from_slice(&(-1i64).to_le_bytes());
                output.put(bytes, target)?;
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
                // SAFETY: the buffers of this run follow one another in memory from `start` on, `nbytes` in all; the body
                // holds them.
                let run = unsafe { std::slice::from_raw_parts(start, nbytes) };
                output.put(run, target)?;
            }
        }
        let short = usize::try_from(output.position() % ALIGNMENT as u64).unwrap_or(0);
        if short > 0 {
            let padded = output.scratch().len() + ALIGNMENT - short;
            output.scratch().resize(padded, 0);
        }
    }
    output.settle(target)
}

/// Writes a body to a sink that takes pieces: what was joined before it, then each from where it is.
fn write_pieces(output: &mut Joined, body: &Body, target: &mut Target<'_>) -> Result<()> {
    const ZEROS: [u8; ALIGNMENT] = [0; ALIGNMENT];
    const STORED: [u8; 8] = (-1i64).to_le_bytes();
    let mut list = Vec::with_capacity(2 * body.pieces.len());
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
    output.put_pieces(list.into_iter(), nbytes, target)
}
