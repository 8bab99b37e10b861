//! The bytes of a store: in memory, in files or remote.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::sync::Arc;

use crate::container::zip::Directory;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::memory::{Buffer, MappedFile, Region, RegionMut, Remote, read_at};
use crate::parallel::{self, Task};
use crate::progress::{NoProgress, Progress};
use crate::source::directory::OpenDirectory;
use crate::source::{self, FileBytes, open_file};

/// Smaller files are read whole if they must not be mapped.
const READ_WHOLE_NBYTES: u64 = 16 << 20;

/// Size of one read: large enough for few system calls, small enough to share between threads.
pub(super) const READ_NBYTES: usize = 4 << 20;

/// Bytes read for a local header and the NPY header after it.
const HEADER_WINDOW: u64 = 8 << 10;

/// The end record, its comment and the ZIP64 records before it fit into this.
const TAIL_NBYTES: u64 = (64 << 10) + 256;

/// The bytes of a store.
#[derive(Debug, Clone)]
pub enum StoreSource {
    /// The whole file in memory.
    Memory(Buffer),
    /// A mapped file.
    Mapped(Arc<MappedFile>, Buffer),
    /// An unmapped file. The buffer has the file's size but holds only directory and headers, see `mirror`.
    Read(Arc<MappedFile>, Buffer),
    /// One file per member.
    Directory(Arc<OpenDirectory>),
    /// A remote file, of which the requested ranges are fetched.
    Remote(Arc<Remote>),
}

impl StoreSource {
    /// Opens any source but a directory. A large file that must not be mapped is read on request.
    ///
    /// # Errors
    /// Errors of the operating system; a stream over the limits.
    pub fn open(
        source: source::Source<'_>,
        limits: &Limits,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Self> {
        Ok(match source {
            source::Source::Memory(bytes) => Self::Memory(bytes),
            source::Source::Path { path, mmap } => Self::file(File::open(path)?, mmap, threads, progress)?,
            source::Source::Stream(stream) => Self::Memory(source::collect(stream, "npz", limits, progress)?),
            source::Source::Ranges(remote) => Self::Remote(remote),
        })
    }

    /// Opens a regular file: maps it, or reads it if it is small or `mmap` is off. With `mmap` off, a large file's members are read on
    /// request, unless they are so small that reading their headers would read most of the file.
    ///
    /// # Errors
    /// Errors of the operating system; a malformed directory; cancelled by `progress`.
    pub fn file(file: File, mmap: bool, threads: usize, progress: &dyn Progress) -> Result<Self> {
        let file = match open_file(file, mmap)? {
            FileBytes::Read(bytes) => return Ok(Self::Memory(bytes)),
            FileBytes::Mapped(file, bytes) => return Ok(Self::Mapped(file, bytes)),
            FileBytes::Unread(file) => file,
        };
        let nbytes = file.nbytes();
        let mirror = if nbytes < READ_WHOLE_NBYTES { None } else { mirror(file.file(), nbytes)? };
        Ok(match mirror {
            Some(mirror) => Self::Read(Arc::new(file), mirror),
            None => Self::Memory(read_whole(file.file(), nbytes, threads, progress)?),
        })
    }

    /// Bytes that hold at least the central directory and the headers; empty for a directory.
    #[must_use]
    pub fn structure(&self) -> &[u8] {
        self.bytes().map_or(&[], Buffer::as_slice)
    }

    /// The buffer of [`StoreSource::structure`].
    pub(super) fn bytes(&self) -> Option<&Buffer> {
        match self {
            Self::Memory(bytes) | Self::Mapped(_, bytes) | Self::Read(_, bytes) => Some(bytes),
            Self::Remote(remote) => Some(remote.bytes()),
            Self::Directory(_) => None,
        }
    }

    /// Size of all bytes.
    #[must_use]
    pub fn nbytes(&self) -> u64 {
        match self {
            Self::Directory(directory) => directory.nbytes(),
            _ => self.structure().len() as u64,
        }
    }

    /// Whether [`StoreSource::structure`] holds the data too.
    #[must_use]
    pub fn is_resident(&self) -> bool {
        matches!(self, Self::Memory(_) | Self::Mapped(..) | Self::Remote(_))
    }

    /// `nbytes` at `offset` (of file number `file` in a directory).
    ///
    /// # Errors
    /// Errors of the operating system; truncated if the file is shorter.
    pub fn fetch(&self, file: usize, offset: usize, nbytes: usize) -> Result<Cow<'_, [u8]>> {
        let short = || Error::truncated("npz", "the member", nbytes as u64, 0).at(offset as u64);
        match self {
            Self::Memory(_) | Self::Mapped(..) | Self::Remote(_) => {
                self.need(&[(offset, offset.saturating_add(nbytes))], &NoProgress)?;
                let bytes = self.structure().get(offset..).and_then(|b| b.get(..nbytes));
                bytes.map(Cow::Borrowed).ok_or_else(short)
            }
            Self::Read(..) | Self::Directory(_) => {
                let mut out = vec![0; nbytes];
                self.read_into(file, offset, &mut out)?;
                Ok(Cow::Owned(out))
            }
        }
    }

