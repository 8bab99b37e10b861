//! Opens regular files by mapping or reading them.

use std::fs::File;
use std::io;
use std::sync::Arc;

use super::SourceBytes;
use crate::error::Result;
use crate::memory::{Buffer, MappedFile, Region, read_at, read_small};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{Progress, SignalsOnly};

/// Files below this size are read rather than mapped: a map costs page faults, and depends on the file staying unchanged.
pub const MAP_MIN_NBYTES: u64 = parallel::split_from(1 << 20) as u64;

/// Bytes that one thread reads in one call.
const PIECE_NBYTES: usize = 4 << 20;

/// An opened regular file.
#[derive(Debug)]
pub enum FileBytes {
    /// A small file, which was read.
    Read(Buffer),
    /// A mapped file.
    Mapped(Arc<MappedFile>, Buffer),
    /// A file that must not be mapped and is not read yet, because a format may need only some of it.
    Unread(MappedFile),
}

/// Opens a regular file: reads a small one, and maps a large one if `mmap` allows it.
///
/// # Errors
/// Errors of the operating system.
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

/// Returns all bytes of a regular file: mapped, or read if it is small or `mmap` is off. Checks `progress` for cancellation
/// and reports no bytes to it.
///
/// # Errors
/// Errors of the operating system; `Cancelled` from `progress`.
pub fn file_bytes(file: File, mmap: bool, threads: usize, progress: &dyn Progress) -> Result<SourceBytes> {
    Ok(match open_file(file, mmap)? {
        FileBytes::Read(bytes) => bytes.into(),
        FileBytes::Mapped(file, bytes) => SourceBytes { map: Some(file), ..bytes.into() },
        FileBytes::Unread(file) => read_file(file.file(), file.nbytes(), threads, progress)?.into(),
    })
}

/// Reads a whole regular file in parallel. Checks `progress` for cancellation and reports no bytes to it.
///
/// # Errors
/// Errors of the operating system; `Cancelled` from `progress`.
pub fn read_file(file: &File, nbytes: u64, threads: usize, progress: &dyn Progress) -> Result<Buffer> {
    let length = usize::try_from(nbytes).map_err(io::Error::other)?;
    let mut region = Region::allocate(length)?;
    let tasks = region.as_mut_slice().chunks_mut(PIECE_NBYTES).enumerate().map(|(i, place)| {
        Task::new(place.len(), move || Ok(read_at(file, place, (i * PIECE_NBYTES) as u64)?))
    });
    parallel::run(tasks.collect(), threads, &SignalsOnly(progress))?;
    Ok(Buffer::from_region(region.finish(), false))
}
