//! Runs independent tasks on several threads. Each task writes its own destination.
//!
//! Threads are scoped to the call, without a pool: a spawn costs 20 microseconds, smaller work runs inline, and no thread
//! outlives the call that a fork could break.

mod gather;
mod ordered;
mod panic_for_tests;
mod pieces;
mod short;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

pub use gather::{CANCEL_CHECK_NBYTES, Cancel, map, map_cancellable};
pub use ordered::ordered;
pub use panic_for_tests::panic_for_tests;
pub(crate) use pieces::{character_start, piece_start};
pub use short::{map_short, run_short};

use crate::error::{Error, Result};
use crate::panics::catch_panic;
use crate::platform::start_thread;
use crate::progress::{NoProgress, Progress};

/// Smaller work runs on the calling thread.
pub const INLINE_NBYTES: usize = split_from(512 << 10);

/// A size from which work is split. A fuzzer's inputs are small, so its builds split them from a 16,384th of the size on.
pub(crate) const fn split_from(nbytes: usize) -> usize {
    if cfg!(fuzzing) { nbytes >> 14 } else { nbytes }
}

/// Interval at which the calling thread checks for signals and reports progress.
const TICK: Duration = Duration::from_millis(40);

/// A unit of work that depends on no other task.
pub struct Task<'a> {
    /// Bytes that the task produces, for progress.
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

/// Runs all tasks on up to `threads` threads. The first error stops the rest. The calling thread reports progress, and
/// cancellation takes effect between tasks.
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
    TaskQueue::new(tasks).run(threads, total, progress)
}

/// Runs all tasks on all cores.
///
/// # Errors
/// The first task's error.
pub fn run_on_all_cores(tasks: Vec<Task<'_>>) -> Result<()> {
    run(tasks, std::thread::available_parallelism().map_or(1, usize::from), &NoProgress)
}

struct TaskQueue<'a> {
    tasks: Vec<Mutex<Option<Task<'a>>>>,
    next: AtomicUsize,
    done_nbytes: AtomicUsize,
    stop: AtomicBool,
    error: Mutex<Option<Error>>,
    working: Mutex<usize>,
    worker_ended: Condvar,
}

/// Decrements the count of workers when a worker ends or panics, so that the calling thread never waits in vain.
struct WorkerGuard<'c, 'a>(&'c TaskQueue<'a>);

impl Drop for WorkerGuard<'_, '_> {
    fn drop(&mut self) {
        *self.0.working.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.worker_ended.notify_all();
    }
}

impl<'a> TaskQueue<'a> {
    fn new(tasks: Vec<Task<'a>>) -> Self {
        Self {
            tasks: tasks.into_iter().map(|t| Mutex::new(Some(t))).collect(),
            next: AtomicUsize::new(0),
            done_nbytes: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            error: Mutex::new(None),
            working: Mutex::new(0),
            worker_ended: Condvar::new(),
        }
    }

    fn run(self, threads: usize, total: usize, progress: &dyn Progress) -> Result<()> {
        *self.working.lock().unwrap_or_else(PoisonError::into_inner) = threads;
        let cancelled = std::thread::scope(|scope| {
            let started = (0..threads).take_while(|_| start_thread(scope, || self.work()).is_some()).count();
            let missing = threads - started;
            if missing > 0 {
                // Without any other thread, this one does the work.
                *self.working.lock().unwrap_or_else(PoisonError::into_inner) -=
                    missing - usize::from(started == 0);
                if started == 0 {
                    self.work();
                }
            }
            self.watch(total, progress)
        });
        match self.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => cancelled,
        }
    }

    fn work(&self) {
        let _guard = WorkerGuard(self);
        while !self.stop.load(Ordering::Relaxed) {
            let Some(slot) = self.tasks.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            let Some(task) = slot.lock().unwrap_or_else(PoisonError::into_inner).take() else { continue };
            let result = catch_panic(task.work).and_then(|result| result);
            self.done_nbytes.fetch_add(task.nbytes, Ordering::Relaxed);
            if let Err(error) = result {
                self.stop.store(true, Ordering::Relaxed);
                self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    }

    fn watch(&self, total: usize, progress: &dyn Progress) -> Result<()> {
        let mut outcome = Ok(());
        let mut reported = 0;
        let mut working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        while *working > 0 {
            working = self.worker_ended.wait_timeout(working, TICK).unwrap_or_else(PoisonError::into_inner).0;
            if outcome.is_ok() {
                drop(working);
                let before = std::mem::replace(&mut reported, self.done_nbytes.load(Ordering::Relaxed));
                // The end is reported once, even while a worker is still returning.
                outcome = if before == reported && reported == total {
                    progress.check()
                } else {
                    progress.advance(reported as u64, Some(total as u64))
                };
                if outcome.is_err() {
                    self.stop.store(true, Ordering::Relaxed);
                }
                working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
            }
        }
        drop(working);
        // The workers may have ended since the last tick. Reports the end in that case too.
        let done = self.done_nbytes.load(Ordering::Relaxed);
        if outcome.is_ok() && reported != done && !self.stop.load(Ordering::Relaxed) {
            outcome = progress.advance(done as u64, Some(total as u64));
        }
        outcome
    }
}

/// Runs `spawned` on a second thread while `local` runs on this one, and returns both results. With one thread it runs one after
/// the other.
///
/// # Errors
/// `local`'s error.
pub fn join<A, B: Send>(
    threads: usize,
    local: impl FnOnce() -> Result<A>,
    spawned: impl FnOnce() -> B + Send,
) -> Result<(A, B)> {
    if threads <= 1 {
        let spawned_result = spawned();
        return Ok((local()?, spawned_result));
    }
    let spawned = Mutex::new(Some(spawned));
    let work = || spawned.lock().unwrap_or_else(PoisonError::into_inner).take().map(catch_panic);
    let ended_early = || Err(Error::internal("a worker thread ended early", None));
    std::thread::scope(|scope| {
        let Some(handle) = start_thread(scope, work) else {
            let spawned_result = work().unwrap_or_else(ended_early)?;
            return Ok((local()?, spawned_result));
        };
        let local_result = local();
        // `catch_panic` turns panics into errors, so joining fails only if `catch_panic` panics.
        let spawned_result = handle.join().ok().flatten().unwrap_or_else(ended_early)?;
        Ok((local_result?, spawned_result))
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
    fn the_end_is_reported_however_fast_the_workers_are() {
        struct Last(std::cell::Cell<u64>, std::cell::Cell<u32>);
        impl Progress for Last {
            fn advance(&self, done: u64, total: Option<u64>) -> Result<()> {
                assert!(done >= self.0.replace(done) && total == Some(64 << 20));
                self.1.set(self.1.get() + u32::from(done == 64 << 20));
                // Lets the workers run.
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
    fn the_first_error_is_returned() {
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
