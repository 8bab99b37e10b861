//! Atomic writes of files: a temporary file next to the target is written, then renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::temporary_name::{parent, temporary_name};
use crate::{leftover, platform, release};

/// Files are written in calls of this size that end on multiples of it, because the kernel keeps a file in folios as large as
/// the calls. It has folios of this size at hand. Larger ones need memory that, on a virtual machine, the host may have to
/// provide first. Measured: 0.3 to 4 GB/s, varying, in calls of 1 MiB and more; always 3.3 to 4 in calls of this size; 2.7 in
/// calls of 64 KiB.
const CALL_NBYTES: u64 = 256 << 10;

/// A regular file that is being written. Dropping it before [`AtomicFile::commit`] removes it.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    temporary: Option<PathBuf>,
    target: PathBuf,
    reserved: u64,
    written: u64,
}

impl AtomicFile {
    /// Creates a temporary file next to `path` (symlinks are followed). The new file gets the mode of the file that it
    /// replaces. Leftovers of killed writers to the same path are removed.
    ///
    /// # Errors
    /// Operating-system errors.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::create_next_to(resolve_links(path)?, true)
    }

    /// Creates a file in a directory that this process created and no other process writes to.
    ///
    /// # Errors
    /// Operating-system errors.
    pub fn create_member(path: &Path) -> io::Result<Self> {
        Self::create_next_to(path.to_owned(), false)
    }

    fn create_next_to(target: PathBuf, shared: bool) -> io::Result<Self> {
        let replaced = match fs::metadata(&target) {
            Ok(meta) if meta.is_dir() => return Err(io::Error::from_raw_os_error(libc::EISDIR)),
            Ok(meta) => Some(meta),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(e),
        };
        if shared {
            leftover::sweep(&target, None);
        }
        let (file, temporary) = create_temporary(&target, shared)?;
        let out = Self { file, temporary: Some(temporary), target, reserved: 0, written: 0 };
        if let Some(meta) = replaced {
            out.file.set_permissions(fs::Permissions::from_mode(meta.mode() & 0o7777))?;
        }
        Ok(out)
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// Operating-system errors.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let call = usize::try_from(CALL_NBYTES - self.written % CALL_NBYTES).unwrap_or(rest.len());
            let (now, later) = rest.split_at(call.min(rest.len()));
            self.file.write_all(now)?;
            self.written += now.len() as u64;
            rest = later;
        }
        Ok(())
    }

    /// Replaces bytes that were written before.
    ///
    /// # Errors
    /// Operating-system errors.
    pub fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, offset)
    }

    /// Reserves space, so that a full disk fails before anything is written and the rename need not wait for allocation.
    ///
    /// # Errors
    /// Operating-system errors if there is no space. File systems that cannot reserve cause no error.
    pub fn reserve(&mut self, total: u64) -> io::Result<()> {
        if total == 0 {
            return Ok(());
        }
        let mut waited = false;
        loop {
            match platform::reserve(&self.file, total) {
                Ok(is_reserved) => {
                    self.reserved = if is_reserved { total } else { 0 };
                    return Ok(());
                }
                Err(Errno::INTR) => {}
                // The system may still be freeing files that earlier writes replaced.
                Err(Errno::NOSPC) if !waited => {
                    release::wait();
                    waited = true;
                }
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// Renames the file to its target. `fsync`: the bytes and the name reach the disk first.
    ///
    /// # Errors
    /// Operating-system errors. The target is then unchanged.
    pub fn commit(mut self, fsync: bool) -> io::Result<()> {
        if self.reserved > self.written {
            self.file.set_len(self.written)?;
        }
        if fsync {
            self.file.sync_all()?;
        }
        if let Some(temporary) = &self.temporary {
            // While the replaced file is open, the rename does not have to free it.
            let replaced = release::open_replaced(&self.target);
            fs::rename(temporary, &self.target)?;
            self.temporary = None;
            release::close_in_background(replaced);
        }
        if fsync {
            File::open(parent(&self.target))?.sync_all()?;
        }
        Ok(())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            // A failed removal cannot be handled.
            fs::remove_file(temporary).ok();
        }
    }
}

/// What `readlink` reports of a file, of a name that does not exist, and on file systems without links.
const NO_LINK: [i32; 4] = [libc::EINVAL, libc::ENOENT, libc::ENOTDIR, libc::ENOSYS];

/// Follows a chain of symlinks and returns its end, which need not exist. A link that cannot be read is an error: a file would
/// replace it.
pub(crate) fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(target) => path = parent(&path).join(target),
            Err(e) if e.raw_os_error().is_some_and(|code| NO_LINK.contains(&code)) => return Ok(path),
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

fn create_temporary(target: &Path, shared: bool) -> io::Result<(File, PathBuf)> {
    loop {
        let temporary = temporary_name(target);
        let opened = OpenOptions::new().write(true).read(true).create_new(true).mode(0o666).open(&temporary);
        match opened {
            Ok(file) if !shared || leftover::claim(&file) => return Ok((file, temporary)),
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        fs::read_dir(directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_dropped_file_leaves_the_old_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        fs::write(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write(b"new").unwrap();
        drop(file);
        assert_eq!(
            (fs::read(&path).unwrap(), names(directory.path())),
            (b"old".to_vec(), vec!["x".to_owned()])
        );
    }

    #[test]
    fn a_commit_replaces_keeps_the_mode_and_follows_links() {
        let directory = tempfile::tempdir().unwrap();
        let (path, link) = (directory.path().join("x"), directory.path().join("link"));
        fs::write(&path, b"old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("x", &link).unwrap();
        let mut file = AtomicFile::create(&link).unwrap();
        file.reserve(100).unwrap();
        file.write(b"news").unwrap();
        file.patch(3, b"!").unwrap();
        file.commit(true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new!");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
    }

    #[test]
    fn a_missing_directory_is_the_systems_error() {
        let error = AtomicFile::create(Path::new("/nowhere/at/all")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
