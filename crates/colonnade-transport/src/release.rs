//! Replaced files: the system frees a large one in milliseconds, for which nobody needs to wait.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

/// Smaller files are freed faster than a thread is started.
const LARGE_NBYTES: u64 = 1 << 20;

static RELEASES: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());

/// The file that a rename is about to replace, if it is a large one of our own kind.
pub(crate) fn hold(path: &Path) -> Option<File> {
    // A device or a pipe under this name must not be waited for.
    let file =
        OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW).open(path).ok()?;
    let meta = file.metadata().ok()?;
    (meta.is_file() && meta.len() >= LARGE_NBYTES).then_some(file)
}

/// Lets go of a replaced file on a thread of its own.
pub(crate) fn later(replaced: Option<File>) {
    let Some(file) = replaced else { return };
    let started = std::thread::Builder::new().name("colonnade-release".into()).spawn(move || drop(file));
    // Where no thread can be had, the failed spawn has dropped the file already.
    let (Ok(handle), Ok(mut all)) = (started, RELEASES.try_lock()) else { return };
    all.retain(|h| !h.is_finished());
    all.push(handle);
}

/// Waits until everything let go of so far is freed: a full disk may have room then.
pub(crate) fn wait() {
    let all = std::mem::take(&mut *RELEASES.lock().unwrap_or_else(PoisonError::into_inner));
    for handle in all {
        handle.join().ok();
    }
}
