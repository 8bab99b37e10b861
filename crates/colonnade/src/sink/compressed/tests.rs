//! Files compressed and decompressed again; damaged, truncated and oversized ones.

use std::io::Read;

use super::{CompressedSink, FileCompressor};
use crate::codec::file::{DecompressReader, FileCodec, unpacked};
use crate::error::ErrorKind;
use crate::limits::Limits;
use crate::memory::Buffer;
use crate::progress::NoProgress;
use crate::sink::Sink;

fn packed(codec: FileCodec, bytes: &[u8]) -> Vec<u8> {
    let (mut out, mut compressor) = (Vec::new(), FileCompressor::new(codec, None).unwrap());
    for piece in bytes.chunks(100_000) {
        CompressedSink { compressor: &mut compressor, sink: &mut out }.write(piece).unwrap();
    }
    compressor.finish(&mut out).unwrap();
    out
}

fn opened(bytes: &[u8], max_nbytes: u64) -> crate::Result<Vec<u8>> {
    let (found, codec) = unpacked(
        "csv",
        Buffer::from_vec(bytes.to_vec()),
        &Limits { max_nbytes, ..Limits::default() },
        &NoProgress,
    )?;
    assert!(codec.is_some() || found.as_slice() == bytes);
    Ok(found.as_slice().to_vec())
}

#[test]
fn compressed_files_round_trip() {
    let text: Vec<u8> = (0..200_000u32).flat_map(|i| format!("{i},{}\n", i % 7).into_bytes()).collect();
    for codec in [FileCodec::Gzip, FileCodec::Zstd] {
        for bytes in [&b""[..], b"a", &text] {
            let once = packed(codec, bytes);
            assert_eq!(FileCodec::detect(&once), Some(codec));
            assert_eq!(once, packed(codec, bytes));
            assert_eq!(opened(&once, 1 << 30).unwrap(), bytes);
            let mut slow = Vec::new();
            DecompressReader::new(ByteByByte(&once)).read_to_end(&mut slow).unwrap();
            assert_eq!(slow, bytes);
            // Two concatenated files read as one.
            assert_eq!(opened(&[&once[..], &once[..]].concat(), 1 << 30).unwrap(), [bytes, bytes].concat());
        }
    }
    assert_eq!(opened(b"a,b\n", 1 << 30).unwrap(), b"a,b\n");
    assert_eq!(opened(b"", 1 << 30).unwrap(), b"");
}

#[test]
fn truncated_files_are_errors() {
    for codec in [FileCodec::Gzip, FileCodec::Zstd] {
        let whole = packed(codec, &b"some text that is long enough\n".repeat(50));
        for end in 4..whole.len() {
            let error = opened(&whole[..end], 1 << 30).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{end}: {error:?}");
            assert!(error.to_string().contains("cut short"), "{error}");
        }
    }
}

#[test]
fn damaged_files_are_malformed() {
    for codec in [FileCodec::Gzip, FileCodec::Zstd] {
        let mut whole = packed(codec, &b"some text that is long enough\n".repeat(50));
        let end = whole.len();
        whole[end - 3] ^= 0xff;
        let error = opened(&whole, 1 << 30).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Malformed), "{error:?}");
        assert!(error.to_string().starts_with(codec.name()), "{error}");
    }
}

#[test]
fn files_that_decompress_beyond_the_limit_are_refused() {
    for codec in [FileCodec::Gzip, FileCodec::Zstd] {
        let error = opened(&packed(codec, &vec![b'a'; 4 << 20]), 1 << 18).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::LimitExceeded), "{error:?}");
    }
}

#[test]
fn text_is_limited_by_its_lines_and_compressed_size() {
    let limits = Limits { max_unbacked_nbytes: 1 << 10, max_expansion: 4, ..Limits::default() };
    let check = |text: &[u8]| {
        let bytes = Buffer::from_vec(packed(FileCodec::Zstd, text));
        unpacked("csv", bytes, &limits, &NoProgress).map(|(text, _)| text.nbytes())
    };
    // Three kilobytes in some twenty bytes: as one cell, and as a thousand.
    let error = check(&vec![b'a'; 3000]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded), "{error:?}");
    assert!(error.to_string().contains("compressed texts take 3000 bytes"), "{error}");
    assert_eq!(check(&b"1,\n".repeat(1000)).unwrap(), 3000);
}

#[test]
fn levels_have_a_range() {
    for (codec, level) in
        [(FileCodec::Gzip, 10), (FileCodec::Gzip, 0), (FileCodec::Zstd, 23), (FileCodec::Zstd, 0)]
    {
        let error = FileCompressor::new(codec, Some(level)).unwrap_err();
        assert!(error.to_string().contains("level: expected 1 to"), "{error}");
    }
}

/// Reads one byte at a time.
struct ByteByByte<'a>(&'a [u8]);

impl Read for ByteByByte<'_> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let (Some((first, rest)), Some(place)) = (self.0.split_first(), room.first_mut()) else {
            return Ok(0);
        };
        *place = *first;
        self.0 = rest;
        Ok(1)
    }
}
