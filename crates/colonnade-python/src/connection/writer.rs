//! Writes one message of a connection chunk by chunk.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use colonnade::Result;
use colonnade::progress::Progress;
use colonnade::sink::Sink;
use pyo3::prelude::*;

use super::send::SendState;
use super::state::{ConnectionState, lock, run_call};
use super::watch::{Timeout, Watch};
use super::{Callback, Connection, SEND_ADVICE};

/// The sending side of a connection, reserved for one message.
pub(crate) struct ConnectionTarget {
    inner: Arc<ConnectionState>,
    timeout_s: Option<f64>,
    begun: u64,
    done: bool,
}

impl ConnectionTarget {
    /// Reserves the sending side of `connection`.
    ///
    /// # Errors
    /// A connection that is closed or that sends already; a negative time limit.
    pub(crate) fn begin(py: Python<'_>, connection: &Connection, timeout_s: Option<f64>) -> PyResult<Self> {
        connection.timeout(timeout_s)?;
        let inner = &connection.inner;
        let number = inner.messages_sent.load(Ordering::Relaxed) + 1;
        let begun = run_call(py, None, |progress| {
            let watch = Watch::new(progress, Timeout::Until(None), &[]);
            inner.send(watch, (&SendState::Open, SendState::Writing), 0, |_| Ok(()))
        });
        begun.map_err(|e| e.into_exception(inner, "sending message", number, SEND_ADVICE))?;
        Ok(Self { inner: Arc::clone(inner), timeout_s, begun: 0, done: false })
    }

    /// Sends a part of the message. The last part ends it.
    pub(crate) fn run(
        &mut self,
        py: Python<'_>,
        progress: Callback,
        last: bool,
        work: impl FnOnce(&mut dyn Sink, &dyn Progress) -> Result<()> + Send,
    ) -> PyResult<()> {
        let (inner, begun) = (&*self.inner, self.begun);
        let timeout = Timeout::of(self.timeout_s, inner.options.timeout)?;
        let number = inner.messages_sent.load(Ordering::Relaxed) + 1;
        let sent = run_call(py, progress, |progress| {
            let stopped = [&inner.closed, &inner.finished];
            let watch = Watch::new(progress, timeout, &stopped);
            let next = if last { SendState::Open } else { SendState::Writing };
            inner.send(watch, (&SendState::Writing, next), begun, |sink| work(sink, progress))
        });
        self.begun += sent.map_err(|e| e.into_exception(inner, "sending message", number, SEND_ADVICE))?;
        if last {
            self.done = true;
            inner.messages_sent.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl Drop for ConnectionTarget {
    /// Breaks off an unfinished message. If a part of it was sent, the peer sees that it is incomplete.
    fn drop(&mut self) {
        if self.done {
            return;
        }
        let mut state = lock(&self.inner.send_state);
        if *state != SendState::Writing {
            return;
        }
        if self.begun == 0 {
            *state = SendState::Open;
            return;
        }
        *state = SendState::Broken("its writer gave up".into());
        drop(state);
        if let Ok(channel) = self.inner.channel() {
            let _ = channel.finish();
        }
    }
}
