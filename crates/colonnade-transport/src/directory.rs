//! Directories that appear whole: a temporary one beside the target, then an exchange of names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::file::{resolved, temporary_name};

/// A directory being filled. Dropped before [`AtomicDirectory::commit`], it leaves nothing behind.
#[derive(Debug)]
pub struct AtomicDirectory {
    temporary: Option<PathBuf>,
    target: PathBuf,
}

impl AtomicDirectory {
    /// A temporary directory beside `path`. `may_replace` says of each name in an existing directory whether it may go;
    /// one that may not stops everything before anything is written.
    ///
    /// # Errors
    /// The system's own; `DirectoryNotEmpty` where a foreign file stands in the target.
    pub fn create(path: &Path, may_replace: &dyn Fn(&str) -> bool) -> io::Result<Self> {
        let target = resolved(path)?;
        if target.symlink_metadata().is_ok() {
            for entry in fs::read_dir(&target)? {
                let name = entry?.file_name();
                if !name.to_str().is_some_and(may_replace) {
                    return Err(io::Error::from_raw_os_error(libc::ENOTEMPTY));
                }
            }
        }
        let temporary = temporary_name(&target);
        fs::create_dir(&temporary)?;
        Ok(Self { temporary: Some(temporary), target })
    }

    /// Where to put files.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.temporary.as_deref().unwrap_or(&self.target)
    }

    /// Gives the directory its name; one that was there is removed after.
    ///
    /// # Errors
    /// The system's own.
    pub fn commit(mut self) -> io::Result<()> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        if self.target.symlink_metadata().is_err() {
            fs::rename(temporary, &self.target)?;
            self.temporary = None;
            return Ok(());
        }
        match renameat_with(CWD, temporary, CWD, &self.target, RenameFlags::EXCHANGE) {
            Ok(()) => {}
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                // No exchange on this file system: a moment without a target, but never half a one.
                let aside = temporary_name(&self.target);
                fs::rename(&self.target, &aside)?;
                if let Err(error) = fs::rename(temporary, &self.target) {
                    fs::rename(&aside, &self.target).ok();
                    return Err(error);
                }
                self.temporary = Some(aside);
            }
            Err(e) => return Err(e.into()),
        }
        // What `temporary` names now is the old directory; the drop removes it.
        Ok(())
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
    use super::*;

    #[test]
    fn a_directory_is_replaced_whole() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("d");
        for text in ["one", "two"] {
            let directory = AtomicDirectory::create(&path, &|name| name == "x").unwrap();
            fs::write(directory.path().join("x"), text).unwrap();
            directory.commit().unwrap();
            assert_eq!(fs::read_to_string(path.join("x")).unwrap(), text);
        }
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn foreign_files_are_never_removed() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("precious"), "").unwrap();
        let error = AtomicDirectory::create(root.path(), &|name| name == "x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::DirectoryNotEmpty);
    }
}
