//! Settings of the column encoder.

use crate::codec::Profile;

pub use crate::formats::parquet::codec::PageCodec;
pub use crate::formats::parquet::page::PageEncoding;

/// The encoding of the values, chosen or fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EncodingChoice {
    /// Chosen from a sample.
    #[default]
    Auto,
    /// This encoding for the whole chunk; `RleDictionary` does not fall back to PLAIN.
    One(PageEncoding),
}

/// The codec, chosen or fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CodecChoice {
    /// Chosen by the profile and a trial.
    #[default]
    Auto,
    /// This codec.
    One(PageCodec),
}

/// The settings of a leaf.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Encoding of the values.
    pub encoding: EncodingChoice,
    /// Whether a dictionary may be chosen.
    pub dictionary: bool,
    /// Codec of the pages.
    pub codec: CodecChoice,
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
            encoding: EncodingChoice::Auto,
            dictionary: true,
            codec: CodecChoice::Auto,
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
