//! Options of npz, validated when they are made.

use std::collections::BTreeMap;

use crate::codec::{deflate, zstd};
use crate::container::members::Compat;
use crate::container::zip::Method;
use crate::error::{Error, Result};

/// How members are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Codec {
    /// Not at all: the file can be mapped.
    #[default]
    None,
    /// ZIP method 93.
    Zstd,
    /// ZIP method 8: any ZIP reader.
    Deflate,
}

impl Codec {
    /// Its ZIP method.
    #[must_use]
    pub fn method(self) -> Method {
        match self {
            Self::None => Method::Stored,
            Self::Zstd => Method::Zstd,
            Self::Deflate => Method::Deflate,
        }
    }

    /// The codec of a name: `zstd`, `deflate`, `none`.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn parse(name: Option<&str>) -> Result<Self> {
        match name {
            None | Some("none") => Ok(Self::None),
            Some("zstd") => Ok(Self::Zstd),
            Some("deflate") => Ok(Self::Deflate),
            Some(other) => {
                let message =
                    format!("compression: expected None, \"zstd\" or \"deflate\", found {other:?}.");
                Err(Error::invalid_option("npz", message))
            }
        }
    }
}

/// Options for writing.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    codec: Codec,
    columns: BTreeMap<usize, Codec>,
    level: Option<i32>,
    /// Who else must be able to open the file.
    pub compat: Compat,
    /// Threads that may work; 0 counts as 1.
    pub threads: usize,
}

impl WriteOptions {
    /// Options with a codec for all members, others for some columns (by position), and a level.
    ///
    /// # Errors
    /// `InvalidOption`: a level outside the codec's range.
    pub fn new(
        codec: Codec,
        columns: BTreeMap<usize, Codec>,
        level: Option<i32>,
        compat: Compat,
        threads: usize,
    ) -> Result<Self> {
        for used in columns.values().chain([&codec]) {
            let range = match used {
                Codec::None => continue,
                Codec::Zstd => zstd::LEVELS,
                Codec::Deflate => deflate::LEVELS,
            };
            if let Some(level) = level.filter(|l| !range.contains(l)) {
                let message = format!(
                    "level: expected {} to {} for {used:?}, found {level}.",
                    range.start(),
                    range.end()
                );
                return Err(Error::invalid_option("npz", message));
            }
        }
        Ok(Self { codec, columns, level, compat, threads })
    }

    /// The same with `codec` for every member, where one is given.
    #[must_use]
    pub fn with_outer(&self, codec: Codec) -> Self {
        if codec == Codec::None { self.clone() } else { Self { codec, ..self.clone() } }
    }

    /// The codec of a column, or of labels where `position` is `None`.
    #[must_use]
    pub fn codec(&self, position: Option<usize>) -> Codec {
        position.and_then(|p| self.columns.get(&p)).copied().unwrap_or(self.codec)
    }

    /// Whether anything is compressed.
    #[must_use]
    pub fn compresses(&self) -> bool {
        self.codec != Codec::None || self.columns.values().any(|c| *c != Codec::None)
    }

    /// Compresses one member's bytes.
    ///
    /// # Errors
    /// The codec's own.
    pub(super) fn compress(&self, codec: Codec, parts: &[&[u8]]) -> Result<Vec<u8>> {
        match codec {
            Codec::None => Ok(parts.concat()),
            Codec::Zstd => zstd::compress(parts, self.level.unwrap_or(zstd::DEFAULT_LEVEL), self.threads),
            Codec::Deflate => deflate::compress(parts, self.level.unwrap_or(deflate::DEFAULT_LEVEL)),
        }
    }
}
