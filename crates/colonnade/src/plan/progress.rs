//! Progress and cancellation: one question, asked between tasks and chunks.

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
