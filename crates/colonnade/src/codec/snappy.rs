//! Snappy's raw format, decompressed directly into memory of the known size.
//!
//! Repetitive data is encoded as long sequences of the same copy (64 bytes, 8 back). The decoder joins them into one fill.
//!
//! Specification: <https://github.com/google/snappy/blob/main/format_description.txt>

use std::cell::RefCell;

use crate::error::{Error, Result};

/// Bytes that may be written past the end of an element if there is space, so that short elements need no loop.
const SLACK: usize = 16;

#[cold]
fn malformed(what: &str) -> Error {
    Error::malformed("snappy", format!("{what}. The compressed bytes are damaged."))
}

/// Most bytes that `compressed` bytes can decompress to: three bytes copy 64.
#[must_use]
pub fn max_decompressed(compressed: u64) -> u64 {
    compressed.saturating_mul(22)
}

/// Most bytes that `nbytes` compress to.
#[must_use]
pub fn bound(nbytes: usize) -> usize {
    snap::raw::max_compress_len(nbytes)
}

thread_local! {
    /// Each thread reuses one encoder, because its table is large.
    static COMPRESSOR: RefCell<snap::raw::Encoder> = RefCell::new(snap::raw::Encoder::new());
}

/// Compresses `bytes` to the front of `target`, which needs at least [`bound`] bytes, and returns the compressed length.
///
/// # Errors
/// `LimitExceeded`: `target` is too small, or `bytes` has 4 GiB or more.
pub fn compress(bytes: &[u8], target: &mut [u8]) -> Result<usize> {
    let done = COMPRESSOR.with_borrow_mut(|state| state.compress(bytes, target));
    done.map_err(|e| Error::limit("snappy", format!("no room for {} compressed bytes: {e}.", bytes.len())))
}

/// Decompresses all of `source` into all of `target`.
///
/// # Errors
/// Malformed or truncated bytes, or another length than that of `target`, whose content is then arbitrary.
pub fn decompress(source: &[u8], target: &mut [u8]) -> Result<()> {
    let (length, head) = length(source).ok_or_else(|| malformed("expected a length, found other bytes"))?;
    if length != target.len() as u64 {
        return Err(malformed(&format!("expected {} bytes, the stream declares {length}", target.len())));
    }
    let source = source.get(head..).unwrap_or_default();
    let (mut from, mut to) = (0usize, 0usize);
    loop {
        short_elements(source, &mut from, target, &mut to);
        let Some(&tag) = source.get(from) else { break };
        let (n, offset);
        match tag & 3 {
            0 => {
                let (len, skip) =
                    literal(source, from, tag).ok_or_else(|| malformed("the stream ends within a length"))?;
                from += skip;
                put_literal(source, from, target, to, len)?;
                from += len;
                to += len;
                continue;
            }
            1 => {
                let Some(&low) = source.get(from + 1) else {
                    return Err(malformed("the stream ends within a copy"));
                };
                n = 4 + usize::from(tag >> 2 & 7);
                offset = usize::from(tag >> 5) << 8 | usize::from(low);
                from += 2;
            }
            2 => {
                let Some(op) = source.get(from..from + 3) else {
                    return Err(malformed("the stream ends within a copy"));
                };
                // Only copies of the longest length are parts of longer copies.
                let times = if tag >> 2 == 63 { repeats(source, from, op) } else { 1 };
                n = (1 + usize::from(tag >> 2)) * times;
                offset = usize::from(op[1]) | usize::from(op[2]) << 8;
                from += 3 * times;
            }
            _ => {
                let Some(op) = source.get(from + 1..from + 5) else {
                    return Err(malformed("the stream ends within a copy"));
                };
                n = 1 + usize::from(tag >> 2);
                offset = u32::from_le_bytes([op[0], op[1], op[2], op[3]]) as usize;
                from += 5;
            }
        }
        put_copy(target, to, offset, n)?;
        to += n;
    }
    if to != target.len() {
        return Err(malformed(&format!("the stream ends after {to} of {} bytes", target.len())));
    }
    Ok(())
}

