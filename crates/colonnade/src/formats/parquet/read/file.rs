//! An opened file: its bytes, and the footer's entries for the projected columns.

use std::sync::{Arc, Mutex, OnceLock};

use arrow_schema::SchemaRef;

use crate::arrow::import::FramePlan;
use crate::formats::parquet::footer::RowGroup;
use crate::formats::parquet::schema::SchemaLeaf;
use crate::frame::Axis;
use crate::frame::paths::Projection;
use crate::memory::{Buffer, Remote};
use crate::source::SourceBytes;

use super::options::ReadOptions;
use super::schema::RootColumn;
use super::selection::Selection;

/// The bytes of a file.
#[derive(Debug, Clone)]
pub(crate) struct ParquetBytes {
    /// All bytes.
    pub(crate) bytes: Buffer,
    /// The remote object that bytes are fetched from on demand.
    pub(crate) remote: Option<Arc<Remote>>,
    /// Whether `bytes` is a memory map of a file: the system may drop pages and reads them again on access.
    pub(crate) is_map: bool,
}

impl From<SourceBytes> for ParquetBytes {
    /// Takes over the bytes. The file behind a map is already closed: a map needs no descriptor.
    fn from(SourceBytes { bytes, map, remote }: SourceBytes) -> Self {
        Self { bytes, remote, is_map: map.is_some() }
    }
}

impl ParquetBytes {
    /// Lets the system drop the pages of a map; a later access reads them again.
    pub(crate) fn release(&self, start: u64, nbytes: usize) {
        if let (true, Ok(start)) = (self.is_map, usize::try_from(start)) {
            crate::memory::advise_dont_need(&self.bytes, start, nbytes);
        }
    }
}

/// A requested projection, the file opened for it, and the projection that remains to be applied to what that file decodes.
pub(super) type ProjectedFile = (Projection, Arc<Parquet>, Projection);

/// An opened file.
#[derive(Debug)]
pub struct Parquet {
    pub(crate) source: ParquetBytes,
    /// The bytes before decryption.
    pub(super) stored_bytes: ParquetBytes,
    /// The row groups, with the chunks of the projected leaves.
    pub(crate) groups: Vec<RowGroup<'static>>,
    /// First row of each row group, counted in the rows that pass the filter.
    pub(crate) starts: Vec<usize>,
    pub(crate) nrows: usize,
    /// The rows that pass the filter; `None`: all rows.
    pub(crate) selection: Option<Selection>,
    /// The projected leaves.
    pub(crate) leaves: Vec<SchemaLeaf>,
    /// For each projected leaf, whether the file declares its column order for the statistics.
    pub(crate) ordered: Vec<bool>,
    /// One root for each field of `schema`.
    pub(crate) roots: Vec<RootColumn>,
    /// The projected columns and the columns of the row labels.
    pub(crate) schema: SchemaRef,
    /// The plan that builds a frame of the columns.
    pub(crate) plan: FramePlan,
    /// Start and end of the footer in the source.
    pub(crate) footer: (usize, usize),
    pub(crate) created_by: Option<String>,
    pub(crate) version: i32,
    /// Whether each column's label is its name in the schema.
    pub(crate) labels_are_names: bool,
    pub(crate) options: ReadOptions,
    pub(crate) index: OnceLock<Axis>,
    /// The file opened for a part of its nested columns by the last request that needed one.
    pub(super) narrowed: Mutex<Option<ProjectedFile>>,
}

impl Parquet {
    /// The plan that builds a frame of the fields.
    #[must_use]
    pub fn plan(&self) -> &FramePlan {
        &self.plan
    }

    /// (rows, columns).
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.nrows, self.plan.ncols)
    }

    /// Number of row groups.
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
