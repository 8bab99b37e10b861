//! The request of a caller to an opened source.

use crate::frame::paths::Projection;
use crate::progress::Progress;

/// The memory layout of the decoded columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MemoryLayout {
    /// Blocks for NumPy's dtypes, and Arrow's layout for columns with nulls or without such a dtype.
    #[default]
    AsStored,
    /// Arrow's layout for every column.
    Arrow,
    /// As [`MemoryLayout::Arrow`], but text and bytes may be views, where this saves a copy. For consumers that use views.
    ArrowViews,
    /// As [`MemoryLayout::AsStored`], but numbers and times become one block per dtype with NaN and NaT for nulls, in the same
    /// cases as in pandas' own readers: see [`super::missing`].
    Pandas,
}

impl MemoryLayout {
    /// Whether every column is in Arrow's layout.
    #[must_use]
    pub fn is_arrow(self) -> bool {
        matches!(self, Self::Arrow | Self::ArrowViews)
    }
}

/// The requested part of a source, and how to decode it.
pub struct Request<'a> {
    /// Columns by position, in this order; all if `None`.
    pub positions: Option<&'a [usize]>,
    /// The requested parts of nested columns, by position in the source; every column in full if `None`.
    pub projection: Option<&'a Projection>,
    /// Rows `start..stop`; all if `None`.
    pub rows: Option<(usize, usize)>,
    /// Whether the frame needs memory that it shares with no other frame.
    pub private: bool,
    /// The memory layout of the result.
    pub layout: MemoryLayout,
    /// Number of threads.
    pub threads: usize,
    /// Receives the progress.
    pub progress: &'a dyn Progress,
}

impl<'a> Request<'a> {
    /// Requests everything, in memory that may be shared.
    #[must_use]
    pub fn all(threads: usize, progress: &'a dyn Progress) -> Self {
        let layout = MemoryLayout::AsStored;
        Self { positions: None, projection: None, rows: None, private: false, layout, threads, progress }
    }
}
