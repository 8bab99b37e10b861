//! Receives without the interpreter lock until a message or a step of it is complete.

use std::sync::TryLockError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use colonnade::message::MessageStep;
use pyo3::prelude::*;

use super::receive::{self, ReceiveContext, Receiver, Turn, TurnOutcome};
use super::watch::{Timeout, Watch};
use super::{Callback, Connection};
use crate::guard::Guarded;
use crate::progress::PyProgress;

/// The pause before another attempt to lock the receiving side, which another thread holds.
const BUSY: Duration = Duration::from_millis(1);

impl Connection {
    /// Receives without the interpreter lock: calls `work` until it has a result. The receiving side is unlocked while the
    /// channel is waited for. An error breaks the receiving side, unless it lost no bytes: a timeout, a signal, or an exception
    /// of a Python object's methods.
    pub(super) fn with_receiver<T: Send>(
        &self,
        py: Python<'_>,
        timeout: Timeout,
        progress: Callback,
        mut work: impl FnMut(&mut Receiver, &ReceiveContext<'_>) -> colonnade::Result<TurnOutcome<T>> + Send,
    ) -> PyResult<T> {
        let inner = &*self.inner;
        inner.check_broken(py)?;
        let progress = PyProgress::new(progress);
        let result = py.guarded(|| {
            let stopped = [&inner.closed];
            let watch = Watch::new(&progress, timeout, &stopped).with_reports();
            let channel = inner.channel()?;
            let context =
                ReceiveContext { channel: &channel, watch: &watch, nbytes_received: &inner.nbytes_received };
            loop {
                let answer = match inner.receiver.try_lock() {
                    Ok(mut receiver) => {
                        let answer = work(&mut receiver, &context);
                        inner.messages_received.store(receiver.incoming.count(), Ordering::Relaxed);
                        answer?
                    }
                    // Another thread receives, or this one does, from inside a Python object's method. In the second case only
                    // the time limit or a signal ends the loop.
                    Err(TryLockError::WouldBlock) => {
                        std::thread::sleep(BUSY);
                        TurnOutcome::CheckSignals
                    }
                    Err(TryLockError::Poisoned(_)) => {
                        return Err(std::io::Error::other("receiving failed before").into());
                    }
                };
                match answer {
                    TurnOutcome::Done(answer) => return Ok(answer),
                    TurnOutcome::Wait => receive::wait(&channel, &watch)?,
                    TurnOutcome::CheckSignals => watch.check_timeout()?,
                }
            }
        });
        match (result, progress.into_raised()) {
            (Ok(value), _) => Ok(value),
            (Err(_), Some(raised)) => Err(raised),
            (Err(error), None) => Err(inner.receive_error(py, error)),
        }
    }

    /// Takes turns until a message is complete or the input ends. With `most`, it receives at most that many bytes and does not
    /// wait.
    pub(super) fn receive_message(
        &self,
        py: Python<'_>,
        timeout: Timeout,
        most: Option<usize>,
        progress: Callback,
    ) -> PyResult<Turn> {
        let mut left = most.unwrap_or(usize::MAX);
        self.with_receiver(py, timeout, progress, |receiver, context| {
            receiver.incoming.by_batch(false);
            loop {
                match receiver.turn(context, &mut left)? {
                    // The rest of a message that was read batch by batch and left.
                    Turn::Step(
                        MessageStep::Schema | MessageStep::Batch(_) | MessageStep::End | MessageStep::Need,
                    ) => {}
                    Turn::CheckSignals => return Ok(TurnOutcome::CheckSignals),
                    Turn::Pending if most.is_none() => return Ok(TurnOutcome::Wait),
                    turn => return Ok(TurnOutcome::Done(turn)),
                }
            }
        })
    }
}
