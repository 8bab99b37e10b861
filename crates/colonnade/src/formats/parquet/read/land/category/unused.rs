//! Categories of which the wanted rows hold none.

use crate::error::Result;
use crate::formats::parquet::page::PageType;
use crate::progress::NoProgress;

use super::super::strip::Strip;
use super::super::text::Dictionary;
use super::super::{Landing, Piece};

impl Landing<'_> {
    /// The dictionary page of the first row group that is wanted, or else of the first that has rows; none where it has no such
    /// page.
    ///
    /// # Errors
    /// Malformed pages.
    pub(super) fn unused(
        &self,
        strip: &Strip<'_>,
        make: &dyn Fn(&[u8], usize) -> Result<Dictionary>,
    ) -> Result<Option<Dictionary>> {
        let wanted = strip.listed.and_then(|listed| listed.first()).map(|(group, _)| *group);
        let group = wanted.or_else(|| self.file.groups.iter().position(|group| group.nrows > 0));
        let Some(group) = group else { return Ok(None) };
        let named = |e| self.named(e, strip.field, group);
        self.file.need(&[strip.field], &[Piece { group, skip: 0, nrows: 1, at: 0 }], &NoProgress)?;
        let first = self.chunk(group, strip.leaf).and_then(|chunk| self.pages(&chunk).next_page());
        let Some(page) = first.map_err(named)? else { return Ok(None) };
        let PageType::Dictionary { .. } = page.header.kind else { return Ok(None) };
        let mut scratch = Vec::new();
        let made = page.dictionary(&mut scratch).and_then(|(bytes, n)| make(bytes, n));
        made.map(Some).map_err(|e| named(e.at(page.at)))
    }
}