    /// Fills `target` from `offset` (of file number `file` in a directory).
    ///
    /// # Errors
    /// Errors of the operating system; truncated if the file is shorter.
    pub fn read_into(&self, file: usize, offset: usize, target: &mut [u8]) -> Result<()> {
        match self {
            Self::Memory(_) | Self::Mapped(..) | Self::Remote(_) => {
                let bytes = self.fetch(file, offset, target.len())?;
                target.copy_from_slice(&bytes);
                Ok(())
            }
            Self::Read(mapped, _) => read_member(mapped.file(), target, offset as u64),
            Self::Directory(directory) => read_member(&directory.open(file)?, target, offset as u64),
        }
    }
}

/// Fills `target` from `offset`; truncated if the file is shorter.
fn read_member(file: &File, target: &mut [u8], offset: u64) -> Result<()> {
    let nbytes = target.len() as u64;
    read_at(file, target, offset).map_err(|e| match e.kind() {
        io::ErrorKind::UnexpectedEof => Error::truncated("npz", "the member", nbytes, 0).at(offset),
        _ => e.into(),
    })
}

/// A sparse copy of a file: its end, its directory, and the headers that the directory points at. The other pages are never
/// touched, so they take no memory. `None` if the headers' pages are at least half of the file.
fn mirror(file: &File, nbytes: u64) -> Result<Option<Buffer>> {
    let length = usize::try_from(nbytes).map_err(io::Error::other)?;
    let mut region = Region::allocate_sparse(length)?;
    copy_range(file, &mut region, 0, HEADER_WINDOW)?;
    if region.as_mut_slice().starts_with(b"\x93NUMPY") {
        return Ok(Some(Buffer::from_region(region.finish(), false)));
    }
    let mut tail = TAIL_NBYTES.min(nbytes);
    let directory = loop {
        copy_range(file, &mut region, nbytes - tail, nbytes)?;
        match Directory::parse(region.as_mut_slice(), u64::MAX) {
            Ok(directory) => break directory,
            // The directory may be longer than what was read so far.
            Err(error) if tail == nbytes => return Err(error),
            Err(_) => tail = tail.saturating_mul(16).min(nbytes),
        }
    };
    let mut offsets: Vec<u64> = directory.entries.iter().map(|e| e.local_offset).collect();
    offsets.sort_unstable();
    let mut windows: Vec<(u64, u64)> = Vec::new();
    for offset in offsets {
        match windows.last_mut() {
            Some(last) if offset <= last.1 + HEADER_WINDOW => last.1 = offset + HEADER_WINDOW,
            _ => windows.push((offset, offset + HEADER_WINDOW)),
        }
    }
    if windows.iter().map(|(start, end)| end - start).sum::<u64>() >= nbytes / 2 {
        return Ok(None);
    }
    for (start, end) in windows {
        copy_range(file, &mut region, start, end)?;
    }
    Ok(Some(Buffer::from_region(region.finish(), false)))
}

/// Reads a whole file, in parallel.
fn read_whole(file: &File, nbytes: u64, threads: usize, progress: &dyn Progress) -> Result<Buffer> {
    let mut region = Region::allocate(usize::try_from(nbytes).map_err(io::Error::other)?)?;
    let parts = region.as_mut_slice().chunks_mut(READ_NBYTES).zip((0u64..).step_by(READ_NBYTES));
    let tasks = parts.map(|(part, at)| Task::new(part.len(), move || Ok(read_at(file, part, at)?)));
    parallel::run(tasks.collect(), threads, progress)?;
    Ok(Buffer::from_region(region.finish(), false))
}

/// Reads `start..end` of the file to the same place in the region.
fn copy_range(file: &File, region: &mut RegionMut, start: u64, end: u64) -> io::Result<()> {
    let target = region.as_mut_slice();
    let bound = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(target.len());
    let (start, end) = (bound(start), bound(end));
    match target.get_mut(start..end) {
        Some(place) if !place.is_empty() => read_at(file, place, start as u64),
        _ => Ok(()),
    }
}
