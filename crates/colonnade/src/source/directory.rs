//! Directories of members, which must be regular files and no links.

use std::fs::{self, File, FileType};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A file of a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirectoryFile {
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// Its size at the time of the listing.
    pub nbytes: u64,
}

/// Lists the files whose names `is_member` accepts, sorted by name.
///
/// # Errors
/// Errors of the operating system; `Malformed`: one of them is not a regular file.
pub fn list(
    path: &Path,
    format: &'static str,
    is_member: &dyn Fn(&str) -> bool,
) -> Result<Vec<DirectoryFile>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if is_member(&name) {
            let meta = fs::symlink_metadata(entry.path())?;
            check_regular(meta.file_type(), format).map_err(|e| e.in_member(&name))?;
            files.push(DirectoryFile { name, path: entry.path(), nbytes: meta.len() });
        }
    }
    files.sort();
    Ok(files)
}

/// Opens a file of a directory. The listing found a regular file; if a link, pipe or device has replaced it since, this
/// function does not follow it or wait for it.
///
/// # Errors
/// Errors of the operating system; `Malformed`: it is no longer a regular file.
pub fn open(path: &Path, format: &'static str) -> Result<File> {
    let opened = File::options().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    let file = opened.map_err(|e| match e.raw_os_error() {
        Some(libc::ELOOP) => not_regular("a symbolic link", format),
        _ => e.into(),
    })?;
    check_regular(file.metadata()?.file_type(), format)?;
    Ok(file)
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
