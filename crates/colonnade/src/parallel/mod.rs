//! The plan: independent tasks, each from source bytes to its own destination, and the threads that run them.
//!
//! Threads are scoped to the call rather than kept in a pool: a spawn costs 20 microseconds, plans smaller than that
//! run inline, and nothing is left that a fork could break.

mod gather;
mod ordered;
mod panic_for_tests;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

pub use gather::{LOOK_NBYTES, Look, gather, gather_looking};
pub use ordered::ordered;
pub use panic_for_tests::panic_for_tests;

use crate::error::{Error, Result};
use crate::panics::caught;
use crate::progress::{NoProgress, Progress};

/// Plans below this size are not worth a thread.
const INLINE_NBYTES: usize = 512 << 10;

/// How often the calling thread looks for signals and reports progress.
const TICK: Duration = Duration::from_millis(40);

/// One piece of work: no task waits for another's output.
pub struct Task<'a> {
    /// Bytes that it produces, for progress.
    pub nbytes: usize,
    /// The work.
    pub work: Box<dyn FnOnce() -> Result<()> + Send + 'a>,
}

impl<'a> Task<'a> {
    /// A task that produces `nbytes`.
    pub fn new(nbytes: usize, work: impl FnOnce() -> Result<()> + Send + 'a) -> Self {
        Self { nbytes, work: Box::new(work) }
    }
}

/// Runs all tasks on up to `threads` threads; the first error stops the rest. The calling thread reports progress and
/// notices cancellation between tasks.
///
/// # Errors
/// The first task's error, or `Cancelled` from `progress`.
pub fn run(tasks: Vec<Task<'_>>, threads: usize, progress: &dyn Progress) -> Result<()> {
    let total: usize = tasks.iter().map(|t| t.nbytes).sum();
    let threads = threads.min(tasks.len());
    if threads <= 1 || total < INLINE_NBYTES {
        let mut done = 0;
        for task in tasks {
            (task.work)()?;
            done += task.nbytes;
            progress.advance(done as u64, Some(total as u64))?;
        }
        return Ok(());
    }
    Crew::new(tasks).run(threads, total, progress)
}

/// Runs all tasks on all cores.
///
/// # Errors
/// The first task's error.
pub fn run_on_all_cores(tasks: Vec<Task<'_>>) -> Result<()> {
    run(tasks, std::thread::available_parallelism().map_or(1, usize::from), &NoProgress)
}

struct Crew<'a> {
    tasks: Vec<Mutex<Option<Task<'a>>>>,
    next: AtomicUsize,
    done_nbytes: AtomicUsize,
    stop: AtomicBool,
    error: Mutex<Option<Error>>,
    working: Mutex<usize>,
    ended: Condvar,
}

/// Counts a worker out even where it panics, so that the calling thread never waits for it in vain.
struct CountOut<'c, 'a>(&'c Crew<'a>);

impl Drop for CountOut<'_, '_> {
    fn drop(&mut self) {
        *self.0.working.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.ended.notify_all();
    }
}

impl<'a> Crew<'a> {
    fn new(tasks: Vec<Task<'a>>) -> Self {
        Self {
            tasks: tasks.into_iter().map(|t| Mutex::new(Some(t))).collect(),
            next: AtomicUsize::new(0),
            done_nbytes: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            error: Mutex::new(None),
            working: Mutex::new(0),
            ended: Condvar::new(),
        }
    }

    fn run(self, threads: usize, total: usize, progress: &dyn Progress) -> Result<()> {
        *self.working.lock().unwrap_or_else(PoisonError::into_inner) = threads;
        let cancelled = std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| self.work());
            }
            self.watch(total, progress)
        });
        match self.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => cancelled,
        }
    }

    fn work(&self) {
        let _out = CountOut(self);
        while !self.stop.load(Ordering::Relaxed) {
            let Some(slot) = self.tasks.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            let Some(task) = slot.lock().unwrap_or_else(PoisonError::into_inner).take() else { continue };
            let result = caught(task.work).and_then(|answer| answer);
            self.done_nbytes.fetch_add(task.nbytes, Ordering::Relaxed);
            if let Err(error) = result {
                self.stop.store(true, Ordering::Relaxed);
                self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    }

    fn watch(&self, total: usize, progress: &dyn Progress) -> Result<()> {
        let mut outcome = Ok(());
        let mut told = 0;
        let mut working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        while *working > 0 {
            working = self.ended.wait_timeout(working, TICK).unwrap_or_else(PoisonError::into_inner).0;
            if outcome.is_ok() {
                drop(working);
                let before = std::mem::replace(&mut told, self.done_nbytes.load(Ordering::Relaxed));
                // The end is told once, though a worker may still be on its way out.
                outcome = if before == told && told == total {
                    progress.look()
                } else {
                    progress.advance(told as u64, Some(total as u64))
                };
                if outcome.is_err() {
                    self.stop.store(true, Ordering::Relaxed);
                }
                working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
            }
        }
        drop(working);
        // The workers may have ended between two looks, or before the first one: the end is told in any case.
        let done = self.done_nbytes.load(Ordering::Relaxed);
        if outcome.is_ok() && told != done && !self.stop.load(Ordering::Relaxed) {
            outcome = progress.advance(done as u64, Some(total as u64));
        }
        outcome
    }
}

/// Runs `other` on a second thread while `here` runs on this one (where `threads` allows), and answers both.
///
/// # Errors
/// `here`'s error.
pub fn beside<A, B: Send>(
    threads: usize,
    here: impl FnOnce() -> Result<A>,
    other: impl FnOnce() -> B + Send,
) -> Result<(A, B)> {
    if threads <= 1 {
        let b = other();
        return Ok((here()?, b));
    }
    std::thread::scope(|scope| {
        let handle = scope.spawn(|| caught(other));
        let a = here();
        // Only a panic of `caught` itself could end the thread otherwise.
        let b =
            handle.join().unwrap_or_else(|_| Err(Error::internal("a worker thread ended early", None)))?;
        Ok((a?, b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_runs_once_on_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let mut cells = vec![0u32; 100];
            let tasks = cells
                .iter_mut()
                .map(|c| {
                    Task::new(1 << 20, move || {
                        *c += 1;
                        Ok(())
                    })
                })
                .collect();
            run(tasks, threads, &NoProgress).unwrap();
            assert_eq!(cells, vec![1; 100]);
        }
    }

    #[test]
    fn the_end_is_told_however_fast_the_workers_are() {
        struct Last(std::cell::Cell<u64>, std::cell::Cell<u32>);
        impl Progress for Last {
            fn advance(&self, done: u64, total: Option<u64>) -> Result<()> {
                assert!(done >= self.0.replace(done) && total == Some(64 << 20));
                self.1.set(self.1.get() + u32::from(done == 64 << 20));
                // The workers go on meanwhile.
                std::thread::yield_now();
                Ok(())
            }
        }
        for threads in [1, 2, 3, 8] {
            for _ in 0..50 {
                let last = Last(0.into(), 0.into());
                let tasks = (0..64).map(|_| Task::new(1 << 20, || Ok(()))).collect();
                run(tasks, threads, &last).unwrap();
                assert_eq!((last.0.get(), last.1.get()), (64 << 20, 1));
            }
        }
    }

    #[test]
    fn the_first_error_is_answered() {
        let tasks = (0..10)
            .map(|i| {
                Task::new(
                    1 << 20,
                    move || if i == 3 { Err(Error::malformed("plan", "three")) } else { Ok(()) },
                )
            })
            .collect();
        assert!(run(tasks, 2, &NoProgress).unwrap_err().to_string().contains("three"));
    }
}
