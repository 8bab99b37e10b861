//! The sources of bytes: memory, a path, a stream, or ranges of a remote file. All formats open a [`Source`].
//!
//! | source | how its bytes are obtained | [`SourceBytes`] has |
//! |---|---|---|
//! | memory | used directly | `bytes` |
//! | a file of less than [`MAP_MIN_NBYTES`] | read | `bytes` |
//! | a file, `mmap` | mapped: the system reads a page at its first use | `bytes`, `map` |
//! | a file, not `mmap` | read in parallel | `bytes` |
//! | a directory | listed by [`directory`], one file for each member | |
//! | a stream | read to its end, up to a limit | `bytes` |
//! | ranges | zeros until a range is fetched | `bytes`, `remote` |

pub mod directory;
mod file;
mod stream;
#[cfg(test)]
pub(crate) mod tests;

pub use file::{FileBytes, MAP_MIN_NBYTES, file_bytes, open_file, read_file};
pub use stream::{collect, collect_checked};

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::error::Result;
use crate::limits::Limits;
use crate::memory::{Buffer, MappedFile, Remote};
use crate::progress::Progress;

/// The source of a file's bytes.
pub enum Source<'s> {
    /// Bytes in memory.
    Memory(Buffer),
    /// A file or directory.
    Path {
        /// Its path.
        path: &'s Path,
        /// Whether a large file may be mapped. Otherwise it is read.
        mmap: bool,
    },
    /// A pipe, socket or object that is read to its end.
    Stream(&'s mut (dyn Read + Send)),
    /// A remote file, of which ranges can be fetched.
    Ranges(Arc<Remote>),
}

/// All bytes of a source.
#[derive(Debug, Clone)]
pub struct SourceBytes {
    /// The bytes.
    pub bytes: Buffer,
    /// The mapped file, if they are a map: it can be mapped again, privately.
    pub map: Option<Arc<MappedFile>>,
    /// The remote file, if ranges are fetched when they are needed.
    pub remote: Option<Arc<Remote>>,
}

impl From<Buffer> for SourceBytes {
    fn from(bytes: Buffer) -> Self {
        Self { bytes, map: None, remote: None }
    }
}

impl Source<'_> {
    /// Opens the source and returns its bytes. Fetches nothing of a remote file yet. Reports the bytes of streams to
    /// `progress`; for files only checks it for cancellation.
    ///
    /// # Errors
    /// Errors of the operating system; `LimitExceeded`: a stream does not end; `Cancelled` from `progress`.
    pub fn open(
        self,
        format: &'static str,
        limits: &Limits,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<SourceBytes> {
        match self {
            Self::Memory(bytes) => Ok(bytes.into()),
            Self::Path { path, mmap } => file_bytes(File::open(path)?, mmap, threads, progress),
            Self::Stream(stream) => Ok(collect(stream, format, limits, progress)?.into()),
            Self::Ranges(remote) => {
                Ok(SourceBytes { bytes: remote.bytes().clone(), map: None, remote: Some(remote) })
            }
        }
    }

    /// Opens the source as [`Source::open`] does, for formats that read all of the bytes: fetches a remote file completely.
    ///
    /// # Errors
    /// As [`Source::open`]; errors of the transport.
    pub fn read(
        self,
        format: &'static str,
        limits: &Limits,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Buffer> {
        let opened = self.open(format, limits, threads, progress)?;
        if let Some(remote) = &opened.remote {
            remote.need(&[(0, usize::MAX)], progress)?;
        }
        Ok(opened.bytes)
    }
}
