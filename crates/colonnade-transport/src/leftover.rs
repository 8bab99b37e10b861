//! Leftovers of killed writers next to their target: the next write to that target finds and removes them.
//!
//! A living writer holds a lock (`flock`) on its temporary file, which the system releases when the process ends for any
//! reason. A temporary file that is not locked is a leftover. The lock is more reliable than a process id, which another
//! process may have reused, and which has another meaning in another container. Network and user-space file systems may keep
//! separate locks for each host, so nothing is removed there.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, flock, fstat, openat, statat, unlinkat,
};
use rustix::io::Errno;

use crate::platform::is_local;
use crate::temporary_name::{parent, stem};

/// The maximum number of directory entries that are searched, so that the search costs a small write little in any directory.
const MAX_NAMES: usize = 1000;

/// Marks a new temporary file or directory as that of a living writer, until it is closed. Returns false if another writer
/// removed it as a leftover meanwhile, or is about to.
pub(crate) fn claim(file: &File) -> bool {
    if !is_local(file.as_fd()) {
        return true;
    }
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => false,
        // If locks are not supported, no writer gets one, and nothing is removed.
        Err(_) => true,
        Ok(()) => fstat(file).is_ok_and(|found| found.st_nlink > 0),
    }
}

/// Removes the leftovers of killed writers to `target`. `may_remove` decides for each name within a directory. Leftovers that
/// cannot be removed stay, without harm.
pub(crate) fn sweep(target: &Path, may_remove: Option<&dyn Fn(&str) -> bool>) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(folder) = openat(CWD, parent(target), flags, Mode::empty()) else { return };
    let Ok(names) = Dir::read_from(&folder) else { return };
    let front = format!(".{}.", stem(target));
    let mut checked = false;
    for entry in names.flatten().take(MAX_NAMES) {
        let Ok(name) = entry.file_name().to_str() else { continue };
        if !name.strip_prefix(&front).is_some_and(is_ending) {
            continue;
        }
        if !checked && !is_local(folder.as_fd()) {
            return;
        }
        checked = true;
        remove(folder.as_fd(), parent(target), name, may_remove).ok();
    }
}

/// `<process>.<number>.tmp`
fn is_ending(text: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let parts = text.strip_suffix(".tmp").and_then(|rest| rest.split_once('.'));
    parts.is_some_and(|(process, count)| number(process) && number(count))
}

fn remove(
    folder: BorrowedFd<'_>,
    path: &Path,
    name: &str,
    may_remove: Option<&dyn Fn(&str) -> bool>,
) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(folder, name, flags, Mode::empty())?;
    let found = fstat(&file)?;
    let kind = FileType::from_raw_mode(found.st_mode);
    let fits = match kind {
        FileType::RegularFile => true,
        FileType::Directory => may_remove.is_some(),
        _ => false,
    };
    if !fits || found.st_uid != rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    // Another file may have the name by now.
    let named = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if (named.st_dev, named.st_ino) != (found.st_dev, found.st_ino) {
        return Ok(());
    }
    if kind == FileType::RegularFile {
        return Ok(unlinkat(folder, name, AtFlags::empty())?);
    }
    let path = path.join(name);
    for entry in fs::read_dir(&path)? {
        let entry = entry?;
        let inner = entry.file_name();
        let known = |inner: &str| {
            // A member that is being written has a temporary name itself.
            let ends =
                |rest: &str| rest.match_indices('.').any(|(at, _)| rest.get(at + 1..).is_some_and(is_ending));
            inner.strip_prefix('.').is_some_and(ends) || may_remove.is_some_and(|may| may(inner))
        };
        if !(entry.file_type()?.is_file() && inner.to_str().is_some_and(known)) {
            return Ok(());
        }
    }
    fs::remove_dir_all(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        for (text, is) in [
            ("12.0.tmp", true),
            ("1.22.tmp", true),
            ("12.tmp", false),
            ("a.0.tmp", false),
            (".0.tmp", false),
            ("12..tmp", false),
            ("12.0.3.tmp", false),
            ("12.0.tmp.x", false),
            ("+1.0.tmp", false),
        ] {
            assert_eq!(is_ending(text), is, "{text}");
        }
    }

    #[test]
    fn unlocked_leftovers_are_removed_and_other_files_stay() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("x");
        for name in [".x.7.0.tmp", ".x.7.1.tmp", ".y.7.0.tmp", ".x.7.0.tmp.bak", ".x.z.7.0.tmp", "x.7.0.tmp"]
        {
            fs::write(root.path().join(name), "").unwrap();
        }
        std::os::unix::fs::symlink("elsewhere", root.path().join(".x.8.0.tmp")).unwrap();
        fs::create_dir(root.path().join(".x.9.0.tmp")).unwrap();
        let held = File::open(root.path().join(".x.7.1.tmp")).unwrap();
        assert!(claim(&held));
        sweep(&target, None);
        let mut left: Vec<String> = fs::read_dir(root.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let remaining = [
            ".x.7.0.tmp.bak",
            ".x.7.1.tmp",
            ".x.8.0.tmp",
            ".x.9.0.tmp",
            ".x.z.7.0.tmp",
            ".y.7.0.tmp",
            "x.7.0.tmp",
        ];
        let is_local = is_local(held.as_fd());
        assert_eq!(left.len(), remaining.len() + usize::from(!is_local));
        if is_local {
            assert_eq!(left, remaining);
        }
    }

    #[test]
    fn a_leftover_directory_is_removed_only_if_all_its_files_may_be() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("d");
        for (name, inner) in [(".d.7.0.tmp", "m"), (".d.7.1.tmp", ".m.7.0.tmp"), (".d.7.2.tmp", "precious")] {
            fs::create_dir(root.path().join(name)).unwrap();
            fs::write(root.path().join(name).join(inner), "").unwrap();
        }
        sweep(&target, Some(&|name| name == "m"));
        if is_local(File::open(root.path()).unwrap().as_fd()) {
            assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
        }
        assert!(root.path().join(".d.7.2.tmp/precious").exists());
    }

    #[test]
    fn a_removed_leftover_is_not_claimed() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(".x.7.0.tmp");
        let file = File::create(&path).unwrap();
        if is_local(file.as_fd()) {
            sweep(&root.path().join("x"), None);
            assert!(!claim(&file));
        }
    }
}
