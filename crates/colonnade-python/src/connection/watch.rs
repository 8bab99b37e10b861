//! Ends waits: after signals, deadlines and silence, and when another thread closes the connection.

use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use colonnade::progress::Progress;

/// The maximum time of one wait. Signals, and closing by another thread, are noticed after it.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// The time limit for a message's bytes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Timeout {
    /// Until a point in time.
    Until(Option<Instant>),
    /// As long as bytes move within this time.
    Silence(Option<Duration>),
}

impl Timeout {
    /// The time limit of a call, otherwise that of the connection. The first limits the whole call, the second only silence.
    pub(super) fn of(call: Option<f64>, connection: Option<Duration>) -> pyo3::PyResult<Self> {
        Ok(match call {
            None => Self::Silence(connection),
            Some(_) => {
                let limit = crate::connect_options::seconds("timeout_s", call)?;
                Self::Until(limit.and_then(|d| Instant::now().checked_add(d)))
            }
        })
    }
}

/// The clock is read after this many bytes or calls.
const CANCEL_CHECK_NBYTES: u64 = 1 << 20;
const CHECK_CALLS: u32 = 256;

/// Counts the bytes of one call, and checks for signals and for its time limit.
pub(super) struct Watch<'w> {
    progress: &'w dyn Progress,
    timeout: Timeout,
    stopped: &'w [&'w AtomicBool],
    /// Whether this watch reports the bytes to `progress`. Encoders report their progress themselves.
    reports: bool,
    done: Cell<u64>,
    /// Bytes and calls since the clock was last read.
    since: Cell<(u64, u32)>,
    last_move: Cell<Instant>,
    checked: Cell<Instant>,
}

impl<'w> Watch<'w> {
    pub(super) fn new(progress: &'w dyn Progress, timeout: Timeout, stopped: &'w [&'w AtomicBool]) -> Self {
        let now = Instant::now();
        let (last_move, checked) = (Cell::new(now), Cell::new(now));
        Self {
            progress,
            timeout,
            stopped,
            reports: false,
            done: Cell::new(0),
            since: Cell::new((0, 0)),
            last_move,
            checked,
        }
    }

    /// Returns the watch, which also reports the moved bytes to `progress`.
    pub(super) fn with_reports(self) -> Self {
        Self { reports: true, ..self }
    }

    /// Counts `nbytes` moved bytes, and checks for signals at intervals.
    pub(super) fn add(&self, nbytes: usize) -> io::Result<()> {
        if self.count(nbytes) { self.check(Instant::now()) } else { Ok(()) }
    }

    /// Counts `nbytes` moved bytes. Returns whether to check for signals. Runs no Python.
    pub(super) fn count(&self, nbytes: usize) -> bool {
        self.done.set(self.done.get() + nbytes as u64);
        let (bytes, calls) = self.since.get();
        let (bytes, calls) = (bytes + nbytes as u64, calls + 1);
        self.since.set((bytes, calls));
        if bytes < CANCEL_CHECK_NBYTES && calls < CHECK_CALLS {
            return false;
        }
        let now = Instant::now();
        self.record_move(now);
        now.duration_since(self.checked.get()) >= TICK
    }

    /// Records that bytes moved since the last call, if any did.
    fn record_move(&self, now: Instant) {
        if self.since.replace((0, 0)).1 > 0 {
            self.last_move.set(now);
        }
    }

    /// Checks for signals and the time limit, after a tick without bytes or an interrupted wait.
    ///
    /// # Errors
    /// `TimedOut`; `NotConnected` after the connection was closed; the exception that a signal handler raised.
    pub(super) fn check_timeout(&self) -> io::Result<()> {
        let now = Instant::now();
        self.record_move(now);
        self.check(now)?;
        let over = match self.timeout {
            Timeout::Until(end) => end.is_some_and(|end| now >= end),
            Timeout::Silence(most) => {
                most.is_some_and(|most| now.duration_since(self.last_move.get()) >= most)
            }
        };
        if over { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }

    /// The maximum time of the next wait.
    pub(super) fn tick(&self) -> Duration {
        self.record_move(Instant::now());
        let left = match self.timeout {
            Timeout::Until(end) => end.map(|end| end.saturating_duration_since(Instant::now())),
            Timeout::Silence(most) => most.map(|most| most.saturating_sub(self.last_move.get().elapsed())),
        };
        left.map_or(TICK, |left| left.min(TICK))
    }

    fn check(&self, now: Instant) -> io::Result<()> {
        self.checked.set(now);
        if self.stopped.iter().any(|flag| flag.load(Ordering::Relaxed)) {
            return Err(io::Error::new(io::ErrorKind::NotConnected, "the connection was closed here"));
        }
        let reported = if self.reports { self.progress.advance(self.done.get(), None) } else { Ok(()) };
        reported.and_then(|()| self.progress.interrupted()).map_err(io::Error::other)
    }
}
