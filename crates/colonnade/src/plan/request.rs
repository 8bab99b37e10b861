//! What is wanted of an opened source.

use super::Progress;
use crate::frame::paths::Kept;

/// What is wanted of a source.
pub struct Request<'a> {
    /// Columns by position, in that order; all where `None`.
    pub positions: Option<&'a [usize]>,
    /// Of nested columns the part that is wanted, by position in the source; all of every column where `None`.
    pub kept: Option<&'a Kept>,
    /// Rows `start..stop`; all where `None`.
    pub rows: Option<(usize, usize)>,
    /// Memory of its own, that no other frame sees.
    pub private: bool,
    /// Threads that may work.
    pub threads: usize,
    /// Told how far it is.
    pub progress: &'a dyn Progress,
}

impl<'a> Request<'a> {
    /// Everything, in memory that may be shared.
    #[must_use]
    pub fn all(threads: usize, progress: &'a dyn Progress) -> Self {
        Self { positions: None, kept: None, rows: None, private: false, threads, progress }
    }
}
