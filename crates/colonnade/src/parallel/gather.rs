//! Tasks that each make a value, and the values in the tasks' order.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Task, run};
use crate::error::{Error, ErrorKind, Result};
use crate::progress::Progress;

/// Runs tasks (the bytes that one produces, for progress; its work) as [`run`] does, and answers what each made, in order.
///
/// # Errors
/// The first task's error, or `Cancelled` from `progress`.
pub fn gather<T: Send, W: FnOnce() -> Result<T> + Send>(
    tasks: Vec<(usize, W)>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<T>> {
    let mut made: Vec<Option<T>> = tasks.iter().map(|_| None).collect();
    let tasks = made.iter_mut().zip(tasks).map(|(slot, (nbytes, work))| {
        Task::new(nbytes, move || {
            *slot = Some(work()?);
            Ok(())
        })
    });
    run(tasks.collect(), threads, progress)?;
    // Where no task failed and nobody cancelled, all have run.
    Ok(made.into_iter().flatten().collect())
}

/// What long work asks on its way: whether it goes on.
pub type Look<'a> = &'a (dyn Fn() -> Result<()> + 'a);

/// Bytes between two looks.
pub const LOOK_NBYTES: usize = 1 << 20;

/// The same of items whose work may be long: each is given what to ask on its way. `progress` is looked at and told nothing.
///
/// # Errors
/// As [`gather`].
pub fn gather_looking<I: Sync, T: Send>(
    items: &[I],
    nbytes: impl Fn(&I) -> usize,
    work: &(dyn Fn(&I, Look<'_>) -> Result<T> + Sync),
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<T>> {
    if threads <= 1 || items.len() <= 1 {
        // This thread may ask itself.
        let look = || progress.look();
        return items.iter().map(|item| look().and_then(|()| work(item, &look))).collect();
    }
    let stop = AtomicBool::new(false);
    let look = || if stop.load(Ordering::Relaxed) { Err(stopped()) } else { Ok(()) };
    let look = &look;
    let tasks = items.iter().map(|item| (nbytes(item), move || work(item, look))).collect();
    let stopping = Stopping { progress, stop: &stop, error: Cell::new(None) };
    let made = gather(tasks, threads, &stopping);
    match stopping.error.take() {
        Some(error) => Err(error),
        None => made,
    }
}

/// Stops tasks on their way where the caller says so, and keeps what it said.
struct Stopping<'a> {
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
    error: Cell<Option<Error>>,
}

impl Progress for Stopping<'_> {
    fn advance(&self, _done: u64, _total: Option<u64>) -> Result<()> {
        self.progress.look().map_err(|error| {
            self.stop.store(true, Ordering::Relaxed);
            self.error.set(Some(error));
            stopped()
        })
    }
}

fn stopped() -> Error {
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
            assert_eq!(gather(tasks, threads, &NoProgress).unwrap(), (0..100).collect::<Vec<_>>());
            let items: Vec<i32> = (0..100).collect();
            let made = gather_looking(&items, |_| 1 << 20, &|i, _| Ok(-i), threads, &NoProgress).unwrap();
            assert_eq!(made, items.iter().map(|i| -i).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_is_answered_for_all() {
        let one = |i: u32| if i == 3 { Err(Error::malformed("plan", "three")) } else { Ok(i) };
        let tasks = (0..10).map(|i| (1 << 20, move || one(i))).collect();
        assert!(gather(tasks, 2, &NoProgress).unwrap_err().to_string().contains("three"));
    }

    /// Has enough when it is asked a second time.
    struct Twice(Cell<bool>);

    impl Progress for Twice {
        fn advance(&self, _done: u64, _total: Option<u64>) -> Result<()> {
            self.look()
        }

        fn look(&self) -> Result<()> {
            if self.0.replace(true) { Err(Error::malformed("plan", "enough")) } else { Ok(()) }
        }
    }

    fn endless(_: &(), look: Look<'_>) -> Result<()> {
        loop {
            look()?;
            std::thread::yield_now();
        }
    }

    #[test]
    fn tasks_are_stopped_on_their_way() {
        for (count, threads) in [(1, 1), (1, 3), (3, 1), (3, 3)] {
            let (items, twice) = (vec![(); count], Twice(Cell::new(false)));
            let made = gather_looking(&items, |_| 1 << 20, &endless, threads, &twice);
            let error = made.unwrap_err();
            assert!(error.to_string().contains("enough"), "{count} tasks on {threads} threads: {error}");
        }
    }
}
