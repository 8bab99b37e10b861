//! Decodes text and bytes of any length into Arrow's layout: offsets and values.
//!
//! Two passes over the pages. The first pass finds the bytes of each page's texts. The size and the levels of a whole PLAIN
//! page determine it. A page of codes is decompressed and decoded, its codes into the memory of the offsets. The second pass
//! copies the bytes straight to their final memory: codes become offsets in place, other pages are decoded. A page that the first
//! pass had to decompress as a whole stays decompressed for the second one, up to 64 MiB of such pages.

mod coded_views;
mod codes;
mod delta_byte_array;
mod delta_length_byte_array;
mod dictionary;
mod output;
mod page_texts;
mod parts;
mod rows;
#[cfg(test)]
mod tests;
pub(super) mod views;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::trusted::trusted_array;
use crate::decode::MemoryLayout;
use crate::error::{Error, Result};
use crate::formats::parquet::levels::Validity;
use crate::memory::{Buffer, Region, RegionMut, Scatter};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{Progress, SignalsOnly};

use super::leaf_selection::LeafSelection;
use super::{ChunkDecoder, RowPiece};
pub(super) use dictionary::{Dictionary, no_text};
pub(super) use output::FillError;
pub(super) use page_texts::PageTexts;
use parts::PageBudget;
pub(super) use parts::{PagePart, WalkedChunk, walk};
pub(super) use rows::{RowRun, validity};

/// The approximate bytes of the pages that one task decodes: a share of all, so that threads end together, within these bounds.
const LEAST_TILE_NBYTES: usize = 256 << 10;
const MOST_TILE_NBYTES: usize = 4 << 20;

/// Columns are decoded together while their dictionaries have at most this many bytes.
const HELD_NBYTES: u64 = 64 << 20;

/// A text column while it is decoded.
struct ByteArrayColumn<'a> {
    selection: LeafSelection<'a>,
    field: usize,
    text: bool,
    optional: bool,
    /// Whether it may become a column of views.
    may_be_views: bool,
    /// One for each selected row group.
    walked: Vec<WalkedChunk<'a>>,
    parts: Vec<PagePart<'a>>,
    /// Bytes of an offset.
    width: usize,
    /// The offsets; a page's codes until the page is filled.
    ends: Option<RegionMut>,
    /// Bytes of its texts that are charged to the limits.
    charged: u64,
}

impl ByteArrayColumn<'_> {
    fn narrowest(&self) -> usize {
        if matches!(self.selection.data_type, DataType::Utf8 | DataType::Binary) { 4 } else { 8 }
    }

    fn nbytes(&self) -> usize {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.nbytes))
    }

    /// Switches to 64-bit offsets if 32 bits cannot address the bytes. Returns whether it did.
    fn widen(&mut self) -> bool {
        let wider = self.width == 4 && i32::try_from(self.nbytes()).is_err();
        if wider {
            self.width = 8;
        }
        wider
    }

    /// Allocates the offsets, of which the first is 0.
    fn allocate_ends(&self) -> Result<RegionMut> {
        let nbytes = self.selection.nrows.checked_add(1).and_then(|n| n.checked_mul(self.width));
        let nbytes = nbytes.ok_or_else(|| Error::too_large("parquet"))?;
        let mut ends = Region::allocate(nbytes)?;
        ends.as_mut_slice().get_mut(..self.width).unwrap_or_default().fill(0);
        Ok(ends)
    }
}

/// Buffers that pages are decompressed to: few and reused, since fresh memory costs more than the decompression.
#[derive(Default)]
struct PageBuffers(Mutex<Vec<Vec<u8>>>);

