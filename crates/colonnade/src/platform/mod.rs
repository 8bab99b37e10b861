//! What differs between operating systems, as the same functions in two files: `linux.rs`, and `portable.rs` for all other
//! Unix systems. The feature `portable` chooses the second one on Linux too, so that it is tested there.

#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod linux;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) use linux::{
    advise_huge, advise_ordinary, anonymous_file, available_nbytes, discard_pages, drop_file_pages, remap,
    thread_time,
};

#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
mod portable;
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
pub(crate) use portable::{
    advise_huge, advise_ordinary, anonymous_file, available_nbytes, discard_pages, drop_file_pages, remap,
    thread_time,
};

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Starts a thread; `None` if the system allows no more threads. Then the caller does the work itself.
pub(crate) fn start_thread<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    Builder::new().spawn_scoped(scope, work).ok()
}

/// Opens a file of an open directory for reading.
pub(crate) fn open_at(directory: &File, name: &str, flags: libc::c_int) -> io::Result<File> {
    let name = CString::new(name)?;
    loop {
        let flags = flags | libc::O_RDONLY | libc::O_CLOEXEC;
        // SAFETY: the descriptor is open, and the name is a C string that outlives the call.
        let fd = unsafe { libc::openat(directory.as_raw_fd(), name.as_ptr(), flags) };
        if fd >= 0 {
            // SAFETY: the descriptor is new, and nothing else uses it.
            return Ok(unsafe { OwnedFd::from_raw_fd(fd) }.into());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// The size of a page: 4 KiB, but 16 or 64 KiB on some ARM systems.
pub(crate) fn page_nbytes() -> usize {
    // SAFETY: the call takes no pointer.
    let nbytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(nbytes).ok().filter(|nbytes| nbytes.is_power_of_two()).unwrap_or(64 << 10)
}

/// Maps `nbytes` of fresh zeroed memory and returns their address.
pub(crate) fn map_anonymous(nbytes: usize) -> io::Result<*mut libc::c_void> {
    // SAFETY: a fresh anonymous private mapping; no existing memory is touched.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            nbytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if address == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(address) }
}
