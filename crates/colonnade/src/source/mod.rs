//! Where bytes come from: memory, a path, a stream, or ranges of a file elsewhere. All formats are opened over it.
//!
//! | source | its bytes | [`SourceBytes`] has |
//! |---|---|---|
//! | memory | as they are | `bytes` |
//! | a file of less than [`MAP_MIN_NBYTES`] | read | `bytes` |
//! | a file, `mmap` | mapped: no byte is read before it is looked at | `bytes`, `map` |
//! | a file, not `mmap` | read in parallel | `bytes` |
//! | a directory | listed by [`directory`], a file a member | |
//! | a stream | collected to its end, up to a limit | `bytes` |
//! | ranges | zeros where nothing was asked for | `bytes`, `remote` |

pub mod directory;
mod file;
mod stream;
#[cfg(test)]
mod tests;

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

/// Where the bytes of a file come from.
pub enum Source<'s> {
    /// Memory that is there already.
    Memory(Buffer),
    /// A file or directory.
    Path {
        /// Its path.
        path: &'s Path,
        /// Whether a large file may be mapped; else it is read.
        mmap: bool,
    },
    /// A pipe, socket or object that is read to its end.
    Stream(&'s mut (dyn Read + Send)),
    /// A file elsewhere, of which parts can be fetched.
    Ranges(Arc<Remote>),
}

/// All bytes of a source.
#[derive(Debug, Clone)]
pub struct SourceBytes {
    /// Them.
    pub bytes: Buffer,
    /// The file that they map: it can be mapped once more, privately.
    pub map: Option<Arc<MappedFile>>,
    /// Where they come from as they are asked for, where they are not all here.
    pub remote: Option<Arc<Remote>>,
}

impl From<Buffer> for SourceBytes {
    fn from(bytes: Buffer) -> Self {
        Self { bytes, map: None, remote: None }
    }
}

impl Source<'_> {
    /// The bytes. Of a file elsewhere nothing is fetched yet. `progress` is told of streams; of files it is only looked at.
    ///
    /// # Errors
    /// The system's own; `LimitExceeded` where a stream does not end; `Cancelled` from `progress`.
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

    /// [`Source::open`], for formats that read all of the bytes: a file elsewhere is fetched whole.
    ///
    /// # Errors
    /// As [`Source::open`]; the transport's own.
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
