//! Converts panics to errors.
//!
//! This crate is not supposed to panic on any input. If it or a library does, [`catch_panic`] converts the panic to an
//! [`ErrorKind::Internal`](crate::ErrorKind), which callers handle like any other error. Worker threads use [`catch_panic`] too, so
//! that their panic becomes the error of the call that started them.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

use crate::error::{Error, Result};

thread_local! {
    /// Number of running calls of [`catch_panic`] on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// File and line of the last panic of this thread.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Installs a panic hook that records the place of panics, and does not print those that [`catch_panic`] handles. Called once per
/// process.
pub fn install_panic_hook() {
    let print = take_hook();
    set_hook(Box::new(move |panic| {
        if DEPTH.get() == 0 {
            return print(panic);
        }
        let place = panic.location().map(|at| format!("{}:{}", at.file(), at.line()));
        PLACE.with(|slot| *slot.borrow_mut() = place);
    }));
}

/// Decrements the number of calls, also when a call unwinds.
struct DepthGuard;

impl DepthGuard {
    fn new() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for DepthGuard {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get().saturating_sub(1));
    }
}

/// Runs `work` and returns its result.
///
/// State that `work` changed before a panic stays changed. Callers drop it, or use types that an interrupted call leaves valid.
///
/// # Errors
/// `Internal`: `work` panicked.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T> {
    let deeper = DepthGuard::new();
    let answer = catch_unwind(AssertUnwindSafe(work));
    drop(deeper);
    answer.map_err(|panic| {
        let place = PLACE.with(|slot| slot.borrow_mut().take());
        Error::internal(panic_text(panic.as_ref()), place.as_deref())
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::parallel::{join, ordered, panic_for_tests};
    use crate::progress::NoProgress;

    fn is_internal<T>(answer: Result<T>) -> bool {
        let error = answer.err().unwrap();
        let text = error.to_string();
        assert!(text.starts_with("internal error: a panic for tests"), "{text}");
        assert!(text.ends_with(". This is a bug in Colonnade. Report it with the input."), "{text}");
        matches!(error.in_format("csv").kind(), ErrorKind::Internal)
    }

    #[test]
    fn a_panic_is_an_error_on_every_thread() {
        assert!(is_internal(catch_panic(|| panic_for_tests(false))));
        assert!(is_internal(panic_for_tests(true)));
        for threads in [1, 2] {
            let other = || panic!("a panic for tests");
            assert!(is_internal(catch_panic(|| join(threads, || Ok(()), other)).and_then(|answer| answer)));
        }
        let make = |i: usize, _: &mut Vec<u8>| if i == 3 { panic_for_tests(false) } else { Ok(()) };
        assert!(is_internal(ordered(9, 2, &make, &mut |_| Ok(()), &NoProgress)));
    }

    #[test]
    fn results_without_a_panic_are_returned() {
        assert_eq!(catch_panic(|| 3).unwrap(), 3);
    }
}
