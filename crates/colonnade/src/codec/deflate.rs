//! Raw deflate (RFC 1951), the ZIP method 8.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use crate::error::{Error, Result};
use crate::parallel::{CANCEL_CHECK_NBYTES, Cancel};

/// Valid levels.
pub const LEVELS: std::ops::RangeInclusive<i32> = 0..=9;

/// The default level.
pub const DEFAULT_LEVEL: i32 = 6;

/// Highest possible ratio of decompressed to compressed size.
pub const MAX_RATIO: u64 = 1032;

fn malformed(message: &str) -> Error {
    Error::malformed("deflate", format!("{message}. The compressed bytes are damaged."))
}

fn trailing_bytes(rest: &[u8]) -> Error {
    malformed(&format!("expected the end of the stream, found {} bytes more", rest.len()))
}

/// Compresses the concatenated `parts` as one stream, and calls `cancel` between chunks.
///
/// # Errors
/// Errors of the library and of `cancel`.
pub fn compress(parts: &[&[u8]], level: i32, cancel: Cancel<'_>) -> Result<Vec<u8>> {
    let total: usize = parts.iter().map(|p| p.len()).sum();
    let mut state = Compress::new(Compression::new(level.clamp(0, 9).unsigned_abs()), false);
    let mut out = Vec::with_capacity(total / 2 + 64);
    // Output goes through a buffer. Compressing into `out` would zero its spare capacity in every call.
    let mut buffer = vec![0; CANCEL_CHECK_NBYTES.min(total + 64)];
    for piece in parts.iter().flat_map(|part| part.chunks(CANCEL_CHECK_NBYTES)) {
        cancel()?;
        let mut rest = piece;
        while !rest.is_empty() {
            let before = state.total_in();
            step(&mut state, rest, &mut buffer, &mut out, FlushCompress::None)?;
            rest = rest.get(usize::try_from(state.total_in() - before).unwrap_or(0)..).unwrap_or(&[]);
        }
    }
    while step(&mut state, &[], &mut buffer, &mut out, FlushCompress::Finish)? != Status::StreamEnd {}
    Ok(out)
}

/// Compresses some of `bytes` into `buffer`, and appends the output.
fn step(
    state: &mut Compress,
    bytes: &[u8],
    buffer: &mut [u8],
    out: &mut Vec<u8>,
    flush: FlushCompress,
) -> Result<Status> {
    let before = state.total_out();
    let status = state.compress(bytes, buffer, flush).map_err(|e| malformed(&e.to_string()))?;
    let nbytes = usize::try_from(state.total_out() - before).unwrap_or(0);
    out.extend_from_slice(buffer.get(..nbytes).unwrap_or_default());
    Ok(status)
}

/// Decompresses a whole stream into `target`, which it must fill exactly.
///
/// # Errors
/// Malformed bytes, or another length than that of `target`.
pub fn decompress(source: &[u8], target: &mut [u8]) -> Result<()> {
    let mut state = Decompress::new(false);
    let status = fill(&mut state, source, target)?;
    let written = state.total_out();
    if written != target.len() as u64 {
        return Err(malformed(&format!("expected {} bytes, the stream yields {written}", target.len())));
    }
    let rest = source.get(usize::try_from(state.total_in()).unwrap_or(usize::MAX)..).unwrap_or(&[]);
    if status == Status::StreamEnd {
        return if rest.is_empty() { Ok(()) } else { Err(trailing_bytes(rest)) };
    }
    // The target is full. The end mark may still be unread, but another byte would be an error.
    let before = state.total_in();
    let mut spare = [0u8; 1];
    match state.decompress(rest, &mut spare, FlushDecompress::Finish) {
        Ok(Status::StreamEnd) if state.total_out() == written => {
            let used = usize::try_from(state.total_in() - before).unwrap_or(usize::MAX);
            let rest = rest.get(used..).unwrap_or(&[]);
            if rest.is_empty() { Ok(()) } else { Err(trailing_bytes(rest)) }
        }
        _ => Err(malformed(&format!("expected {written} bytes, the stream yields more or has no end"))),
    }
}

/// Calls the library until `target` is full, because one call handles at most 4 GiB.
fn fill(state: &mut Decompress, source: &[u8], target: &mut [u8]) -> Result<Status> {
    let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    loop {
        let (consumed, written) = (state.total_in(), state.total_out());
        let (rest, buffer) = (source.get(at(consumed)..), target.get_mut(at(written)..));
        let status =
            state.decompress(rest.unwrap_or_default(), buffer.unwrap_or_default(), FlushDecompress::Finish);
        let status = status.map_err(|e| malformed(&e.to_string()))?;
        let no_progress = (consumed, written) == (state.total_in(), state.total_out());
        if status == Status::StreamEnd || no_progress || at(state.total_out()) == target.len() {
            return Ok(status);
        }
    }
}

/// Decompresses the first bytes of the stream into `target`, and returns their number.
///
/// # Errors
/// Malformed bytes.
pub fn decompress_prefix(source: &[u8], target: &mut [u8]) -> Result<usize> {
    let mut state = Decompress::new(false);
    state.decompress(source, target, FlushDecompress::None).map_err(|e| malformed(&e.to_string()))?;
    usize::try_from(state.total_out()).map_err(|_| malformed("impossible size"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_decompress_as_one() {
        for level in LEVELS {
            let packed = compress(&[b"abc", b"", &[7; 3_000_000]], level, &|| Ok(())).unwrap();
            let mut out = vec![0; 3_000_003];
            decompress(&packed, &mut out).unwrap();
            assert!(out.starts_with(b"abc") && out[3..].iter().all(|&b| b == 7));
            let mut first = [0; 4];
            assert_eq!(decompress_prefix(&packed, &mut first).unwrap(), 4);
            assert_eq!(&first, b"abc\x07");
        }
    }

    #[test]
    fn another_size_or_damage_is_an_error() {
        let packed = compress(&[&[1; 100]], 6, &|| Ok(())).unwrap();
        assert!(decompress(&packed, &mut [0; 99]).is_err());
        assert!(decompress(&packed, &mut [0; 101]).is_err());
        assert!(decompress(&packed[..3], &mut [0; 100]).is_err());
    }

    #[test]
    fn an_empty_stream_fills_nothing() {
        let packed = compress(&[], 6, &|| Ok(())).unwrap();
        decompress(&packed, &mut []).unwrap();
    }
}
