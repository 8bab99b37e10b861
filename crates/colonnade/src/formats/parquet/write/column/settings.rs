//! What the caller asks of the encoder.

use crate::codec::Profile;

pub use crate::formats::parquet::codec::Codec;
pub use crate::formats::parquet::page::Encoding;

/// The encoding of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wanted {
    /// By sampling.
    #[default]
    Auto,
    /// This one; `RleDictionary` falls back to PLAIN nowhere: it holds for the whole chunk.
    One(Encoding),
}

/// The codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// By sampling, as the profile says.
    #[default]
    Auto,
    /// This one.
    One(Codec),
}

/// The settings of a leaf.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The encoding.
    pub encoding: Wanted,
    /// Whether a dictionary may be chosen.
    pub dictionary: bool,
    /// The codec.
    pub codec: Packing,
    /// The codec's level; `None`: its usual one.
    pub level: Option<i32>,
    /// Bytes of a page before compression, about.
    pub page_nbytes: usize,
    /// The most rows of a page.
    pub page_rows: usize,
    /// Data pages of version 2.
    pub version_2: bool,
    /// Statistics of the chunk.
    pub statistics: bool,
    /// Bounds of each page.
    pub page_index: bool,
    /// CRC-32 of each page.
    pub crc: bool,
    /// What counts where the sample decides.
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
