//! Calls progress callbacks and checks for signals at intervals, while the interpreter lock is released.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use colonnade::progress::Progress;
use colonnade::{Error, ErrorKind};
use pyo3::prelude::*;

use crate::errors;

/// The interval between calls to Python: short enough for Ctrl-C and a smooth progress bar.
const TICK: Duration = Duration::from_millis(50);

/// An optional callback `(done, total | None)`. Signals are checked in any case.
pub(crate) struct PyProgress {
    callback: Option<Py<PyAny>>,
    state: Mutex<ProgressState>,
}

struct ProgressState {
    /// The last check for signals.
    checked: Instant,
    /// The last call of the callback. A check for signals in between does not delay the next call.
    reported: Instant,
    raised: Option<PyErr>,
}

impl PyProgress {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        let now = Instant::now();
        Self { callback, state: Mutex::new(ProgressState { checked: now, reported: now, raised: None }) }
    }

    /// The exception that Python raised meanwhile.
    pub(crate) fn into_raised(self) -> Option<PyErr> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).raised
    }

    /// The result of the work, or the exception that Python raised meanwhile.
    pub(crate) fn finish<T>(self, result: colonnade::Result<T>) -> PyResult<T> {
        match (result, self.into_raised()) {
            (Err(_), Some(raised)) => Err(raised),
            (result, _) => result.map_err(errors::to_py),
        }
    }
}

impl Progress for PyProgress {
    fn interrupted(&self) -> colonnade::Result<()> {
        let result = Python::attach(|py| py.check_signals());
        result.map_err(|raised| {
            self.state.lock().unwrap_or_else(PoisonError::into_inner).raised = Some(raised);
            cancelled()
        })
    }

    fn check(&self) -> colonnade::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.checked.elapsed() < TICK {
            return Ok(());
        }
        state.checked = Instant::now();
        Python::attach(|py| py.check_signals()).map_err(|raised| {
            state.raised = Some(raised);
            cancelled()
        })
    }

    fn advance(&self, done: u64, total: Option<u64>) -> colonnade::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.reported.elapsed() < TICK && (total != Some(done) || self.callback.is_none()) {
            return Ok(());
        }
        state.reported = Instant::now();
        state.checked = state.reported;
        let result = Python::attach(|py| {
            py.check_signals()?;
            match &self.callback {
                Some(callback) => callback.call1(py, (done, total)).map(drop),
                None => Ok(()),
            }
        });
        result.map_err(|raised| {
            state.raised = Some(raised);
            cancelled()
        })
    }
}

fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, "core", "stopped by the caller.")
}
