//! Runs short tasks: the calling thread works too, so that one thread fewer is started, and large tasks begin first.

use std::sync::PoisonError;

use super::{INLINE_NBYTES, Task, TaskQueue, map, run, split_from};
use crate::error::Result;
use crate::platform::start_thread;
use crate::progress::Progress;

/// From this size on the calling thread reports progress instead.
const REPORTED_NBYTES: usize = split_from(64 << 20);

/// What splitting one task must spare the other threads, because it starts threads of its own.
const SPLIT_NBYTES: usize = split_from(1 << 20);

/// Runs tasks that take microseconds, and returns their values in order. A task is a size in bytes and a function, which
/// gets the number of threads that it may use. A task that is much larger than a thread's share runs alone, on all threads.
///
/// # Errors
/// The first task's error, or `Cancelled` from `progress`.
pub fn map_short<T: Send, W: FnOnce(usize) -> Result<T> + Send>(
    tasks: Vec<(usize, W)>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<T>> {
    let total: usize = tasks.iter().map(|(nbytes, _)| nbytes).sum();
    let threads = threads.max(1);
    if threads == 1 || total < INLINE_NBYTES {
        return map(tasks.into_iter().map(|(nbytes, work)| (nbytes, move || work(1))).collect(), 1, progress);
    }
    let mut values: Vec<Option<T>> = tasks.iter().map(|_| None).collect();
    let mut left: Vec<_> = values.iter_mut().zip(tasks).collect();
    left.sort_by_key(|(_, (nbytes, _))| std::cmp::Reverse(*nbytes));
    let mut rest = total;
    let mut left = left.into_iter().peekable();
    while let Some((slot, (nbytes, work))) =
        left.next_if(|(_, (nbytes, _))| nbytes.saturating_sub(rest / threads) >= SPLIT_NBYTES)
    {
        *slot = Some(work(threads)?);
        rest -= nbytes;
        progress.advance((total - rest) as u64, Some(total as u64))?;
    }
    let tasks = left.map(|(slot, (nbytes, work))| {
        Task::new(nbytes, move || {
            *slot = Some(work(1)?);
            Ok(())
        })
    });
    let tasks: Vec<Task<'_>> = tasks.collect();
    let offset = Later { progress, done: (total - rest) as u64, total: total as u64 };
    if tasks.len() <= 1 || !(INLINE_NBYTES..REPORTED_NBYTES).contains(&rest) {
        run(tasks, threads, &offset)?;
    } else {
        run_short(tasks, threads)?;
        progress.advance(total as u64, Some(total as u64))?;
    }
    // Without an error every task has run, so every slot has a value.
    Ok(values.into_iter().flatten().collect())
}

/// Runs tasks on `threads` threads, of which the calling thread is one. Neither reports progress nor can be cancelled.
///
/// # Errors
/// The first task's error.
pub fn run_short(tasks: Vec<Task<'_>>, threads: usize) -> Result<()> {
    let threads = threads.min(tasks.len()).max(1);
    let queue = TaskQueue::new(tasks);
    *queue.working.lock().unwrap_or_else(PoisonError::into_inner) = threads;
    std::thread::scope(|scope| {
        // Without other threads this one does all of the work.
        let _ = (1..threads).take_while(|_| start_thread(scope, || queue.work()).is_some()).count();
        queue.work();
    });
    match queue.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Progress of the tasks after the first `done` bytes.
struct Later<'a> {
    progress: &'a dyn Progress,
    done: u64,
    total: u64,
}

impl Progress for Later<'_> {
    fn advance(&self, done: u64, _total: Option<u64>) -> Result<()> {
        self.progress.advance(self.done + done, Some(self.total))
    }

    fn interrupted(&self) -> Result<()> {
        self.progress.interrupted()
    }

    fn check(&self) -> Result<()> {
        self.progress.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::progress::NoProgress;

    #[test]
    fn values_come_in_the_order_of_their_tasks_and_only_large_tasks_are_split() {
        let shapes = [(vec![], None), (vec![8], Some(8)), (vec![1; 20], None), (vec![1, 80, 3, 2], Some(80))];
        for threads in [0, 1, 2, 5] {
            for (sizes, largest) in &shapes {
                let task =
                    |(i, size): (usize, &usize)| (*size << 20, move |threads: usize| Ok((i, threads > 1)));
                let tasks = sizes.iter().enumerate().map(task).collect();
                let values = map_short(tasks, threads, &NoProgress).unwrap();
                assert!(values.iter().map(|value| value.0).eq(0..sizes.len()));
                let split: Vec<usize> = values.iter().filter(|value| value.1).map(|v| sizes[v.0]).collect();
                let largest = largest.filter(|_| threads > 1);
                assert_eq!(split.iter().max().copied(), largest, "{sizes:?} on {threads} threads");
            }
        }
    }

    #[test]
    fn the_end_is_reported_once() {
        struct Reports(std::cell::RefCell<Vec<u64>>);
        impl Progress for Reports {
            fn advance(&self, done: u64, total: Option<u64>) -> Result<()> {
                assert_eq!(total, Some(84 << 20));
                self.0.borrow_mut().push(done);
                Ok(())
            }
        }
        for threads in [1, 2, 5] {
            let reports = Reports(Vec::new().into());
            let tasks = [1, 1, 80, 2].map(|size| (size << 20, |_| Ok(()))).into_iter().collect();
            map_short(tasks, threads, &reports).unwrap();
            let reports = reports.0.into_inner();
            assert!(reports.is_sorted() && reports.last() == Some(&(84 << 20)), "{reports:?}");
        }
    }

    #[test]
    fn an_error_and_a_panic_are_returned() {
        let one = |i: u32| if i == 3 { Err(Error::malformed("plan", "three")) } else { Ok(i) };
        let tasks = (0..10).map(|i| (1 << 20, move |_| one(i))).collect();
        assert!(map_short(tasks, 2, &NoProgress).unwrap_err().to_string().contains("three"));
        let tasks = (0..3).map(|i| Task::new(1, move || if i == 1 { panic!("one") } else { Ok(()) }));
        assert!(run_short(tasks.collect(), 2).is_err());
    }
}
