//! Progress and cancellation by a callback of the caller.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::time::{Duration, Instant};

use colonnade::progress::Progress;
use colonnade::{Error, ErrorKind, Result};

/// The interval between calls of the callback: short enough for interrupts and a smooth progress bar.
const TICK: Duration = Duration::from_millis(50);

/// A callback that long calls poll, about every 50 ms, on the thread of the call.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CnProgress {
    /// Receives the bytes done and their total, or -1 for an unknown number. A result other than 0 cancels the call, which then
    /// fails with `CN_CODE_CANCELLED`. Null: nothing is called. It returns, without `longjmp` or exception, and does not use the
    /// handles of the call.
    pub call: Option<unsafe extern "C" fn(context: *mut c_void, done: i64, total: i64) -> c_int>,
    /// The first argument of the callback.
    pub context: *mut c_void,
}

/// Polls a callback of the caller.
pub struct PolledProgress {
    callback: CnProgress,
    polled: Cell<Instant>,
}

impl PolledProgress {
    /// Polls `progress`, which may be null.
    ///
    /// # Safety
    /// `progress` is null or valid for reads.
    #[must_use]
    pub unsafe fn new(progress: *const CnProgress) -> Self {
        // SAFETY: the caller guarantees it.
        let callback = unsafe { progress.as_ref() }.copied();
        let none = CnProgress { call: None, context: std::ptr::null_mut() };
        Self { callback: callback.unwrap_or(none), polled: Cell::new(Instant::now()) }
    }

    fn poll(&self, done: i64, total: i64) -> Result<()> {
        let Some(call) = self.callback.call else { return Ok(()) };
        self.polled.set(Instant::now());
        // SAFETY: the caller of the interface made the callback for this context, and it is called during the call only, on the
        // thread of the call: this type is not `Sync`. By the contract of `CnProgress` it returns.
        match unsafe { call(self.callback.context, done, total) } {
            0 => Ok(()),
            _ => Err(Error::new(ErrorKind::Cancelled, "core", "stopped by the caller.")),
        }
    }
}

impl Progress for PolledProgress {
    fn advance(&self, done: u64, total: Option<u64>) -> Result<()> {
        let is_end = total == Some(done);
        if !is_end && self.polled.get().elapsed() < TICK {
            return Ok(());
        }
        let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        self.poll(number(done), total.map_or(-1, number))
    }

    fn interrupted(&self) -> Result<()> {
        self.poll(-1, -1)
    }

    fn check(&self) -> Result<()> {
        if self.polled.get().elapsed() < TICK { Ok(()) } else { self.poll(-1, -1) }
    }
}
