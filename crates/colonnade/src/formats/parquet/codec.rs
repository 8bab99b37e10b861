//! Compression codecs of pages.

use crate::codec::{brotli, gzip, hadoop_lz4, lz4_block, snappy, zstd};
use crate::error::{Error, Result};

/// A codec; the numbers are the specification's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PageCodec {
    /// No compression.
    None = 0,
    /// Snappy.
    Snappy = 1,
    /// Gzip. Some writers write zlib streams under this number; both are read.
    Gzip = 2,
    /// Brotli.
    Brotli = 4,
    /// LZ4 in Hadoop's framing, deprecated.
    Lz4Hadoop = 5,
    /// Zstandard.
    Zstd = 6,
    /// An LZ4 block.
    Lz4Raw = 7,
}

impl PageCodec {
    /// Returns the codec of a number in the specification.
    ///
    /// # Errors
    /// Unsupported: LZO, and numbers that the specification does not define.
    pub fn from_number(number: i32) -> Result<Self> {
        Ok(match number {
            0 => Self::None,
            1 => Self::Snappy,
            2 => Self::Gzip,
            4 => Self::Brotli,
            5 => Self::Lz4Hadoop,
            6 => Self::Zstd,
            7 => Self::Lz4Raw,
            other => {
                let found = if other == 3 { "LZO".to_owned() } else { format!("codec number {other}") };
                let advice = "Write the file with none, snappy, gzip, brotli, lz4 or zstd.";
                return Err(Error::unsupported("parquet", format!("{found} is not read here. {advice}")));
            }
        })
    }

    /// The name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Snappy => "snappy",
            Self::Gzip => "gzip",
            Self::Brotli => "brotli",
            Self::Lz4Hadoop => "lz4 (Hadoop)",
            Self::Zstd => "zstd",
            Self::Lz4Raw => "lz4",
        }
    }

    /// Decompresses `bytes` into all of `room`; without a codec, copies them.
    ///
    /// # Errors
    /// Malformed bytes; more or fewer bytes than `room` has. The bytes of `room` are then undefined, but initialised.
    pub fn decompress(self, bytes: &[u8], room: &mut [u8]) -> Result<()> {
        match self {
            Self::None if bytes.len() == room.len() => {
                room.copy_from_slice(bytes);
                Ok(())
            }
            Self::None => {
                let message = format!(
                    "a page of {} bytes, its header says {}. The file is damaged; write it again.",
                    bytes.len(),
                    room.len()
                );
                Err(Error::malformed("parquet", message))
            }
            // Some writers store no bytes for a page whose values are all null.
            _ if bytes.is_empty() && room.is_empty() => Ok(()),
            Self::Snappy => snappy::decompress(bytes, room),
            Self::Gzip => gzip::decompress(bytes, room),
            Self::Brotli => brotli::decompress(bytes, room),
            Self::Lz4Hadoop => hadoop_lz4::decompress(bytes, room),
            Self::Zstd => zstd::decompress(bytes, room),
            Self::Lz4Raw => lz4_block::decompress(bytes, room),
        }
    }

    /// Decompresses the first bytes, until `room` is full or the input ends, and returns their number. Returns `None` if the codec
    /// cannot do that or the bytes are malformed; the caller then decompresses the whole page.
    #[must_use]
    pub fn decompress_prefix(self, bytes: &[u8], room: &mut [u8]) -> Option<usize> {
        match self {
            Self::None => {
                let n = bytes.len().min(room.len());
                room.get_mut(..n)?.copy_from_slice(bytes.get(..n)?);
                Some(n)
            }
            Self::Snappy => snappy::decompress_prefix(bytes, room).ok(),
            Self::Gzip => gzip::decompress_prefix(bytes, room).ok(),
            Self::Zstd => zstd::decompress_prefix(bytes, room).ok(),
            Self::Lz4Raw => lz4_block::decompress_prefix(bytes, room).ok(),
            Self::Brotli | Self::Lz4Hadoop => None,
        }
    }

    /// The most bytes that `compressed` bytes can decompress to. A page that claims more is refused before memory is allocated for
    /// it.
    #[must_use]
    pub fn max_decompressed_nbytes(self, compressed: u64) -> u64 {
        match self {
            Self::None => compressed,
            Self::Snappy => snappy::max_decompressed(compressed),
            Self::Gzip => gzip::max_decompressed(compressed),
            Self::Brotli => brotli::max_decompressed(compressed),
            Self::Lz4Hadoop => hadoop_lz4::max_decompressed(compressed),
            Self::Zstd => zstd::max_decompressed(compressed),
            Self::Lz4Raw => lz4_block::max_decompressed(compressed),
        }
    }

    /// The range of compression levels and the default level; `None` if the codec has no levels.
    #[must_use]
    pub fn levels(self) -> Option<(std::ops::RangeInclusive<i32>, i32)> {
        match self {
            Self::None | Self::Snappy => None,
            Self::Gzip => Some((gzip::LEVELS, gzip::DEFAULT_LEVEL)),
            Self::Brotli => Some((brotli::LEVELS, brotli::DEFAULT_LEVEL)),
            Self::Zstd => Some((zstd::LEVELS, 1)),
            Self::Lz4Hadoop | Self::Lz4Raw => Some((lz4_block::LEVELS, lz4_block::DEFAULT_LEVEL)),
        }
    }

    /// Appends the compressed `bytes` to `out`. The output is deterministic.
    ///
    /// # Errors
    /// `LimitExceeded`: more bytes than a page may have. A level outside of [`PageCodec::levels`].
    pub fn compress(self, bytes: &[u8], level: Option<i32>, out: &mut Vec<u8>) -> Result<()> {
        let level = match (level, self.levels()) {
            (Some(level), Some((levels, _))) if !levels.contains(&level) => {
                let (name, least, most) = (self.name(), levels.start(), levels.end());
                let message = format!("{name} has levels from {least} to {most}, found {level}.");
                return Err(Error::invalid_option("parquet", message));
            }
            (Some(level), Some(_)) => level,
            (None, Some((_, usual))) => usual,
            (_, None) => 0,
        };
        match self {
            Self::None => out.extend_from_slice(bytes),
            Self::Gzip => gzip::compress(bytes, level, out)?,
            Self::Brotli => brotli::compress(bytes, level, out)?,
            Self::Lz4Hadoop => hadoop_lz4::compress(bytes, level, out)?,
            Self::Snappy => append_with(out, snappy::bound(bytes.len()), |to| snappy::compress(bytes, to))?,
            Self::Zstd => {
                append_with(out, zstd::bound(bytes.len()), |to| zstd::compress_into(bytes, level, to))?
            }
            Self::Lz4Raw => {
                append_with(out, lz4_block::bound(bytes.len()), |to| lz4_block::compress(bytes, level, to))?
            }
        }
        Ok(())
    }
}

