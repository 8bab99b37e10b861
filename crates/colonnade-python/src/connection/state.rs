//! The state that both sides of a connection share.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use colonnade::formats::FrameEncoder;
use colonnade::message::{Incoming, envelope};
use colonnade::progress::Progress;
use colonnade::sink::Sink;
use colonnade::{Error, ErrorKind, Result};
use colonnade_transport::{Channel, Direction};
use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::bytes_buffer;
use crate::connect_options::ConnectOptions;
use crate::errors;
use crate::guard::Guarded;
use crate::progress::PyProgress;

use super::RECEIVE_ADVICE;
use super::receive::Receiver;
use super::send::{ChannelSink, SendState};
use super::watch::{TICK, Watch};

/// The receiving side, the sending side, and the flags that stop them.
pub(crate) struct ConnectionState {
    channel: Mutex<Option<Arc<dyn Channel>>>,
    pub(super) receiver: Mutex<Receiver>,
    pub(super) send_state: Mutex<SendState>,
    /// The encoder and the name of its format. It caches the layouts of earlier frames. Only the holder of `send_state` uses it.
    pub(super) encoder: Mutex<Option<(&'static str, Box<dyn FrameEncoder>)>>,
    pub(super) closed: AtomicBool,
    pub(super) finished: AtomicBool,
    pub(super) messages_sent: AtomicU64,
    pub(super) nbytes_sent: AtomicU64,
    pub(super) messages_received: AtomicU64,
    pub(super) nbytes_received: AtomicU64,
    /// The class and arguments of the exception that broke the receiving side. The exception itself would keep its traceback's
    /// frames alive, and these would keep the connection alive.
    broken: Mutex<Option<(Py<PyType>, Py<PyAny>)>>,
    pub(super) options: ConnectOptions,
    pub(super) peer: String,
    /// Whether the connection owns the channel. It does not own a descriptor or object of the caller.
    owns_channel: bool,
    /// The process that opened the connection.
    process: u32,
}

/// Ends the sending direction. A TLS session's last records may have to wait until the socket takes them.
fn finish_channel(channel: &Arc<dyn Channel>) -> io::Result<()> {
    let deadline = Instant::now() + FINISH_TIMEOUT;
    loop {
        match channel.finish() {
            Err(e) if e.kind() == io::ErrorKind::WouldBlock && Instant::now() < deadline => {
                channel.wait(Direction::Send, TICK)?;
            }
            result => return result,
        }
    }
}

/// The maximum time for sending the last records of a session.
const FINISH_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ConnectionState {
    pub(super) fn new(channel: Arc<dyn Channel>, options: &ConnectOptions, owns_channel: bool) -> Self {
        let peer = channel.peer().to_owned();
        Self {
            channel: Mutex::new(Some(channel)),
            receiver: Mutex::new(Receiver::new(Incoming::new(options.limits.core(), bytes_buffer::allocate))),
            send_state: Mutex::new(SendState::Open),
            encoder: Mutex::default(),
            closed: AtomicBool::new(false),
            finished: AtomicBool::new(false),
            messages_sent: AtomicU64::new(0),
            nbytes_sent: AtomicU64::new(0),
            messages_received: AtomicU64::new(0),
            nbytes_received: AtomicU64::new(0),
            broken: Mutex::new(None),
            options: options.clone(),
            peer,
            owns_channel,
            process: std::process::id(),
        }
    }

    /// Returns the channel.
    ///
    /// # Errors
    /// `NotConnected` after closing.
    pub(super) fn channel(&self) -> io::Result<Arc<dyn Channel>> {
        let channel = lock(&self.channel).clone();
        channel.ok_or_else(|| io::Error::new(io::ErrorKind::NotConnected, "the connection was closed here"))
    }

    /// Locks the sending side and runs `work`, which sends one message or a part of one.
    ///
    /// # Errors
    /// Errors of `work`. `BrokenPipe` if the sending side is in another state than `from`.
    pub(super) fn send(
        &self,
        watch: Watch<'_>,
        (from, to): (&SendState, SendState),
        begun: u64,
        work: impl FnOnce(&mut ChannelSink<'_>) -> Result<()>,
    ) -> Result<u64> {
        let channel = self.channel()?;
        let mut state = lock(&self.send_state);
        if *state != *from {
            return Err(refusal(&state));
        }
        let mut sink = ChannelSink { channel: &channel, watch, sent: 0 };
        let result = work(&mut sink).and_then(|()| Ok(sink.flush()?));
        let sent = sink.sent;
        self.nbytes_sent.fetch_add(sent, Ordering::Relaxed);
        match result {
            Ok(()) => {
                *state = to;
                Ok(sent)
            }
            Err(error) => {
                if sent + begun > 0 && !is_harmless(&error, sent) {
                    *state = SendState::Broken(error.to_string());
                    drop(state);
                    let _ = channel.finish(); // the peer sees that the message is incomplete
                }
                Err(error)
            }
        }
    }

    pub(super) fn send_bytes(&self, watch: Watch<'_>, bytes: &[u8]) -> Result<u64> {
        self.send(watch, (&SendState::Open, SendState::Open), 0, |sink| {
            let head = envelope(b'B', bytes.len() as u64);
            Ok(sink.write_pieces(&[io::IoSlice::new(&head), io::IoSlice::new(bytes)])?)
        })
    }

    /// Drops the channel. A thread that waits on it notices within a tick.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        // A socket of the caller stays open. So does a socket that was opened before a fork: it belongs to the parent process.
        let closes_channel = self.owns_channel && self.process == std::process::id();
        if let Some(channel) = lock(&self.channel).take().filter(|_| closes_channel) {
            let _ = finish_channel(&channel);
        }
    }

    /// Ends sending: at once if no thread is sending; otherwise the sending thread stops.
    pub(super) fn finish(&self) -> io::Result<()> {
        self.finished.store(true, Ordering::Relaxed);
        let channel = self.channel()?;
        let mut state = lock(&self.send_state);
        if matches!(*state, SendState::Open | SendState::Writing) {
            *state = SendState::Finished;
        }
        drop(state);
        finish_channel(&channel)
    }

    /// Locks the receiving side to read its state. A receiving thread holds the lock only for moments, except inside a method
    /// of a Python object; then this returns `None`.
    pub(super) fn lock_receiver(&self) -> Option<MutexGuard<'_, Receiver>> {
        let deadline = Instant::now() + Duration::from_millis(20);
        loop {
            match self.receiver.try_lock() {
                Ok(guard) => return Some(guard),
                Err(TryLockError::Poisoned(_)) => return None,
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    pub(super) fn is_broken(&self) -> bool {
        lock(&self.broken).is_some()
    }

    /// Raises the exception that broke the receiving side again.
    pub(super) fn check_broken(&self, py: Python<'_>) -> PyResult<()> {
        // The lock is released before Python runs, because another thread may wait for it while it holds the interpreter lock.
        let broken = lock(&self.broken)
            .as_ref()
            .map(|(class, arguments)| (class.clone_ref(py), arguments.clone_ref(py)));
        match broken {
            None => Ok(()),
            Some((class, arguments)) => {
                let arguments = arguments.bind(py).cast::<PyTuple>()?.clone();
                Err(PyErr::from_value(class.bind(py).call1(arguments)?))
            }
        }
    }

    /// Converts the error of a failed receive to an exception. If bytes were lost, the connection keeps it for later calls.
    pub(super) fn receive_error(&self, py: Python<'_>, error: Error) -> PyErr {
        let lost = match error.kind() {
            ErrorKind::Cancelled => false,
            ErrorKind::Io(e) => {
                let from_python = e.get_ref().is_some_and(|inner| inner.is::<PyErr>() || inner.is::<Error>());
                // A time-out of the operating system means that the peer is lost.
                let waiting = match e.kind() {
                    io::ErrorKind::TimedOut => e.raw_os_error().is_none(),
                    kind => matches!(kind, io::ErrorKind::Interrupted | io::ErrorKind::NotConnected),
                };
                !from_python && !waiting
            }
            _ => true,
        };
        let number = self.messages_received.load(Ordering::Relaxed) + 1;
        let raised = self.to_exception(error, "message", number, RECEIVE_ADVICE);
        if lost && let Ok(arguments) = raised.value(py).getattr("args") {
            *lock(&self.broken) = Some((raised.get_type(py).unbind(), arguments.unbind()));
        }
        raised
    }

    pub(super) fn context(&self, verb: &str, number: u64) -> String {
        format!("{}: {verb} {number}", self.peer)
    }

    /// Converts the error of a failed call to an exception. That of a timeout says how to continue.
    pub(super) fn to_exception(&self, error: Error, verb: &str, number: u64, advice: &str) -> PyErr {
        let context = self.context(verb, number);
        match error.kind() {
            ErrorKind::Io(e) if e.kind() == io::ErrorKind::TimedOut && e.raw_os_error().is_none() => {
                PyTimeoutError::new_err(format!("{context}: the time is up. {advice}"))
            }
            // The peer closed the socket without TLS's close notification.
            ErrorKind::Io(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                let cut = ErrorKind::Truncated { needed: 1, had: 0 };
                errors::to_py_with_context(Error::new(cut, "message", e.to_string()), &context)
            }
            _ => errors::to_py_with_context(error, &context),
        }
    }
}

/// The failure of a call: an exception that Python raised meanwhile, or the error of the work.
pub(super) enum CallError {
    Raised(PyErr),
    Work(Error),
}

impl CallError {
    pub(super) fn into_exception(
        self,
        inner: &ConnectionState,
        verb: &str,
        number: u64,
        advice: &str,
    ) -> PyErr {
        match self {
            Self::Raised(error) => error,
            Self::Work(error) => inner.to_exception(error, verb, number, advice),
        }
    }
}

/// Runs `work` without the interpreter lock and checks for signals.
pub(super) fn run_call<T: Send>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> Result<T> + Send,
) -> std::result::Result<T, CallError> {
    let progress = PyProgress::new(callback);
    let result = py.guarded(|| work(&progress));
    match (result, progress.into_raised()) {
        (Ok(value), _) => Ok(value),
        (Err(_), Some(raised)) => Err(CallError::Raised(raised)),
        (Err(error), None) => Err(CallError::Work(error)),
    }
}

/// Whether the message can be sent again: the encoder failed before any byte was sent.
fn is_harmless(error: &Error, sent: u64) -> bool {
    sent == 0 && matches!(error.kind(), ErrorKind::Unrepresentable)
}

fn refusal(state: &SendState) -> Error {
    let text = match state {
        SendState::Open => "no writer is open on this connection",
        SendState::Writing => "a writer is open on this connection. Close it first",
        SendState::Finished => "nothing more can be sent: the sending side was finished",
        SendState::Broken(why) => {
            let text = format!("an earlier message broke off ({why}). Connect again to send more");
            return io::Error::new(io::ErrorKind::BrokenPipe, text).into();
        }
    };
    io::Error::new(io::ErrorKind::BrokenPipe, text).into()
}
