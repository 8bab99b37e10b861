//! The metadata of an encoded chunk, for the footer and the page indexes.

use super::settings::{PageCodec, PageEncoding};

/// A bound in PLAIN encoding without length prefix, and whether it is exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundBytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether the bound is one of the values; `false` for truncated text.
    pub exact: bool,
}

/// Lower and upper bound; `None` if unknown (all null, all NaN, no order, or a NaN next to equal values).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MinMax {
    /// Lower bound.
    pub min: Option<BoundBytes>,
    /// Upper bound.
    pub max: Option<BoundBytes>,
}

/// Statistics of a chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkStatistics {
    /// Bounds; empty if the options disable statistics.
    pub bounds: MinMax,
    /// Number of nulls.
    pub null_count: usize,
}

/// A data page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedPage {
    /// Offset of the header from the start of the chunk.
    pub at: usize,
    /// Bytes in the file, header included.
    pub nbytes: usize,
    /// First row, counted from the start of the row group.
    pub first_row: usize,
    /// Number of values, nulls included.
    pub nvalues: usize,
    /// Number of nulls, and of empty or null lists and structs.
    pub nulls: usize,
    /// Bounds; empty if the options disable the page index.
    pub bounds: MinMax,
}

/// Number of pages of a page type and an encoding: `(page type, encoding, pages)`.
pub type EncodingStat = (i32, PageEncoding, usize);

/// An encoded chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedChunk {
    /// Encodings of values and levels.
    pub encodings: Vec<PageEncoding>,
    /// Encoding statistics of the pages.
    pub encoding_stats: Vec<EncodingStat>,
    /// The codec.
    pub codec: PageCodec,
    /// Number of values, nulls included.
    pub nvalues: usize,
    /// Uncompressed bytes, headers included.
    pub nbytes: usize,
    /// Bytes in the file, headers included.
    pub compressed_nbytes: usize,
    /// Offset of the dictionary page from the start of the chunk.
    pub dictionary_at: Option<usize>,
    /// Offset of the first data page from the start of the chunk.
    pub data_at: usize,
    /// Statistics.
    pub statistics: Option<ChunkStatistics>,
    /// The data pages.
    pub pages: Vec<EncodedPage>,
}
