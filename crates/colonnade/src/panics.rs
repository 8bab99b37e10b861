//! Panics as errors.
//!
//! Code of this project does not panic on any input, and what libraries decode is checked before. Should one panic all the
//! same, [`caught`] makes an [`ErrorKind::Internal`](crate::ErrorKind) of it, which a caller can handle like any other.
//! Work on other threads is run by [`caught`] too, so that its panic is the error of the call that started it.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

use crate::error::{Error, Result};

thread_local! {
    /// Calls of [`caught`] that run on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// File and line of the last panic of this thread.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Notes where a panic happens, and leaves those that [`caught`] answers unprinted. Called once by a process.
pub fn note_places() {
    let print = take_hook();
    set_hook(Box::new(move |panic| {
        if DEPTH.get() == 0 {
            return print(panic);
        }
        let place = panic.location().map(|at| format!("{}:{}", at.file(), at.line()));
        PLACE.with(|slot| *slot.borrow_mut() = place);
    }));
}

/// Counts a call out, also where it unwinds.
struct Deeper;

impl Deeper {
    fn new() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for Deeper {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get().saturating_sub(1));
    }
}

/// What `work` answers.
///
/// What it changed before a panic stays as it is: callers drop it, or hold it in types that a broken call leaves valid.
///
/// # Errors
/// `Internal`: it panicked.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T> {
    let deeper = Deeper::new();
    let answer = catch_unwind(AssertUnwindSafe(work));
    drop(deeper);
    answer.map_err(|panic| {
        let place = PLACE.with(|slot| slot.borrow_mut().take());
        Error::internal(text_of(panic.as_ref()), place.as_deref())
    })
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::parallel::{beside, ordered, panic_for_tests};
    use crate::progress::NoProgress;

    fn is_internal<T>(answer: Result<T>) -> bool {
        let error = answer.err().unwrap();
        let text = error.to_string();
        assert!(text.starts_with("internal error: a panic for tests"), "{text}");
        assert!(text.ends_with(". This is a bug in Colonnade: please report it with the input."), "{text}");
        matches!(error.in_format("csv").kind(), ErrorKind::Internal)
    }

    #[test]
    fn a_panic_is_an_error_on_every_thread() {
        assert!(is_internal(caught(|| panic_for_tests(false))));
        assert!(is_internal(panic_for_tests(true)));
        for threads in [1, 2] {
            let other = || panic!("a panic for tests");
            assert!(is_internal(caught(|| beside(threads, || Ok(()), other)).and_then(|answer| answer)));
        }
        let make = |i: usize, _: &mut Vec<u8>| if i == 3 { panic_for_tests(false) } else { Ok(()) };
        assert!(is_internal(ordered(9, 2, &make, &mut |_| Ok(()), &NoProgress)));
    }

    #[test]
    fn what_does_not_panic_is_answered() {
        assert_eq!(caught(|| 3).unwrap(), 3);
    }
}
