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

/// A schema that an earlier file left beside would be taken for this one's.
pub(super) fn forget(path: &Path) -> colonnade::Result<()> {
    let beside = sidecar_of(path);
    match std::fs::read(&beside) {
        // Only what is ours goes: anybody may have a file of this name.
        Ok(bytes) if is_sidecar(&bytes) => Ok(std::fs::remove_file(&beside)?),
        _ => Ok(()),
    }
}

/// Whether a file is a schema as `csv::sidecar` makes it.
fn is_sidecar(bytes: &[u8]) -> bool {
    let has = |word: &[u8]| bytes.windows(word.len()).any(|part| part == word);
    bytes.first() == Some(&b'{') && has(b"\"schema\"") && has(b"\"csv\"") && has(b"\"orient\"")
}
