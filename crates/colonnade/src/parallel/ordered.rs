//! Produces pieces on several threads, while the calling thread consumes them in order.
//!
//! Text is written this way: the length of a row is unknown until it is written, so pieces have no offsets in advance.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::panics::catch_panic;
use crate::progress::Progress;

/// Pieces per thread that may wait to be consumed.
const PIECES_AHEAD: usize = 4;

/// Interval at which the waiting calling thread checks for signals.
const TICK: Duration = Duration::from_millis(40);

/// Calls `produce` for the pieces `0..count` and `consume` for each piece in order. `produce` fills an empty vector, which may
/// be a reused one.
///
/// # Errors
/// The first error of `produce` in the order of pieces, after `consume` got all earlier pieces; errors of `consume` and
/// `progress`.
pub fn ordered(
    count: usize,
    threads: usize,
    produce: &(dyn Fn(usize, &mut Vec<u8>) -> Result<()> + Sync),
    consume: &mut dyn FnMut(&[u8]) -> Result<()>,
    progress: &dyn Progress,
) -> Result<()> {
    if threads <= 1 || count <= 1 {
        let mut buffer = Vec::new();
        for i in 0..count {
            buffer.clear();
            produce(i, &mut buffer)?;
            consume(&buffer)?;
            progress.interrupted()?;
        }
        return Ok(());
    }
    let threads = threads.min(count);
    let pipeline = Pipeline {
        state: Mutex::new(PipelineState { working: threads, ..PipelineState::default() }),
        changed: Condvar::new(),
        count,
        window: threads * PIECES_AHEAD,
        produce,
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| pipeline.work());
        }
        let outcome = pipeline.consume_all(consume, progress);
        pipeline.lock().stop = true;
        pipeline.changed.notify_all();
        outcome
    })
}

#[derive(Default)]
struct PipelineState {
    /// The next piece to produce.
    next: usize,
    /// The next piece to consume.
    consumed: usize,
    pieces: HashMap<usize, Result<Vec<u8>>>,
    free_buffers: Vec<Vec<u8>>,
    stop: bool,
    working: usize,
}

struct Pipeline<'a> {
    state: Mutex<PipelineState>,
    changed: Condvar,
    count: usize,
    window: usize,
    produce: &'a (dyn Fn(usize, &mut Vec<u8>) -> Result<()> + Sync),
}

/// Decrements the count of workers when a worker ends or panics, so that no thread waits in vain.
struct ProducerGuard<'b, 'a>(&'b Pipeline<'a>);

impl Drop for ProducerGuard<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().working -= 1;
        self.0.changed.notify_all();
    }
}

impl Pipeline<'_> {
    fn lock(&self) -> MutexGuard<'_, PipelineState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
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
            let mut buffer = state.free_buffers.pop().unwrap_or_default();
            drop(state);
            buffer.clear();
            let piece =
                catch_panic(|| (self.produce)(i, &mut buffer)).and_then(|result| result).map(|()| buffer);
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
        consume: &mut dyn FnMut(&[u8]) -> Result<()>,
        progress: &dyn Progress,
    ) -> Result<()> {
        for i in 0..self.count {
            let buffer = self.piece(i, progress)?;
            consume(&buffer)?;
            let mut state = self.lock();
            state.free_buffers.push(buffer);
            state.consumed = i + 1;
            drop(state);
            self.changed.notify_all();
        }
        Ok(())
    }

    fn piece(&self, i: usize, progress: &dyn Progress) -> Result<Vec<u8>> {
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
            assert!(out.is_empty());
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
        let mut consume = |_: &[u8]| {
            left -= 1;
            if left == 0 { Err(Error::malformed("plan", "full")) } else { Ok(()) }
        };
        assert!(ordered(1000, 3, &produce, &mut consume, &NoProgress).is_err());
    }
}
