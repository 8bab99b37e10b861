//! A connection as both of its sides share it.

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
use super::receive::Receiving;
use super::send::{ChannelSink, Sending};
use super::watch::{TICK, Watch};

/// Both sides, and what stops them.
pub(crate) struct Inner {
    channel: Mutex<Option<Arc<dyn Channel>>>,
    pub(super) receiving: Mutex<Receiving>,
    pub(super) sending: Mutex<Sending>,
    /// What a format, by its name, remembers of the frames before; used by whoever has `sending`.
    pub(super) encoder: Mutex<Option<(&'static str, Box<dyn FrameEncoder>)>>,
    pub(super) closed: AtomicBool,
    pub(super) finished: AtomicBool,
    pub(super) messages_sent: AtomicU64,
    pub(super) nbytes_sent: AtomicU64,
    pub(super) messages_received: AtomicU64,
    pub(super) nbytes_received: AtomicU64,
    /// What broke the receiving side: class and arguments. The exception itself would hold the frames it passed, and these
    /// the connection.
    broken: Mutex<Option<(Py<PyType>, Py<PyAny>)>>,
    pub(super) options: ConnectOptions,
    pub(super) peer: String,
    /// The socket is the connection's own, not one that somebody lent.
    own: bool,
    /// The process that opened it.
    process: u32,
}

/// Says that nothing more will be sent; the last records of a session may have to wait for their place.
fn farewell(channel: &Arc<dyn Channel>) -> io::Result<()> {
    let deadline = Instant::now() + FAREWELL;
    loop {
        match channel.finish() {
            Err(e) if e.kind() == io::ErrorKind::WouldBlock && Instant::now() < deadline => {
                channel.wait(Direction::Send, TICK)?;
            }
            result => return result,
        }
    }
}

/// How long the farewell of a session may take.
const FAREWELL: Duration = Duration::from_secs(1);

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inner {
    pub(super) fn new(channel: Arc<dyn Channel>, options: &ConnectOptions, own: bool) -> Self {
        let peer = channel.peer().to_owned();
        Self {
            channel: Mutex::new(Some(channel)),
            receiving: Mutex::new(Receiving::new(Incoming::new(
                options.limits.core(),
                bytes_buffer::allocate,
            ))),
            sending: Mutex::new(Sending::Open),
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
            own,
            process: std::process::id(),
        }
    }

    /// The channel.
    ///
    /// # Errors
    /// `NotConnected` after closing.
    pub(super) fn channel(&self) -> io::Result<Arc<dyn Channel>> {
        let channel = lock(&self.channel).clone();
        channel.ok_or_else(|| io::Error::new(io::ErrorKind::NotConnected, "the connection was closed here"))
    }

    /// Runs `work`, which sends one message or part of one, with the sending side to itself.
    ///
    /// # Errors
    /// `work`'s own; the sending side cannot.
    pub(super) fn send(
        &self,
        watch: Watch<'_>,
        (from, to): (&Sending, Sending),
        begun: u64,
        work: impl FnOnce(&mut ChannelSink<'_>) -> Result<()>,
    ) -> Result<u64> {
        let channel = self.channel()?;
        let mut state = lock(&self.sending);
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
                    *state = Sending::Broken(error.to_string());
                    drop(state);
                    let _ = channel.finish(); // the peer sees that the message breaks off
                }
                Err(error)
            }
        }
    }

    pub(super) fn send_bytes(&self, watch: Watch<'_>, bytes: &[u8]) -> Result<u64> {
        self.send(watch, (&Sending::Open, Sending::Open), 0, |sink| {
            let head = envelope(b'B', bytes.len() as u64);
            Ok(sink.write_pieces(&[io::IoSlice::new(&head), io::IoSlice::new(bytes)])?)
        })
    }

    /// Lets go of the channel: whoever waits notices within a tick.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        // A socket that was lent stays its owner's, and one that was opened before a fork the parent's: both directions go on.
        let ours = self.own && self.process == std::process::id();
        if let Some(channel) = lock(&self.channel).take().filter(|_| ours) {
            let _ = farewell(&channel);
        }
    }

    /// Nothing more is sent: at once where nobody is sending, else whoever does is stopped.
    pub(super) fn finish(&self) -> io::Result<()> {
        self.finished.store(true, Ordering::Relaxed);
        let channel = self.channel()?;
        let mut state = lock(&self.sending);
        if matches!(*state, Sending::Open | Sending::Writing) {
            *state = Sending::Finished;
        }
        drop(state);
        farewell(&channel)
    }

    /// The receiving side, to look at. A thread that receives has it for moments only; `None` where it keeps it, inside the
    /// method of a Python object.
    pub(super) fn look(&self) -> Option<MutexGuard<'_, Receiving>> {
        let deadline = Instant::now() + Duration::from_millis(20);
        loop {
            match self.receiving.try_lock() {
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

    /// What broke the receiving side, raised again.
    pub(super) fn check_broken(&self, py: Python<'_>) -> PyResult<()> {
        // The lock is let go before Python runs: another thread may wait for it with the interpreter lock.
        let told = lock(&self.broken).as_ref().map(|(class, told)| (class.clone_ref(py), told.clone_ref(py)));
        match told {
            None => Ok(()),
            Some((class, arguments)) => {
                let arguments = arguments.bind(py).cast::<PyTuple>()?.clone();
                Err(PyErr::from_value(class.bind(py).call1(arguments)?))
            }
        }
    }

    /// The exception of a failed call of receiving, which is kept where bytes were lost.
    pub(super) fn receiving_failed(&self, py: Python<'_>, error: Error) -> PyErr {
        let lost = match error.kind() {
            ErrorKind::Cancelled => false,
            ErrorKind::Io(e) => {
                let from_python = e.get_ref().is_some_and(|inner| inner.is::<PyErr>() || inner.is::<Error>());
                // The system's own time-out says that the peer is lost.
                let waiting = match e.kind() {
                    io::ErrorKind::TimedOut => e.raw_os_error().is_none(),
                    kind => matches!(kind, io::ErrorKind::Interrupted | io::ErrorKind::NotConnected),
                };
                !from_python && !waiting
            }
            _ => true,
        };
        let number = self.messages_received.load(Ordering::Relaxed) + 1;
        let raised = self.raised(error, "message", number, RECEIVE_ADVICE);
        if lost && let Ok(arguments) = raised.value(py).getattr("args") {
            *lock(&self.broken) = Some((raised.get_type(py).unbind(), arguments.unbind()));
        }
        raised
    }

    pub(super) fn context(&self, verb: &str, number: u64) -> String {
        format!("{}: {verb} {number}", self.peer)
    }

    /// The exception of a failed call; a timeout says how to go on.
    pub(super) fn raised(&self, error: Error, verb: &str, number: u64, advice: &str) -> PyErr {
        let context = self.context(verb, number);
        match error.kind() {
            ErrorKind::Io(e) if e.kind() == io::ErrorKind::TimedOut && e.raw_os_error().is_none() => {
                PyTimeoutError::new_err(format!("{context}: the time is up. {advice}"))
            }
            // A session that was cut off: nobody said farewell.
            ErrorKind::Io(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                let cut = ErrorKind::Truncated { needed: 1, had: 0 };
                errors::to_py_in(Error::new(cut, "message", e.to_string()), &context)
            }
            _ => errors::to_py_in(error, &context),
        }
    }
}

/// A call that failed: what Python raised meanwhile, or the work's own error.
pub(super) enum Failed {
    Raised(PyErr),
    Work(Error),
}

impl Failed {
    pub(super) fn raised(self, inner: &Inner, verb: &str, number: u64, advice: &str) -> PyErr {
        match self {
            Self::Raised(error) => error,
            Self::Work(error) => inner.raised(error, verb, number, advice),
        }
    }
}

/// Runs `work` without the interpreter lock, watching for signals.
pub(super) fn watched_in<T: Send>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> Result<T> + Send,
) -> std::result::Result<T, Failed> {
    let progress = PyProgress::new(callback);
    let result = py.guarded(|| work(&progress));
    match (result, progress.into_raised()) {
        (Ok(value), _) => Ok(value),
        (Err(_), Some(raised)) => Err(Failed::Raised(raised)),
        (Err(error), None) => Err(Failed::Work(error)),
    }
}

/// Whether nothing of the message is lost: an error of the writer's before anything new went out.
fn is_harmless(error: &Error, sent: u64) -> bool {
    sent == 0 && matches!(error.kind(), ErrorKind::Unrepresentable)
}

fn refusal(state: &Sending) -> Error {
    let text = match state {
        Sending::Open => "no writer is open on this connection",
        Sending::Writing => "a writer is open on this connection. Close it first",
        Sending::Finished => "nothing more can be sent: the sending side was finished",
        Sending::Broken(why) => {
            let text = format!("an earlier message broke off ({why}). Connect again to send more");
            return io::Error::new(io::ErrorKind::BrokenPipe, text).into();
        }
    };
    io::Error::new(io::ErrorKind::BrokenPipe, text).into()
}
