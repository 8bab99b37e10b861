//! Fetches ranges of a remote file in a thread, while those that have landed are decoded.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::panics::catch_panic;
use crate::platform::start_thread;
use crate::progress::Progress;

use super::remote::Remote;

/// Fewer bytes are fetched before the work on them begins: a thread would save nothing.
const AHEAD_NBYTES: u64 = 1 << 20;

/// A thread that waits for a range looks for signals after this time.
const TICK: Duration = Duration::from_millis(40);

impl Remote {
    /// Fetches the missing parts of these ranges in a thread, while `work` uses those that are there. `work` waits for each range
    /// by [`Remote::wait_for`], and reports to the progress that it gets.
    ///
    /// # Errors
    /// As [`Remote::need`]; errors of `work`, which stop the thread.
    pub fn fetch_during<T>(
        &self,
        ranges: &[(usize, usize)],
        progress: &dyn Progress,
        work: impl FnOnce(&dyn Progress) -> Result<T>,
    ) -> Result<T> {
        let Some(claim) = self.claim(ranges)? else { return work(progress) };
        if claim.nbytes < AHEAD_NBYTES {
            self.fetch(&claim, progress)?;
            drop(claim);
            return work(progress);
        }
        self.is_stopped.store(false, Ordering::Relaxed);
        self.set_ahead(true);
        let waiting = Mutex::new(Some(claim));
        let take = || waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (found, fetched, was_stopped) = std::thread::scope(|scope| {
            let started = start_thread(scope, || {
                let Some(claim) = take() else { return (Ok(()), false) };
                let mut was_stopped = false;
                let fetched = catch_panic(|| {
                    self.source.fetch(&claim.missing, &mut |at, bytes| self.land(at, bytes), &mut || {
                        was_stopped = self.is_stopped.load(Ordering::Relaxed);
                        if was_stopped { Err(Error::internal("a fetch was stopped", None)) } else { Ok(()) }
                    })
                });
                let fetched = fetched.and_then(|result| result);
                if fetched.is_ok() {
                    self.add(&claim.missing);
                }
                // Before the right to fetch: another thread may take it at once.
                self.set_ahead(false);
                drop(claim);
                (fetched, was_stopped)
            });
            let Some(thread) = started else {
                self.set_ahead(false);
                let fetched = take().map_or(Ok(()), |claim| self.fetch(&claim, progress));
                return (fetched.and_then(|()| work(progress)), Ok(()), false);
            };
            let found = work(&StoppingProgress { progress, remote: self });
            if found.is_err() {
                self.is_stopped.store(true, Ordering::Relaxed);
            }
            let ended = Error::internal("a worker thread ended early", None);
            let (fetched, was_stopped) = thread.join().unwrap_or((Err(ended), false));
            (found, fetched, was_stopped)
        });
        match (found, fetched) {
            // The work failed because its bytes did not come.
            (_, Err(error)) if !was_stopped => Err(error),
            (found, _) => found,
        }
    }

    /// Waits until a range is there, which a caller of [`Remote::fetch_during`] asked for.
    ///
    /// # Errors
    /// The range does not come; cancellation.
    pub fn wait_for(&self, start: usize, end: usize) -> Result<()> {
        let end = end.min(self.bytes().nbytes());
        let mut fetched = self.lock();
        loop {
            if start >= end || fetched.fetched_from(start) >= end - start {
                return Ok(());
            }
            if !self.is_ahead.load(Ordering::Relaxed) || self.is_stopped.load(Ordering::Relaxed) {
                let message = format!("expected bytes {start} to {end}, which nobody fetches any more.");
                return Err(Error::malformed("http", message));
            }
            let (guard, waited) =
                self.landed.wait_timeout(fetched, TICK).unwrap_or_else(PoisonError::into_inner);
            fetched = guard;
            if waited.timed_out() {
                drop(fetched);
                self.source.pause()?;
                fetched = self.lock();
            }
        }
    }

    /// Writes a piece, and wakes the threads that wait for it.
    fn land(&self, at: usize, bytes: &[u8]) -> Result<()> {
        self.write(at, bytes)?;
        self.lock().add(at, at.saturating_add(bytes.len()).min(self.bytes().nbytes()));
        self.landed.notify_all();
        Ok(())
    }

    fn set_ahead(&self, is_ahead: bool) {
        let _fetched = self.lock();
        self.is_ahead.store(is_ahead, Ordering::Relaxed);
        self.landed.notify_all();
    }
}

/// Stops the thread that fetches when the work on its bytes is cancelled.
struct StoppingProgress<'a> {
    progress: &'a dyn Progress,
    remote: &'a Remote,
}

