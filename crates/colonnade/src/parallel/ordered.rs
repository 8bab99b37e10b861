//! Pieces that several threads make and the calling one takes in order, while the next ones are being made.
//!
//! What text needs: nobody knows how long a row is before it is written, so pieces have no place of their own beforehand.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::panics::caught;
use crate::progress::Progress;

/// Pieces that a thread may be ahead of the one that is being taken.
const AHEAD: usize = 4;

/// How often the calling thread looks for signals while it waits.
const TICK: Duration = Duration::from_millis(40);

/// Makes the pieces `0..count` and takes them front to back. `make` is given an empty vector, one that was taken before where
/// there is one. `worth`: whether threads pay at all.
///
/// # Errors
/// The error of the first piece, in order, that has one, after all pieces before it were taken; those of `take` and `progress`.
pub fn ordered(
    count: usize,
    threads: usize,
    make: &(dyn Fn(usize, &mut Vec<u8>) -> Result<()> + Sync),
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
    progress: &dyn Progress,
) -> Result<()> {
    if threads <= 1 || count <= 1 {
        let mut buffer = Vec::new();
        for i in 0..count {
            buffer.clear();
            make(i, &mut buffer)?;
            take(&buffer)?;
            progress.interrupted()?;
        }
        return Ok(());
    }
    let threads = threads.min(count);
    let bench = Bench {
        state: Mutex::new(State { working: threads, ..State::default() }),
        changed: Condvar::new(),
        count,
        window: threads * AHEAD,
        make,
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| bench.work());
        }
        let outcome = bench.take_all(take, progress);
        bench.lock().stop = true;
        bench.changed.notify_all();
        outcome
    })
}

#[derive(Default)]
struct State {
    /// The next piece to be made.
    next: usize,
    /// The next piece to be taken.
    taken: usize,
    made: HashMap<usize, Result<Vec<u8>>>,
    spare: Vec<Vec<u8>>,
    stop: bool,
    working: usize,
}

struct Bench<'a> {
    state: Mutex<State>,
    changed: Condvar,
    count: usize,
    window: usize,
    make: &'a (dyn Fn(usize, &mut Vec<u8>) -> Result<()> + Sync),
}

/// Counts a worker out even where it panics, so that nobody waits for it in vain.
struct CountOut<'b, 'a>(&'b Bench<'a>);

impl Drop for CountOut<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().working -= 1;
        self.0.changed.notify_all();
    }
}

impl Bench<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let _out = CountOut(self);
        loop {
            let mut state = self.lock();
            while !state.stop && state.next < self.count && state.next >= state.taken + self.window {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.stop || state.next >= self.count {
                return;
            }
            let i = state.next;
            state.next += 1;
            let mut buffer = state.spare.pop().unwrap_or_default();
            drop(state);
            buffer.clear();
            let made = caught(|| (self.make)(i, &mut buffer)).and_then(|answer| answer).map(|()| buffer);
            let mut state = self.lock();
            if made.is_err() {
                // Pieces before this one are still wanted, those behind it are not.
                state.next = self.count;
            }
            state.made.insert(i, made);
            drop(state);
            self.changed.notify_all();
        }
    }

    fn take_all(&self, take: &mut dyn FnMut(&[u8]) -> Result<()>, progress: &dyn Progress) -> Result<()> {
        for i in 0..self.count {
            let buffer = self.piece(i, progress)?;
            take(&buffer)?;
            let mut state = self.lock();
            state.spare.push(buffer);
            state.taken = i + 1;
            drop(state);
            self.changed.notify_all();
        }
        Ok(())
    }

    fn piece(&self, i: usize, progress: &dyn Progress) -> Result<Vec<u8>> {
        let mut state = self.lock();
        loop {
            if let Some(made) = state.made.remove(&i) {
                return made;
            }
            if state.working == 0 {
                return Err(Error::internal("a worker thread ended early", None));
            }
            let (guard, waited) =
                self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner);
            state = guard;
            if waited.timed_out() {
                drop(state);
                progress.interrupted()?;
                state = self.lock();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::NoProgress;

    fn digits(count: usize, threads: usize, bad: Option<usize>) -> (Vec<u8>, Result<()>) {
        let make = |i: usize, out: &mut Vec<u8>| {
            assert!(out.is_empty());
            if i.is_multiple_of(3) {
                std::thread::yield_now();
            }
            out.extend(format!("{i},").bytes());
            if bad == Some(i) { Err(Error::malformed("plan", format!("piece {i}"))) } else { Ok(()) }
        };
        let mut all = Vec::new();
        let taken = ordered(
            count,
            threads,
            &make,
            &mut |piece| {
                all.extend_from_slice(piece);
                Ok(())
            },
            &NoProgress,
        );
        (all, taken)
    }

    #[test]
    fn pieces_come_in_order_on_any_number_of_threads() {
        let expected: String = (0..500).map(|i| format!("{i},")).collect();
        for threads in [1, 2, 3, 8] {
            let (all, taken) = digits(500, threads, None);
            taken.unwrap();
            assert_eq!(all, expected.as_bytes());
        }
        assert_eq!(digits(0, 4, None).0, b"");
    }

    #[test]
    fn what_stands_before_an_error_is_taken() {
        let expected: String = (0..77).map(|i| format!("{i},")).collect();
        for threads in [1, 2, 5] {
            let (all, taken) = digits(200, threads, Some(77));
            assert!(taken.unwrap_err().to_string().contains("piece 77"));
            assert_eq!(all, expected.as_bytes());
        }
    }

    #[test]
    fn the_taker_can_stop() {
        let make = |_: usize, out: &mut Vec<u8>| {
            out.push(1);
            Ok(())
        };
        let mut left = 3;
        let mut take = |_: &[u8]| {
            left -= 1;
            if left == 0 { Err(Error::malformed("plan", "full")) } else { Ok(()) }
        };
        assert!(ordered(1000, 3, &make, &mut take, &NoProgress).is_err());
    }
}
