//! What is wanted of an opened source.

use crate::frame::paths::Projection;
use crate::progress::Progress;

/// The memory layout that the target wants its columns in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// Blocks for NumPy's dtypes, and Arrow's layout for columns that have nulls or no such dtype.
    #[default]
    AsStored,
    /// Arrow's layout for every column.
    Arrow,
    /// As [`Layout::AsStored`], but numbers and times are in one block a dtype with NaN and NaT for their nulls, wherever
    /// pandas' own readers give them so: see [`super::missing`].
    Pandas,
}

/// What is wanted of a source.
pub struct Request<'a> {
    /// Columns by position, in that order; all where `None`.
    pub positions: Option<&'a [usize]>,
    /// Of nested columns the part that is wanted, by position in the source; all of every column where `None`.
    pub kept: Option<&'a Projection>,
    /// Rows `start..stop`; all where `None`.
    pub rows: Option<(usize, usize)>,
    /// Memory of its own, that no other frame sees.
    pub private: bool,
    /// What [`Request`]'s columns are decoded into.
    pub layout: Layout,
    /// Threads that may work.
    pub threads: usize,
    /// Told how far it is.
    pub progress: &'a dyn Progress,
}

impl<'a> Request<'a> {
    /// Everything, in memory that may be shared.
    #[must_use]
    pub fn all(threads: usize, progress: &'a dyn Progress) -> Self {
        let layout = Layout::AsStored;
        Self { positions: None, kept: None, rows: None, private: false, layout, threads, progress }
    }
}
