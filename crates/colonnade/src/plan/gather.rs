//! Tasks that each make a value, and the values in the tasks' order.

use super::{Progress, Task, run};
use crate::error::Result;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::plan::NoProgress;

    #[test]
    fn values_come_in_the_order_of_their_tasks() {
        for threads in [1, 2, 5] {
            let tasks = (0..100).map(|i| (1 << 20, move || Ok(i))).collect();
            assert_eq!(gather(tasks, threads, &NoProgress).unwrap(), (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_is_answered_for_all() {
        let one = |i: u32| if i == 3 { Err(Error::malformed("plan", "three")) } else { Ok(i) };
        let tasks = (0..10).map(|i| (1 << 20, move || one(i))).collect();
        assert!(gather(tasks, 2, &NoProgress).unwrap_err().to_string().contains("three"));
    }
}
