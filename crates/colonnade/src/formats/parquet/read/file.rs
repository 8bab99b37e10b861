//! An opened file: where its bytes are, and what its footer says of the wanted columns.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock};

use arrow_schema::SchemaRef;

use crate::arrow::import::FramePlan;
use crate::formats::parquet::footer::Group;
use crate::formats::parquet::schema::Leaf;
use crate::frame::Axis;
use crate::frame::paths::Projection;
use crate::memory::{Buffer, Remote};
use crate::source::SourceBytes;

use super::options::ReadOptions;
use super::schema::Root;
use super::selection::Selection;

/// All bytes of a file.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Them.
    pub(crate) bytes: Buffer,
    /// Where they come from as they are asked for, where they are not all here.
    pub(crate) remote: Option<Arc<Remote>>,
    /// Whether they are a map of a file: what was read may be let go, and comes back by itself.
    pub(crate) is_map: bool,
}

impl From<SourceBytes> for Source {
    /// The file behind a map is closed: a map needs no descriptor.
    fn from(SourceBytes { bytes, map, remote }: SourceBytes) -> Self {
        Self { bytes, remote, is_map: map.is_some() }
    }
}

impl Source {
    /// Lets the pages of a map go: what is looked at again comes again.
    pub(crate) fn let_go(&self, start: u64, nbytes: usize) {
        if let (true, Ok(start)) = (self.is_map, usize::try_from(start)) {
            // SAFETY: they are a shared map of a file.
            unsafe { crate::memory::advise_dont_need(&self.bytes, start, nbytes) };
        }
    }
}

/// What was asked for, the file that reads it, and what is to be left of what that reads.
pub(super) type Narrowed = (Projection, Arc<Parquet>, Projection);

/// An opened file.
#[derive(Debug)]
pub struct Parquet {
    pub(crate) source: Source,
    /// The bytes as they came, which the keys open.
    pub(super) unopened: Source,
    /// Elements of the columns in which a group that repeats is the item of a list itself: a part of that group would be
    /// taken for a list of another type.
    pub(super) old_lists: HashSet<usize>,
    /// The row groups; their chunks are those of the wanted leaves.
    pub(crate) groups: Vec<Group<'static>>,
    /// First row of each row group, of those that the filter leaves.
    pub(crate) starts: Vec<usize>,
    pub(crate) nrows: usize,
    /// What the filter leaves; all rows where `None`.
    pub(crate) selection: Option<Selection>,
    /// The wanted leaves.
    pub(crate) leaves: Vec<Leaf>,
    /// Of each wanted leaf, whether the order of its type is that of its statistics.
    pub(crate) ordered: Vec<bool>,
    /// One a field of `schema`.
    pub(crate) roots: Vec<Root>,
    /// The wanted columns, and those of the row labels.
    pub(crate) schema: SchemaRef,
    /// How they become a frame.
    pub(crate) plan: FramePlan,
    /// Start and end of the footer in the source.
    pub(crate) footer: (usize, usize),
    pub(crate) created_by: Option<String>,
    pub(crate) version: i32,
    /// Whether each column's label is its name in the schema.
    pub(crate) labels_are_names: bool,
    pub(crate) options: ReadOptions,
    pub(crate) index: OnceLock<Axis>,
    /// The same file for a part of its nested columns, as it was last asked for.
    pub(super) narrowed: Mutex<Option<Narrowed>>,
}

impl Parquet {
    /// How its fields become a frame.
    #[must_use]
    pub fn plan(&self) -> &FramePlan {
        &self.plan
    }

    /// (rows, columns).
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.nrows, self.plan.ncols)
    }

    /// Row groups.
    #[must_use]
    pub fn ngroups(&self) -> usize {
        self.groups.len()
    }

    /// Rows of each row group.
    pub fn group_rows(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.groups.len()).map(|g| self.rows_of(g).1)
    }

    /// First row and number of rows of a row group.
    pub(crate) fn rows_of(&self, group: usize) -> (usize, usize) {
        let first = self.starts.get(group).copied().unwrap_or(self.nrows);
        (first, self.starts.get(group + 1).copied().unwrap_or(self.nrows) - first)
    }
}
