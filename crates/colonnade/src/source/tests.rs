//! Tests of what each kind of source returns and refuses.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use super::directory::OpenDirectory;
use super::*;
use crate::error::ErrorKind;
use crate::memory::{Fetch, FetchCheck, PieceReceiver};
use crate::progress::NoProgress;

/// A file of `nbytes` bytes that count up.
fn file_of(nbytes: u64) -> (tempfile::NamedTempFile, Vec<u8>) {
    let bytes: Vec<u8> = (0..nbytes).map(|i| (i % 251) as u8).collect();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&bytes).unwrap();
    (file, bytes)
}

fn opened(path: &Path, mmap: bool) -> Result<SourceBytes> {
    Source::Path { path, mmap }.open("test", &Limits::default(), 2, &NoProgress)
}

#[test]
fn only_large_files_are_mapped_if_allowed() {
    for (nbytes, mmap, expected) in [
        (0, true, false),
        (MAP_MIN_NBYTES - 1, true, false),
        (MAP_MIN_NBYTES, true, true),
        (MAP_MIN_NBYTES, false, false),
        (9 << 20, false, false),
    ] {
        let (file, bytes) = file_of(nbytes);
        let found = opened(file.path(), mmap).unwrap();
        assert_eq!(found.bytes.as_slice(), bytes, "{nbytes} bytes, mmap {mmap}");
        assert_eq!(found.map.is_some(), expected, "{nbytes} bytes, mmap {mmap}");
        assert!(found.remote.is_none());
    }
}

#[test]
fn a_file_that_is_not_mapped_may_be_left_unread() {
    let (file, _) = file_of(MAP_MIN_NBYTES);
    let found = open_file(File::open(file.path()).unwrap(), false).unwrap();
    assert!(matches!(found, FileBytes::Unread(file) if file.nbytes() == MAP_MIN_NBYTES));
}

#[test]
fn system_errors_are_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let errno = |path: &Path| match opened(path, true).unwrap_err().into_kind() {
        ErrorKind::Io(error) => error.raw_os_error(),
        other => panic!("{other:?}"),
    };
    assert_eq!(errno(&folder.path().join("none")), Some(libc::ENOENT));
    assert_eq!(errno(folder.path()), Some(libc::EISDIR));
}

/// Returns a few bytes a call, and `Interrupted` before each call.
struct Drops {
    left: usize,
    interrupted: bool,
}

impl Read for Drops {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = self.left.min(7).min(room.len());
        room.iter_mut().take(count).for_each(|byte| *byte = 1);
        self.left -= count;
        Ok(count)
    }
}

/// Counts the calls of `Progress`.
#[derive(Default)]
struct Counts {
    done: Cell<u64>,
    interrupts: Cell<u64>,
}

impl Progress for Counts {
    fn advance(&self, done: u64, total: Option<u64>) -> Result<()> {
        assert!(done >= self.done.get() && total.is_none());
        self.done.set(done);
        Ok(())
    }

    fn interrupted(&self) -> Result<()> {
        self.interrupts.set(self.interrupts.get() + 1);
        Ok(())
    }
}

#[test]
fn streams_report_progress_and_continue_after_a_signal() {
    let counts = Counts::default();
    let mut stream = Drops { left: 100, interrupted: false };
    let bytes = Source::Stream(&mut stream).read("test", &Limits::default(), 1, &counts).unwrap();
    assert_eq!(bytes.as_slice(), [1; 100]);
    assert_eq!((counts.done.get(), counts.interrupts.get()), (100, 16));
}

#[test]
fn a_stream_stops_at_the_limit_with_the_format_named() {
    let limits = Limits { max_stream_nbytes: Some(50), ..Limits::default() };
    let mut stream = Drops { left: 100, interrupted: false };
    let error = Source::Stream(&mut stream).read("test", &limits, 1, &NoProgress).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded));
    let text = error.to_string();
    assert!(text.starts_with("test: ") && text.contains("max_stream_nbytes"), "{text}");
    // The read was cancelled before the end of the stream.
    assert!(stream.left > 40);
}

