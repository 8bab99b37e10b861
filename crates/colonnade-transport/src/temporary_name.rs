//! Names of temporary files and directories next to their target.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// The directory that contains a path.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A name next to `target` that no other process uses.
pub(crate) fn temporary_name(target: &Path) -> PathBuf {
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    parent(target).join(format!(".{}.{}.{count}.tmp", stem(target), std::process::id()))
}

/// The beginning of temporary names. It is cut, because a long name would leave no space for the rest.
pub(crate) fn stem(target: &Path) -> String {
    target.file_name().unwrap_or_default().to_string_lossy().chars().take(40).collect()
}
