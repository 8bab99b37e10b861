//! POSIX only: no huge pages, no control groups, memory that grows is copied.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// All memory of the system, because POSIX does not say how much is available.
pub(crate) fn available_nbytes() -> Option<u64> {
    // SAFETY: the calls take no pointers.
    let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).ok()?.checked_mul(u64::try_from(page).ok()?).filter(|&nbytes| nbytes > 0)
}

/// Creates a file in the temporary directory that has lost its name, so it disappears with its last descriptor and map.
pub(crate) fn anonymous_file() -> io::Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("colonnade-{}-{number}", std::process::id()));
        match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return fs::remove_file(&path).map(|()| file),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}

/// Does nothing.
pub(crate) unsafe fn advise_huge(_: *mut u8, _: usize) {}

/// Does nothing.
pub(crate) unsafe fn advise_ordinary(_: *mut u8, _: usize) {}

/// No time: there are no huge pages to judge.
pub(crate) fn thread_time() -> Duration {
    Duration::ZERO
}

/// Does nothing: other systems do not promise that advice frees pages.
pub(crate) unsafe fn discard_pages(_: *mut u8, _: usize) {}

/// Does nothing.
pub(crate) unsafe fn drop_file_pages(_: *mut u8, _: usize) {}

/// Moves an anonymous mapping to a larger one and returns the new address.
///
/// # Safety
/// The caller owns the mapping of `nbytes` bytes at `address`, and does not use it after success.
pub(crate) unsafe fn remap(address: usize, nbytes: usize, grown_nbytes: usize) -> io::Result<usize> {
    let grown = super::map_anonymous(grown_nbytes)?;
    // SAFETY: both are whole mappings, which do not overlap, and the first is the caller's to give up.
    unsafe {
        std::ptr::copy_nonoverlapping(address as *const u8, grown.cast::<u8>(), nbytes.min(grown_nbytes));
        libc::munmap(address as *mut libc::c_void, nbytes);
    }
    Ok(grown as usize)
}
