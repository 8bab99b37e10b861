//! Progress callbacks and signals, looked at now and then while the interpreter lock is released.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use colonnade::progress::Progress;
use colonnade::{Error, ErrorKind};
use pyo3::prelude::*;

use crate::errors;

/// How often Python is asked: often enough for Ctrl-C and a smooth bar.
const TICK: Duration = Duration::from_millis(50);

/// A callback `(done, total | None)`, or none; signals are looked for in any case.
pub(crate) struct PyProgress {
    callback: Option<Py<PyAny>>,
    state: Mutex<State>,
}

struct State {
    /// Python was last asked for signals.
    asked: Instant,
    /// The callback was last told: signals that were looked for meanwhile do not put it off.
    told: Instant,
    raised: Option<PyErr>,
}

impl PyProgress {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        let now = Instant::now();
        Self { callback, state: Mutex::new(State { asked: now, told: now, raised: None }) }
    }

    /// What Python raised meanwhile.
    pub(crate) fn into_raised(self) -> Option<PyErr> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).raised
    }

    /// What the work answered, or what Python raised meanwhile.
    pub(crate) fn finish<T>(self, result: colonnade::Result<T>) -> PyResult<T> {
        match (result, self.into_raised()) {
            (Err(_), Some(raised)) => Err(raised),
            (result, _) => result.map_err(errors::to_py),
        }
    }
}

impl Progress for PyProgress {
    fn interrupted(&self) -> colonnade::Result<()> {
        let answer = Python::attach(|py| py.check_signals());
        answer.map_err(|raised| {
            self.state.lock().unwrap_or_else(PoisonError::into_inner).raised = Some(raised);
            stopped()
        })
    }

    fn look(&self) -> colonnade::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.asked.elapsed() < TICK {
            return Ok(());
        }
        state.asked = Instant::now();
        Python::attach(|py| py.check_signals()).map_err(|raised| {
            state.raised = Some(raised);
            stopped()
        })
    }

    fn advance(&self, done: u64, total: Option<u64>) -> colonnade::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.told.elapsed() < TICK && (total != Some(done) || self.callback.is_none()) {
            return Ok(());
        }
        state.told = Instant::now();
        state.asked = state.told;
        let answer = Python::attach(|py| {
            py.check_signals()?;
            match &self.callback {
                Some(callback) => callback.call1(py, (done, total)).map(drop),
                None => Ok(()),
            }
        });
        answer.map_err(|raised| {
            state.raised = Some(raised);
            stopped()
        })
    }
}

fn stopped() -> Error {
    Error::new(ErrorKind::Cancelled, "core", "stopped by the caller.")
}
