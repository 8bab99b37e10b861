//! Parquet's deprecated LZ4: blocks in Hadoop's framing, each after two sizes.
//!
//! ```text
//! bytes of the block decompressed (big-endian, 4) | compressed (4) | block | ...
//! ```
//!
//! Writers disagreed on the meaning of LZ4: the C++ library wrote raw blocks for years, and one version wrote frames. Like other
//! readers, this one tries both if the bytes do not have Hadoop's framing.

use crate::error::{Error, Result};

use super::{lz4, lz4_block};

pub use super::lz4::max_decompressed;

fn malformed(message: &str) -> Error {
    Error::malformed("lz4", format!("{message}. The compressed bytes are damaged."))
}

/// Compresses `bytes` as one block, and appends it to `out`.
///
/// # Errors
/// `LimitExceeded`: 2 GiB or more.
pub fn compress(bytes: &[u8], level: i32, out: &mut Vec<u8>) -> Result<()> {
    let large = |n: usize| Error::limit("lz4", format!("a block of {n} bytes, at most 2 GiB are possible."));
    let start = out.len();
    out.resize(start + 8 + lz4_block::bound(bytes.len()), 0);
    let room = out.get_mut(start..).unwrap_or_default();
    let Some((head, block)) = room.split_first_chunk_mut::<8>() else { return Err(large(bytes.len())) };
    let n = lz4_block::compress(bytes, level, block)?;
    let sizes = u32::try_from(bytes.len()).ok().zip(u32::try_from(n).ok());
    let (plain, packed) = sizes.ok_or_else(|| large(bytes.len()))?;
    let (a, b) = head.split_at_mut(4);
    a.copy_from_slice(&plain.to_be_bytes());
    b.copy_from_slice(&packed.to_be_bytes());
    out.truncate(start + 8 + n);
    Ok(())
}

/// Decompresses into `target`. The blocks must fill it exactly.
///
/// # Errors
/// Malformed in all three forms, or another length than that of `target`.
pub fn decompress(source: &[u8], target: &mut [u8]) -> Result<()> {
    if decompress_framed(source, target) {
        return Ok(());
    }
    if source.starts_with(&[0x04, 0x22, 0x4d, 0x18]) && lz4::decompress(source, target).is_ok() {
        return Ok(());
    }
    lz4_block::decompress(source, target).map_err(|_| {
        malformed("expected LZ4 of the declared size, with or without Hadoop's framing, found other bytes")
    })
}

/// Decompresses blocks in Hadoop's framing, and returns whether they filled `target` without bytes left.
fn decompress_framed(source: &[u8], target: &mut [u8]) -> bool {
    let (mut rest, mut room) = (source, target);
    loop {
        if rest.is_empty() {
            return room.is_empty();
        }
        let Some((plain, after)) = rest.split_first_chunk::<4>() else { return false };
        let Some((packed, after)) = after.split_first_chunk::<4>() else { return false };
        let Some((block, after)) = after.split_at_checked(u32::from_be_bytes(*packed) as usize) else {
            return false;
        };
        let Some((now, later)) = room.split_at_mut_checked(u32::from_be_bytes(*plain) as usize) else {
            return false;
        };
        if lz4_block::decompress(block, now).is_err() {
            return false;
        }
        (rest, room) = (after, later);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::samples;

    #[test]
    fn blocks_frames_and_raw_round_trip() {
        for bytes in samples::all() {
            let mut one = Vec::new();
            compress(&bytes, 0, &mut one).unwrap();
            let (a, b) = bytes.split_at(bytes.len() / 3);
            let mut two = Vec::new();
            compress(a, 0, &mut two).unwrap();
            compress(b, 9, &mut two).unwrap();
            let mut raw = vec![0; lz4_block::bound(bytes.len())];
            let n = lz4_block::compress(&bytes, 0, &mut raw).unwrap();
            raw.truncate(n);
            let mut frame = vec![0; lz4::bound(bytes.len())];
            let n = lz4::compress(&bytes, 0, &mut frame).unwrap();
            frame.truncate(n);
            for packed in [one, two, raw, frame] {
                let mut out = vec![1; bytes.len()];
                decompress(&packed, &mut out).unwrap();
                assert!(out == bytes);
                samples::bad_input(&packed, bytes.len(), decompress);
            }
        }
    }
}
