//! Work in the background, which the caller can abandon.

use std::io;
use std::process;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::Tick;
use super::error::HttpError;

/// How often the caller looks for signals.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// Starts a thread that nobody joins.
pub(super) fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name("colonnade-http".into()).spawn(work).map(drop)
}

/// What a child is told that was forked by a signal's handler while its parent waited: the threads are the parent's.
pub(super) fn forked() -> io::Error {
    io::Error::other("http: this process was forked while a request was waited for. Read it again here.")
}

/// Does `work` on another thread, and calls `tick` while it lasts. When that answers an error, the thread is left alone.
pub(super) fn run_in_background<T: Send + 'static>(
    tick: &mut Tick<'_>,
    work: impl FnOnce() -> Result<T, HttpError> + Send + 'static,
) -> io::Result<T> {
    let pid = process::id();
    let (send, receive) = sync_channel(1);
    spawn(move || {
        // Nobody listens any more where the caller gave up.
        let _ = send.send(work());
    })?;
    loop {
        match receive.recv_timeout(TICK) {
            Ok(answer) => return Ok(answer?),
            Err(RecvTimeoutError::Timeout) if process::id() != pid => return Err(forked()),
            Err(RecvTimeoutError::Timeout) => tick()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("http: the request ended early"));
            }
        }
    }
}