/// Decodes consecutive short elements, up to the first long one, or until either side has less space than the widest element
/// needs. It copies fixed widths, more bytes than the element has.
#[inline(always)]
fn short_elements(source: &[u8], from: &mut usize, target: &mut [u8], to: &mut usize) {
    let (mut at, mut end) = (*from, *to);
    let (last_from, last_to) = (source.len().saturating_sub(72), target.len().saturating_sub(80));
    let (input, output) = (source.as_ptr(), target.as_mut_ptr());
    while at < last_from && end < last_to {
        // SAFETY: the loop condition leaves 72 bytes at `at`, of which a tag and two bytes of an offset or 64 of a literal are
        // read, and 80 bytes at `end`, of which 64 are written. Copies start inside the written bytes, at least as many bytes before
        // `end` as one step copies, so the two sides of a step never overlap.
        unsafe {
            let tag = *input.add(at);
            let size = usize::from(tag >> 2);
            let (n, offset);
            match tag & 3 {
                0 => {
                    if size >= 60 {
                        break;
                    }
                    let (bytes, room) = (input.add(at + 1), output.add(end));
                    std::ptr::copy_nonoverlapping(bytes, room, 16);
                    if size >= 16 {
                        std::ptr::copy_nonoverlapping(bytes.add(16), room.add(16), 16);
                        std::ptr::copy_nonoverlapping(bytes.add(32), room.add(32), 32);
                    }
                    at += 2 + size;
                    end += 1 + size;
                    continue;
                }
                1 => {
                    n = 4 + (size & 7);
                    offset = usize::from(tag >> 5) << 8 | usize::from(*input.add(at + 1));
                    at += 2;
                }
                2 => {
                    n = 1 + size;
                    offset = usize::from(*input.add(at + 1)) | usize::from(*input.add(at + 2)) << 8;
                    at += 3;
                }
                _ => break,
            }
            let room = output.add(end);
            if offset >= 16 && offset <= end && n < 64 {
                let bytes = room.sub(offset);
                // Sixteen bytes per step, so each step reads bytes that are already written.
                std::ptr::copy_nonoverlapping(bytes, room, 16);
                if n > 16 {
                    std::ptr::copy_nonoverlapping(bytes.add(16), room.add(16), 16);
                    std::ptr::copy_nonoverlapping(bytes.add(32), room.add(32), 16);
                    std::ptr::copy_nonoverlapping(bytes.add(48), room.add(48), 16);
                }
            } else if offset >= 8 && offset <= end && n < 64 {
                let bytes = room.sub(offset);
                let mut k = 0;
                while k < n {
                    std::ptr::copy_nonoverlapping(bytes.add(k), room.add(k), 8);
                    k += 8;
                }
            } else {
                at -= if tag & 3 == 1 { 2 } else { 3 };
                break;
            }
            end += n;
        }
    }
    (*from, *to) = (at, end);
}

/// Decompresses the first bytes of the stream into `target`, and returns their number.
///
/// # Errors
/// Malformed or truncated bytes.
pub fn decompress_prefix(source: &[u8], target: &mut [u8]) -> Result<usize> {
    let (_, head) = length(source).ok_or_else(|| malformed("expected a length, found other bytes"))?;
    let mut rest = source.get(head..).unwrap_or_default();
    let mut to = 0;
    while to < target.len()
        && let Some(&tag) = rest.first()
    {
        let ends = || malformed("the stream ends within a copy");
        let byte = |k: usize| rest.get(k).copied().map(usize::from).ok_or_else(ends);
        let (n, offset, size) = match tag & 3 {
            0 => {
                let (len, skip) =
                    literal(rest, 0, tag).ok_or_else(|| malformed("the stream ends within a length"))?;
                let n = len.min(target.len() - to);
                let bytes =
                    rest.get(skip..skip + n).ok_or_else(|| malformed("the stream ends within a literal"))?;
                target.get_mut(to..to + n).unwrap_or_default().copy_from_slice(bytes);
                to += n;
                rest = rest.get(skip.saturating_add(len)..).unwrap_or_default();
                continue;
            }
            1 => (4 + usize::from(tag >> 2 & 7), usize::from(tag >> 5) << 8 | byte(1)?, 2),
            2 => (1 + usize::from(tag >> 2), byte(1)? | byte(2)? << 8, 3),
            _ => (1 + usize::from(tag >> 2), byte(1)? | byte(2)? << 8 | byte(3)? << 16 | byte(4)? << 24, 5),
        };
        let n = n.min(target.len() - to);
        put_copy(target, to, offset, n)?;
        to += n;
        rest = rest.get(size..).unwrap_or_default();
    }
    Ok(to)
}

fn length(source: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (k, &byte) in source.iter().enumerate().take(5) {
        value |= u64::from(byte & 0x7f) << (7 * k);
        if byte < 0x80 {
            return (value <= u64::from(u32::MAX)).then_some((value, k + 1));
        }
    }
    None
}

/// Lengths of a literal and of its tag.
#[inline]
fn literal(source: &[u8], from: usize, tag: u8) -> Option<(usize, usize)> {
    let short = usize::from(tag >> 2);
    if short < 60 {
        return Some((short + 1, 1));
    }
    let extra = short - 59;
    let bytes = source.get(from + 1..from + 1 + extra)?;
    let mut word = [0u8; 8];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    Some((usize::try_from(u64::from_le_bytes(word)).ok()? + 1, 1 + extra))
}

