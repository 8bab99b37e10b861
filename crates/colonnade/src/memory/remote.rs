//! A file on a server: an anonymous file of the same length, mapped for reading. Ranges are fetched when they are needed.
//!
//! A caller names the ranges that it reads ([`Remote::need`]). Other ranges are neither fetched nor take memory. Fetched bytes
//! are written to the file by the system, never through the map, so the map is like that of any other file: this process only
//! reads it.

use std::fmt::Debug;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::platform::anonymous_file;
use crate::progress::Progress;

use super::fetched_ranges::FetchedRanges;
use super::{Buffer, MappedFile};

/// Receives a fetched piece: its offset in the file and its bytes.
pub type PieceReceiver<'a> = dyn FnMut(usize, &[u8]) -> Result<()> + 'a;

/// Whether to go on fetching.
pub type FetchCheck<'a> = dyn FnMut() -> Result<()> + 'a;

/// Fetches ranges of a remote file.
pub trait Fetch: Send + Sync + Debug {
    /// Fetches all of the ranges (sorted, disjoint, none empty), or fails. Passes the pieces to `receive` in any order, and calls
    /// `check` several times a second while it waits.
    ///
    /// # Errors
    /// Errors of the transport, of `receive` and of `check`; cancellation.
    fn fetch(
        &self,
        ranges: &[(usize, usize)],
        receive: &mut PieceReceiver<'_>,
        check: &mut FetchCheck<'_>,
    ) -> Result<()>;

    /// Waits briefly while another thread fetches.
    ///
    /// # Errors
    /// Cancellation.
    fn pause(&self) -> Result<()>;
}

/// A remote file, some of whose bytes are fetched.
#[derive(Debug)]
pub struct Remote {
    /// Holds the fetched bytes; `None` for an empty file.
    file: Option<MappedFile>,
    bytes: Buffer,
    limit: u64,
    pub(super) source: Box<dyn Fetch>,
    /// The id of the process that is fetching; 0 if none is.
    fetching: AtomicU32,
    /// The lock is held only for a lookup or an update, never while fetching.
    fetched: Mutex<FetchedRanges>,
    /// Whether a thread fetches while others work. It changes while `fetched` is locked.
    pub(super) is_ahead: AtomicBool,
    /// Whether that thread should stop.
    pub(super) is_stopped: AtomicBool,
    /// Tells that a piece has landed, or that the thread has ended.
    pub(super) landed: Condvar,
}

/// Ranges that one caller is going to fetch.
pub(super) struct Claim<'r> {
    pub(super) missing: Vec<(usize, usize)>,
    pub(super) nbytes: u64,
    _guard: FetchGuard<'r>,
}

impl Remote {
    /// Creates a file of `nbytes` bytes, none of them fetched yet. At most `limit` bytes are fetched.
    ///
    /// # Errors
    /// `LimitExceeded`: the address space cannot hold so many bytes; errors of the operating system.
    pub fn new(nbytes: u64, limit: u64, source: Box<dyn Fetch>) -> Result<Self> {
        let (file, bytes) = if nbytes == 0 {
            (None, Buffer::from_vec(Vec::new()))
        } else {
            let file = anonymous_file()?;
            let mapped = file.set_len(nbytes).and_then(|()| {
                let file = MappedFile::new(file, nbytes);
                file.map_shared().map(|bytes| (Some(file), bytes))
            });
            mapped.map_err(|_| {
                let message = format!(
                    "the server declares a file of {nbytes} bytes, more than this process can address. Is it the right URL?"
                );
                Error::limit("http", message)
            })?
        };
        Ok(Self {
            file,
            bytes,
            limit,
            source,
            fetching: AtomicU32::new(0),
            fetched: Mutex::default(),
            is_ahead: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
            landed: Condvar::new(),
        })
    }

    /// The whole file. Only ranges that [`Remote::need`] has fetched may be read: all others are zero or changing.
    #[must_use]
    pub fn bytes(&self) -> &Buffer {
        &self.bytes
    }

    /// Adds the bytes that came with the first response.
    ///
    /// # Errors
    /// Errors of the operating system, for example without memory.
    pub fn seed(&mut self, bytes: &[u8]) -> Result<()> {
        self.write(0, bytes)?;
        self.lock().add(0, bytes.len().min(self.bytes.nbytes()));
        Ok(())
    }

