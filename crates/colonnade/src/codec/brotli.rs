//! Brotli (RFC 7932), one stream.

use brotli::enc::BrotliEncoderParams;
use brotli::enc::StandardAlloc;
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState};

use crate::error::{Error, Result};

/// Valid levels.
pub const LEVELS: std::ops::RangeInclusive<i32> = 0..=11;

/// The default level. The parquet libraries in Rust and C++ use levels between 1 and 8.
pub const DEFAULT_LEVEL: i32 = 4;

/// Matches reach back 4 MiB, because pages are not longer.
const WINDOW_LOG: i32 = 22;

/// Most bytes that `compressed` bytes can decompress to. A block of 16 MiB takes at least 101 bits: its header, three codes of one
/// symbol each, and a copy.
#[must_use]
pub fn max_decompressed(compressed: u64) -> u64 {
    (compressed / 12 + 1).saturating_mul(16 << 20)
}

fn malformed(message: &str) -> Error {
    Error::malformed("brotli", format!("{message}. The compressed bytes are damaged."))
}

/// Compresses `bytes` as one stream, and appends it to `out`.
///
/// # Errors
/// Errors of the library.
pub fn compress(bytes: &[u8], level: i32, out: &mut Vec<u8>) -> Result<()> {
    let params = BrotliEncoderParams {
        quality: level.clamp(*LEVELS.start(), *LEVELS.end()),
        lgwin: WINDOW_LOG,
        size_hint: bytes.len(),
        ..BrotliEncoderParams::default()
    };
    let mut source = bytes;
    brotli::BrotliCompress(&mut source, out, &params).map_err(|e| malformed(&e.to_string()))?;
    Ok(())
}

/// Decompresses into `target`. The stream must fill it exactly.
///
/// # Errors
/// Malformed bytes, or another length than that of `target`.
pub fn decompress(source: &[u8], target: &mut [u8]) -> Result<()> {
    let alloc = || StandardAlloc::default();
    let mut state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc> =
        BrotliState::new(alloc(), alloc(), alloc());
    let (mut left, mut used) = (source.len(), 0);
    let (mut room, mut filled, mut total) = (target.len(), 0, 0);
    let expected = target.len();
    let mut result = BrotliDecompressStream(
        &mut left,
        &mut used,
        source,
        &mut room,
        &mut filled,
        target,
        &mut total,
        &mut state,
    );
    if matches!(result, BrotliResult::NeedsMoreOutput) {
        // The target is full. The end mark may still be unread, but another byte would be an error.
        let (mut spare, mut free, mut more) = ([0u8; 1], 1, 0);
        result = BrotliDecompressStream(
            &mut left, &mut used, source, &mut free, &mut more, &mut spare, &mut total, &mut state,
        );
        if more > 0 {
            return Err(malformed(&format!("expected {expected} bytes, the stream yields more")));
        }
    }
    match result {
        BrotliResult::ResultSuccess if filled == expected && left == 0 => Ok(()),
        BrotliResult::ResultSuccess if left > 0 => {
            Err(malformed(&format!("expected the end of the stream, found {left} bytes more")))
        }
        BrotliResult::ResultSuccess => {
            Err(malformed(&format!("expected {expected} bytes, the stream yields {filled}")))
        }
        BrotliResult::NeedsMoreInput => Err(malformed("the stream has no end")),
        _ => Err(malformed("expected a brotli stream, found other bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::samples;

    #[test]
    fn streams_round_trip() {
        for bytes in samples::all() {
            for level in [1, 4, 9] {
                let mut packed = Vec::new();
                compress(&bytes, level, &mut packed).unwrap();
                assert!(max_decompressed(packed.len() as u64) >= bytes.len() as u64);
                let mut out = vec![1; bytes.len()];
                decompress(&packed, &mut out).unwrap();
                assert!(out == bytes);
                samples::bad_input(&packed, bytes.len(), decompress);
            }
        }
    }

    #[test]
    fn declared_sizes_are_bounded() {
        let zeros = vec![0; 40 << 20];
        let mut packed = Vec::new();
        compress(&zeros, 5, &mut packed).unwrap();
        assert!(max_decompressed(packed.len() as u64) >= zeros.len() as u64);
        assert_eq!(max_decompressed(11), 16 << 20);
        assert_eq!(max_decompressed(130), 11 * (16 << 20));
    }

    #[test]
    fn output_of_the_c_library_is_read() {
        // b"colonnade " * 40 by pyarrow 26.
        let packed =
            [27, 143, 1, 0, 4, 38, 114, 164, 177, 182, 253, 90, 13, 66, 91, 41, 167, 66, 16, 80, 185, 3];
        let mut out = vec![0; 400];
        decompress(&packed, &mut out).unwrap();
        assert!(out.chunks(10).all(|part| part == b"colonnade "));
    }
}
