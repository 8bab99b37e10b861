//! Files as memory: maps, and parallel reads into regions.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use memmap2::{Mmap, MmapMut, MmapOptions};

use super::{Buffer, Region};

/// An open regular file that can be mapped any number of times; later maps see the same inode even where the name has
/// been replaced meanwhile.
#[derive(Debug)]
pub struct MappedFile {
    file: File,
    nbytes: u64,
}

impl MappedFile {
    /// Wraps an open file of `nbytes`.
    #[must_use]
    pub fn new(file: File, nbytes: u64) -> Self {
        Self { file, nbytes }
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Its size when it was opened.
    #[must_use]
    pub fn nbytes(&self) -> u64 {
        self.nbytes
    }

    /// A read-only map that any number of frames share.
    ///
    /// # Errors
    /// The system's own.
    pub fn map_shared(&self) -> io::Result<Buffer> {
        let length = usize::try_from(self.nbytes).map_err(io::Error::other)?;
        // SAFETY: the bytes are only read. Another process that shortens the file in place makes reads fault (SIGBUS):
        // documented on `read`, with `mmap=False` as the way out.
        let map = unsafe { MmapOptions::new().len(length).map(&self.file)? };
        let (ptr, nbytes) = (map.as_ptr(), map.len());
        let owner: Arc<Mmap> = Arc::new(map);
        // SAFETY: the owner is the map itself.
        Ok(unsafe { Buffer::from_raw(ptr, nbytes, owner) })
    }

    /// A private copy-on-write map: writes stay in this process and in this map.
    ///
    /// # Errors
    /// The system's own.
    pub fn map_private(&self) -> io::Result<Buffer> {
        let length = usize::try_from(self.nbytes).map_err(io::Error::other)?;
        // SAFETY: as in `map_shared`; private pages are never written back. No MAP_POPULATE, which would copy them.
        let map = unsafe { MmapOptions::new().len(length).map_copy(&self.file)? };
        Ok(Buffer::from_private_map(map))
    }
}

/// Says that nobody needs these bytes soon: whole pages of them leave this process' memory, and come back from the file
/// where they are looked at again.
///
/// # Safety
/// `map` is a shared map of a file ([`MappedFile::map_shared`]): of other memory the bytes would be lost.
pub unsafe fn advise_dont_need(map: &Buffer, start: usize, nbytes: usize) {
    const PAGE: usize = 4096;
    let end = start.saturating_add(nbytes).min(map.nbytes()) / PAGE * PAGE;
    let start = start.div_ceil(PAGE) * PAGE;
    if end > start {
        // SAFETY: whole pages inside the map, which this function's contract says is one of a file.
        unsafe { libc::madvise(map.as_ptr().add(start).cast_mut().cast(), end - start, libc::MADV_DONTNEED) };
    }
}

impl Buffer {
    fn from_private_map(map: MmapMut) -> Self {
        let (ptr, nbytes) = (map.as_ptr(), map.len());
        let owner: Arc<MmapMut> = Arc::new(map);
        // SAFETY: the owner is the map itself; its pages are private to this buffer.
        unsafe { Self::from_raw(ptr, nbytes, owner) }.assume_exclusive()
    }
}

/// Reads a whole small file into aligned memory.
///
/// # Errors
/// The system's own; `UnexpectedEof` where the file has shrunk.
pub fn read_small(file: &File, nbytes: usize) -> io::Result<Region> {
    let mut region = Region::allocate(nbytes, true)?;
    file.read_exact_at(region.as_mut_slice(), 0)?;
    Ok(region.finish())
}
