//! Regular files: mapped, or read.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::SourceBytes;
use crate::error::Result;
use crate::memory::{Buffer, MappedFile, Region, read_small};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{Progress, SignalsOnly};

/// Files below this size are read rather than mapped: a map costs page faults, and shared fate with the file.
pub const MAP_MIN_NBYTES: u64 = 1 << 20;

/// Bytes that one thread reads at a time.
const PIECE_NBYTES: usize = 4 << 20;

/// A regular file, opened.
#[derive(Debug)]
pub enum FileBytes {
    /// It is small, and was read.
    Read(Buffer),
    /// It is mapped.
    Mapped(Arc<MappedFile>, Buffer),
    /// It must not be mapped, and was not read yet: a format may need only some of it.
    Unread(MappedFile),
}

/// Opens a regular file: a small one is read, a large one is mapped where `mmap` allows it.
///
/// # Errors
/// The system's own.
pub fn open_file(file: File, mmap: bool) -> Result<FileBytes> {
    let nbytes = file.metadata()?.len();
    if nbytes < MAP_MIN_NBYTES {
        let length = usize::try_from(nbytes).map_err(io::Error::other)?;
        return Ok(FileBytes::Read(Buffer::from_region(read_small(&file, length)?, false)));
    }
    let file = MappedFile::new(file, nbytes);
    if !mmap {
        return Ok(FileBytes::Unread(file));
    }
    let shared = file.map_shared()?;
    Ok(FileBytes::Mapped(Arc::new(file), shared))
}

/// All bytes of a regular file: mapped, or read where it is small or `mmap` is off. `progress` is looked at and told nothing.
///
/// # Errors
/// The system's own; `Cancelled` from `progress`.
pub fn file_bytes(file: File, mmap: bool, threads: usize, progress: &dyn Progress) -> Result<SourceBytes> {
    Ok(match open_file(file, mmap)? {
        FileBytes::Read(bytes) => bytes.into(),
        FileBytes::Mapped(file, bytes) => SourceBytes { map: Some(file), ..bytes.into() },
        FileBytes::Unread(file) => read_file(file.file(), file.nbytes(), threads, progress)?.into(),
    })
}

/// Reads a regular file whole, in parallel. `progress` is looked at and told nothing.
///
/// # Errors
/// The system's own; `Cancelled` from `progress`.
pub fn read_file(file: &File, nbytes: u64, threads: usize, progress: &dyn Progress) -> Result<Buffer> {
    let length = usize::try_from(nbytes).map_err(io::Error::other)?;
    let mut region = Region::allocate(length, false)?;
    let tasks = region.as_mut_slice().chunks_mut(PIECE_NBYTES).enumerate().map(|(i, place)| {
        Task::new(place.len(), move || Ok(file.read_exact_at(place, (i * PIECE_NBYTES) as u64)?))
    });
    parallel::run(tasks.collect(), threads, &SignalsOnly(progress))?;
    Ok(Buffer::from_region(region.finish(), false))
}