#[inline]
fn put_literal(source: &[u8], from: usize, target: &mut [u8], to: usize, n: usize) -> Result<()> {
    // Most literals are short: copy sixteen bytes at once if both sides have space.
    if n <= SLACK {
        let wide = (source.get(from..from + SLACK), target.get_mut(to..to + SLACK));
        if let (Some(bytes), Some(room)) = wide {
            room.copy_from_slice(bytes);
            return Ok(());
        }
    }
    let Some(bytes) = source.get(from..from.saturating_add(n)) else {
        return Err(malformed("the stream ends within a literal"));
    };
    let Some(room) = target.get_mut(to..to + n) else {
        return Err(malformed("the stream has more bytes than it declares"));
    };
    room.copy_from_slice(bytes);
    Ok(())
}

/// Number of consecutive repetitions of the copy element `op`.
#[inline]
fn repeats(source: &[u8], from: usize, op: &[u8]) -> usize {
    let rest = source.get(from + 3..).unwrap_or_default();
    if rest.get(..3) != Some(op) {
        return 1;
    }
    let mut row = [0u8; 24];
    for part in row.chunks_exact_mut(3) {
        part.copy_from_slice(op);
    }
    let whole = rest.chunks_exact(24).take_while(|part| *part == row).count() * 8;
    let tail = rest.get(3 * whole..).unwrap_or_default();
    1 + whole + tail.chunks_exact(3).take_while(|part| *part == op).count()
}

/// Copies `n` bytes from `offset` bytes back. An overlapping copy repeats bytes.
#[inline]
fn put_copy(target: &mut [u8], to: usize, offset: usize, n: usize) -> Result<()> {
    if offset == 0 || offset > to {
        return Err(malformed(&format!("expected a copy from at most {to} bytes back, found {offset}")));
    }
    let room = target.len().saturating_sub(to);
    if n > room {
        return Err(malformed("the stream has more bytes than it declares"));
    }
    // SAFETY: `0 < offset <= to`, and `to + n <= target.len()` with `n > 0`. Wide steps are taken only if there is space for them. The
    // sides of a step do not overlap: a step copies at most the distance between them, or is a `copy`.
    unsafe {
        let out = target.as_mut_ptr().add(to);
        let from = out.sub(offset);
        if offset >= 16 && n <= 64 && room >= 64 + 16 {
            let mut k = 0;
            while k < n {
                std::ptr::copy(from.add(k), out.add(k), 16);
                k += 16;
            }
        } else if offset >= n {
            std::ptr::copy_nonoverlapping(from, out, n);
        } else if offset == 8 {
            let value = from.cast::<[u8; 8]>().read();
            let whole = n / 8;
            let values = std::slice::from_raw_parts_mut(out.cast::<[u8; 8]>(), whole);
            values.fill(value);
            std::ptr::copy_nonoverlapping(value.as_ptr(), out.add(8 * whole), n % 8);
        } else {
            // The copied bytes extend the pattern, so each step doubles it.
            let (mut done, mut have) = (0, offset);
            while done < n {
                let now = have.min(n - done);
                std::ptr::copy_nonoverlapping(from, out.add(done), now);
                done += now;
                have += now;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_another_writer_is_read() {
        let mut seed = 1u64;
        for round in 0..400usize {
            let n = round * 37 % 5000;
            let mut data = Vec::with_capacity(n);
            while data.len() < n {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let (kind, len) = (seed >> 60, (seed >> 33) as usize % 300 + 1);
                let period = [1, 2, 3, 4, 8, 12, 16, 40][(seed >> 20) as usize % 8];
                for k in 0..len {
                    let at = data.len();
                    data.push(if kind < 10 && at >= period {
                        data[at - period]
                    } else {
                        (seed >> (k % 56)).to_le_bytes()[0]
                    });
                }
            }
            let packed = snap::raw::Encoder::new().compress_vec(&data).unwrap();
            let mut out = vec![0xaa; data.len()];
            assert!(decompress(&packed, &mut out).is_ok());
            assert!(out == data, "round {round}");
            let mut first = vec![0xbb; data.len().min((seed >> 40) as usize % 3000)];
            assert!(decompress_prefix(&packed, &mut first).is_ok_and(|n| n == first.len()));
            assert!(data.starts_with(&first));
            for cut in 0..packed.len().min(200) {
                let _ = decompress(&packed[..cut], &mut out);
                let mut flipped = packed.clone();
                flipped[cut] ^= 1 << ((seed >> (cut % 60)) & 7);
                let ours = decompress(&flipped, &mut out).is_ok();
                let theirs = snap::raw::Decoder::new().decompress_vec(&flipped);
                assert_eq!(ours, theirs.as_ref().is_ok_and(|v| v.len() == out.len()));
                if ours {
                    assert!(theirs.is_ok_and(|v| v == out));
                }
            }
        }
    }
}
