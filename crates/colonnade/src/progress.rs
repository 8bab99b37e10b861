//! Progress and cancellation, checked between tasks and chunks.

use std::cell::Cell;

use crate::error::Result;

/// Receives the progress of work, and may cancel it.
pub trait Progress {
    /// Reports `done` of `total` bytes.
    ///
    /// # Errors
    /// `Cancelled`, or the error that the callback raised: the work stops.
    fn advance(&self, done: u64, total: Option<u64>) -> Result<()>;

    /// Checks whether a signal that interrupted a system call cancels the work.
    ///
    /// # Errors
    /// As [`Progress::advance`].
    fn interrupted(&self) -> Result<()> {
        Ok(())
    }

    /// Checks for signals in work that reports no bytes, as rarely as `advance` does.
    ///
    /// # Errors
    /// As [`Progress::advance`].
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// Converts the units of the work, for example bytes of decompressed text, to bytes of the input. Reported bytes never decrease,
/// and the total is constant.
pub struct ScaledProgress<'a> {
    inner: &'a dyn Progress,
    worked: u64,
    nbytes: u64,
    last: Cell<u64>,
}

impl<'a> ScaledProgress<'a> {
    /// `worked`: total in the units of the work; `nbytes`: size of the input.
    pub fn new(inner: &'a dyn Progress, worked: u64, nbytes: u64) -> Self {
        Self { inner, worked, nbytes, last: Cell::new(0) }
    }
}

impl Progress for ScaledProgress<'_> {
    fn advance(&self, done: u64, _total: Option<u64>) -> Result<()> {
        let scaled = u128::from(done) * u128::from(self.nbytes) / u128::from(self.worked.max(1));
        let done = u64::try_from(scaled).unwrap_or(u64::MAX).min(self.nbytes);
        // A second pass counts from 0 again.
        if done <= self.last.replace(done.max(self.last.get())) {
            return self.inner.check();
        }
        self.inner.advance(done, Some(self.nbytes))
    }

    fn interrupted(&self) -> Result<()> {
        self.inner.interrupted()
    }

    fn check(&self) -> Result<()> {
        self.inner.check()
    }
}

/// The share of one task in a common progress: it continues where the previous share ends.
pub struct Share<'a> {
    inner: &'a dyn Progress,
    before: u64,
    nbytes: u64,
    total: u64,
}

impl<'a> Share<'a> {
    /// The shares of tasks of these sizes, in order.
    pub fn each(inner: &'a dyn Progress, sizes: impl Iterator<Item = usize>) -> Vec<Self> {
        let sizes: Vec<u64> = sizes.map(|nbytes| nbytes as u64).collect();
        let total = sizes.iter().sum();
        let mut end = 0;
        let share = |nbytes| {
            end += nbytes;
            Self { inner, before: end - nbytes, nbytes, total }
        };
        sizes.into_iter().map(share).collect()
    }

    /// Reports the task as done.
    ///
    /// # Errors
    /// As [`Progress::advance`].
    pub fn end(&self) -> Result<()> {
        self.inner.advance(self.before + self.nbytes, Some(self.total))
    }
}

impl Progress for Share<'_> {
    fn advance(&self, done: u64, total: Option<u64>) -> Result<()> {
        // The task may count other bytes, for example those of the file.
        let worked = u128::from(total.unwrap_or(self.nbytes).max(1));
        let done = u64::try_from(u128::from(done) * u128::from(self.nbytes) / worked).unwrap_or(u64::MAX);
        self.inner.advance(self.before + done.min(self.nbytes), Some(self.total))
    }

    fn interrupted(&self) -> Result<()> {
        self.inner.interrupted()
    }

    fn check(&self) -> Result<()> {
        self.inner.check()
    }
}

/// Checks for signals but reports no bytes, for work before and after the reported one.
pub struct SignalsOnly<'a>(pub &'a dyn Progress);

impl Progress for SignalsOnly<'_> {
    fn advance(&self, _done: u64, _total: Option<u64>) -> Result<()> {
        self.0.check()
    }

    fn interrupted(&self) -> Result<()> {
        self.0.interrupted()
    }

    fn check(&self) -> Result<()> {
        self.0.check()
    }
}

/// Ignores progress and never cancels.
#[derive(Debug, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn advance(&self, _done: u64, _total: Option<u64>) -> Result<()> {
        Ok(())
    }
}
