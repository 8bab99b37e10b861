//! Runs tasks that return values, and collects the values in the tasks' order.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{INLINE_NBYTES, Task, run};
use crate::error::{Error, ErrorKind, Result};
use crate::progress::Progress;

/// Runs tasks as [`run`] does, and returns their values in order. A task is a size in bytes, for progress, and a function.
///
/// # Errors
/// The first task's error, or `Cancelled` from `progress`.
pub fn map<T: Send, W: FnOnce() -> Result<T> + Send>(
    tasks: Vec<(usize, W)>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<T>> {
    let total: usize = tasks.iter().map(|(nbytes, _)| nbytes).sum();
    if threads.min(tasks.len()) <= 1 || total < INLINE_NBYTES {
        // A wide frame has thousands of small tasks: they need no boxes and no queue.
        let mut done = 0;
        let one = |(nbytes, work): (usize, W)| {
            let value = work()?;
            done += nbytes;
            progress.advance(done as u64, Some(total as u64)).map(|()| value)
        };
        return tasks.into_iter().map(one).collect();
    }
    let mut values: Vec<Option<T>> = tasks.iter().map(|_| None).collect();
    let tasks = values.iter_mut().zip(tasks).map(|(slot, (nbytes, work))| {
        Task::new(nbytes, move || {
            *slot = Some(work()?);
            Ok(())
        })
    });
    run(tasks.collect(), threads, progress)?;
    // Without an error every task has run, so every slot has a value.
    Ok(values.into_iter().flatten().collect())
}

/// The cancellation check of long work. An error stops the work.
pub type Cancel<'a> = &'a (dyn Fn() -> Result<()> + 'a);

/// Bytes between two cancellation checks.
pub const CANCEL_CHECK_NBYTES: usize = 1 << 20;

/// Runs `work` for each item as [`map`] does, and passes it a cancellation check. Reports no progress to `progress`, only
/// checks it for cancellation.
///
/// # Errors
/// As [`map`].
pub fn map_cancellable<I: Sync, T: Send>(
    items: &[I],
    nbytes: impl Fn(&I) -> usize,
    work: &(dyn Fn(&I, Cancel<'_>) -> Result<T> + Sync),
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<T>> {
    if threads <= 1 || items.len() <= 1 {
        // The calling thread checks `progress` directly.
        let cancel = || progress.check();
        return items.iter().map(|item| cancel().and_then(|()| work(item, &cancel))).collect();
    }
    let stop = AtomicBool::new(false);
    let cancel = || if stop.load(Ordering::Relaxed) { Err(cancelled()) } else { Ok(()) };
    let cancel = &cancel;
    let tasks = items.iter().map(|item| (nbytes(item), move || work(item, cancel))).collect();
    let cancel_on_error = CancelOnError { progress, stop: &stop, error: Cell::new(None) };
    let values = map(tasks, threads, &cancel_on_error);
    match cancel_on_error.error.take() {
        Some(error) => Err(error),
        None => values,
    }
}

/// Stops running tasks when `progress` returns an error, and keeps that error.
struct CancelOnError<'a> {
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
    error: Cell<Option<Error>>,
}

impl Progress for CancelOnError<'_> {
    fn advance(&self, _done: u64, _total: Option<u64>) -> Result<()> {
        self.progress.check().map_err(|error| {
            self.stop.store(true, Ordering::Relaxed);
            self.error.set(Some(error));
            cancelled()
        })
    }
}

fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, "plan", "stopped by the caller.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::NoProgress;

    #[test]
    fn values_come_in_the_order_of_their_tasks() {
        for threads in [1, 2, 5] {
            let tasks = (0..100).map(|i| (1 << 20, move || Ok(i))).collect();
            assert_eq!(map(tasks, threads, &NoProgress).unwrap(), (0..100).collect::<Vec<_>>());
            let items: Vec<i32> = (0..100).collect();
            let values = map_cancellable(&items, |_| 1 << 20, &|i, _| Ok(-i), threads, &NoProgress).unwrap();
            assert_eq!(values, items.iter().map(|i| -i).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_is_returned_for_all() {
        let one = |i: u32| if i == 3 { Err(Error::malformed("plan", "three")) } else { Ok(i) };
        let tasks = (0..10).map(|i| (1 << 20, move || one(i))).collect();
        assert!(map(tasks, 2, &NoProgress).unwrap_err().to_string().contains("three"));
    }

    /// Cancels at the second check.
    struct CancelAtSecondCheck(Cell<bool>);

    impl Progress for CancelAtSecondCheck {
        fn advance(&self, _done: u64, _total: Option<u64>) -> Result<()> {
            self.check()
        }

        fn check(&self) -> Result<()> {
            if self.0.replace(true) { Err(Error::malformed("plan", "enough")) } else { Ok(()) }
        }
    }

    fn endless(_: &(), cancel: Cancel<'_>) -> Result<()> {
        loop {
            cancel()?;
            std::thread::yield_now();
        }
    }

    #[test]
    fn running_tasks_are_stopped() {
        for (count, threads) in [(1, 1), (1, 3), (3, 1), (3, 3)] {
            let (items, twice) = (vec![(); count], CancelAtSecondCheck(Cell::new(false)));
            let values = map_cancellable(&items, |_| 1 << 20, &endless, threads, &twice);
            let error = values.unwrap_err();
            assert!(error.to_string().contains("enough"), "{count} tasks on {threads} threads: {error}");
        }
    }
}
