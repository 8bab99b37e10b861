//! Atomic writes of directories: a temporary directory next to the target is filled, then the names are exchanged.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::file::resolve_links;
use crate::leftover;
use crate::platform;
use crate::temporary_name::{parent, temporary_name};

/// A directory that is being filled. Dropping it before [`AtomicDirectory::commit`] removes it.
#[derive(Debug)]
pub struct AtomicDirectory {
    temporary: Option<PathBuf>,
    /// The lock that marks the directory as that of a living writer.
    _claim: File,
    target: PathBuf,
    /// The permissions of the replaced directory, which may exclude other users.
    permissions: Option<Permissions>,
}

impl AtomicDirectory {
    /// Creates a temporary directory next to `path`. `may_replace` decides for each name in an existing directory whether it
    /// may be removed. If it refuses one, nothing is written.
    ///
    /// # Errors
    /// Operating-system errors; `DirectoryNotEmpty` if the target contains a file that may not be replaced.
    pub fn create(path: &Path, may_replace: &dyn Fn(&str) -> bool) -> io::Result<Self> {
        let target = resolve_links(path)?;
        if target.symlink_metadata().is_ok() {
            for entry in fs::read_dir(&target)? {
                let name = entry?.file_name();
                if !name.to_str().is_some_and(may_replace) {
                    return Err(io::Error::from_raw_os_error(libc::ENOTEMPTY));
                }
            }
        }
        let permissions = fs::metadata(&target).ok().map(|replaced| replaced.permissions());
        leftover::sweep(&target, Some(may_replace));
        let (temporary, claim) = create_temporary(&target)?;
        let created = Self { temporary: Some(temporary), _claim: claim, target, permissions };
        if let Some(permissions) = &created.permissions {
            // The owner must be able to write the files.
            fs::set_permissions(created.path(), Permissions::from_mode(permissions.mode() | 0o700))?;
        }
        Ok(created)
    }

    /// The temporary directory, in which the caller writes the files.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.temporary.as_deref().unwrap_or(&self.target)
    }

    /// Renames the directory to its target, then removes the replaced directory. `fsync`: the directory entries reach the disk
    /// first; the caller has synced the files.
    ///
    /// # Errors
    /// Operating-system errors.
    pub fn commit(mut self, fsync: bool) -> io::Result<()> {
        if fsync {
            File::open(self.path())?.sync_all()?;
        }
        if let Some(permissions) = self.permissions.take() {
            fs::set_permissions(self.path(), permissions)?;
        }
        self.exchange()?;
        if fsync {
            File::open(parent(&self.target))?.sync_all()?;
        }
        Ok(())
    }

    fn exchange(&mut self) -> io::Result<()> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        if self.target.symlink_metadata().is_err() {
            fs::rename(temporary, &self.target)?;
            self.temporary = None;
            return Ok(());
        }
        if !platform::exchange(temporary, &self.target)? {
            // Names cannot be exchanged here: for a moment the target does not exist, but it is never incomplete.
            let old = temporary_name(&self.target);
            // The lock keeps other writers from removing the directory as a leftover.
            let held = File::open(&self.target).ok();
            held.as_ref().map(leftover::claim);
            fs::rename(&self.target, &old)?;
            if let Err(error) = fs::rename(temporary, &self.target) {
                fs::rename(&old, &self.target).ok();
                return Err(error);
            }
            self.temporary = Some(old);
        }
        // `temporary` now names the old directory, and `drop` removes it.
        Ok(())
    }
}

fn create_temporary(target: &Path) -> io::Result<(PathBuf, File)> {
    loop {
        let temporary = temporary_name(target);
        match fs::create_dir(&temporary) {
            Ok(()) => match File::open(&temporary) {
                Ok(created) if leftover::claim(&created) => return Ok((temporary, created)),
                Ok(_) => {}
                // Another writer removed it as a leftover.
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => {
                    fs::remove_dir(&temporary).ok();
                    return Err(e);
                }
            },
            // A killed process with the same id left this name.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}

impl Drop for AtomicDirectory {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            fs::remove_dir_all(temporary).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn a_directory_is_replaced_whole() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("d");
        for text in ["one", "two"] {
            let directory = AtomicDirectory::create(&path, &|name| name == "x").unwrap();
            fs::write(directory.path().join("x"), text).unwrap();
            directory.commit(text == "two").unwrap();
            assert_eq!(fs::read_to_string(path.join("x")).unwrap(), text);
        }
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_mode_of_a_replaced_directory_is_kept() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("d");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        AtomicDirectory::create(&path, &|_| true).unwrap().commit(false).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn leftovers_of_a_killed_process_do_not_block_a_write() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("d");
        // The names that this process would create next.
        let taken = temporary_name(&path);
        let (front, number) = taken.to_str().unwrap().strip_suffix(".tmp").unwrap().rsplit_once('.').unwrap();
        let number: u64 = number.parse().unwrap();
        for next in number..number + 20 {
            fs::create_dir(format!("{front}.{next}.tmp")).unwrap();
        }
        AtomicDirectory::create(&path, &|_| true).unwrap().commit(false).unwrap();
        assert!(path.is_dir());
    }

    #[test]
    fn foreign_files_are_never_removed() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("precious"), "").unwrap();
        let error = AtomicDirectory::create(root.path(), &|name| name == "x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::DirectoryNotEmpty);
    }
}
