//! Runs work on background threads, which the caller can abandon.

use std::io;
use std::process;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::Tick;
use super::error::HttpError;

/// The interval at which the caller checks for signals.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// Starts a thread that is never joined.
pub(super) fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name("colonnade-http".into()).spawn(work).map(drop)
}

/// The error of a process that was forked by a signal handler while a request was pending. The threads belong to its parent.
pub(super) fn forked_error() -> io::Error {
    io::Error::other("http: this process was forked while a request was waited for. Read it again here.")
}

/// Runs `work` on another thread and calls `tick` meanwhile. An error of `tick` abandons the thread.
pub(super) fn run_in_background<T: Send + 'static>(
    tick: &mut Tick<'_>,
    work: impl FnOnce() -> Result<T, HttpError> + Send + 'static,
) -> io::Result<T> {
    let pid = process::id();
    let (send, receive) = sync_channel(1);
    spawn(move || {
        // The receiver is gone if the caller gave up.
        let _ = send.send(work());
    })?;
    loop {
        match receive.recv_timeout(TICK) {
            Ok(answer) => return Ok(answer?),
            Err(RecvTimeoutError::Timeout) if process::id() != pid => return Err(forked_error()),
            Err(RecvTimeoutError::Timeout) => tick()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("http: the request ended early"));
            }
        }
    }
}
