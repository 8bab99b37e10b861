//! Frees replaced files in the background, because the system takes milliseconds to free a large file.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

/// Smaller files are freed faster than a thread is started.
const LARGE_NBYTES: u64 = 1 << 20;

static RELEASES: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());

/// Opens the file that a rename is about to replace, if it is a large regular file.
pub(crate) fn open_replaced(path: &Path) -> Option<File> {
    // The open must not wait for a device or a pipe with this name.
    let file =
        OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW).open(path).ok()?;
    let meta = file.metadata().ok()?;
    (meta.is_file() && meta.len() >= LARGE_NBYTES).then_some(file)
}

/// Closes a replaced file on a background thread.
pub(crate) fn close_in_background(replaced: Option<File>) {
    let Some(file) = replaced else { return };
    let started = std::thread::Builder::new().name("colonnade-release".into()).spawn(move || drop(file));
    // If no thread can be started, the failed spawn has already dropped the file.
    let (Ok(handle), Ok(mut all)) = (started, RELEASES.try_lock()) else { return };
    all.retain(|h| !h.is_finished());
    all.push(handle);
}

/// Waits until all replaced files are freed, because a full disk may have space afterwards.
pub(crate) fn wait() {
    let all = std::mem::take(&mut *RELEASES.lock().unwrap_or_else(PoisonError::into_inner));
    for handle in all {
        handle.join().ok();
    }
}
