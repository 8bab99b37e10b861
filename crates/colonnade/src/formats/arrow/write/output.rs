//! Writes bodies to the sink: joins small buffers, and writes large ones without a copy.

use std::io::IoSlice;

use crate::arrow::ipc::encode::ALIGNMENT;
use crate::error::Result;
use crate::sink::write_buffer::{SinkTarget, WriteBuffer};

use super::body::BodyBuffer;

/// Bodies from this size on are written buffer by buffer, if the sink takes pieces.
const SCATTERED_FROM_NBYTES: usize = 64 << 10;

/// Writes a body of `nbytes`: its buffers and the zeros between them. Buffers that are adjacent in memory and in the file are
/// one write.
pub(super) fn write_body(
    output: &mut WriteBuffer,
    buffers: &[BodyBuffer],
    nbytes: usize,
    target: &mut SinkTarget<'_>,
) -> Result<()> {
    if target.sink.takes_pieces() && nbytes >= SCATTERED_FROM_NBYTES {
        return write_pieces(output, buffers, target);
    }
    let mut buffers = buffers.iter().peekable();
    while let Some(buffer) = buffers.next() {
        match buffer {
            BodyBuffer::Compressed(bytes) => output.put(bytes, target)?,
            BodyBuffer::Incompressible(bytes) => {
                output.scratch().extend_from_slice(&(-1i64).to_le_bytes());
                output.put(bytes, target)?;
            }
            BodyBuffer::Uncompressed(bytes) => {
                let start = bytes.as_ptr();
                let mut nbytes = bytes.len();
                while let Some(BodyBuffer::Uncompressed(next)) = buffers.peek() {
                    let is_adjacent = next.as_ptr() == start.wrapping_add(nbytes);
                    // Buffers of two allocations may be neighbours too, but no slice may reach from one to the other.
                    let follows = is_adjacent
                        && nbytes.is_multiple_of(ALIGNMENT)
                        && next.data_ptr() == bytes.data_ptr();
                    if !(follows && nbytes > 0 && !next.is_empty() || next.is_empty()) {
                        break;
                    }
                    nbytes += next.len();
                    buffers.next();
                }
                // SAFETY: the loop has checked that the buffers of this run are adjacent, `nbytes` in all from `start` on, and parts of
                // one allocation, which `bytes` owns.
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
    output.flush_if_full(target)
}

/// Writes a body to a sink that takes pieces: first the bytes joined before, then each buffer without a copy.
fn write_pieces(output: &mut WriteBuffer, buffers: &[BodyBuffer], target: &mut SinkTarget<'_>) -> Result<()> {
    const ZEROS: [u8; ALIGNMENT] = [0; ALIGNMENT];
    const STORED: [u8; 8] = (-1i64).to_le_bytes();
    let mut list = Vec::with_capacity(2 * buffers.len());
    let mut nbytes = 0;
    for buffer in buffers {
        let bytes = match buffer {
            BodyBuffer::Compressed(bytes) | BodyBuffer::Uncompressed(bytes) => bytes,
            BodyBuffer::Incompressible(bytes) => {
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