impl StoppingProgress<'_> {
    fn stop(&self, result: Result<()>) -> Result<()> {
        if result.is_err() {
            self.remote.is_stopped.store(true, Ordering::Relaxed);
            self.remote.landed.notify_all();
        }
        result
    }
}

impl Progress for StoppingProgress<'_> {
    fn advance(&self, done: u64, total: Option<u64>) -> Result<()> {
        self.stop(self.progress.advance(done, total))
    }

    fn interrupted(&self) -> Result<()> {
        self.stop(self.progress.interrupted())
    }

    fn check(&self) -> Result<()> {
        self.stop(self.progress.check())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;
    use crate::memory::{Fetch, FetchCheck, PieceReceiver};
    use crate::progress::NoProgress;

    const NBYTES: usize = 4 << 20;
    const HALF: usize = NBYTES / 2;

    /// Fetches the first half of the file, waits for a word, and fetches the second half.
    #[derive(Debug)]
    struct HalfByHalf(Mutex<Receiver<Result<()>>>);

    impl Fetch for HalfByHalf {
        fn fetch(
            &self,
            _ranges: &[(usize, usize)],
            receive: &mut PieceReceiver<'_>,
            check: &mut FetchCheck<'_>,
        ) -> Result<()> {
            receive(0, &vec![1; HALF])?;
            let word = self.0.lock().unwrap();
            loop {
                check()?;
                match word.recv_timeout(Duration::from_millis(1)) {
                    Ok(word) => word?,
                    Err(_) => continue,
                }
                return receive(HALF, &vec![2; HALF]);
            }
        }

        fn pause(&self) -> Result<()> {
            Ok(())
        }
    }

    fn remote() -> (Remote, Sender<Result<()>>) {
        let (word, receiver) = channel();
        let source = Box::new(HalfByHalf(Mutex::new(receiver)));
        (Remote::new(NBYTES as u64, u64::MAX, source).unwrap(), word)
    }

    #[test]
    fn work_begins_before_all_has_landed() {
        let (remote, word) = remote();
        let found = remote.fetch_during(&[(0, NBYTES)], &NoProgress, |_| {
            remote.wait_for(10, HALF)?;
            let first = remote.bytes().as_slice()[HALF - 1];
            assert_eq!(remote.fetched_from(HALF), 0);
            word.send(Ok(())).unwrap();
            remote.wait_for(HALF, usize::MAX)?;
            Ok((first, remote.bytes().as_slice()[NBYTES - 1]))
        });
        assert_eq!(found.unwrap(), (1, 2));
        assert_eq!(remote.fetched_from(0), NBYTES);
        // All is there, so nothing is fetched.
        remote.fetch_during(&[(0, NBYTES)], &NoProgress, |_| remote.wait_for(0, NBYTES)).unwrap();
    }

    #[test]
    fn an_error_of_the_transport_ends_the_work() {
        let (remote, word) = remote();
        let found = remote.fetch_during(&[(0, NBYTES)], &NoProgress, |_| {
            word.send(Err(Error::limit("http", "the answer is 503."))).unwrap();
            remote.wait_for(0, NBYTES)
        });
        assert!(found.unwrap_err().to_string().contains("503"));
        assert_eq!((remote.fetched_from(0), remote.fetched_from(HALF)), (HALF, 0));
    }

    #[test]
    fn an_error_of_the_work_ends_the_transport() {
        let (remote, word) = remote();
        let error = || Error::malformed("parquet", "a bad page.");
        let found = remote.fetch_during(&[(0, NBYTES)], &NoProgress, |_| Err::<(), _>(error()));
        assert!(found.unwrap_err().to_string().contains("a bad page"));
        // The right to fetch is free again.
        word.send(Ok(())).unwrap();
        remote.need(&[(HALF, NBYTES)], &NoProgress).unwrap();
    }

    #[test]
    fn cancelled_work_wakes_who_waits() {
        struct Cancelled;
        impl Progress for Cancelled {
            fn advance(&self, _done: u64, _total: Option<u64>) -> Result<()> {
                Err(Error::limit("progress", "cancelled."))
            }
        }
        let (remote, _word) = remote();
        let found = remote.fetch_during(&[(0, NBYTES)], &Cancelled, |progress| {
            let waits = || remote.wait_for(HALF, NBYTES);
            crate::parallel::run(
                vec![crate::parallel::Task::new(1 << 20, waits), crate::parallel::Task::new(1 << 20, waits)],
                2,
                progress,
            )
        });
        assert!(found.is_err());
    }
}
