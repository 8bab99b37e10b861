//! The description of a format.

use crate::error::{Error, ErrorKind};

/// Name, recognition and capabilities of a format.
#[derive(Debug)]
pub struct FormatSpec {
    /// The name in options, messages, tests, docs and folders.
    pub name: &'static str,
    /// Endings of file names, lower case, each with its point.
    pub suffixes: &'static [&'static str],
    /// Magic numbers, the first bytes of a source; empty if the format has none.
    pub magic: &'static [&'static [u8]],
    /// Capabilities beyond one frame in one file.
    pub capabilities: Capabilities,
}

/// Capabilities of a format beyond one frame in one file. The contract test checks each claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)] // a set of independent claims
pub struct Capabilities {
    /// Incremental reading: [`super::Format::reader`].
    pub incremental: bool,
    /// Written frame by frame: [`super::Format::writer`].
    pub chunks: bool,
    /// Several frames under labels in one file: [`super::Format::encode_bundle`].
    pub bundle: bool,
    /// A frame marks its end, so that frames can follow one another on a connection.
    pub messages: bool,
    /// A directory of files can replace one file.
    pub directory: bool,
    /// Only the requested ranges of a remote source are fetched.
    pub ranged: bool,
    /// Columns and rows are selected before data is decoded.
    pub projection: bool,
    /// The file may be compressed as a whole (gzip, zstd). A reader is fed decompressed bytes.
    pub compressed: bool,
}

impl Capabilities {
    /// No capability: one frame in one file, written and read whole.
    pub const NONE: Self = Self {
        incremental: false,
        chunks: false,
        bundle: false,
        messages: false,
        directory: false,
        ranged: false,
        projection: false,
        compressed: false,
    };
}

impl FormatSpec {
    /// The error for an operation that the format does not support.
    pub(super) fn refuse(&self, message: &str) -> Error {
        Error::new(ErrorKind::Unsupported, self.name, message)
    }

    /// Whether `head`, the first bytes of a source, starts with a magic number of this format.
    #[must_use]
    pub fn begins(&self, head: &[u8]) -> bool {
        self.magic.iter().any(|magic| head.starts_with(magic))
    }
}
