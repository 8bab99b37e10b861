//! Categories of a selection without rows.

use crate::error::Result;
use crate::formats::parquet::page::PageType;
use crate::progress::NoProgress;

use super::super::leaf_selection::LeafSelection;
use super::super::text::Dictionary;
use super::super::{ChunkDecoder, RowPiece};

impl ChunkDecoder<'_> {
    /// Returns the dictionary page of the first selected row group, or else of the first that has rows; `None` if that row
    /// group has no dictionary page.
    ///
    /// # Errors
    /// Malformed pages.
    pub(super) fn unused_categories(
        &self,
        selection: &LeafSelection<'_>,
        make: &dyn Fn(&[u8], usize) -> Result<Dictionary>,
    ) -> Result<Option<Dictionary>> {
        let selected_group =
            selection.group_pages.and_then(|group_pages| group_pages.first()).map(|(group, _)| *group);
        let group = selected_group.or_else(|| self.file.groups.iter().position(|group| group.nrows > 0));
        let Some(group) = group else { return Ok(None) };
        let named = |e| self.named(e, selection.field, group);
        self.file.fetch_pages(
            &[selection.field],
            &[RowPiece { group, skip: 0, nrows: 1, at: 0 }],
            &NoProgress,
        )?;
        let first = self.chunk(group, selection.leaf).and_then(|chunk| self.pages(&chunk).next_page());
        let Some(page) = first.map_err(named)? else { return Ok(None) };
        let PageType::Dictionary { .. } = page.header.kind else { return Ok(None) };
        let mut scratch = Vec::new();
        let dictionary = page.dictionary(&mut scratch).and_then(|(bytes, n)| make(bytes, n));
        dictionary.map(Some).map_err(|e| named(e.at(page.at)))
    }
}
