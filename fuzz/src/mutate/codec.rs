//! Compression of members and pages, with other code than the readers have where that is short.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::{DeflateDecoder, GzDecoder};
use flate2::write::{DeflateEncoder, GzEncoder};

/// More bytes are not decompressed.
const MOST_NBYTES: usize = 1 << 20;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Codec {
    None,
    Snappy,
    Gzip,
    Deflate,
    Zstd,
    Lz4Block,
}

impl Codec {
    /// Decompresses to at most `nbytes`; `None` for damaged bytes.
    pub(crate) fn unpack(self, bytes: &[u8], nbytes: usize) -> Option<Vec<u8>> {
        let most = nbytes.min(MOST_NBYTES);
        let mut out = Vec::with_capacity(most);
        match self {
            Self::None => out.extend_from_slice(bytes),
            Self::Snappy if snap::raw::decompress_len(bytes).ok()? > most => return None,
            Self::Snappy => out = snap::raw::Decoder::new().decompress_vec(bytes).ok()?,
            Self::Gzip => read_to_end(GzDecoder::new(bytes), most, &mut out)?,
            Self::Deflate => read_to_end(DeflateDecoder::new(bytes), most, &mut out)?,
            Self::Zstd => zstd_safe::decompress(&mut out, bytes).map(|_| ()).ok()?,
            Self::Lz4Block => unpack_lz4(bytes, most, &mut out)?,
        }
        Some(out)
    }

    pub(crate) fn pack(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(zstd_safe::compress_bound(bytes.len()));
        match self {
            Self::None => out.extend_from_slice(bytes),
            Self::Snappy => out = snap::raw::Encoder::new().compress_vec(bytes).ok()?,
            Self::Gzip => {
                let mut encoder = GzEncoder::new(out, Compression::fast());
                encoder.write_all(bytes).ok()?;
                out = encoder.finish().ok()?;
            }
            Self::Deflate => {
                let mut encoder = DeflateEncoder::new(out, Compression::fast());
                encoder.write_all(bytes).ok()?;
                out = encoder.finish().ok()?;
            }
            Self::Zstd => zstd_safe::compress(&mut out, bytes, 1).map(|_| ()).ok()?,
            Self::Lz4Block => pack_lz4(bytes, &mut out),
        }
        Some(out)
    }
}

fn read_to_end(from: impl std::io::Read, most: usize, out: &mut Vec<u8>) -> Option<()> {
    from.take(most as u64).read_to_end(out).map(|_| ()).ok()
}

/// A block of LZ4 that is one literal.
fn pack_lz4(bytes: &[u8], out: &mut Vec<u8>) {
    match bytes.len().checked_sub(15) {
        None => out.push(u8::try_from(bytes.len() << 4).unwrap_or_default()),
        Some(mut rest) => {
            out.push(0xF0);
            while rest >= 255 {
                out.push(255);
                rest -= 255;
            }
            out.push(u8::try_from(rest).unwrap_or_default());
        }
    }
    out.extend_from_slice(bytes);
}

fn unpack_lz4(bytes: &[u8], most: usize, out: &mut Vec<u8>) -> Option<()> {
    let mut at = 0;
    let mut next = || {
        at += 1;
        bytes.get(at - 1).copied()
    };
    let length = |half: u8, next: &mut dyn FnMut() -> Option<u8>| -> Option<usize> {
        let mut length = usize::from(half);
        while length >= 15 {
            let more = next()?;
            length += usize::from(more);
            if more < 255 {
                break;
            }
        }
        Some(length)
    };
    while let Some(token) = next() {
        for _ in 0..length(token >> 4, &mut next)? {
            out.push(next()?);
        }
        let Some(low) = next() else { return Some(()) };
        let distance = usize::from(low) | usize::from(next()?) << 8;
        let start = out.len().checked_sub(distance).filter(|_| distance > 0)?;
        let count = length(token & 15, &mut next)? + 4;
        if out.len() + count > most {
            return None;
        }
        for place in start..start + count {
            out.push(*out.get(place)?);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        use Codec::{Deflate, Gzip, Lz4Block, None, Snappy, Zstd};
        for nbytes in [0, 1, 14, 15, 16, 269, 270, 271, 5000] {
            let bytes: Vec<u8> = (0..nbytes).map(|n: usize| (n / 7).to_le_bytes()[0]).collect();
            for codec in [None, Snappy, Gzip, Deflate, Zstd, Lz4Block] {
                let packed = codec.pack(&bytes).unwrap();
                assert_eq!(codec.unpack(&packed, nbytes), Some(bytes.clone()), "{codec:?}");
            }
        }
    }

    #[test]
    fn a_copy_of_lz4_overlaps_itself() {
        let unpacked = Codec::Lz4Block.unpack(b"\x22ab\x02\x00\x50hello", 64);
        assert_eq!(unpacked.as_deref(), Some(&b"ababababhello"[..]));
    }
}
