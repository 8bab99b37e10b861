//! What the footer and the indexes are to say of an encoded chunk.

use super::settings::{Codec, Encoding};

/// A bound: the bytes as PLAIN has them (no length in front), and whether they are a value or only a bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether it is one of the values; `false` for text that was cut.
    pub exact: bool,
}

/// Least and greatest; `None` where there is none (all null, all NaN, no order, or a NaN in the way).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Least.
    pub min: Option<Bound>,
    /// Greatest.
    pub max: Option<Bound>,
}

/// Statistics of a chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Bounds; none where none were asked for.
    pub bounds: Bounds,
    /// Values that are null.
    pub null_count: usize,
}

/// A data page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its header's place, from the chunk's first byte.
    pub at: usize,
    /// Bytes with its header, in the file.
    pub nbytes: usize,
    /// Its first row, from the row group's first.
    pub first_row: usize,
    /// Its values, nulls included.
    pub nvalues: usize,
    /// Values that are null, or that an empty or missing list or struct stands for.
    pub nulls: usize,
    /// Its bounds; none where no page index was asked for.
    pub bounds: Bounds,
}

/// How often pages of a kind and an encoding stand in a chunk: `(page type, encoding, pages)`.
pub type EncodingStat = (i32, Encoding, usize);

/// An encoded chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Encodings of values and levels.
    pub encodings: Vec<Encoding>,
    /// Of its pages.
    pub encoding_stats: Vec<EncodingStat>,
    /// The codec.
    pub codec: Codec,
    /// Values, nulls included.
    pub nvalues: usize,
    /// Bytes with headers, uncompressed.
    pub nbytes: usize,
    /// Bytes with headers, as written.
    pub compressed_nbytes: usize,
    /// The dictionary page's place, from the chunk's first byte.
    pub dictionary_at: Option<usize>,
    /// The first data page's place.
    pub data_at: usize,
    /// Statistics.
    pub statistics: Option<Statistics>,
    /// The data pages.
    pub pages: Vec<Page>,
}
