//! Values one after the other, wherever they stand: a flat column's rows, or the slots of a nested column's leaf.

use arrow_schema::DataType;

use crate::error::{Error, Result};

use super::super::chunk::Pages;
use super::super::conversion::Flat;
use super::super::page::Page;
use super::super::schema::RootKind;
use super::{Landing, Piece, no_field};

/// The wanted values of one leaf.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strip<'s> {
    /// Place of its array among those that are made.
    pub(super) i: usize,
    /// Its column.
    pub(super) field: usize,
    /// Its place among the wanted leaves.
    pub(super) leaf: usize,
    pub(super) flat: Flat,
    pub(super) data_type: &'s DataType,
    /// Whether they are categories that have an order.
    pub(super) ordered: bool,
    /// Values of the result, nulls included.
    pub(super) nrows: usize,
    pub(super) pieces: &'s [Piece],
    /// The pages, a row group each, where they were walked before.
    pub(super) listed: Option<&'s [(usize, Vec<Page<'s>>)]>,
}

impl<'a> Landing<'a> {
    /// The rows of a flat column.
    ///
    /// # Errors
    /// Unsupported: a nested one.
    pub(super) fn strip<'s>(&'s self, i: usize, field: usize, pieces: &'s [Piece]) -> Result<Strip<'s>> {
        let root = self.file.roots.get(field).ok_or_else(|| no_field(field))?;
        let RootKind::Flat(flat) = root.kind else {
            return Err(Error::unsupported("parquet", "a nested column as a flat one."));
        };
        let data_type = self.field(field)?.data_type();
        let leaf = root.leaves.start;
        let ordered = self.field(field)?.dict_is_ordered() == Some(true);
        Ok(Strip { i, field, leaf, flat, data_type, ordered, nrows: self.nrows, pieces, listed: None })
    }

    /// The pages of a leaf in one row group.
    ///
    /// # Errors
    /// As [`Landing::chunk`].
    pub(super) fn pages_of<'s>(&'s self, strip: &Strip<'s>, group: usize) -> Result<Pages<'s>> {
        let Some(listed) = strip.listed else { return Ok(self.pages(&self.chunk(group, strip.leaf)?)) };
        let pages = listed.iter().find(|(of, _)| *of == group);
        pages.map(|(_, pages)| Pages::listed(pages, self.file.bounds())).ok_or_else(|| no_field(strip.field))
    }
}
