//! A sequence of values of one leaf: a flat column's rows, or the slots of a nested column's leaf.

use arrow_schema::DataType;

use crate::error::{Error, Result};

use super::super::chunk::Pages;
use super::super::conversion::FlatLeaf;
use super::super::page::StoredPage;
use super::super::schema::RootKind;
use super::{ChunkDecoder, RowPiece, no_field};

/// The selected values of one leaf.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeafSelection<'s> {
    /// Index of its array in the result.
    pub(super) i: usize,
    /// Its column.
    pub(super) field: usize,
    /// Its index among the projected leaves.
    pub(super) leaf: usize,
    pub(super) flat: FlatLeaf,
    pub(super) data_type: &'s DataType,
    /// Whether its type is an ordered categorical.
    pub(super) ordered: bool,
    /// Values of the result, including nulls.
    pub(super) nrows: usize,
    pub(super) pieces: &'s [RowPiece],
    /// The pages of each row group, if they were walked before.
    pub(super) group_pages: Option<&'s [(usize, Vec<StoredPage<'s>>)]>,
}

impl<'a> ChunkDecoder<'a> {
    /// Returns the rows of a flat column.
    ///
    /// # Errors
    /// Unsupported: a nested column.
    pub(super) fn leaf_selection<'s>(
        &'s self,
        i: usize,
        field: usize,
        pieces: &'s [RowPiece],
    ) -> Result<LeafSelection<'s>> {
        let root = self.file.roots.get(field).ok_or_else(|| no_field(field))?;
        let RootKind::Flat(flat) = root.kind else {
            return Err(Error::unsupported("parquet", "a nested column as a flat one."));
        };
        let data_type = self.field(field)?.data_type();
        let leaf = root.leaves.start;
        let ordered = self.field(field)?.dict_is_ordered() == Some(true);
        Ok(LeafSelection {
            i,
            field,
            leaf,
            flat,
            data_type,
            ordered,
            nrows: self.nrows,
            pieces,
            group_pages: None,
        })
    }

    /// Returns the pages of a leaf in one row group.
    ///
    /// # Errors
    /// As [`ChunkDecoder::chunk`].
    pub(super) fn pages_of<'s>(&'s self, selection: &LeafSelection<'s>, group: usize) -> Result<Pages<'s>> {
        let Some(group_pages) = selection.group_pages else {
            return Ok(self.pages(&self.chunk(group, selection.leaf)?));
        };
        self.wait_for(self.chunk_of(group, selection.leaf)?)?;
        let pages = group_pages.iter().find(|(number, _)| *number == group);
        pages
            .map(|(_, pages)| Pages::from_pages(pages, self.file.bounds()))
            .ok_or_else(|| no_field(selection.field))
    }
}
