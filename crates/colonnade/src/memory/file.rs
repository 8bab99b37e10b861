//! Files as memory: maps, and parallel reads into regions.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use memmap2::{Mmap, MmapMut, MmapOptions};

use super::{Buffer, Region};
use crate::platform::{drop_file_pages, page_nbytes};

/// An open regular file that can be mapped any number of times. Later maps see the same inode even if another file has
/// replaced the name since.
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

    /// Its size at the time of opening.
    #[must_use]
    pub fn nbytes(&self) -> u64 {
        self.nbytes
    }

    /// Maps the file read-only. Any number of frames share the map.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn map_shared(&self) -> io::Result<Buffer> {
        let length = usize::try_from(self.nbytes).map_err(io::Error::other)?;
        // SAFETY: the bytes are only read. If another process shortens the file in place, reads fault (SIGBUS); `read`
        // documents that, and `mmap=False` avoids it.
        let map = unsafe { MmapOptions::new().len(length).map(&self.file)? };
        let (ptr, nbytes) = (map.as_ptr(), map.len());
        let owner: Arc<Mmap> = Arc::new(map);
        // SAFETY: the owner is the map itself.
        Ok(unsafe { Buffer::from_raw(ptr, nbytes, owner) })
    }

    /// Maps the file privately and copy-on-write: writes stay in this process and in this map.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn map_private(&self) -> io::Result<Buffer> {
        let length = usize::try_from(self.nbytes).map_err(io::Error::other)?;
        // SAFETY: as in `map_shared`; private pages are never written back. Without MAP_POPULATE, which would copy them.
        let map = unsafe { MmapOptions::new().len(length).map_copy(&self.file)? };
        Ok(Buffer::from_private_map(map))
    }
}

/// Drops the whole pages of this range from the memory of this process. The next access reads them from the file again.
///
/// # Safety
/// `map` is a shared map of a file ([`MappedFile::map_shared`]): other memory would lose its bytes.
pub unsafe fn advise_dont_need(map: &Buffer, start: usize, nbytes: usize) {
    let page = page_nbytes();
    let end = start.saturating_add(nbytes).min(map.nbytes()) / page * page;
    let start = start.div_ceil(page) * page;
    if end > start {
        // SAFETY: whole pages inside the map, which by this function's contract maps a file.
        unsafe { drop_file_pages(map.as_ptr().add(start).cast_mut(), end - start) };
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
/// Errors of the operating system; `UnexpectedEof`: the file has shrunk.
pub fn read_small(file: &File, nbytes: usize) -> io::Result<Region> {
    let mut region = Region::allocate(nbytes)?;
    file.read_exact_at(region.as_mut_slice(), 0)?;
    Ok(region.finish())
}