    /// Fetches the missing parts of these ranges. Ignores parts beyond the end of the file.
    ///
    /// # Errors
    /// Errors of the transport; a limit; cancellation.
    pub fn need(&self, ranges: &[(usize, usize)], progress: &dyn Progress) -> Result<()> {
        match self.claim(ranges)? {
            Some(claim) => self.fetch(&claim, progress),
            None => Ok(()),
        }
    }

    /// Obtains the right to fetch the missing parts of these ranges; `None`: all are there.
    pub(super) fn claim(&self, ranges: &[(usize, usize)]) -> Result<Option<Claim<'_>>> {
        if self.lock().to_fetch(ranges, self.bytes.nbytes()).is_empty() {
            return Ok(None);
        }
        let guard = self.wait()?;
        let (missing, fetched_nbytes) = {
            let fetched = self.lock();
            (fetched.to_fetch(ranges, self.bytes.nbytes()), fetched.nbytes())
        };
        let nbytes = missing.iter().map(|(start, end)| (end - start) as u64).sum::<u64>();
        if nbytes == 0 {
            return Ok(None);
        }
        if fetched_nbytes.saturating_add(nbytes) > self.limit {
            let message = format!(
                "reading needs {} bytes of the file, the limit is {}. Raise Limits(max_nbytes=...) if you trust it.",
                fetched_nbytes.saturating_add(nbytes),
                self.limit
            );
            return Err(Error::limit("http", message));
        }
        Ok(Some(Claim { missing, nbytes, _guard: guard }))
    }

    pub(super) fn fetch(&self, claim: &Claim<'_>, progress: &dyn Progress) -> Result<()> {
        let mut done = 0;
        let mut receive = |at: usize, bytes: &[u8]| {
            self.write(at, bytes)?;
            done += bytes.len() as u64;
            progress.advance(done, Some(claim.nbytes))
        };
        self.source.fetch(&claim.missing, &mut receive, &mut || Ok(()))?;
        self.add(&claim.missing);
        Ok(())
    }

    pub(super) fn add(&self, ranges: &[(usize, usize)]) {
        let mut fetched = self.lock();
        ranges.iter().for_each(|&(start, end)| fetched.add(start, end));
    }

    /// The number of bytes from `at` on that are fetched.
    #[must_use]
    pub fn fetched_from(&self, at: usize) -> usize {
        self.lock().fetched_from(at)
    }

    /// The number of fetched bytes.
    #[must_use]
    pub fn fetched_nbytes(&self) -> u64 {
        self.lock().nbytes()
    }

    /// Writes the part of `bytes` before the end of the file. Fetched bytes stay as they are: a reader may have checked them.
    pub(super) fn write(&self, at: usize, bytes: &[u8]) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let end = at.saturating_add(bytes.len()).min(self.bytes.nbytes());
        let mut missing = Vec::new();
        self.lock().missing((at, end), &mut missing);
        for (from, to) in missing {
            if let Some(part) = bytes.get(from - at..to - at) {
                file.file().write_all_at(part, from as u64)?;
            }
        }
        Ok(())
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, FetchedRanges> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Obtains the right to fetch. Checks for signals while another thread fetches.
    fn wait(&self) -> Result<FetchGuard<'_>> {
        let us = std::process::id();
        loop {
            let owner = self.fetching.load(Ordering::Relaxed);
            // A forked child inherits the id of a thread that does not exist there, so the right is free.
            let free = owner != us;
            if free && self.fetching.compare_exchange(owner, us, Ordering::Acquire, Ordering::Relaxed).is_ok()
            {
                return Ok(FetchGuard(&self.fetching));
            }
            if !free {
                self.source.pause()?;
            }
        }
    }
}

/// The right to fetch; dropping it frees the right.
struct FetchGuard<'a>(&'a AtomicU32);

