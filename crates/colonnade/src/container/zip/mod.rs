//! ZIP archives: the directory read and checked, records built. No I/O and no decompression.
//!
//! The central directory decides; a local header that disagrees with it is refused.

mod checks;
mod directory;
mod end;
mod local;
mod name;
mod record;
mod sizes;
mod write;
mod writer;

#[cfg(test)]
mod tests;

pub use checks::{check_duplicate_names, check_no_nul, check_overlaps};
pub use directory::{Directory, DirectoryEntry};
/// Ranges of an archive that [`Directory::parse`] needs, besides the last 65,557 bytes. A later call may return more, since
/// the first ranges lead to others.
#[must_use]
pub fn directory_ranges(file: &[u8]) -> Vec<(usize, usize)> {
    end::ranges(file)
}

pub use local::{data_offset, data_offsets, local_len};
pub use record::flag;
pub use sizes::{central_len, end_len};
pub use write::{
    LocalHeader, aligned_len, central_header, data_descriptor, end_of_central_directory, padded_len,
};
pub use writer::ZipWriter;

pub(crate) const FORMAT: &str = "zip";

/// Compression method of a member.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// 0: the bytes as they are.
    Stored,
    /// 8: raw deflate.
    Deflate,
    /// 93: one zstd frame.
    Zstd,
    /// Any other code, which Colonnade cannot read.
    Other(u16),
}

impl Method {
    /// The method of a header's code.
    #[must_use]
    pub fn from_code(code: u16) -> Self {
        match code {
            0 => Self::Stored,
            8 => Self::Deflate,
            93 => Self::Zstd,
            other => Self::Other(other),
        }
    }

    /// Its code in a header.
    #[must_use]
    pub fn code(self) -> u16 {
        match self {
            Self::Stored => 0,
            Self::Deflate => 8,
            Self::Zstd => 93,
            Self::Other(code) => code,
        }
    }
}
