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
pub(super) enum Patience {
    /// Until a point in time.
    Until(Option<Instant>),
    /// As long as bytes move within this time.
    Silence(Option<Duration>),
}

impl Patience {
    /// The time limit of a call, otherwise that of the connection. The first limits the whole call, the second only silence.
    pub(super) fn of(call: Option<f64>, told: Option<Duration>) -> pyo3::PyResult<Self> {
        Ok(match call {
            None => Self::Silence(told),
            Some(_) => {
                let asked = crate::connect_options::seconds("timeout_s", call)?;
                Self::Until(asked.and_then(|d| Instant::now().checked_add(d)))
            }
        })
    }
}

/// The clock is read after this many bytes or calls.
const CANCEL_CHECK_NBYTES: u64 = 1 << 20;
const LOOK_CALLS: u32 = 256;

/// Counts the bytes of one call, and checks for signals and for its time limit.
pub(super) struct Watch<'w> {
    progress: &'w dyn Progress,
    patience: Patience,
    stopped: &'w [&'w AtomicBool],
    /// Whether this watch reports the bytes to `progress`. Encoders report their progress themselves.
    tells: bool,
    done: Cell<u64>,
    /// Bytes and calls since the clock was last read.
    since: Cell<(u64, u32)>,
    moved: Cell<Instant>,
    asked: Cell<Instant>,
}

impl<'w> Watch<'w> {
    pub(super) fn new(progress: &'w dyn Progress, patience: Patience, stopped: &'w [&'w AtomicBool]) -> Self {
        let now = Instant::now();
        let (moved, asked) = (Cell::new(now), Cell::new(now));
        Self {
            progress,
            patience,
            stopped,
            tells: false,
            done: Cell::new(0),
            since: Cell::new((0, 0)),
            moved,
            asked,
        }
    }

    /// Returns the watch, which also reports the moved bytes to `progress`.
    pub(super) fn telling(self) -> Self {
        Self { tells: true, ..self }
    }

    /// Counts `nbytes` moved bytes, and checks for signals at intervals.
    pub(super) fn moved(&self, nbytes: usize) -> io::Result<()> {
        if self.count(nbytes) { self.look(Instant::now()) } else { Ok(()) }
    }

    /// Counts `nbytes` moved bytes. Returns whether to check for signals. Runs no Python.
    pub(super) fn count(&self, nbytes: usize) -> bool {
        self.done.set(self.done.get() + nbytes as u64);
        let (bytes, calls) = self.since.get();
        let (bytes, calls) = (bytes + nbytes as u64, calls + 1);
        self.since.set((bytes, calls));
        if bytes < CANCEL_CHECK_NBYTES && calls < LOOK_CALLS {
            return false;
        }
        let now = Instant::now();
        self.note(now);
        now.duration_since(self.asked.get()) >= TICK
    }

    /// Records that bytes moved since the last call, if any did.
    fn note(&self, now: Instant) {
        if self.since.replace((0, 0)).1 > 0 {
            self.moved.set(now);
        }
    }

    /// Checks for signals and the time limit, after a tick without bytes or an interrupted wait.
    ///
    /// # Errors
    /// `TimedOut`; `NotConnected` after the connection was closed; the exception that a signal handler raised.
    pub(super) fn waited(&self) -> io::Result<()> {
        let now = Instant::now();
        self.note(now);
        self.look(now)?;
        let over = match self.patience {
            Patience::Until(end) => end.is_some_and(|end| now >= end),
            Patience::Silence(most) => most.is_some_and(|most| now.duration_since(self.moved.get()) >= most),
        };
        if over { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }

    /// The maximum time of the next wait.
    pub(super) fn tick(&self) -> Duration {
        self.note(Instant::now());
        let left = match self.patience {
            Patience::Until(end) => end.map(|end| end.saturating_duration_since(Instant::now())),
            Patience::Silence(most) => most.map(|most| most.saturating_sub(self.moved.get().elapsed())),
        };
        left.map_or(TICK, |left| left.min(TICK))
    }

    fn look(&self, now: Instant) -> io::Result<()> {
        self.asked.set(now);
        if self.stopped.iter().any(|flag| flag.load(Ordering::Relaxed)) {
            return Err(io::Error::new(io::ErrorKind::NotConnected, "the connection was closed here"));
        }
        let asked = if self.tells { self.progress.advance(self.done.get(), None) } else { Ok(()) };
        asked.and_then(|()| self.progress.interrupted()).map_err(io::Error::other)
    }
}