impl Drop for FetchGuard<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fetched_ranges::JOIN_GAP;
    use super::*;
    use crate::progress::NoProgress;

    /// Returns the low byte of each offset, and records the requested ranges.
    #[derive(Debug, Default)]
    struct RecordedFetch(Log);

    type Log = std::sync::Arc<Mutex<Vec<(usize, usize)>>>;

    impl Fetch for RecordedFetch {
        fn fetch(
            &self,
            ranges: &[(usize, usize)],
            receive: &mut PieceReceiver<'_>,
            check: &mut FetchCheck<'_>,
        ) -> Result<()> {
            self.0.lock().unwrap().extend(ranges);
            for &(start, end) in ranges {
                check()?;
                let bytes: Vec<u8> = (start..end).map(|i| i.to_le_bytes()[0]).collect();
                bytes.chunks(1000).enumerate().try_for_each(|(i, part)| receive(start + i * 1000, part))?;
            }
            Ok(())
        }

        fn pause(&self) -> Result<()> {
            Ok(())
        }
    }

    fn remote(nbytes: u64, limit: u64) -> (Remote, Log) {
        let requested = Log::default();
        (Remote::new(nbytes, limit, Box::new(RecordedFetch(requested.clone()))).unwrap(), requested)
    }

    const GAP: usize = JOIN_GAP;

    #[test]
    fn every_byte_is_fetched_once_with_small_gaps() {
        let (mut remote, requested) = remote(100 << 20, u64::MAX);
        remote.seed(&[0, 1, 2, 3]).unwrap();
        remote.need(&[(0, 10), (20, 30), (10 * GAP, 10 * GAP + 5)], &NoProgress).unwrap();
        assert_eq!(*requested.lock().unwrap(), [(4, 30), (10 * GAP, 10 * GAP + 5)]);
        remote.need(&[(0, 30)], &NoProgress).unwrap();
        remote.need(&[(25, 40), (10 * GAP - 3, 10 * GAP + 8)], &NoProgress).unwrap();
        let later = [(30, 40), (10 * GAP - 3, 10 * GAP), (10 * GAP + 5, 10 * GAP + 8)];
        assert_eq!(requested.lock().unwrap().get(2..).unwrap(), later);
        let whole = remote.bytes().as_slice();
        assert!((0..40).chain(10 * GAP - 3..10 * GAP + 8).all(|i| whole[i] == i.to_le_bytes()[0]));
        assert_eq!((remote.fetched_from(38), remote.fetched_from(40), remote.fetched_nbytes()), (2, 0, 51));
    }

    #[test]
    fn fetched_bytes_stay() {
        let (mut remote, _) = remote(20, u64::MAX);
        remote.seed(&[1; 10]).unwrap();
        remote.write(5, &[2; 10]).unwrap();
        remote.write(15, &[3; 100]).unwrap();
        remote.write(usize::MAX, &[4; 10]).unwrap();
        let expected = [&[1u8; 10][..], &[2; 5][..], &[3; 5][..]].concat();
        assert_eq!(remote.bytes().as_slice(), expected);
    }

    /// Checks the fetched ranges while fetching, as another thread may.
    struct CheckWhileFetching<'r>(&'r Remote);

    impl Progress for CheckWhileFetching<'_> {
        fn advance(&self, _done: u64, _total: Option<u64>) -> Result<()> {
            assert_eq!((self.0.fetched_from(0), self.0.fetched_nbytes()), (0, 0));
            Ok(())
        }
    }

    #[test]
    fn lookups_do_not_wait_for_fetches() {
        let (remote, _) = remote(1 << 20, u64::MAX);
        remote.need(&[(0, 5000)], &CheckWhileFetching(&remote)).unwrap();
        assert_eq!(remote.fetched_from(0), 5000);
    }

    #[test]
    fn the_id_of_another_process_does_not_block() {
        let (remote, _) = remote(100, u64::MAX);
        remote.fetching.store(std::process::id() + 1, Ordering::Relaxed);
        remote.need(&[(0, 100)], &NoProgress).unwrap();
        assert_eq!((remote.fetched_from(0), remote.fetching.load(Ordering::Relaxed)), (100, 0));
    }

    #[test]
    fn ranges_beyond_the_end_are_ignored_and_empty_files_work() {
        let (remote, requested) = remote(100, u64::MAX);
        remote.need(&[(90, 1000), (500, 600)], &NoProgress).unwrap();
        assert_eq!(*requested.lock().unwrap(), [(90, 100)]);
        let (mut empty, _) = self::remote(0, u64::MAX);
        empty.need(&[(0, 10)], &NoProgress).unwrap();
        empty.seed(&[1]).unwrap();
    }

    #[test]
    fn limits_hold_before_anything_is_fetched() {
        let (remote, requested) = remote(1 << 40, 1000);
        assert!(remote.need(&[(0, 1001)], &NoProgress).is_err());
        remote.need(&[(5, 1005)], &NoProgress).unwrap();
        assert!(remote.need(&[(0, 5)], &NoProgress).is_err());
        assert_eq!(requested.lock().unwrap().len(), 1);
        assert!(Remote::new(1 << 63, u64::MAX, Box::new(RecordedFetch::default())).is_err());
    }
}
