//! Whole files in gzip (RFC 1952) or zstd (RFC 8878), as `.csv.gz` and `.json.zst` are: told by their first bytes.

mod read;

pub use read::{Growth, Unpacking, unpacked};

use crate::error::{Error, Result};

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// Members of gzip, one behind the other.
    Gzip,
    /// Frames of zstd, one behind the other.
    Zstd,
}

impl Codec {
    /// As options and descriptions write it.
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

    /// The codec that bytes begin as; no text does so. [`HEAD_NBYTES`] are enough to tell.
    #[must_use]
    pub fn told(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            // A frame, or a skippable frame, which some programs put first.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

/// Bytes that [`Codec::told`] looks at.
pub const HEAD_NBYTES: usize = 4;
