//! Directories of members, which must be regular files and no links.

use std::fs::{self, File, FileType};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use crate::error::{Error, Result};
use crate::platform;

/// How often a directory is listed that others replace meanwhile.
const MAX_LISTINGS: usize = 100;

/// A file of a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirectoryFile {
    /// Its name.
    pub name: String,
    /// Its size at the time of the listing.
    pub nbytes: u64,
}

/// A directory that was listed. It stays the same one if another directory takes its name, so members of two directories are
/// never mixed.
#[derive(Debug)]
pub struct OpenDirectory {
    directory: File,
    format: &'static str,
    files: Vec<DirectoryFile>,
}

impl OpenDirectory {
    /// Lists the files whose names `is_member` accepts, sorted by name.
    ///
    /// # Errors
    /// Errors of the operating system; `Malformed`: one of them is not a regular file, or other directories take the name again
    /// and again.
    pub fn list(path: &Path, format: &'static str, is_member: &dyn Fn(&str) -> bool) -> Result<Self> {
        for _ in 0..MAX_LISTINGS {
            let flags = libc::O_DIRECTORY | libc::O_NONBLOCK;
            let directory = File::options().read(true).custom_flags(flags).open(path)?;
            let listed = list(path, format, is_member);
            // If the path still leads to the open directory, it did so during the whole listing.
            if leads_to(path, &directory)? {
                return Ok(Self { directory, format, files: listed? });
            }
        }
        let message =
            "expected a directory, found another one at each look. Other programs replace it: read it later.";
        Err(Error::malformed(format, message))
    }

    /// The files.
    #[must_use]
    pub fn files(&self) -> &[DirectoryFile] {
        &self.files
    }

    /// The size of all files.
    #[must_use]
    pub fn nbytes(&self) -> u64 {
        self.files.iter().map(|file| file.nbytes).fold(0, u64::saturating_add)
    }

    /// Opens file number `i`. The listing found a regular file; if a link, pipe or device has replaced it since, this function
    /// does not follow it or wait for it.
    ///
    /// # Errors
    /// Errors of the operating system; `Malformed`: it is gone, or no longer a regular file.
    pub fn open(&self, i: usize) -> Result<File> {
        let file = self.files.get(i).ok_or_else(|| Error::not_found(self.format, "no such file."))?;
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let opened = platform::open_at(&self.directory, &file.name, flags).map_err(|e| match e.raw_os_error() {
            Some(libc::ELOOP) => not_regular("a symbolic link", self.format),
            Some(libc::ENOENT) => {
                let message = "expected the file that was listed, found none. The directory was replaced or the file was \
                               removed: read the directory again.";
                Error::malformed(self.format, message).in_member(&file.name)
            }
            _ => e.into(),
        })?;
        check_regular(opened.metadata()?.file_type(), self.format)?;
        Ok(opened)
    }
}

fn list(path: &Path, format: &'static str, is_member: &dyn Fn(&str) -> bool) -> Result<Vec<DirectoryFile>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if is_member(&name) {
            let meta = fs::symlink_metadata(entry.path())?;
            check_regular(meta.file_type(), format).map_err(|e| e.in_member(&name))?;
            files.push(DirectoryFile { name, nbytes: meta.len() });
        }
    }
    files.sort();
    Ok(files)
}

/// Whether the path is one of this open directory.
fn leads_to(path: &Path, directory: &File) -> io::Result<bool> {
    let open = directory.metadata()?;
    match fs::metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (open.dev(), open.ino())),
        // Where names cannot be exchanged, there is no directory for a moment while one is replaced.
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

/// Refuses everything but regular files: a link may lead anywhere, and a pipe or a device may never end.
fn check_regular(found: FileType, format: &'static str) -> Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let found = match () {
        () if found.is_symlink() => "a symbolic link",
        () if found.is_dir() => "a directory",
        () if found.is_fifo() => "a named pipe",
        () if found.is_socket() => "a socket",
        () => "a device",
    };
    Err(not_regular(found, format))
}

fn not_regular(found: &str, format: &'static str) -> Error {
    let message = format!(
        "expected a regular file, found {found}. Put the file itself there, or give it another name."
    );
    Error::malformed(format, message)
}
