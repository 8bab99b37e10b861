//! Settings of the column encoder.

use crate::codec::Profile;

pub use crate::formats::parquet::codec::Codec;
pub use crate::formats::parquet::page::Encoding;

/// The encoding of the values, chosen or fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wanted {
    /// Chosen from a sample.
    #[default]
    Auto,
    /// This encoding for the whole chunk; `RleDictionary` does not fall back to PLAIN.
    One(Encoding),
}

/// The codec, chosen or fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// Chosen by the profile and a trial.
    #[default]
    Auto,
    /// This codec.
    One(Codec),
}

/// The settings of a leaf.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Encoding of the values.
    pub encoding: Wanted,
    /// Whether a dictionary may be chosen.
    pub dictionary: bool,
    /// Codec of the pages.
    pub codec: Packing,
    /// Compression level; `None` for the codec's default.
    pub level: Option<i32>,
    /// Approximate bytes of a page before compression.
    pub page_nbytes: usize,
    /// Maximum rows of a page.
    pub page_rows: usize,
    /// Whether to write data pages of version 2.
    pub version_2: bool,
    /// Whether to write statistics of the chunk.
    pub statistics: bool,
    /// Whether to write bounds of each page.
    pub page_index: bool,
    /// Whether to write the CRC-32 of each page.
    pub crc: bool,
    /// The profile that weighs size against speed.
    pub profile: Profile,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            encoding: Wanted::Auto,
            dictionary: true,
            codec: Packing::Auto,
            level: None,
            page_nbytes: 1 << 20,
            page_rows: 1 << 17,
            version_2: false,
            statistics: true,
            page_index: true,
            crc: true,
            profile: Profile::Balanced,
        }
    }
}
