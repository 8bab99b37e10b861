//! Where the bytes of a store are.

use std::borrow::Cow;
use std::fs::{File, FileType};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::container::zip::Directory;
use crate::error::{Error, Result};
use crate::limits::{Limits, StreamLimit};
use crate::memory::{Buffer, MappedFile, Region, RegionMut, Remote, read_small, read_to_end};
use crate::progress::{NoProgress, Progress};

/// Files below this size are read rather than mapped: a map costs page faults, and shared fate with the file.
const MAP_MIN_NBYTES: u64 = 1 << 20;

/// Files below this size are read whole where they must not be mapped.
const READ_WHOLE_NBYTES: u64 = 16 << 20;

/// How much is read ahead of a local header, which is followed by the NPY header.
const HEADER_WINDOW: u64 = 8 << 10;

/// The end record, its comment and the ZIP64 records before it fit into this.
const TAIL_NBYTES: u64 = (64 << 10) + 256;

/// Where the bytes are.
#[derive(Debug, Clone)]
pub enum Source {
    /// In memory, whole.
    Memory(Buffer),
    /// A mapped file.
    Mapped(Arc<MappedFile>, Buffer),
    /// A file that is read: `mirror` has its size and holds the structure (directory and headers) alone.
    Read(Arc<MappedFile>, Buffer),
    /// One file a member.
    Directory(Arc<Vec<PathBuf>>),
    /// A file elsewhere, of which comes what is asked for.
    Remote(Arc<Remote>),
}

impl Source {
    /// A regular file: mapped, or read where it is small or `mmap` is off.
    ///
    /// # Errors
    /// The system's own.
    pub fn file(file: File, mmap: bool) -> Result<Self> {
        let nbytes = file.metadata()?.len();
        if nbytes < if mmap { MAP_MIN_NBYTES } else { READ_WHOLE_NBYTES } {
            let length = usize::try_from(nbytes).map_err(io::Error::other)?;
            return Ok(Self::Memory(Buffer::from_region(read_small(&file, length)?, false)));
        }
        let file = Arc::new(MappedFile::new(file, nbytes));
        if mmap {
            let shared = file.map_shared()?;
            return Ok(Self::Mapped(file, shared));
        }
        let mirror = mirror(file.file(), nbytes)?;
        Ok(Self::Read(file, mirror))
    }

    /// A pipe, socket or device, read to its end.
    ///
    /// # Errors
    /// The system's own; a limit where the stream does not end.
    pub fn stream(stream: &mut dyn Read, limits: &Limits, progress: &dyn Progress) -> Result<Self> {
        let mut limit = StreamLimit::new(limits);
        let mut check = |bytes: &[u8]| limit.check("npz", bytes.len() as u64);
        Ok(Self::Memory(read_to_end(stream, &mut check, progress)?))
    }

    /// The bytes as far as structure needs them; empty for a directory.
    #[must_use]
    pub fn structure(&self) -> &[u8] {
        self.bytes().map_or(&[], Buffer::as_slice)
    }

    /// The same, kept alive by their owner.
    pub(super) fn bytes(&self) -> Option<&Buffer> {
        match self {
            Self::Memory(bytes) | Self::Mapped(_, bytes) | Self::Read(_, bytes) => Some(bytes),
            Self::Remote(remote) => Some(remote.bytes()),
            Self::Directory(_) => None,
        }
    }

    /// Bytes of the whole.
    #[must_use]
    pub fn nbytes(&self) -> u64 {
        match self {
            Self::Directory(paths) => {
                paths.iter().filter_map(|p| p.symlink_metadata().ok()).map(|m| m.len()).sum()
            }
            _ => self.structure().len() as u64,
        }
    }

    /// Whether [`Source::structure`] holds data too.
    #[must_use]
    pub fn is_resident(&self) -> bool {
        matches!(self, Self::Memory(_) | Self::Mapped(..) | Self::Remote(_))
    }

    /// `nbytes` at `offset` (of file number `file` in a directory).
    ///
    /// # Errors
    /// The system's own; truncated where the file is shorter.
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
    /// The system's own; truncated where the file is shorter.
    pub fn read_into(&self, file: usize, offset: usize, target: &mut [u8]) -> Result<()> {
        let target_nbytes = target.len() as u64;
        let short = |e: io::Error| {
            if e.kind() == io::ErrorKind::UnexpectedEof {
                Error::truncated("npz", "the member", target_nbytes, 0).at(offset as u64)
            } else {
                e.into()
            }
        };
        match self {
            Self::Memory(_) | Self::Mapped(..) | Self::Remote(_) => {
                let bytes = self.fetch(file, offset, target.len())?;
                target.copy_from_slice(&bytes);
                Ok(())
            }
            Self::Read(mapped, _) => mapped.file().read_exact_at(target, offset as u64).map_err(short),
            Self::Directory(paths) => {
                let path = paths.get(file).ok_or_else(|| Error::not_found("npy", "no such file."))?;
                open_member(path)?.read_exact_at(target, offset as u64).map_err(short)
            }
        }
    }
}

/// Opens a file of a directory. It was a regular one when the directory was listed; what has taken its name since is neither
/// followed nor waited for.
fn open_member(path: &Path) -> Result<File> {
    let opened = File::options().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    let file = opened.map_err(|e| match e.raw_os_error() {
        Some(libc::ELOOP) => not_regular("a symbolic link"),
        _ => e.into(),
    })?;
    check_member_file(file.metadata()?.file_type())?;
    Ok(file)
}

/// Refuses a member of a directory that is no regular file: a link may lead anywhere, and a pipe or a device may never end.
pub(super) fn check_member_file(found: FileType) -> Result<()> {
    if found.is_file() {
        return Ok(());
    }
    Err(not_regular(match () {
        () if found.is_symlink() => "a symbolic link",
        () if found.is_dir() => "a directory",
        () if found.is_fifo() => "a named pipe",
        () if found.is_socket() => "a socket",
        () => "a device",
    }))
}

fn not_regular(found: &str) -> Error {
    let message = format!(
        "expected a regular file, found {found}. Put the file itself there, or give it another name."
    );
    Error::malformed("npy", message)
}

/// A sparse copy of a file: its end, its directory, and the headers that the directory points at. Everything else is
/// untouched pages, which cost nothing.
fn mirror(file: &File, nbytes: u64) -> Result<Buffer> {
    let length = usize::try_from(nbytes).map_err(io::Error::other)?;
    let mut region = Region::allocate(length, true)?;
    copy_range(file, &mut region, 0, HEADER_WINDOW)?;
    if region.as_mut_slice().starts_with(b"\x93NUMPY") {
        return Ok(Buffer::from_region(region.finish(), false));
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
    for (start, end) in windows {
        copy_range(file, &mut region, start, end)?;
    }
    Ok(Buffer::from_region(region.finish(), false))
}

/// Reads `start..end` of the file to the same place in the region.
fn copy_range(file: &File, region: &mut RegionMut, start: u64, end: u64) -> io::Result<()> {
    let target = region.as_mut_slice();
    let bound = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(target.len());
    let (start, end) = (bound(start), bound(end));
    match target.get_mut(start..end) {
        Some(place) if !place.is_empty() => file.read_exact_at(place, start as u64),
        _ => Ok(()),
    }
}
