//! Panics on purpose, for tests.

use crate::error::Result;
use crate::progress::NoProgress;

use super::{Task, run};

/// Panics on this thread or on a worker thread, so that tests can check what callers receive.
///
/// # Errors
/// The panic of the worker thread, as an error.
#[doc(hidden)]
#[allow(clippy::panic)]
pub fn panic_for_tests(on_another_thread: bool) -> Result<()> {
    if on_another_thread {
        let task = || Task::new(1 << 20, || panic!("a panic for tests"));
        return run(vec![task(), task()], 2, &NoProgress);
    }
    panic!("a panic for tests")
}
