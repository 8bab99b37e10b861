//! Runs independent pieces of work on several threads.

use std::io;
use std::sync::Mutex;

/// A piece of work.
pub(crate) type Task<'a> = Box<dyn FnOnce() -> io::Result<()> + Send + 'a>;

/// Runs all tasks on `threads` threads, including the calling thread. The threads take the tasks in order.
///
/// # Errors
/// The first error of a task, once all threads have stopped.
pub(crate) fn run(tasks: Vec<Task<'_>>, threads: usize) -> io::Result<()> {
    let helpers = threads.min(tasks.len()).saturating_sub(1);
    let queue = Mutex::new(tasks.into_iter());
    let next = || queue.lock().ok().and_then(|mut tasks| tasks.next());
    let work = || {
        while let Some(task) = next() {
            task()?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..helpers).map(|_| scope.spawn(work)).collect();
        let mut outcome = work();
        for other in others {
            let ended =
                other.join().unwrap_or_else(|_| Err(io::Error::other("a thread of the benchmark panicked")));
            outcome = outcome.and(ended);
        }
        outcome
    })
}
