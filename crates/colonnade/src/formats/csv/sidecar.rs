//! The schema of a CSV file, stored in a sidecar file next to it.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::Result;

/// Suffix that the sidecar appends to the name of the CSV file.
pub(super) const SUFFIX: &str = ".schema.json";

/// Reads the sidecar of the file at `path`; `None` if there is none.
///
/// # Errors
/// Errors of the operating system.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    let read = |path: &Path| match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e.into()),
    };
    match read(&next_to(path))? {
        None => original_path(path).map_or(Ok(None), |named| read(&next_to(&named))),
        found => Ok(found),
    }
}

fn next_to(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(SUFFIX);
    name.into()
}

/// The name under which a file was opened, if `path` is a descriptor and the name still refers to this file.
fn original_path(path: &Path) -> Option<PathBuf> {
    if !path.starts_with("/proc/self/fd") {
        return None;
    }
    let named = std::fs::read_link(path).ok()?;
    // The name may refer to another file now.
    let (one, other) = (std::fs::metadata(&named).ok()?, std::fs::metadata(path).ok()?);
    ((one.dev(), one.ino()) == (other.dev(), other.ino())).then_some(named)
}
