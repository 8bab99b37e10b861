//! The bytes of a store: in memory, in files or remote.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::sync::Arc;

use crate::container::store::place::merge_ranges;
use crate::container::zip::{Directory, local_len};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::memory::{Buffer, MappedFile, Region, RegionMut, Remote, read_at};
use crate::parallel::{self, Task, split_from};
use crate::progress::{NoProgress, Progress};
use crate::source::directory::OpenDirectory;
use crate::source::{self, FileBytes, open_file};

/// Smaller files are read whole if they must not be mapped.
const READ_WHOLE_NBYTES: u64 = split_from(16 << 20) as u64;

/// Size of one read: large enough for few system calls, small enough to share between threads.
pub(super) const READ_NBYTES: usize = 4 << 20;

/// Bytes read for a local header and the NPY header after it. Files of a fuzzer are small.
const HEADER_WINDOW: usize = if cfg!(fuzzing) { 64 } else { 8 << 10 };

/// The end record, its comment and the ZIP64 records before it fit into this.
const TAIL_NBYTES: u64 = if cfg!(fuzzing) { 64 } else { (64 << 10) + 256 };

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
    copy_range(file, &mut region, 0, HEADER_WINDOW as u64)?;
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
    let starts = || {
        directory
            .entries
            .iter()
            .map(|entry| usize::try_from(entry.local_offset).unwrap_or(usize::MAX).min(length))
    };
    let windows = starts().map(|start| (start, start.saturating_add(HEADER_WINDOW))).collect();
    if !copy_few(file, &mut region, &merge_ranges(windows, HEADER_WINDOW))? {
        return Ok(None);
    }
    // Names and extra fields of up to 128 KiB make a header longer than a window.
    let bytes = region.as_mut_slice();
    let headers = starts().map(|start| (start, start.saturating_add(local_len(bytes, start))));
    let long = headers.filter(|(start, end)| end - start > HEADER_WINDOW).collect();
    let all_there = copy_few(file, &mut region, &merge_ranges(long, 0))?;
    Ok(all_there.then(|| Buffer::from_region(region.finish(), false)))
}

/// Reads the ranges of the file, unless they are at least half of it. Whether it did.
fn copy_few(file: &File, region: &mut RegionMut, ranges: &[(usize, usize)]) -> io::Result<bool> {
    let few = ranges.iter().map(|(start, end)| end - start).sum::<usize>() < region.as_mut_slice().len() / 2;
    if few {
        ranges.iter().try_for_each(|(start, end)| copy_range(file, region, *start as u64, *end as u64))?;
    }
    Ok(few)
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