/// Extends `out` by `most` bytes, calls `put` to fill them, and truncates `out` to the number of bytes that `put` returns.
fn append_with(out: &mut Vec<u8>, most: usize, put: impl FnOnce(&mut [u8]) -> Result<usize>) -> Result<()> {
    let start = out.len();
    out.resize(start + most, 0);
    let done = put(out.get_mut(start..).unwrap_or_default());
    out.truncate(start + done.as_ref().map_or(0, |n| *n));
    done.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::samples;

    #[test]
    fn every_codec_round_trips() {
        for number in [0, 1, 2, 4, 5, 6, 7] {
            let Ok(codec) = PageCodec::from_number(number) else { unreachable!() };
            for bytes in samples::all() {
                let mut out = b"before".to_vec();
                assert!(codec.compress(&bytes, None, &mut out).is_ok());
                let packed = out.strip_prefix(b"before").unwrap_or_default();
                assert!(
                    codec.max_decompressed_nbytes(packed.len() as u64) >= bytes.len() as u64,
                    "{}",
                    codec.name()
                );
                let mut room = vec![1; bytes.len()];
                assert!(codec.decompress(packed, &mut room).is_ok());
                assert!(room == bytes, "{}", codec.name());
                let mut some = vec![1; bytes.len().min(100)];
                assert!(
                    codec
                        .decompress_prefix(packed, &mut some)
                        .is_none_or(|n| n == some.len() && bytes.starts_with(&some))
                );
                assert!(codec.decompress(packed, &mut vec![1; bytes.len() + 1]).is_err());
            }
            assert!(codec.decompress(&[], &mut []).is_ok());
            assert!(codec.levels().is_none() || codec.compress(&[1], Some(99), &mut Vec::new()).is_err());
        }
        assert!(PageCodec::from_number(3).is_err_and(|e| e.to_string().contains("LZO")));
        assert!(PageCodec::from_number(8).is_err());
    }
}
