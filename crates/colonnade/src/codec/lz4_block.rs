//! Parquet's LZ4_RAW: one LZ4 block without a frame.

use std::ffi::{c_char, c_int};

use lz4_sys::{LZ4_compress_HC, LZ4_compress_fast, LZ4_compressBound, LZ4_decompress_safe};

use crate::error::{Error, Result};

pub use super::lz4::{DEFAULT_LEVEL, LEVELS, max_decompressed};

/// First level of the high compression mode.
const FIRST_HIGH_LEVEL: i32 = 3;

unsafe extern "C" {
    /// Decompresses only the first bytes of a block.
    fn LZ4_decompress_safe_partial(
        source: *const c_char,
        target: *mut c_char,
        source_size: c_int,
        target_size: c_int,
        target_capacity: c_int,
    ) -> c_int;
}

fn malformed(message: &str) -> Error {
    Error::malformed("lz4", format!("{message}. The compressed bytes are damaged."))
}

fn size(n: usize) -> Result<c_int> {
    c_int::try_from(n)
        .map_err(|_| Error::limit("lz4", format!("a block of {n} bytes, at most 2 GiB are possible.")))
}

/// Most bytes of a block with `nbytes` of content; 0 if a block cannot hold them.
#[must_use]
pub fn bound(nbytes: usize) -> usize {
    // SAFETY: the function only reads a number.
    size(nbytes).map_or(0, |n| usize::try_from(unsafe { LZ4_compressBound(n) }).unwrap_or(0))
}

/// Compresses `bytes` to the front of `target`, which needs at least [`bound`] bytes, and returns the length of the block.
///
/// # Errors
/// `LimitExceeded`: `target` is too small, or `bytes` has 2 GiB or more.
pub fn compress(bytes: &[u8], level: i32, target: &mut [u8]) -> Result<usize> {
    let (from, to) = (size(bytes.len())?, size(target.len())?);
    // SAFETY: both are live slices of the given lengths. liblz4 returns 0 if the target is too small.
    let count = unsafe {
        let (source, target) = (bytes.as_ptr().cast(), target.as_mut_ptr().cast());
        if level < FIRST_HIGH_LEVEL {
            LZ4_compress_fast(source, target, from, to, 1)
        } else {
            LZ4_compress_HC(source, target, from, to, level)
        }
    };
    let count = usize::try_from(count).ok().filter(|&n| n > 0);
    count.ok_or_else(|| Error::limit("lz4", format!("no room for a block of {} bytes.", bytes.len())))
}

/// Decompresses into `target`. The block must fill it exactly.
///
/// # Errors
/// Malformed bytes, or another length than that of `target`.
pub fn decompress(source: &[u8], target: &mut [u8]) -> Result<()> {
    let found = decompress_up_to(source, target)?;
    if found == target.len() {
        return Ok(());
    }
    Err(malformed(&format!("expected {} bytes, the block yields {found}", target.len())))
}

/// Decompresses the first bytes of the block into `target`, and returns their number.
///
/// # Errors
/// Malformed bytes.
pub fn decompress_prefix(source: &[u8], target: &mut [u8]) -> Result<usize> {
    let (from, to) = (size(source.len())?, size(target.len())?);
    // SAFETY: as in `decompress_up_to`.
    let count = unsafe {
        LZ4_decompress_safe_partial(source.as_ptr().cast(), target.as_mut_ptr().cast(), from, to, to)
    };
    usize::try_from(count).map_err(|_| malformed("expected an LZ4 block, found other bytes"))
}

/// Decompresses a block that fits `target`, and returns its length.
fn decompress_up_to(source: &[u8], target: &mut [u8]) -> Result<usize> {
    let (from, to) = (size(source.len())?, size(target.len())?);
    // SAFETY: both are live slices of the given lengths. liblz4 writes within `target` for any source.
    let count = unsafe { LZ4_decompress_safe(source.as_ptr().cast(), target.as_mut_ptr().cast(), from, to) };
    usize::try_from(count)
        .map_err(|_| malformed("expected an LZ4 block of at most the declared size, found other bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::samples;

    #[test]
    fn output_of_another_writer_is_read() {
        for bytes in samples::all() {
            let mut theirs = vec![0; bytes.len() * 2 + 64];
            let n = parquet_lz4(&bytes, &mut theirs);
            let mut packed = vec![0; bound(bytes.len())];
            for level in [0, 9] {
                let own = compress(&bytes, level, &mut packed).unwrap();
                for packed in [&theirs[..n], &packed[..own]] {
                    assert!(max_decompressed(packed.len() as u64) >= bytes.len() as u64);
                    let mut out = vec![1; bytes.len()];
                    decompress(packed, &mut out).unwrap();
                    assert!(out == bytes);
                    let mut first = vec![1; bytes.len().min(77)];
                    assert_eq!(decompress_prefix(packed, &mut first).unwrap(), first.len());
                    assert!(bytes.starts_with(&first));
                    samples::bad_input(packed, bytes.len(), decompress);
                }
            }
        }
    }

    /// A block of literals only, which is valid.
    fn parquet_lz4(bytes: &[u8], out: &mut [u8]) -> usize {
        let mut block = Vec::new();
        if bytes.len() < 15 {
            block.push(u8::try_from(bytes.len() << 4).unwrap());
        } else {
            block.push(0xf0);
            let mut left = bytes.len() - 15;
            while left >= 255 {
                block.push(255);
                left -= 255;
            }
            block.push(u8::try_from(left).unwrap());
        }
        block.extend_from_slice(bytes);
        out[..block.len()].copy_from_slice(&block);
        block.len()
    }
}
