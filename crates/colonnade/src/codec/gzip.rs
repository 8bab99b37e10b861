//! Parquet's GZIP: one or more gzip members (RFC 1952), or one zlib stream (RFC 1950).

use std::cell::RefCell;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use crate::error::{Error, Result};

pub use super::deflate::{DEFAULT_LEVEL, LEVELS};

/// The header of written members, without name, time and operating system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Bytes of a member's header, checksum and size.
const MEMBER_NBYTES: usize = HEADER.len() + 8;

/// Most bytes that `compressed` bytes can decompress to.
#[must_use]
pub fn max_decompressed(compressed: u64) -> u64 {
    compressed.saturating_mul(super::deflate::MAX_RATIO)
}

fn malformed(message: &str) -> Error {
    Error::malformed("gzip", format!("{message}. The compressed bytes are damaged."))
}

thread_local! {
    /// The state has a window of at least 32 KiB, so each thread reuses one.
    static DECOMPRESSOR: RefCell<Decompress> = RefCell::new(Decompress::new(false));
}

/// Compresses `bytes` as one member, and appends it to `out`.
///
/// # Errors
/// Errors of the library.
pub fn compress(bytes: &[u8], level: i32, out: &mut Vec<u8>) -> Result<()> {
    out.reserve(bytes.len() / 2 + 64);
    out.extend_from_slice(&HEADER);
    let mut state = Compress::new(Compression::new(level.clamp(0, 9).unsigned_abs()), false);
    loop {
        let used = usize::try_from(state.total_in()).unwrap_or(usize::MAX);
        let rest = bytes.get(used..).unwrap_or_default();
        let done = state.compress_vec(rest, out, FlushCompress::Finish);
        match done.map_err(|e| malformed(&e.to_string()))? {
            Status::StreamEnd => break,
            Status::Ok | Status::BufError => out.reserve(rest.len() / 2 + 4096),
        }
    }
    out.extend_from_slice(&crc32fast::hash(bytes).to_le_bytes());
    // RFC 1952: the size modulo 2^32.
    let size = u32::try_from(bytes.len() & 0xffff_ffff).unwrap_or(0);
    out.extend_from_slice(&size.to_le_bytes());
    Ok(())
}

/// Decompresses into `target`. The stream must fill it exactly.
///
/// # Errors
/// Malformed bytes, a wrong checksum, or another length than that of `target`.
pub fn decompress(source: &[u8], target: &mut [u8]) -> Result<()> {
    let (mut rest, mut filled) = (source, 0);
    let expected = target.len();
    DECOMPRESSOR.with_borrow_mut(|state| {
        loop {
            let room = target.get_mut(filled..).unwrap_or_default();
            let n = decompress_member(state, &mut rest, room)?;
            filled += n;
            if rest.is_empty() {
                break;
            }
        }
        if filled == expected {
            return Ok(());
        }
        Err(malformed(&format!("expected {expected} bytes, the stream yields {filled}")))
    })
}

/// Decompresses the first bytes of the first member into `target`, and returns their number.
///
/// # Errors
/// Malformed bytes.
pub fn decompress_prefix(source: &[u8], target: &mut [u8]) -> Result<usize> {
    let Some(body) = after_header(source) else {
        return Err(malformed("expected a gzip header, found other bytes"));
    };
    super::deflate::decompress_prefix(body, target)
}

