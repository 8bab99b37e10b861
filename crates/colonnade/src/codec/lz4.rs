//! LZ4 frames (the LZ4 frame format, version 1.6.4), one per buffer, as in Arrow.
//!
//! ```text
//! 04 22 4D 18 | FLG BD | content size (8) | HC | block size (4) | block | ... | 00 00 00 00
//! ```
//!
//! The writer uses independent blocks, so that each can be decompressed directly into its place, and no checksums, like other
//! Arrow libraries. This reader decompresses such frames, and frames of linked blocks, block by block into the target. liblz4's
//! frame decoder handles frames with checksums or dictionaries.

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::ffi::{c_char, c_int};

use lz4_sys::{
    LZ4_compress_HC, LZ4_compress_fast, LZ4F_createDecompressionContext, LZ4F_decompress,
    LZ4F_freeDecompressionContext, LZ4F_isError, LZ4F_resetDecompressionContext, LZ4FDecompressOptions,
    LZ4FDecompressionContext,
};
use twox_hash::XxHash32;

use crate::error::{Error, Result};

/// Valid levels: 0 is the fast mode, 3 and above the high compression mode.
pub const LEVELS: std::ops::RangeInclusive<i32> = 0..=12;

/// The default level, the fastest.
pub const DEFAULT_LEVEL: i32 = 0;

/// Version of liblz4's frame functions.
const VERSION: u32 = 100;

const MAGIC: u32 = 0x184D_2204;

/// Longest distance of a match.
const WINDOW: usize = 64 << 10;

/// Most bytes that `compressed` bytes can decompress to: a length byte counts up to 255 bytes.
#[must_use]
pub fn max_decompressed(compressed: u64) -> u64 {
    compressed.saturating_mul(255)
}

unsafe extern "C" {
    /// Decompresses one block that may refer to up to 64 KiB of earlier output. Fastest if that output is directly before `target`.
    fn LZ4_decompress_safe_usingDict(
        source: *const c_char,
        target: *mut c_char,
        source_size: c_int,
        target_size: c_int,
        dictionary: *const c_char,
        dictionary_size: c_int,
    ) -> c_int;
}

fn malformed(message: &str) -> Error {
    Error::malformed("lz4", format!("{message}. The compressed bytes are damaged."))
}

fn check_code(code: usize) -> Result<usize> {
    // SAFETY: the function only reads a number.
    if unsafe { LZ4F_isError(code) } != 0 {
        return Err(malformed("expected an LZ4 frame, found other bytes"));
    }
    Ok(code)
}

struct Decompressor(LZ4FDecompressionContext);

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: `decompress_any` made the context and never copies this value, so nothing uses the context afterwards.
        unsafe { LZ4F_freeDecompressionContext(LZ4FDecompressionContext(self.0.0)) };
    }
}

thread_local! {
    /// Each thread reuses one context.
    static DECOMPRESSOR: RefCell<Option<Decompressor>> = const { RefCell::new(None) };
}

/// Block size of longer frames. Readers may decompress the blocks in parallel.
const BLOCK_NBYTES: usize = 256 << 10;

/// Bytes of a written frame's header, content size and end mark.
const FRAME_NBYTES: usize = 4 + 2 + 8 + 1 + 4;

/// First level of the high compression mode.
const FIRST_HIGH_LEVEL: i32 = 3;

/// Most bytes of a frame with `nbytes` of content.
#[must_use]
pub fn bound(nbytes: usize) -> usize {
    FRAME_NBYTES + nbytes + 4 * nbytes.div_ceil(BLOCK_NBYTES)
}

