//! Progress and cancellation: one question, asked between tasks and chunks.

use std::cell::Cell;

use crate::error::Result;

/// Told how far the work is; answers whether it goes on.
pub trait Progress {
    /// `done` of `total` bytes.
    ///
    /// # Errors
    /// `Cancelled` (or what the callback raised) stops the work.
    fn advance(&self, done: u64, total: Option<u64>) -> Result<()>;

    /// A signal came while the system was waited for: is it the end?
    ///
    /// # Errors
    /// As [`Progress::advance`].
    fn interrupted(&self) -> Result<()> {
        Ok(())
    }

    /// A look for signals in work whose bytes nobody is told; as seldom as `advance` looks.
    ///
    /// # Errors
    /// As [`Progress::advance`].
    fn look(&self) -> Result<()> {
        Ok(())
    }
}

/// Tells bytes of the input where the work counts those of something else, a text that was decoded: they only grow, and their
/// total is one throughout.
pub struct Scaled<'a> {
    inner: &'a dyn Progress,
    worked: u64,
    nbytes: u64,
    last: Cell<u64>,
}

impl<'a> Scaled<'a> {
    /// `worked`: what the work counts up to; `nbytes`: of the input.
    pub fn new(inner: &'a dyn Progress, worked: u64, nbytes: u64) -> Self {
        Self { inner, worked, nbytes, last: Cell::new(0) }
    }
}

impl Progress for Scaled<'_> {
    fn advance(&self, done: u64, _total: Option<u64>) -> Result<()> {
        let scaled = u128::from(done) * u128::from(self.nbytes) / u128::from(self.worked.max(1));
        let done = u64::try_from(scaled).unwrap_or(u64::MAX).min(self.nbytes);
        // Work that begins again counts from 0.
        if done <= self.last.replace(done.max(self.last.get())) {
            return self.inner.look();
        }
        self.inner.advance(done, Some(self.nbytes))
    }

    fn interrupted(&self) -> Result<()> {
        self.inner.interrupted()
    }

    fn look(&self) -> Result<()> {
        self.inner.look()
    }
}

/// One of several works that are told as one: it counts on where the one before it ended.
pub struct Share<'a> {
    inner: &'a dyn Progress,
    before: u64,
    nbytes: u64,
    total: u64,
}

impl<'a> Share<'a> {
    /// The shares of works of these sizes, in their order.
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

    /// The work is done.
    ///
    /// # Errors
    /// As [`Progress::advance`].
    pub fn end(&self) -> Result<()> {
        self.inner.advance(self.before + self.nbytes, Some(self.total))
    }
}

impl Progress for Share<'_> {
    fn advance(&self, done: u64, total: Option<u64>) -> Result<()> {
        // The work may count bytes of another kind: those of the file.
        let worked = u128::from(total.unwrap_or(self.nbytes).max(1));
        let done = u64::try_from(u128::from(done) * u128::from(self.nbytes) / worked).unwrap_or(u64::MAX);
        self.inner.advance(self.before + done.min(self.nbytes), Some(self.total))
    }

    fn interrupted(&self) -> Result<()> {
        self.inner.interrupted()
    }

    fn look(&self) -> Result<()> {
        self.inner.look()
    }
}

/// Hears signals and tells nothing: for the work before and after the one whose bytes are told.
pub struct Silent<'a>(pub &'a dyn Progress);

impl Progress for Silent<'_> {
    fn advance(&self, _done: u64, _total: Option<u64>) -> Result<()> {
        self.0.look()
    }

    fn interrupted(&self) -> Result<()> {
        self.0.interrupted()
    }

    fn look(&self) -> Result<()> {
        self.0.look()
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn advance(&self, _done: u64, _total: Option<u64>) -> Result<()> {
        Ok(())
    }
}
