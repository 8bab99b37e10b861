//! Files compressed as a whole with gzip (RFC 1952) or zstd (RFC 8878), such as `.csv.gz` and `.json.zst`, detected by their first
//! bytes.

mod read;

pub use read::{DecompressReader, TextSizeLimit, unpacked};

use crate::error::{Error, Result};

/// The codec of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileCodec {
    /// One or more gzip members.
    Gzip,
    /// One or more zstd frames.
    Zstd,
}

impl FileCodec {
    /// The name in options and descriptions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// The codec of this name.
    ///
    /// # Errors
    /// `InvalidOption`.
    pub fn named(name: &str) -> Result<Self> {
        [Self::Gzip, Self::Zstd].into_iter().find(|codec| codec.name() == name).ok_or_else(|| {
            let message = format!("compression: expected \"gzip\" or \"zstd\", found {name:?}.");
            Error::invalid_option("core", message)
        })
    }

    /// Detects the codec from the first [`HEAD_NBYTES`] bytes. Text never starts with these magic numbers.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            // A frame, or a skippable frame, which some programs write first.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

/// Bytes that [`FileCodec::detect`] needs.
pub const HEAD_NBYTES: usize = 4;
