//! A panic on purpose.

use crate::error::Result;
use crate::progress::NoProgress;

use super::{Task, run};

/// Panics on this thread or on one that works for it, for tests of what callers see of it.
///
/// # Errors
/// On another thread: the error that its panic becomes.
#[doc(hidden)]
#[allow(clippy::panic)]
pub fn panic_for_tests(on_another_thread: bool) -> Result<()> {
    if on_another_thread {
        let task = || Task::new(1 << 20, || panic!("a panic for tests"));
        return run(vec![task(), task()], 2, &NoProgress);
    }
    panic!("a panic for tests")
}
