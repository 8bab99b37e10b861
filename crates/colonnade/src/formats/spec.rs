//! What a format says of itself.

use crate::error::{Error, ErrorKind};

/// Name, recognition and capabilities of a format.
#[derive(Debug)]
pub struct FormatSpec {
    /// The name in options, messages, tests, docs and folders.
    pub name: &'static str,
    /// Endings of file names, lower case, each with its point.
    pub suffixes: &'static [&'static str],
    /// First bytes, any of which says this format; none where the format has no magic number.
    pub magic: &'static [&'static [u8]],
    /// What the format can do beyond one frame in one file.
    pub capabilities: Capabilities,
}

/// What a format can do beyond one frame in one file. The contract test holds each claim against the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)] // a set of independent claims
pub struct Capabilities {
    /// Read while the bytes come in: [`super::Format::reader`].
    pub incremental: bool,
    /// Written frame by frame: [`super::Format::writer`].
    pub chunks: bool,
    /// Several frames under labels in one file: [`super::Format::encode_bundle`].
    pub bundle: bool,
    /// A frame ends by itself, so that frames may follow one another on a connection.
    pub messages: bool,
    /// A directory of files may stand for one file.
    pub directory: bool,
    /// Parts are fetched by ranges where the source has them.
    pub ranged: bool,
    /// Columns and rows are chosen before data is decoded.
    pub projection: bool,
    /// The file may be compressed as a whole (gzip, zstd). A reader is fed decompressed bytes.
    pub compressed: bool,
}

impl Capabilities {
    /// One frame in one file, written and read whole.
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
    /// The error of something the format cannot do.
    pub(super) fn refuse(&self, message: &str) -> Error {
        Error::new(ErrorKind::Unsupported, self.name, message)
    }

    /// Whether `head`, the first bytes of a source, begin as this format's magic does.
    #[must_use]
    pub fn begins(&self, head: &[u8]) -> bool {
        self.magic.iter().any(|magic| head.starts_with(magic))
    }
}
