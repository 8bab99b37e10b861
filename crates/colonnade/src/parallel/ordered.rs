//! Produces pieces on several threads, while the calling thread consumes them in order.
//!
//! Text and compressed batches are written this way: their length is unknown until they are made, so pieces have no offsets
//! in advance.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::panics::catch_panic;
use crate::platform::start_thread;
use crate::progress::Progress;

/// Pieces per thread that may wait to be consumed.
const PIECES_AHEAD: usize = 4;

/// Interval at which the waiting calling thread checks for signals.
const TICK: Duration = Duration::from_millis(40);

/// Calls `produce` for the pieces `0..count` and `consume` for each piece in order. `produce` gets a new piece, or one that
/// was consumed, whose memory it may use again.
///
/// # Errors
/// The first error of `produce` in the order of pieces, after `consume` got all earlier pieces; errors of `consume` and
/// `progress`.
pub fn ordered<T: Default + Send>(
    count: usize,
    threads: usize,
    produce: &(dyn Fn(usize, &mut T) -> Result<()> + Sync),
    consume: &mut dyn FnMut(&mut T) -> Result<()>,
    progress: &dyn Progress,
) -> Result<()> {
    if threads <= 1 || count <= 1 {
        return one_by_one(count, produce, consume, progress);
    }
    let threads = threads.min(count);
    let pipeline = Pipeline {
        state: Mutex::new(PipelineState {
            next: 0,
            consumed: 0,
            pieces: HashMap::new(),
            consumed_pieces: Vec::new(),
            stop: false,
            working: threads,
        }),
        changed: Condvar::new(),
        count,
        window: threads * PIECES_AHEAD,
        produce,
    };
    std::thread::scope(|scope| {
        let started = (0..threads).take_while(|_| start_thread(scope, || pipeline.work()).is_some()).count();
        if started == 0 {
            return one_by_one(count, produce, consume, progress);
        }
        pipeline.lock().working -= threads - started;
        let outcome = pipeline.consume_all(consume, progress);
        pipeline.lock().stop = true;
        pipeline.changed.notify_all();
        outcome
    })
}

fn one_by_one<T: Default>(
    count: usize,
    produce: &dyn Fn(usize, &mut T) -> Result<()>,
    consume: &mut dyn FnMut(&mut T) -> Result<()>,
    progress: &dyn Progress,
) -> Result<()> {
    let mut piece = T::default();
    for i in 0..count {
        produce(i, &mut piece)?;
        consume(&mut piece)?;
        progress.interrupted()?;
    }
    Ok(())
}

struct PipelineState<T> {
    /// The next piece to produce.
    next: usize,
    /// The next piece to consume.
    consumed: usize,
    pieces: HashMap<usize, Result<T>>,
    consumed_pieces: Vec<T>,
    stop: bool,
    working: usize,
}

struct Pipeline<'a, T> {
    state: Mutex<PipelineState<T>>,
    changed: Condvar,
    count: usize,
    window: usize,
    produce: &'a (dyn Fn(usize, &mut T) -> Result<()> + Sync),
}

/// Decrements the count of workers when a worker ends or panics, so that no thread waits in vain.
struct ProducerGuard<'b, 'a, T>(&'b Pipeline<'a, T>);

impl<T> Drop for ProducerGuard<'_, '_, T> {
    fn drop(&mut self) {
        self.0.lock().working -= 1;
        self.0.changed.notify_all();
    }
}

impl<T> Pipeline<'_, T> {
    fn lock(&self) -> MutexGuard<'_, PipelineState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self)
    where
        T: Default,
    {
        let _guard = ProducerGuard(self);
        loop {
            let mut state = self.lock();
            while !state.stop && state.next < self.count && state.next >= state.consumed + self.window {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.stop || state.next >= self.count {
                return;
            }
            let i = state.next;
            state.next += 1;
            let mut piece = state.consumed_pieces.pop().unwrap_or_default();
            drop(state);
            let piece =
                catch_panic(|| (self.produce)(i, &mut piece)).and_then(|result| result).map(|()| piece);
            let mut state = self.lock();
            if piece.is_err() {
                // Earlier pieces are still needed, later ones are not.
                state.next = self.count;
            }
            state.pieces.insert(i, piece);
            drop(state);
            self.changed.notify_all();
        }
    }

    fn consume_all(
        &self,
        consume: &mut dyn FnMut(&mut T) -> Result<()>,
        progress: &dyn Progress,
    ) -> Result<()> {
        for i in 0..self.count {
            let mut piece = self.piece(i, progress)?;
            consume(&mut piece)?;
            let mut state = self.lock();
            state.consumed_pieces.push(piece);
            state.consumed = i + 1;
            drop(state);
            self.changed.notify_all();
        }
        Ok(())
    }

    fn piece(&self, i: usize, progress: &dyn Progress) -> Result<T> {
        let mut state = self.lock();
        loop {
            if let Some(piece) = state.pieces.remove(&i) {
                return piece;
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
        let produce = |i: usize, out: &mut Vec<u8>| {
            out.clear();
            if i.is_multiple_of(3) {
                std::thread::yield_now();
            }
            out.extend(format!("{i},").bytes());
            if bad == Some(i) { Err(Error::malformed("plan", format!("piece {i}"))) } else { Ok(()) }
        };
        let mut all = Vec::new();
        let result = ordered(
            count,
            threads,
            &produce,
            &mut |piece| {
                all.extend_from_slice(piece);
                Ok(())
            },
            &NoProgress,
        );
        (all, result)
    }

    #[test]
    fn pieces_come_in_order_on_any_number_of_threads() {
        let expected: String = (0..500).map(|i| format!("{i},")).collect();
        for threads in [1, 2, 3, 8] {
            let (all, consumed) = digits(500, threads, None);
            consumed.unwrap();
            assert_eq!(all, expected.as_bytes());
        }
        assert_eq!(digits(0, 4, None).0, b"");
    }

    #[test]
    fn pieces_before_an_error_are_taken() {
        let expected: String = (0..77).map(|i| format!("{i},")).collect();
        for threads in [1, 2, 5] {
            let (all, consumed) = digits(200, threads, Some(77));
            assert!(consumed.unwrap_err().to_string().contains("piece 77"));
            assert_eq!(all, expected.as_bytes());
        }
    }

    #[test]
    fn the_consumer_can_stop() {
        let produce = |_: usize, out: &mut Vec<u8>| {
            out.push(1);
            Ok(())
        };
        let mut left = 3;
        let mut consume = |_: &mut Vec<u8>| {
            left -= 1;
            if left == 0 { Err(Error::malformed("plan", "full")) } else { Ok(()) }
        };
        assert!(ordered(1000, 3, &produce, &mut consume, &NoProgress).is_err());
    }
}
