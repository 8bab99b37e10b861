//! Zstandard (RFC 8878). Each ZIP member is one frame, because `zipfile` stops after the first.

use zstd_safe::{CCtx, CParameter, DCtx, InBuffer, OutBuffer};

use crate::error::{Error, Result};
use crate::parallel::{CANCEL_CHECK_NBYTES, Cancel};

/// Valid levels.
pub const LEVELS: std::ops::RangeInclusive<i32> = -7..=22;

/// The default level.
pub const DEFAULT_LEVEL: i32 = 3;

/// Most bytes that `compressed` bytes can decompress to: a block of 128 KiB takes at least four bytes.
#[must_use]
pub fn max_decompressed(compressed: u64) -> u64 {
    (compressed / 4 + 1).saturating_mul(128 << 10)
}

thread_local! {
    /// Each thread reuses one context, for files with thousands of buffers.
    static COMPRESSOR: std::cell::RefCell<CCtx<'static>> = std::cell::RefCell::new(CCtx::create());
    /// Each thread reuses one context of a few hundred kilobytes.
    static CONTEXT: std::cell::RefCell<DCtx<'static>> = std::cell::RefCell::new(DCtx::create());
}

fn library_error(code: usize) -> Error {
    Error::malformed(
        "zstd",
        format!("{}. The compressed bytes are damaged.", zstd_safe::get_error_name(code)),
    )
}

/// Frames from this size on are compressed in jobs, which several threads share. This threshold and the size of jobs are
/// constant, so that the output does not depend on the number of threads.
pub const JOBS_FROM_NBYTES: usize = 16 << 20;
const JOB_NBYTES: u32 = 4 << 20;

/// Compresses the concatenated `parts` as one frame that declares its size, and calls `cancel` between chunks.
///
/// # Errors
/// Errors of the library and of `cancel`.
pub fn compress(parts: &[&[u8]], level: i32, threads: usize, cancel: Cancel<'_>) -> Result<Vec<u8>> {
    let total: usize = parts.iter().map(|p| p.len()).sum();
    let mut context = CCtx::create();
    context.set_parameter(CParameter::CompressionLevel(level)).map_err(library_error)?;
    if total >= JOBS_FROM_NBYTES {
        let workers = u32::try_from(threads.max(1)).unwrap_or(1);
        context.set_parameter(CParameter::NbWorkers(workers)).map_err(library_error)?;
        context.set_parameter(CParameter::JobSize(JOB_NBYTES)).map_err(library_error)?;
    }
    context.set_pledged_src_size(Some(total as u64)).map_err(library_error)?;
    let mut out: Vec<u8> = Vec::with_capacity(zstd_safe::compress_bound(total));
    let mut output = OutBuffer::around(&mut out);
    for piece in parts.iter().flat_map(|part| part.chunks(CANCEL_CHECK_NBYTES)) {
        let mut input = InBuffer::around(piece);
        while input.pos() < piece.len() {
            cancel()?;
            context.compress_stream(&mut output, &mut input).map_err(library_error)?;
        }
    }
    while context.end_stream(&mut output).map_err(library_error)? > 0 {}
    Ok(out)
}

/// Most bytes of a frame with `nbytes` of content.
#[must_use]
pub fn bound(nbytes: usize) -> usize {
    zstd_safe::compress_bound(nbytes)
}

/// Compresses `bytes` on this thread as one frame that declares its size, to the front of `target`. Returns the length of the
/// frame.
///
/// # Errors
/// Errors of the library: `target` is smaller than [`bound`].
pub fn compress_into(bytes: &[u8], level: i32, target: &mut [u8]) -> Result<usize> {
    COMPRESSOR.with_borrow_mut(|context| context.compress(target, bytes, level)).map_err(library_error)
}

