//! Linux: memory from /proc, control groups, huge pages, mappings that move, files without a name.

use std::fs::{self, File};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes available in the system, the process' control groups and its address space, whichever is least; `None` if none of
/// them is known.
pub(crate) fn available_nbytes() -> Option<u64> {
    [in_system(), in_control_groups(), in_address_space()].into_iter().flatten().min()
}

/// Creates an anonymous file, which takes memory only for written pages.
pub(crate) fn anonymous_file() -> io::Result<File> {
    // The call by its number: glibc has the function since 2.27, and the wheel promises 2.17.
    // SAFETY: the name is a C string that outlives the call; the call takes no other pointer.
    let fd =
        unsafe { libc::syscall(libc::SYS_memfd_create, c"colonnade-remote".as_ptr(), libc::MFD_CLOEXEC) };
    let fd = i32::try_from(fd).map_err(io::Error::other)?;
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, and nothing else uses it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) }.into())
}

/// Requests huge pages.
///
/// # Safety
/// The range is whole huge pages of memory that the caller owns. The advice changes no byte.
pub(crate) unsafe fn advise_huge(address: *mut u8, nbytes: usize) {
    // SAFETY: by this function's contract.
    unsafe { libc::madvise(address.cast(), nbytes, libc::MADV_HUGEPAGE) };
}

/// Requests ordinary pages. Huge ones that were touched stay.
///
/// # Safety
/// The range is whole pages of memory that the caller owns. The advice changes no byte.
pub(crate) unsafe fn advise_ordinary(address: *mut u8, nbytes: usize) {
    // SAFETY: by this function's contract.
    unsafe { libc::madvise(address.cast(), nbytes, libc::MADV_NOHUGEPAGE) };
}

/// Processor time of this thread.
pub(crate) fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes the structure, which outlives it.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Returns pages to the system. Their bytes are lost.
///
/// # Safety
/// The range is whole pages of an anonymous mapping, and nothing else uses it.
pub(crate) unsafe fn discard_pages(address: *mut u8, nbytes: usize) {
    // SAFETY: by this function's contract.
    unsafe { libc::madvise(address.cast(), nbytes, libc::MADV_DONTNEED) };
}

/// Drops pages from the memory of this process. The next access reads them from the file again.
///
/// # Safety
/// The range is whole pages of a shared map of a file.
pub(crate) unsafe fn drop_file_pages(address: *mut u8, nbytes: usize) {
    // SAFETY: by this function's contract.
    unsafe { libc::madvise(address.cast(), nbytes, libc::MADV_DONTNEED) };
}

/// Grows an anonymous mapping and returns its new address. The kernel moves its pages.
///
/// # Safety
/// The caller owns the mapping of `nbytes` bytes at `address`, and does not use it after success.
pub(crate) unsafe fn remap(address: usize, nbytes: usize, grown_nbytes: usize) -> io::Result<usize> {
    // SAFETY: by this function's contract; after a failure everything is unchanged.
    let grown =
        unsafe { libc::mremap(address as *mut libc::c_void, nbytes, grown_nbytes, libc::MREMAP_MAYMOVE) };
    if grown == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(grown as usize)
}

fn in_system() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// The least free memory of the process' control groups and their parents, in versions 1 and 2 of the interface.
fn in_control_groups() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mut least = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, names) = match controllers {
            "" => ("/sys/fs/cgroup", ["memory.max", "memory.current", "inactive_file"]),
            list if list.split(',').any(|name| name == "memory") => (
                "/sys/fs/cgroup/memory",
                ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"],
            ),
            _ => continue,
        };
        let whole: PathBuf = Path::new(root).join(path.trim_start_matches('/'));
        // In a container the path may be the host's; then the root is the container's group.
        for place in whole.ancestors().take_while(|place| place.starts_with(root)) {
            least = least.into_iter().chain(free_in(place, names)).min();
        }
    }
    least
}

/// The unused part of a group's limit. Droppable file pages count as free.
fn free_in(place: &Path, [max, current, droppable]: [&str; 3]) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(place.join(name)).ok()?.trim().parse::<u64>().ok();
    let (max, current) = (number(max)?, number(current)?);
    let stat = fs::read_to_string(place.join("memory.stat")).unwrap_or_default();
    let value = |line: &str| line.strip_prefix(droppable)?.trim().parse::<u64>().ok();
    let droppable = stat.lines().find_map(value).unwrap_or(0);
    Some(max.saturating_sub(current.saturating_sub(droppable)))
}

fn in_address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    // "unlimited" does not parse, which means no limit.
    let max: u64 = line.split_whitespace().next()?.parse().ok()?;
    let used = kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(max.saturating_sub(used))
}

fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo_lines_are_parsed() {
        assert_eq!(kilobytes("MemFree: 5 kB\nMemAvailable:   7 kB\n", "MemAvailable:"), Some(7 << 10));
        assert_eq!(kilobytes("MemFree: 5 kB\n", "MemAvailable:"), None);
        assert!(available_nbytes().unwrap() > 0);
    }

    #[test]
    fn pages_of_files_in_a_group_count_as_free() {
        let place = std::env::temp_dir().join(format!("group-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        for (name, content) in [
            ("memory.max", "1000\n"),
            ("memory.current", "700\n"),
            ("memory.stat", "anon 1\ninactive_file 200\n"),
        ] {
            fs::write(place.join(name), content).unwrap();
        }
        let names = ["memory.max", "memory.current", "inactive_file"];
        assert_eq!(free_in(&place, names), Some(500));
        fs::write(place.join("memory.max"), "max\n").unwrap();
        assert_eq!(free_in(&place, names), None);
        fs::remove_dir_all(&place).unwrap();
    }
}