/// Compresses `bytes` as one frame that declares its size, to the front of `target`, which needs at least [`bound`] bytes. Returns
/// the length of the frame. Blocks that do not shrink are stored.
///
/// # Errors
/// `LimitExceeded`: `target` is too small.
pub fn compress(bytes: &[u8], level: i32, target: &mut [u8]) -> Result<usize> {
    let small = || Error::limit("lz4", format!("no room for a frame of {} bytes.", bytes.len()));
    if target.len() < bound(bytes.len()) {
        return Err(small());
    }
    // Version 01, independent blocks, content size; blocks of 64 or 256 KiB.
    let mut descriptor =
        [0b0110_1000, if bytes.len() <= WINDOW { 0x40 } else { 0x50 }, 0, 0, 0, 0, 0, 0, 0, 0];
    let (_, size) = descriptor.split_at_mut(2);
    size.copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    let check = XxHash32::oneshot(0, &descriptor).to_le_bytes()[1];
    let mut at = 0;
    let mut put = |target: &mut [u8], part: &[u8]| -> Result<()> {
        target.get_mut(at..at + part.len()).ok_or_else(small)?.copy_from_slice(part);
        at += part.len();
        Ok(())
    };
    put(target, &MAGIC.to_le_bytes())?;
    put(target, &descriptor)?;
    put(target, &[check])?;
    let block_nbytes = if bytes.len() <= WINDOW { WINDOW } else { BLOCK_NBYTES };
    for block in bytes.chunks(block_nbytes) {
        let place = target.get_mut(at + 4..at + 4 + block.len()).ok_or_else(small)?;
        let packed = compress_block(block, level, place);
        let word = u32::try_from(packed.unwrap_or(block.len())).map_err(|_| small())?;
        if packed.is_none() {
            place.copy_from_slice(block);
        }
        let word = if packed.is_none() { word | 1 << 31 } else { word };
        target.get_mut(at..at + 4).ok_or_else(small)?.copy_from_slice(&word.to_le_bytes());
        at += 4 + packed.unwrap_or(block.len());
    }
    target.get_mut(at..at + 4).ok_or_else(small)?.fill(0);
    Ok(at + 4)
}

/// Compresses one block; `None` if it does not shrink.
fn compress_block(block: &[u8], level: i32, place: &mut [u8]) -> Option<usize> {
    let size = c_int::try_from(block.len()).ok()?;
    let most = c_int::try_from(place.len().min(block.len().saturating_sub(1))).ok()?;
    // SAFETY: `block` is a live slice of the given length, and `place` has at least `most` bytes. liblz4 returns 0 if these are too few.
    let count = unsafe {
        let (source, target) = (block.as_ptr().cast(), place.as_mut_ptr().cast());
        if level < FIRST_HIGH_LEVEL {
            LZ4_compress_fast(source, target, size, most, 1)
        } else {
            LZ4_compress_HC(source, target, size, most, level)
        }
    };
    usize::try_from(count).ok().filter(|&count| count > 0)
}

/// Decompresses one frame into `target`, which it must fill exactly.
///
/// # Errors
/// Malformed bytes, or another length than that of `target`.
pub fn decompress(source: &[u8], target: &mut [u8]) -> Result<()> {
    match Lz4Frame::parse(source) {
        Some(frame) => frame.decompress(target),
        None => decompress_any(source, target),
    }
}

/// A frame without checksums and dictionary.
struct Lz4Frame<'s> {
    linked: bool,
    block_nbytes: usize,
    blocks: &'s [u8],
}

impl<'s> Lz4Frame<'s> {
    /// Parses the header; `None` leaves the frame to liblz4.
    fn parse(source: &'s [u8]) -> Option<Self> {
        let (magic, rest) = source.split_first_chunk::<4>()?;
        let [flags, size, ..] = rest else { return None };
        // Version 01; bit 5 independent, 4 block checksums, 3 content size, 2 content checksum, 1 reserved, 0 dictionary.
        if u32::from_le_bytes(*magic) != MAGIC
            || flags & 0b1101_0111 != 0b0100_0000
            || size & 0b1000_1111 != 0
        {
            return None;
        }
        let block_nbytes = match size >> 4 {
            id @ 4..=7 => 1usize << (8 + 2 * id),
            _ => return None,
        };
        let descriptor = if flags & 0b1000 == 0 { 2 } else { 10 };
        let (head, rest) = rest.split_at_checked(descriptor)?;
        let (check, blocks) = rest.split_first()?;
        let header_matches = XxHash32::oneshot(0, head).to_le_bytes().get(1) == Some(check);
        header_matches.then_some(Self { linked: flags & 0b10_0000 == 0, block_nbytes, blocks })
    }