/// Compresses `bytes` on this thread as one frame that declares its size.
///
/// # Errors
/// Errors of the library.
pub fn compress_on_this_thread(bytes: &[u8], level: i32) -> Result<Vec<u8>> {
    thread_local! {
        static SCRATCH: std::cell::RefCell<Vec<u8>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    SCRATCH.with_borrow_mut(|scratch| {
        let bound = bound(bytes.len());
        if scratch.len() < bound {
            scratch.resize(bound, 0);
        }
        let used = compress_into(bytes, level, scratch)?;
        let out = scratch.get(..used).unwrap_or_default().to_vec();
        // A large member must not keep its memory for the life of the thread.
        if scratch.len() > SCRATCH_NBYTES {
            *scratch = Vec::new();
        }
        Ok(out)
    })
}

/// Largest scratch buffer that a thread keeps.
const SCRATCH_NBYTES: usize = 8 << 20;

/// Decompresses into `target`. The stream must fill it exactly.
///
/// # Errors
/// Malformed bytes, or another length than that of `target`.
pub fn decompress(source: &[u8], target: &mut [u8]) -> Result<()> {
    let expected = target.len();
    let written =
        CONTEXT.with_borrow_mut(|context| context.decompress(target, source)).map_err(library_error)?;
    if written == expected {
        return Ok(());
    }
    Err(Error::malformed("zstd", format!("expected {expected} bytes, the stream yields {written}.")))
}

/// Decompresses the first bytes of the stream into `target`, and returns their number.
///
/// # Errors
/// Malformed bytes.
pub fn decompress_prefix(source: &[u8], target: &mut [u8]) -> Result<usize> {
    CONTEXT.with_borrow_mut(|context| prefix(context, source, target))
}

fn prefix(context: &mut DCtx<'_>, source: &[u8], target: &mut [u8]) -> Result<usize> {
    context.init().map_err(library_error)?;
    let mut input = InBuffer::around(source);
    let mut output = OutBuffer::around(target);
    while output.pos() < output.capacity() {
        let (consumed, produced) = (input.pos(), output.pos());
        let hint = context.decompress_stream(&mut output, &mut input).map_err(library_error)?;
        if hint == 0 || (consumed == input.pos() && produced == output.pos()) {
            break;
        }
    }
    Ok(output.pos())
}

/// Length of a frame up to the end of its first block, from its first 21 bytes; `None` if they are no frame.
#[must_use]
pub fn first_block(frame: &[u8]) -> Option<usize> {
    const MAGIC: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];
    let descriptor = *frame.strip_prefix(MAGIC)?.first()?;
    let single = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4].get(usize::from(descriptor & 3)).copied()?;
    let size = [usize::from(single), 2, 4, 8].get(usize::from(descriptor >> 6)).copied()?;
    let at = 5 + usize::from(!single) + dictionary + size;
    let header = frame.get(at..at + 3)?.iter().rev().fold(0usize, |word, &b| word << 8 | usize::from(b));
    // A block that repeats one byte stores only that byte.
    let nbytes = if header >> 1 & 3 == 1 { 1 } else { header >> 3 };
    Some(at + 3 + nbytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_block_is_enough_for_the_first_bytes() {
        let noise =
            |n: u32| (0..n).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect::<Vec<u8>>();
        for plain in [vec![7; 500_000], noise(100_000), noise(3), b"abcabc".repeat(60_000)] {
            let packed = compress(&[&plain], 3, 1, &|| Ok(())).unwrap();
            let nbytes = first_block(&packed).unwrap();
            assert!(nbytes <= packed.len());
            let mut out = vec![0; plain.len().min(1000)];
            assert_eq!(decompress_prefix(&packed[..nbytes], &mut out).unwrap(), out.len());
            assert_eq!(out, plain[..out.len()]);
        }
        assert!(first_block(b"PK\x03\x04, which is no frame").is_none() && first_block(b"").is_none());
    }

    #[test]
    fn parts_decompress_as_one() {
        let packed = compress(&[b"abc", b"", &[7; 5000]], 3, 1, &|| Ok(())).unwrap();
        let mut out = vec![0; 5003];
        decompress(&packed, &mut out).unwrap();
        assert!(out.starts_with(b"abc") && out[3..].iter().all(|&b| b == 7));
        let mut first = [0; 4];
        assert_eq!(decompress_prefix(&packed, &mut first).unwrap(), 4);
        assert_eq!(&first, b"abc\x07");
    }

    #[test]
    fn jobs_give_the_same_bytes_on_any_number_of_threads() {
        let bytes: Vec<u8> =
            (0..20_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 27).to_le_bytes()[0]).collect();
        let packed = compress(&[&bytes], 1, 1, &|| Ok(())).unwrap();
        assert!(packed == compress(&[&bytes], 1, 3, &|| Ok(())).unwrap());
        let mut out = vec![0; bytes.len()];
        decompress(&packed, &mut out).unwrap();
        assert!(out == bytes);
    }

    #[test]
    fn another_size_or_damage_is_an_error() {
        let packed = compress(&[&[1; 100]], 3, 1, &|| Ok(())).unwrap();
        assert!(decompress(&packed, &mut [0; 99]).is_err());
        assert!(decompress(&packed, &mut [0; 101]).is_err());
        assert!(decompress(&packed[..5], &mut [0; 100]).is_err());
        assert!(decompress_prefix(b"garbage", &mut [0; 4]).is_err());
    }
}