#[test]
fn a_check_sees_all_received_bytes_and_may_refuse_them() {
    let mut seen = 0;
    let mut check = |bytes: &[u8]| {
        seen = bytes.len();
        if seen < 20 { Ok(()) } else { Err(crate::Error::limit("test", "enough.")) }
    };
    let mut stream = Drops { left: 100, interrupted: false };
    let error =
        collect_checked(&mut stream, "test", &Limits::default(), &mut check, &NoProgress).unwrap_err();
    assert_eq!(error.to_string(), "test: enough.");
    assert_eq!(seen, 21);
}

/// A remote file whose bytes are in memory.
#[derive(Debug)]
pub(crate) struct InMemoryRemote(pub(crate) Vec<u8>);

impl Fetch for InMemoryRemote {
    fn fetch(
        &self,
        ranges: &[(usize, usize)],
        receive: &mut PieceReceiver<'_>,
        _check: &mut FetchCheck<'_>,
    ) -> Result<()> {
        ranges.iter().try_for_each(|&(start, end)| receive(start, self.0.get(start..end).unwrap()))
    }

    fn pause(&self) -> Result<()> {
        Ok(())
    }
}

#[test]
fn ranges_are_fetched_on_read_and_not_on_open() {
    let remote =
        Arc::new(Remote::new(1 << 20, u64::MAX, Box::new(InMemoryRemote(vec![3; 1 << 20]))).unwrap());
    let found = Source::Ranges(Arc::clone(&remote)).open("test", &Limits::default(), 1, &NoProgress).unwrap();
    assert!(found.remote.is_some() && remote.fetched_nbytes() == 0);
    let bytes = Source::Ranges(Arc::clone(&remote)).read("test", &Limits::default(), 1, &NoProgress).unwrap();
    assert_eq!(remote.fetched_nbytes(), 1 << 20);
    assert!(bytes.as_slice().iter().all(|byte| *byte == 3));
}

#[test]
fn a_directory_lists_its_members_by_name_and_follows_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    for name in ["b.npy", "a.npy", "other.txt"] {
        std::fs::write(place(name), name).unwrap();
    }
    let list = || OpenDirectory::list(folder.path(), "npy", &|name| name.ends_with(".npy"));
    let members = list().unwrap();
    let names: Vec<(&str, u64)> = members.files().iter().map(|f| (f.name.as_str(), f.nbytes)).collect();
    assert_eq!(names, [("a.npy", 5), ("b.npy", 5)]);

    std::fs::rename(place("b.npy"), place("c.npy")).unwrap();
    std::os::unix::fs::symlink(place("a.npy"), place("b.npy")).unwrap();
    let text = "npy: \"b.npy\": expected a regular file, found a symbolic link. Put the file itself there, or give it \
                another name.";
    assert_eq!(list().unwrap_err().to_string(), text);
    assert_eq!(members.open(1).unwrap_err().to_string(), text.replace("\"b.npy\": ", ""));
    assert!(members.open(0).is_ok());
}

#[test]
fn a_directory_that_was_replaced_gives_none_of_the_new_files() {
    let root = tempfile::tempdir().unwrap();
    let place = |name: &str| root.path().join(name);
    for name in ["old", "new"] {
        std::fs::create_dir(place(name)).unwrap();
        std::fs::write(place(name).join("a.npy"), name).unwrap();
    }
    let old = OpenDirectory::list(&place("old"), "npy", &|_| true).unwrap();
    std::fs::rename(place("old"), place("moved")).unwrap();
    std::fs::rename(place("new"), place("old")).unwrap();
    assert_eq!(std::io::read_to_string(old.open(0).unwrap()).unwrap(), "old");
    std::fs::remove_dir_all(place("moved")).unwrap();
    let text = "npy: \"a.npy\": expected the file that was listed, found none. The directory was replaced or the file was \
                removed: read the directory again.";
    assert_eq!(old.open(0).unwrap_err().to_string(), text);
}