impl PageBuffers {
    fn with<T>(&self, work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let mut room = self.lock().pop().unwrap_or_default();
        let out = work(&mut room);
        self.lock().push(room);
        out
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> ChunkDecoder<'a> {
    /// Decodes the fields `projection[i]` for `i` of `slots`.
    pub(super) fn text(
        &self,
        projection: &[usize],
        slots: &[usize],
        pieces: &[RowPiece],
        decoded: &mut DecodedColumns,
        progress: &dyn Progress,
    ) -> Result<()> {
        let mut selections = Vec::with_capacity(slots.len());
        for &slot in slots {
            selections.push(self.leaf_selection(slot, projection.get(slot).copied().unwrap_or(0), pieces)?);
        }
        let levels = self.file.plan.level_fields();
        // Row labels and columns of a NumPy dtype are converted from offsets.
        let plain = |field: usize| self.file.plan.fields.get(field).is_some_and(|plan| plan.dtype.is_none());
        let may_be_views = |field: usize| {
            self.layout == MemoryLayout::ArrowViews && plain(field) && !levels.contains(&field)
        };
        decoded.columns.extend(self.texts(&selections, &may_be_views, progress)?);
        Ok(())
    }

    /// Decodes text columns. `may_be_views`: whether a column may become one of views.
    pub(super) fn texts<'s>(
        &'s self,
        selections: &[LeafSelection<'s>],
        may_be_views: &dyn Fn(usize) -> bool,
        progress: &dyn Progress,
    ) -> Result<Vec<(usize, ArrayData)>> {
        let mut columns = Vec::with_capacity(selections.len());
        for &selection in selections {
            let text =
                matches!(selection.data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
            let (field, optional) = (selection.field, selection.flat.optional);
            columns.push(ByteArrayColumn {
                selection,
                field,
                text,
                optional,
                may_be_views: may_be_views(field),
                walked: Vec::new(),
                parts: Vec::new(),
                width: 8,
                ends: None,
                charged: 0,
            });
        }
        let (mut rest, mut out) = (columns, Vec::with_capacity(selections.len()));
        while !rest.is_empty() {
            let mut dictionaries_nbytes = 0u64;
            let some = rest.iter().position(|column| {
                dictionaries_nbytes = dictionaries_nbytes
                    .saturating_add(self.dictionary_nbytes(&column.selection, column.selection.pieces));
                dictionaries_nbytes > HELD_NBYTES
            });
            let later = rest.split_off(some.unwrap_or(rest.len()).max(1));
            self.text_columns(rest, &mut out, progress)?;
            rest = later;
        }
        Ok(out)
    }

    /// The maximum bytes of a column's dictionary pages.
    fn dictionary_nbytes(&self, selection: &LeafSelection<'_>, pieces: &[RowPiece]) -> u64 {
        let leaf = selection.leaf;
        let groups = pieces.chunk_by(|a, b| a.group == b.group).filter_map(|some| some.first());
        let chunks = groups.filter_map(|piece| self.chunk_of(piece.group, leaf).ok());
        // Writers end dictionaries at 1 MiB, a few a little later.
        chunks.filter(|c| c.dictionary_at.is_some()).map(|c| c.nbytes.min(1 << 20)).sum()
    }

    fn text_columns<'s>(
        &'s self,
        mut columns: Vec<ByteArrayColumn<'s>>,
        decoded: &mut Vec<(usize, ArrayData)>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let buffers = &PageBuffers::default();
        let silent = &SignalsOnly(progress);
        self.walk_columns(&mut columns, silent)?;
        let (coded, mut columns) = columns.into_iter().partition(ByteArrayColumn::has_coded_views);
        self.coded_views(coded, buffers, decoded, progress)?;
        let columns: &mut [ByteArrayColumn<'s>] = &mut columns;
        if columns.is_empty() {
            return Ok(());
        }
        for exact in [false, true] {
            // The second attempt measures the texts: a page header declared a wrong size.
            columns.iter_mut().for_each(|column| column.width = column.narrowest());
            self.measure_columns(columns, buffers, exact, silent)?;
            if columns.iter_mut().map(ByteArrayColumn::widen).fold(false, |any, wider| any | wider) {
                self.measure_columns(columns, buffers, exact, silent)?;
            }
            if self.fill_columns(columns, buffers, decoded, progress)? {
                return Ok(());
            }
        }
        let message =
            "a page's texts have another size each time they are read. Was the file written to meanwhile?";
        Err(Error::malformed("parquet", message))
    }

    /// Walks page headers and dictionaries, in one task for each chunk.
    fn walk_columns<'s>(
        &'s self,
        columns: &mut [ByteArrayColumn<'s>],
        progress: &dyn Progress,
    ) -> Result<()> {
        let groups =
            |column: &ByteArrayColumn<'s>| column.selection.pieces.chunk_by(|a, b| a.group == b.group);
        let mut tasks = Vec::new();
        for column in columns.iter() {
            let (selection, text) = (column.selection, column.text);
            for (k, some) in groups(column).enumerate() {
                let group = some.first().map_or(0, |p| p.group);
                let nbytes = self.dictionary_nbytes(&selection, some);
                tasks.push((usize::try_from(nbytes).unwrap_or(0), move || {
                    let mut pages = self
                        .pages_of(&selection, group)
                        .map_err(|e| self.named(e, selection.field, group))?;
                    let make = |page: &[u8], n: usize| Dictionary::new(page, n, text);
                    let walked =
                        walk(&mut pages, some, k, &make, &|n| self.charge(n, "dictionaries of texts"));
                    walked.map_err(|e| self.named(e, selection.field, group))
                }));
            }
        }
        let mut walked = parallel::map(tasks, self.threads, progress)?.into_iter();
        for column in columns {
            let ngroups = groups(column).count();
            column.walked = walked.by_ref().take(ngroups).collect();
            column.parts = column.walked.iter_mut().flat_map(|w| std::mem::take(&mut w.parts)).collect();
        }
        Ok(())
    }

    /// Measures the texts of each page and finds their position. Decodes pages of codes.
    fn measure_columns(
        &self,
        columns: &mut [ByteArrayColumn<'_>],
        buffers: &PageBuffers,
        exact: bool,
        progress: &dyn Progress,
    ) -> Result<()> {
        let page_budget = PageBudget::new();
        let page_budget = &page_budget;
        let mut tasks = Vec::new();
        // Rows without a value are work too, for hardly any bytes of the page.
        let size = |part: &PagePart<'_>| part.page.header.nbytes + part.nrows * 4;
        let tile_nbytes = self.tile_nbytes(columns, size);
        for column in columns.iter_mut() {
            let ends = column.allocate_ends()?;
            let ByteArrayColumn { field, optional, walked, parts, width, .. } = column;
            let ends = Scatter::new(column.ends.insert(ends));
            let (field, optional, width, walked) = (*field, *optional, *width, &*walked);
            for tile in tiles(parts, tile_nbytes, size) {
                let nbytes = tile.iter().map(size).sum();
                tasks.push(Task::new(nbytes, move || {
                    buffers.with(|scratch| {
                        for part in tile {
                            let dictionary = walked.get(part.chunk).and_then(|w| w.dictionary.as_ref());
                            let done = match width {
                                4 => {
                                    part.measure::<4>(optional, dictionary, exact, scratch, page_budget, ends)
                                }
                                _ => {
                                    part.measure::<8>(optional, dictionary, exact, scratch, page_budget, ends)
                                }
                            };
                            done.map_err(|e| self.named(e.at(part.page.at), field, 0))?;
                        }
                        Ok(())
                    })
                }));
            }
        }
        parallel::run(tasks, self.threads, progress)?;
        let limit = self.file.options.limits.max_nbytes;
        for column in columns {
            let mut total = 0usize;
            for part in &mut column.parts {
                part.base = total;
                total = total.saturating_add(part.nbytes);
            }
            if total as u64 > limit {
                let message = format!(
                    "texts of {total} bytes, over the limit of {limit}. Raise max_nbytes to read them."
                );
                return Err(self.named(Error::limit("parquet", message), column.field, 0));
            }
            let more = (total as u64).saturating_sub(column.charged);
            column.charged += more;
            let what = format!("the columns up to this one, of {} texts,", column.selection.nrows);
            self.charge(more, &what).map_err(|e| self.named(e, column.field, 0))?;
        }
        Ok(())
    }

    /// The bytes of a task's pages for some columns.
    fn tile_nbytes(&self, columns: &[ByteArrayColumn<'_>], size: impl Fn(&PagePart<'_>) -> usize) -> usize {
        let total = columns
            .iter()
            .flat_map(|column| &column.parts)
            .fold(0, |sum: usize, part| sum.saturating_add(size(part)));
        (total / (8 * self.threads.max(1))).clamp(LEAST_TILE_NBYTES, MOST_TILE_NBYTES)
    }

    /// Fills the columns and adds them to the result; returns `false` if a page has another size than its header declares.
    fn fill_columns(
        &self,
        columns: &mut [ByteArrayColumn<'_>],
        buffers: &PageBuffers,
        decoded: &mut Vec<(usize, ArrayData)>,
        progress: &dyn Progress,
    ) -> Result<bool> {
        let texts = |column: &ByteArrayColumn<'_>| {
            let nbytes = column.nbytes();
            Region::allocate(nbytes)
        };
        let mut regions: Vec<RegionMut> = columns.iter().map(texts).collect::<std::io::Result<_>>()?;
        let size_mismatch = AtomicBool::new(false);
        let tile_nbytes = self.tile_nbytes(columns, |part| part.nbytes + part.nrows * 8);
        let mut tasks = Vec::new();
        for (column, region) in columns.iter_mut().zip(&mut regions) {
            let ByteArrayColumn { field, walked, parts, text, width, ends, .. } = column;
            let Some(ends) = ends.as_mut().map(Scatter::new) else { continue };
            let bytes = Scatter::new(region);
            let (field, text, width, walked) = (*field, *text, *width, &*walked);
            for tile in tiles(parts, tile_nbytes, |part| part.nbytes + part.nrows * 8) {
                let nbytes = tile.iter().map(|p| p.nbytes + p.nrows * 8).sum();
                let size_mismatch = &size_mismatch;
                tasks.push(Task::new(nbytes, move || {
                    buffers.with(|scratch| {
                        for part in tile {
                            let dictionary = walked.get(part.chunk).and_then(|w| w.dictionary.as_ref());
                            let done = match width {
                                4 => part.fill::<4>(dictionary, text, scratch, ends, bytes),
                                _ => part.fill::<8>(dictionary, text, scratch, ends, bytes),
                            };
                            match done {
                                Ok(()) => {}
                                Err(FillError::SizeMismatch) => size_mismatch.store(true, Ordering::Relaxed),
                                Err(FillError::Error(e)) => {
                                    return Err(self.named(e.at(part.page.at), field, 0));
                                }
                            }
                        }
                        Ok(())
                    })
                }));
            }
        }
        parallel::run(tasks, self.threads, progress)?;
        if size_mismatch.into_inner() {
            return Ok(false);
        }
        for (column, texts) in columns.iter_mut().zip(regions) {
            column.walked = Vec::new();
            let parts = std::mem::take(&mut column.parts);
            let validities = parts.iter().map(|part| (part.validity.as_ref(), part.nrows));
            let nulls = joined(validities, column.selection.nrows);
            if let Some(ends) = column.ends.take() {
                decoded.push((column.selection.i, array(column, ends, texts, nulls)?));
            }
        }
        Ok(true)
    }
}

/// Groups parts into tiles of about `tile_nbytes`.
fn tiles<'t, 'a>(
    parts: &'t mut [PagePart<'a>],
    tile_nbytes: usize,
    size: impl Fn(&PagePart<'a>) -> usize,
) -> Vec<&'t mut [PagePart<'a>]> {
    let (mut out, mut rest) = (Vec::new(), parts);
    while !rest.is_empty() {
        let mut nbytes = 0usize;
        let enough = rest.iter().position(|part| {
            nbytes = nbytes.saturating_add(size(part));
            nbytes >= tile_nbytes
        });
        let (tile, later) = rest.split_at_mut(enough.map_or(rest.len(), |k| k + 1));
        out.push(tile);
        rest = later;
    }
    out
}

/// Joins the validity of consecutive parts of the stated lengths; `None` if all rows have a value.
pub(super) fn joined<'v>(
    parts: impl Iterator<Item = (Option<&'v Validity>, usize)> + Clone,
    nrows: usize,
) -> Option<NullBuffer> {
    if parts.clone().all(|(bits, _)| bits.is_none_or(|bits| bits.nulls == 0)) {
        return None;
    }
    let mut all = Validity::default();
    for (bits, n) in parts {
        match bits {
            Some(bits) => all.push_range(bits, 0, n.min(bits.len())),
            None => all.push_same(true, n),
        }
    }
    let bits = BooleanBuffer::new(all.to_arrow(), 0, nrows.min(all.len()));
    Some(NullBuffer::new(bits))
}

fn array(
    column: &ByteArrayColumn<'_>,
    ends: RegionMut,
    texts: RegionMut,
    nulls: Option<NullBuffer>,
) -> Result<ArrayData> {
    let (nrows, narrow) = (column.selection.nrows, column.width == 4);
    let ends = Buffer::from_region(ends.finish(), true).to_arrow();
    let texts = Buffer::from_region(texts.finish(), true).to_arrow();
    let data_type = match column.selection.data_type {
        DataType::Utf8View | DataType::BinaryView => {
            return views::array(column.selection.data_type, ends.as_slice(), &texts, nulls, nrows);
        }
        DataType::Utf8 if !narrow => DataType::LargeUtf8,
        DataType::Binary if !narrow => DataType::LargeBinary,
        same => same.clone(),
    };
    let builder = ArrayDataBuilder::new(data_type).len(nrows).nulls(nulls).add_buffer(ends).add_buffer(texts);
    // Trusted: every page's rows were filled, each end is at or after the one before and within the bytes; texts are UTF-8.
    Ok(trusted_array(builder))
}
