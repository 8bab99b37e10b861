//! The metadata of a column chunk, read from the footer.

use crate::error::Result;

use super::thrift::{Thrift, ThriftType};

/// The key that decrypts an encrypted chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkKey {
    /// The footer's key.
    Footer,
    /// A key of the column. The place and length are those of its encrypted metadata in the footer.
    Column(Option<(usize, usize)>),
}

/// The metadata of a column chunk.
#[derive(Debug, Clone, Copy, Default)]
pub struct ColumnChunk<'a> {
    /// Physical type, as the specification numbers it.
    pub physical: i32,
    /// Codec, as the specification numbers it.
    pub codec: i32,
    /// Number of values, nulls included.
    pub nvalues: u64,
    /// Bytes of the pages with their headers, decompressed.
    pub nbytes: u64,
    /// Bytes of the pages with their headers, as stored in the file.
    pub compressed_nbytes: u64,
    /// Offset of the first data page.
    pub data_at: u64,
    /// Offset of the dictionary page.
    pub dictionary_at: Option<u64>,
    /// Path of another file that holds the chunk.
    pub file: Option<&'a str>,
    /// Whether the chunk or its metadata are encrypted with a column key.
    pub encrypted: bool,
    /// The key of an encrypted chunk.
    pub secret: Option<ChunkKey>,
    /// Offset and length of the offset index.
    pub offset_index: Option<(u64, u64)>,
    /// Offset and length of the column index.
    pub column_index: Option<(u64, u64)>,
    /// Offset of the bloom filter, and its length if the footer has it.
    pub bloom: Option<(u64, Option<u64>)>,
    /// Place of the statistics in the footer.
    pub statistics: Option<usize>,
    /// Place of the list of encodings in the footer.
    pub encodings: Option<usize>,
    /// Place of the encoding statistics in the footer.
    pub encoding_stats: Option<usize>,
    /// Number of levels in the histograms of repetition and of definition; `None` if there is no histogram.
    pub histograms: [Option<usize>; 2],
}

impl ColumnChunk<'_> {
    /// Offset of the first page, dictionary or data.
    #[must_use]
    pub fn start(&self) -> u64 {
        // Some writers give a chunk without a dictionary a dictionary page at byte 0.
        match self.dictionary_at {
            Some(at) if at > 0 && at < self.data_at => at,
            _ => self.data_at,
        }
    }
}

/// Reads a ColumnChunk.
///
/// # Errors
/// Malformed: negative counts and offsets; no metadata although the chunk is not encrypted.
pub fn read<'a>(t: &mut Thrift<'a>) -> Result<ColumnChunk<'a>> {
    let mut chunk = ColumnChunk::default();
    let (mut offset_index, mut column_index, mut known, mut last) = ([None; 2], [None; 2], false, 0);
    while let Some(field) = t.field(&mut last)? {
        match (field.id, field.wire) {
            (1, ThriftType::Binary) => chunk.file = Some(t.text()?),
            (3, ThriftType::Struct) => {
                metadata(t, &mut chunk)?;
                known = true;
            }
            (4, ThriftType::I64) => offset_index[0] = Some(t.count()?),
            (5, ThriftType::I32) => offset_index[1] = Some(t.count()?),
            (6, ThriftType::I64) => column_index[0] = Some(t.count()?),
            (7, ThriftType::I32) => column_index[1] = Some(t.count()?),
            (8, ThriftType::Struct) => {
                chunk.encrypted = true;
                let mut inner = 0;
                while let Some(field) = t.field(&mut inner)? {
                    chunk.secret =
                        Some(if field.id == 1 { ChunkKey::Footer } else { ChunkKey::Column(None) });
                    t.skip(field.wire)?;
                }
            }
            (9, ThriftType::Binary) => {
                chunk.encrypted = true;
                let nbytes = t.binary()?.len();
                // A plaintext footer states the metadata; with the footer's key, the encrypted ones are not needed.
                if !(known && matches!(chunk.secret, Some(ChunkKey::Footer))) {
                    chunk.secret = Some(ChunkKey::Column(Some((t.position() - nbytes, nbytes))));
                }
            }
            _ => t.skip(field.wire)?,
        }
    }
    if !known && !chunk.encrypted {
        return Err(t.fault("a column chunk has no metadata"));
    }
    if let [Some(at), Some(n)] = offset_index {
        chunk.offset_index = Some((at, n));
    }
    if let [Some(at), Some(n)] = column_index {
        chunk.column_index = Some((at, n));
    }
    Ok(chunk)
}

/// Reads a ColumnMetaData.
///
/// # Errors
/// Malformed: a required field is missing.
pub(crate) fn metadata(t: &mut Thrift<'_>, chunk: &mut ColumnChunk<'_>) -> Result<()> {
    let (mut seen, mut last) = (0u8, 0);
    while let Some(field) = t.field(&mut last)? {
        let at = t.position();
        match (field.id, field.wire) {
            (1, ThriftType::I32) => {
                chunk.physical = t.i32()?;
                seen |= 1;
            }
            (2, ThriftType::List) => {
                chunk.encodings = Some(at);
                t.skip(field.wire)?;
            }
            (4, ThriftType::I32) => {
                chunk.codec = t.i32()?;
                seen |= 2;
            }
            (5, ThriftType::I64) => {
                chunk.nvalues = t.count()?;
                seen |= 4;
            }
            (6, ThriftType::I64) => chunk.nbytes = t.count()?,
            (7, ThriftType::I64) => {
                chunk.compressed_nbytes = t.count()?;
                seen |= 8;
            }
            (9, ThriftType::I64) => {
                chunk.data_at = t.count()?;
                seen |= 16;
            }
            // Some writers use -1 for "none".
            (11, ThriftType::I64) => chunk.dictionary_at = u64::try_from(t.i64()?).ok(),
            (12, ThriftType::Struct) => {
                chunk.statistics = Some(at);
                t.skip(field.wire)?;
            }
            (13, ThriftType::List) => {
                chunk.encoding_stats = Some(at);
                t.skip(field.wire)?;
            }
            (14, ThriftType::I64) => chunk.bloom = u64::try_from(t.i64()?).ok().map(|at| (at, None)),
            (15, ThriftType::I32) => {
                let n = u64::try_from(t.i32()?).ok();
                chunk.bloom = chunk.bloom.map(|(at, _)| (at, n));
            }
            (16, ThriftType::Struct) => chunk.histograms = histograms(t)?,
            _ => t.skip(field.wire)?,
        }
    }
    if seen != 31 {
        return Err(t.fault("a column chunk says no type, codec, count, size or place"));
    }
    Ok(())
}

/// Reads a SizeStatistics and returns the lengths of its histograms: repetition, then definition.
fn histograms(t: &mut Thrift<'_>) -> Result<[Option<usize>; 2]> {
    let (mut out, mut last) = ([None; 2], 0);
    while let Some(field) = t.field(&mut last)? {
        match (field.id, field.wire) {
            (2 | 3, ThriftType::List) => {
                let (wire, n) = t.list()?;
                for _ in 0..n {
                    t.skip(wire)?;
                }
                out[usize::from(field.id == 3)] = Some(n).filter(|n| *n > 0);
            }
            _ => t.skip(field.wire)?,
        }
    }
    Ok(out)
}
