//! Files as memory: maps, and parallel reads into regions.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use memmap2::{Mmap, MmapMut, MmapOptions};

use super::{Buffer, Region};
use crate::error::{Error, ErrorKind};
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
        let length = self.length()?;
        // SAFETY: the bytes are only read, and the file has them. This holds until another program changes the file in place: if it
        // shortens the file, reads fault (SIGBUS). `read` documents that, and `mmap=False` avoids it.
        let map = unsafe { MmapOptions::new().len(length).map(&self.file)? };
        let (ptr, nbytes) = (map.as_ptr(), map.len());
        let owner: Arc<Mmap> = Arc::new(map);
        // SAFETY: the bytes are those of the map, which the buffer owns. Its length fits `isize`, as `MmapOptions` checks.
        Ok(unsafe { Buffer::from_raw(ptr, nbytes, owner) })
    }

    /// Maps the file privately and copy-on-write: writes stay in this process and in this map.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn map_private(&self) -> io::Result<Buffer> {
        let length = self.length()?;
        // SAFETY: as in `map_shared`; private pages are never written back. Without MAP_POPULATE, which would copy them.
        let map = unsafe { MmapOptions::new().len(length).map_copy(&self.file)? };
        Ok(Buffer::from_private_map(map))
    }

    /// The length of a map. A map beyond the end of a file that has shrunk would fault.
    fn length(&self) -> io::Result<usize> {
        check_size(&self.file, self.nbytes)?;
        usize::try_from(self.nbytes).map_err(io::Error::other)
    }
}

/// Drops the whole pages of this range from the memory of this process. The next access reads them from the file again. Other
/// memory than a shared map of a file ([`MappedFile::map_shared`]) would lose its bytes, so it stays unchanged.
pub fn advise_dont_need(map: &Buffer, start: usize, nbytes: usize) {
    let page = page_nbytes();
    let end = start.saturating_add(nbytes).min(map.nbytes()) / page * page;
    let start = start.div_ceil(page).saturating_mul(page);
    let begins_at_page = map.as_ptr().addr().is_multiple_of(page);
    // Only shared maps have such an owner.
    if start < end && begins_at_page && map.is_owned_by::<Mmap>() {
        // SAFETY: whole pages inside a shared map of a file.
        unsafe { drop_file_pages(map.as_ptr().add(start).cast_mut(), end - start) };
    }
}

impl Buffer {
    fn from_private_map(map: MmapMut) -> Self {
        let (ptr, nbytes) = (map.as_ptr(), map.len());
        let owner: Arc<MmapMut> = Arc::new(map);
        // SAFETY: as in `map_shared`. Only this buffer has the private pages.
        unsafe { Self::from_raw(ptr, nbytes, owner) }.assume_exclusive()
    }
}

/// Reads a whole small file into aligned memory.
///
/// # Errors
/// As [`read_at`].
pub fn read_small(file: &File, nbytes: usize) -> io::Result<Region> {
    let mut region = Region::allocate(nbytes)?;
    read_at(file, region.as_mut_slice(), 0)?;
    Ok(region.finish())
}

/// Fills `target` with the bytes of a file from `offset` on.
///
/// # Errors
/// Errors of the operating system; `UnexpectedEof`, with a truncated [`Error`] in it: the file ends before, or was cut meanwhile.
pub fn read_at(file: &File, target: &mut [u8], offset: u64) -> io::Result<()> {
    let read = file.read_exact_at(target, offset);
    // Before a read notices that a file is cut, it may get zeros from behind the new end.
    check_size(file, offset.saturating_add(target.len() as u64))?;
    read
}

/// Refuses a file that has fewer bytes.
fn check_size(file: &File, nbytes: u64) -> io::Result<()> {
    let had = file.metadata()?.len();
    if had >= nbytes {
        return Ok(());
    }
    let message = format!("expected {nbytes} bytes, found {had}: another program has cut it. Read it again.");
    let error = Error::new(ErrorKind::Truncated { needed: nbytes, had }, "file", message);
    Err(io::Error::new(io::ErrorKind::UnexpectedEof, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_shrunk_is_not_mapped() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(10).unwrap();
        let file = MappedFile::new(file, 4096);
        assert_eq!(file.map_shared().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(file.map_private().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_read_beyond_the_end_is_truncated() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(10).unwrap();
        let mut target = [1; 8];
        read_at(&file, &mut target, 2).unwrap();
        assert_eq!(target, [0; 8]);
        let error = read_at(&file, &mut target, 3).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        let text = "file: expected 11 bytes, found 10: another program has cut it. Read it again.";
        let error = Error::from(error);
        assert_eq!(error.to_string(), text);
        assert!(matches!(error.kind(), ErrorKind::Truncated { needed: 11, had: 10 }));
    }

    #[test]
    fn only_maps_of_files_give_up_pages() {
        let nbytes = 4 * page_nbytes();
        let bytes = Buffer::from_vec(vec![7; nbytes]);
        advise_dont_need(&bytes, 0, nbytes);
        assert!(bytes.as_slice().iter().all(|&byte| byte == 7));
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(bytes.as_slice(), 0).unwrap();
        let map = MappedFile::new(file, nbytes as u64).map_shared().unwrap();
        for (start, nbytes) in [(0, nbytes), (1, nbytes), (usize::MAX, 1), (5, usize::MAX)] {
            advise_dont_need(&map, start, nbytes);
            advise_dont_need(&map.slice(1, map.nbytes() - 1).unwrap(), start, nbytes);
        }
        assert!(map.as_slice() == bytes.as_slice());
    }
}
