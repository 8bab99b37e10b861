//! The schema beside a csv file: a file of its own, in a name of its own.

use std::path::{Path, PathBuf};

/// What stands beside a csv file, behind its whole name.
const SIDECAR: &str = ".schema.json";

/// The name of the file that holds the schema of `path`.
pub(super) fn sidecar_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(SIDECAR);
    name.into()
}

/// What stands beside `path`.
pub(super) fn beside(path: &Path) -> colonnade::Result<Option<Vec<u8>>> {
    match std::fs::read(sidecar_of(path)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e.into()),
    }
}