/// Decompresses one member to the front of `target`. Returns its length, and advances `source` past it.
fn decompress_member(state: &mut Decompress, source: &mut &[u8], room: &mut [u8]) -> Result<usize> {
    let zlib = source.first().is_some_and(|b| b & 0x0f == 8)
        && source.first_chunk::<2>().is_some_and(|head| u16::from_be_bytes(*head) % 31 == 0);
    let body = if zlib {
        *source
    } else {
        after_header(source).ok_or_else(|| malformed("expected a gzip header, found other bytes"))?
    };
    state.reset(zlib);
    let mut status = state.decompress(body, room, FlushDecompress::Finish);
    let mut used = as_usize(state.total_in());
    let n = as_usize(state.total_out());
    if n == room.len() && !matches!(status, Ok(Status::StreamEnd)) {
        // The target is full. The end mark may still be unread, but another byte would be an error.
        let mut spare = [0u8; 1];
        status = state.decompress(body.get(used..).unwrap_or_default(), &mut spare, FlushDecompress::Finish);
        used = as_usize(state.total_in());
        if as_usize(state.total_out()) > n {
            return Err(malformed(&format!("expected {n} bytes, the stream yields more")));
        }
    }
    match status {
        Ok(Status::StreamEnd) => {}
        Ok(_) => return Err(malformed("the stream has no end")),
        Err(e) => return Err(malformed(&e.to_string())),
    }
    let trailer = body.get(used..).unwrap_or_default();
    if zlib {
        // The library checks the checksum.
        *source = trailer;
        return Ok(n);
    }
    let Some((tail, rest)) = trailer.split_first_chunk::<8>() else {
        return Err(malformed("a member has no checksum"));
    };
    let [a, b, c, d, ..] = *tail;
    let found = crc32fast::hash(room.get(..n).unwrap_or_default());
    if found != u32::from_le_bytes([a, b, c, d]) {
        return Err(malformed("the checksum of a member is wrong"));
    }
    *source = rest;
    Ok(n)
}

fn as_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The bytes after a member's header.
fn after_header(source: &[u8]) -> Option<&[u8]> {
    let (head, mut rest) = source.split_first_chunk::<10>()?;
    let [0x1f, 0x8b, 8, flags, ..] = *head else { return None };
    if flags & 0b1110_0000 != 0 {
        return None;
    }
    if flags & 4 != 0 {
        let (size, after) = rest.split_first_chunk::<2>()?;
        rest = after.get(usize::from(u16::from_le_bytes(*size))..)?;
    }
    // Name and comment end with a zero byte.
    for bit in [8, 16] {
        if flags & bit != 0 {
            let end = rest.iter().position(|&b| b == 0)?;
            rest = rest.get(end + 1..)?;
        }
    }
    if flags & 2 != 0 { rest.get(2..) } else { Some(rest) }
}

/// Most bytes that `nbytes` compress to. Deflate stores incompressible data in blocks of at most 64 KiB.
#[must_use]
pub fn bound(nbytes: usize) -> usize {
    MEMBER_NBYTES + nbytes + nbytes / 1000 + 64
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::codec::samples;

    #[test]
    fn output_of_another_writer_is_read() {
        for bytes in samples::all() {
            let mut gz = flate2::GzBuilder::new().filename("a name").comment("text").extra(vec![1, 2, 3]);
            gz = gz.mtime(7);
            let mut gz = gz.write(Vec::new(), Compression::new(6));
            gz.write_all(&bytes).unwrap();
            let foreign = gz.finish().unwrap();
            let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), Compression::new(6));
            zlib.write_all(&bytes).unwrap();
            let zlib = zlib.finish().unwrap();
            let mut own_member = Vec::new();
            compress(&bytes, 6, &mut own_member).unwrap();
            assert!(own_member.len() <= bound(bytes.len()));
            for packed in [&foreign, &zlib, &own_member] {
                let mut out = vec![1; bytes.len()];
                decompress(packed, &mut out).unwrap();
                assert!(out == bytes);
                samples::bad_input(packed, bytes.len(), decompress);
            }
            let mut decoded = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&own_member[..]), &mut decoded)
                .unwrap();
            assert!(decoded == bytes);
            let mut first = vec![1; bytes.len().min(77)];
            assert_eq!(decompress_prefix(&own_member, &mut first).unwrap(), first.len());
            assert!(bytes.starts_with(&first));
            let two = [own_member, foreign].concat();
            let mut out = vec![1; bytes.len() * 2];
            decompress(&two, &mut out).unwrap();
            assert!(out == [bytes.clone(), bytes].concat());
        }
    }

    #[test]
    fn a_wrong_checksum_is_refused() {
        let mut packed = Vec::new();
        compress(&[7; 100], 6, &mut packed).unwrap();
        let at = packed.len() - 8;
        packed[at] ^= 1;
        assert!(decompress(&packed, &mut [0; 100]).is_err());
    }
}
