//! Receiving: turns without the interpreter lock until something is whole.

use std::sync::TryLockError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use colonnade::message::MessageStep;
use pyo3::prelude::*;

use super::receive::{self, Answer, Pull, Receiving, Turn};
use super::watch::{Patience, Watch};
use super::{Callback, Connection};
use crate::guard::Guarded;
use crate::progress::PyProgress;

/// How long to leave another thread that is receiving alone.
const BUSY: Duration = Duration::from_millis(1);

impl Connection {
    /// Receives without the interpreter lock: `work` is asked until it has an answer, and the receiving side is free while the
    /// channel is waited for. An error breaks the receiving side unless nothing was lost: a timeout, a signal, an exception of
    /// a Python object's own methods.
    pub(super) fn receiving<T: Send>(
        &self,
        py: Python<'_>,
        patience: Patience,
        progress: Callback,
        mut work: impl FnMut(&mut Receiving, &Pull<'_>) -> colonnade::Result<Answer<T>> + Send,
    ) -> PyResult<T> {
        let inner = &*self.inner;
        inner.check_broken(py)?;
        let progress = PyProgress::new(progress);
        let result = py.guarded(|| {
            let stopped = [&inner.closed];
            let watch = Watch::new(&progress, patience, &stopped).telling();
            let channel = inner.channel()?;
            let pull = Pull { channel: &channel, watch: &watch, counted: &inner.nbytes_received };
            loop {
                let answer = match inner.receiving.try_lock() {
                    Ok(mut receiving) => {
                        let answer = work(&mut receiving, &pull);
                        inner.messages_received.store(receiving.incoming.count(), Ordering::Relaxed);
                        answer?
                    }
                    // Another thread is at it, or this one, from inside an object's own method: then only the time limit or a
                    // signal ends this.
                    Err(TryLockError::WouldBlock) => {
                        std::thread::sleep(BUSY);
                        Answer::Look
                    }
                    Err(TryLockError::Poisoned(_)) => {
                        return Err(std::io::Error::other("receiving failed before").into());
                    }
                };
                match answer {
                    Answer::Done(answer) => return Ok(answer),
                    Answer::Wait => receive::wait(&channel, &watch)?,
                    Answer::Look => watch.waited()?,
                }
            }
        });
        match (result, progress.into_raised()) {
            (Ok(value), _) => Ok(value),
            (Err(_), Some(raised)) => Err(raised),
            (Err(error), None) => Err(inner.receiving_failed(py, error)),
        }
    }

    /// The next turn that ends something: a message is whole, or the input is at its end. `most` bytes are taken and nothing
    /// is waited for, where that is given.
    pub(super) fn whole(
        &self,
        py: Python<'_>,
        patience: Patience,
        most: Option<usize>,
        progress: Callback,
    ) -> PyResult<Turn> {
        let mut left = most.unwrap_or(usize::MAX);
        self.receiving(py, patience, progress, |receiving, pull| {
            receiving.incoming.by_batch(false);
            loop {
                match receiving.turn(pull, &mut left)? {
                    // The rest of a message that was read batch by batch and left.
                    Turn::Step(
                        MessageStep::Schema | MessageStep::Batch(_) | MessageStep::End | MessageStep::Need,
                    ) => {}
                    Turn::Look => return Ok(Answer::Look),
                    Turn::Pending if most.is_none() => return Ok(Answer::Wait),
                    turn => return Ok(Answer::Done(turn)),
                }
            }
        })
    }
}