    fn decompress(&self, target: &mut [u8]) -> Result<()> {
        let (mut rest, mut filled) = (self.blocks, 0);
        loop {
            let Some((word, after)) = rest.split_first_chunk::<4>() else {
                return Err(malformed("the frame has no end mark"));
            };
            let word = u32::from_le_bytes(*word);
            if word == 0 {
                if !after.is_empty() {
                    return Err(malformed(&format!(
                        "expected the end of the frame, found {} bytes more",
                        after.len()
                    )));
                }
                break;
            }
            let nbytes = (word & 0x7FFF_FFFF) as usize;
            let Some((block, after)) = after.split_at_checked(nbytes) else {
                return Err(malformed("a block passes the end of the frame"));
            };
            filled += self.block(block, word >> 31 == 1, target, filled)?;
            rest = after;
        }
        if filled == target.len() {
            return Ok(());
        }
        Err(malformed(&format!("expected {} bytes, the frame yields {filled}", target.len())))
    }

    /// Decompresses one block to `target` at `filled`, and returns its length.
    fn block(&self, block: &[u8], stored: bool, target: &mut [u8], filled: usize) -> Result<usize> {
        let free = target.get_mut(filled..).ok_or_else(|| malformed("impossible size"))?;
        let most = free.len().min(self.block_nbytes);
        if stored {
            let place = free.get_mut(..block.len()).filter(|_| block.len() <= most);
            place.ok_or_else(|| malformed("a stored block is too long"))?.copy_from_slice(block);
            return Ok(block.len());
        }
        let window = if self.linked { filled.min(WINDOW) } else { 0 };
        let size = |n: usize| c_int::try_from(n).map_err(|_| malformed("a block is too long"));
        let (source_size, target_size, window_size) = (size(block.len())?, size(most)?, size(window)?);
        // SAFETY: `block` is a live slice. The target has at least `most` bytes at `place`, and the dictionary is the `window` bytes
        // before. liblz4 writes at most `most` bytes for any source, and copies from the dictionary by addresses before the target,
        // so both pointers come from the one for the whole target.
        let count = unsafe {
            let place = target.as_mut_ptr().add(filled);
            LZ4_decompress_safe_usingDict(
                block.as_ptr().cast(),
                place.cast(),
                source_size,
                target_size,
                place.sub(window).cast_const().cast(),
                window_size,
            )
        };
        usize::try_from(count)
            .map_err(|_| malformed("expected an LZ4 block of at most the declared size, found other bytes"))
    }
}

/// Decompresses with liblz4's frame decoder.
fn decompress_any(source: &[u8], target: &mut [u8]) -> Result<()> {
    DECOMPRESSOR.with_borrow_mut(|slot| {
        if slot.is_none() {
            let mut context = LZ4FDecompressionContext(std::ptr::null_mut());
            // SAFETY: the function only writes the context pointer.
            check_code(unsafe { LZ4F_createDecompressionContext(&mut context, VERSION) })?;
            *slot = Some(Decompressor(context));
        }
        let Some(context) = slot else { return Err(malformed("no context")) };
        let context = || LZ4FDecompressionContext(context.0.0);
        // SAFETY: the context is live. The reset discards an unfinished earlier frame, and its pointers into that target.
        unsafe { LZ4F_resetDecompressionContext(context()) };
        let options = LZ4FDecompressOptions { stable_dst: 1, reserved: [0; 3] };
        let (mut used, mut filled) = (0, 0);
        loop {
            let (mut consumed, mut written) = (source.len() - used, target.len() - filled);
            // SAFETY: both pointers stay inside their slices, because liblz4 uses at most the given lengths and returns them. Until the end
            // of the frame, which `stable_dst` promises, the output so far stays where it is: before the rest of the target.
            let hint = check_code(unsafe {
                LZ4F_decompress(
                    context(),
                    target.as_mut_ptr().add(filled),
                    &mut written,
                    source.as_ptr().add(used),
                    &mut consumed,
                    &options,
                )
            })?;
            used += consumed;
            filled += written;
            if hint == 0 {
                break;
            }
            if consumed == 0 && written == 0 {
                return Err(malformed(&format!(
                    "expected {} bytes, the frame yields more or has no end",
                    target.len()
                )));
            }
        }
        if used != source.len() {
            return Err(malformed(&format!(
                "expected the end of the frame, found {} bytes more",
                source.len() - used
            )));
        }
        if filled == target.len() {
            return Ok(());
        }
        Err(malformed(&format!("expected {} bytes, the frame yields {filled}", target.len())))
    })
}
