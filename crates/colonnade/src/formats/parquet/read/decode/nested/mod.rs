//! Decodes lists, structs and maps at any depth.
//!
//! ```text
//! page -> levels -> slots, positions of each stream                  (count)
//! selected rows -> selected levels -> positions in the result        (place)
//! slots -> values, as a flat column's rows                           (values)
//! positions of each stream -> offsets and validity                   (build)
//! ```
//!
//! Every step is a task for one or several pages; the first step decompresses only the levels of a page. Rare types use the
//! Arrow reader of the `parquet` crate ([`fallback`]).

mod blocks;
mod bounds;
mod build;
mod count;
mod fallback;
mod pages;
mod place;
#[cfg(test)]
mod tests;
mod text_size;
mod values;
mod verifier;

use arrow_buffer::NullBuffer;
use arrow_data::ArrayData;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::error::{Error, Result};
use crate::formats::parquet::page::PageType;
use crate::formats::parquet::read::page::StoredPage;
use crate::formats::parquet::read::schema::RootKind;
use crate::formats::parquet::read::shape::{LeafShape, NestedShape};
use crate::formats::parquet::types::Physical;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{Progress, SignalsOnly};

use super::leaf_selection::LeafSelection;
use super::{ChunkDecoder, LONG_NBYTES, RowPiece};
use count::{CountedLevels, count};
use place::{LeafChunk, PlacedRows, StreamRange, place};

/// The bytes of pages that one task counts.
const COUNT_NBYTES: usize = 1 << 20;

/// A nested column.
struct NestedColumn<'s> {
    field: usize,
    shape: &'s NestedShape,
    leaves: &'s [PlacedLeaf<'s>],
    /// Total number of items of each list.
    counts: Vec<usize>,
}

/// A leaf of one of the columns: the column's field, the leaf's index among the projected leaves, and its shape.
#[derive(Debug, Clone, Copy)]
struct LeafRef<'s> {
    field: usize,
    leaf: usize,
    shape: &'s LeafShape,
}

/// A leaf with the positions of its selected rows.
struct PlacedLeaf<'s> {
    shape: &'s LeafShape,
    chunks: &'s [LeafChunk<'s>],
    placed: PlacedRows,
    /// Its pages by row group, each preceded by the dictionary.
    group_pages: Vec<(usize, Vec<StoredPage<'s>>)>,
}

impl PlacedLeaf<'_> {
    /// Returns which of its slots have no value.
    fn nulls(&self, n: usize) -> Option<NullBuffer> {
        let stream = self.shape.lists.len();
        values::joined(self.bits(stream, |counted| counted.valid.as_ref()), n)
    }

    /// For each part, the bits that `pick` takes from the page, and the range of selected positions.
    fn bits<'l, T>(
        &'l self,
        stream: usize,
        pick: impl Fn(&'l CountedLevels) -> Option<T> + Clone,
    ) -> impl Iterator<Item = (Option<T>, StreamRange)> + Clone {
        self.placed.parts.iter().filter_map(move |part| {
            let counted = self.chunks.get(part.group)?.counted.get(part.page)?;
            Some((pick(counted), part.streams.get(stream).copied().unwrap_or_default()))
        })
    }
}

impl<'a> ChunkDecoder<'a> {
    /// Decodes the fields `projection[i]` for `i` of `slots`.
    pub(super) fn nested(
        &self,
        projection: &[usize],
        slots: &[usize],
        pieces: &[RowPiece],
        decoded: &mut DecodedColumns,
        progress: &dyn Progress,
    ) -> Result<()> {
        let (mut unsupported, mut supported, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        for &i in slots {
            let field = projection.get(i).copied().unwrap_or(0);
            match self.file.roots.get(field).map(|root| &root.kind) {
                Some(RootKind::Nested(_, Some(shape))) if !self.is_hidden(field, pieces) => {
                    supported.push(i);
                    shapes.push((field, &**shape));
                }
                _ => unsupported.push(i),
            }
        }
        let arrays = self.decode_shapes(&shapes, pieces, progress)?;
        for ((i, (field, _)), data) in supported.into_iter().zip(shapes).zip(arrays) {
            let data = self.restore_type(self.field(field)?, data).map_err(|e| self.named(e, field, 0))?;
            decoded.columns.push((i, data));
        }
        self.fallback(projection, &unsupported, pieces, decoded, progress)
    }

    /// Whether a chunk is encrypted without a key.
    fn is_hidden(&self, field: usize, pieces: &[RowPiece]) -> bool {
        let leaves = self.file.roots.get(field).map_or(0..0, |root| root.leaves.clone());
        pieces.iter().any(|p| leaves.clone().any(|l| self.chunk_of(p.group, l).is_ok_and(|c| c.encrypted)))
    }

    /// Decodes the columns whose shapes the decoder supports.
    fn decode_shapes(
        &self,
        shapes: &[(usize, &NestedShape)],
        pieces: &[RowPiece],
        progress: &dyn Progress,
    ) -> Result<Vec<ArrayData>> {
        if shapes.is_empty() {
            return Ok(Vec::new());
        }
        let groups: Vec<&[RowPiece]> = pieces.chunk_by(|a, b| a.group == b.group).collect();
        let mut at = Vec::new();
        for &(field, shape) in shapes {
            let first = self.file.roots.get(field).map_or(0, |root| root.leaves.start);
            let leaves = shape.leaves.iter().enumerate();
            at.extend(leaves.map(|(k, shape)| LeafRef { field, leaf: first + k, shape }));
        }
        let chunks = self.walk_leaves(&at, &groups, &SignalsOnly(progress))?;
        let chunks = self.count_leaves(&at, &groups, chunks, &SignalsOnly(progress))?;
        let mut leaves = Vec::with_capacity(at.len());
        for (at, chunks) in at.iter().zip(&chunks) {
            leaves.push(self.place_leaf(*at, chunks, &groups)?);
        }
        let mut rest = leaves.as_slice();
        let mut columns = Vec::with_capacity(shapes.len());
        for (field, shape) in shapes {
            let (leaves, later) = rest.split_at_checked(shape.leaves.len()).unwrap_or((rest, &[]));
            rest = later;
            let counts = self.agree(*field, shape, leaves, &groups)?;
            columns.push(NestedColumn { field: *field, shape, leaves, counts });
        }
        let selections = leaves.iter().zip(&at).enumerate().map(|(i, (leaf, at))| LeafSelection {
            i,
            field: at.field,
            leaf: at.leaf,
            flat: leaf.shape.flat,
            data_type: &leaf.shape.data_type,
            ordered: leaf.shape.ordered,
            nrows: leaf.placed.totals.last().copied().unwrap_or(0),
            pieces: &leaf.placed.slots,
            group_pages: Some(&leaf.group_pages),
        });
        let selections: Vec<LeafSelection<'_>> = selections.collect();
        let arrays = self.leaf_arrays(&leaves, &selections, progress)?;
        self.build_arrays(&columns, arrays, &SignalsOnly(progress))
    }

    /// Walks the pages of every leaf in every selected row group.
    fn walk_leaves(
        &self,
        leaves: &[LeafRef<'_>],
        groups: &[&[RowPiece]],
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<LeafChunk<'a>>>> {
        let mut tasks = Vec::with_capacity(leaves.len() * groups.len());
        for at in leaves {
            for pieces in groups {
                let group = pieces.first().map_or(0, |p| p.group);
                let nbytes = self.chunk_of(group, at.leaf).map_or(0, |c| c.nbytes);
                tasks.push((usize::try_from(nbytes).unwrap_or(0) / 4, move || {
                    let chunk = self.walk_leaf(group, at.leaf, at.shape, pieces);
                    chunk.map_err(|e| self.named(e, at.field, group))
                }));
            }
        }
        let mut chunks = parallel::map(tasks, self.threads, progress)?.into_iter();
        Ok(leaves.iter().map(|_| chunks.by_ref().take(groups.len()).collect()).collect())
    }

    /// Walks a chunk. If the selection ends before its last row, the levels are counted up to that row.
    fn walk_leaf(
        &self,
        group: usize,
        leaf: usize,
        shape: &LeafShape,
        pieces: &[RowPiece],
    ) -> Result<LeafChunk<'a>> {
        self.check_leaf(group, leaf, shape)?;
        let nrows = usize::try_from(self.group(group)?.nrows).map_err(|_| Error::too_large("parquet"))?;
        let end = pieces.last().map_or(0, |p| p.skip + p.nrows);
        let at = self.chunk(group, leaf)?;
        self.file.check_count(at.nvalues, "values", at.base)?;
        let mut out = LeafChunk { base: at.base, ..LeafChunk::default() };
        let (mut pages, mut found, mut scratch) = (self.pages(&at), 0, Vec::new());
        while let Some(page) = pages.next_page()? {
            if let PageType::Dictionary { .. } = page.header.kind {
                if out.dictionary.is_some() || !out.pages.is_empty() {
                    let message =
                        "a dictionary page behind other pages. The file is damaged; write it again.";
                    return Err(Error::malformed("parquet", message).at(page.at));
                }
                out.dictionary = Some(page);
                continue;
            }
            // Each list has an offset for each value, and there are bitmaps.
            let n = u64::from(page.header.nvalues);
            self.add_cells(n);
            let nbytes = n.saturating_mul(1 + 4 * shape.lists.len() as u64);
            self.charge(nbytes, "the levels of lists and structs").map_err(|e| e.at(page.at))?;
            out.pages.push(page);
            if end < nrows {
                let streams = page.level_streams(&mut scratch)?;
                let counted =
                    count(&streams, page.header.nvalues as usize, shape).map_err(|e| e.at(page.at))?;
                found += counted.counts.first().copied().unwrap_or(0);
                out.counted.push(counted);
                if found > end {
                    return Ok(out);
                }
            }
        }
        out.whole = true;
        Ok(out)
    }

    /// Refuses chunks whose physical type is not the schema's.
    fn check_leaf(&self, group: usize, leaf: usize, shape: &LeafShape) -> Result<()> {
        let chunk = self.chunk_of(group, leaf)?;
        let physical = shape.flat.physical;
        if chunk.physical != physical.number() {
            let message = format!(
                "expected physical type {} as the schema says, found {}. The file is damaged; write it again.",
                physical.number(),
                chunk.physical
            );
            return Err(Error::malformed("parquet", message).at(chunk.start()));
        }
        if let Physical::Fixed(width) = physical
            && u64::from(width) > chunk.nbytes.max(LONG_NBYTES)
        {
            let message = format!(
                "values of {width} bytes, where all of its pages have {}. The file is damaged; write it again.",
                chunk.nbytes
            );
            return Err(Error::malformed("parquet", message).at(chunk.start()));
        }
        Ok(())
    }

    /// Counts the levels of all pages that [`Self::walk_leaf`] has not counted.
    fn count_leaves(
        &self,
        leaves: &[LeafRef<'_>],
        groups: &[&[RowPiece]],
        chunks: Vec<Vec<LeafChunk<'a>>>,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<LeafChunk<'a>>>> {
        let mut out = chunks;
        let mut tasks = Vec::new();
        for (LeafRef { field, shape, .. }, chunks) in leaves.iter().zip(&mut out) {
            for (pieces, chunk) in groups.iter().zip(chunks) {
                let group = pieces.first().map_or(0, |p| p.group);
                if !chunk.counted.is_empty() {
                    continue;
                }
                chunk.counted.resize_with(chunk.pages.len(), CountedLevels::default);
                let (mut pages, mut counted) = (chunk.pages.as_slice(), chunk.counted.as_mut_slice());
                while !pages.is_empty() {
                    let mut nbytes = 0;
                    let enough = pages.iter().position(|page| {
                        nbytes += page.header.nbytes;
                        nbytes >= COUNT_NBYTES
                    });
                    let k = enough.map_or(pages.len(), |k| k + 1);
                    let (now, rest) = pages.split_at(k);
                    let (to, later) = counted.split_at_mut(k);
                    (pages, counted) = (rest, later);
                    tasks.push(Task::new(nbytes, move || {
                        let mut scratch = Vec::new();
                        for (page, to) in now.iter().zip(to) {
                            let n = page.header.nvalues as usize;
                            let done = page
                                .level_streams(&mut scratch)
                                .and_then(|streams| count(&streams, n, shape).map_err(|e| e.at(page.at)));
                            *to = done.map_err(|e| self.named(e, *field, group))?;
                        }
                        Ok(())
                    }));
                }
            }
        }
        parallel::run(tasks, self.threads, progress)?;
        Ok(out)
    }

    fn place_leaf<'s>(
        &self,
        at: LeafRef<'s>,
        chunks: &'s [LeafChunk<'s>],
        groups: &[&[RowPiece]],
    ) -> Result<PlacedLeaf<'s>> {
        let LeafRef { field, shape, .. } = at;
        let mut group_pages = Vec::with_capacity(chunks.len());
        for (chunk, pieces) in chunks.iter().zip(groups) {
            let group = pieces.first().map_or(0, |p| p.group);
            let nrows = usize::try_from(self.group(group)?.nrows).map_err(|_| Error::too_large("parquet"))?;
            chunk.check(nrows, shape).map_err(|e| self.named(e, field, group))?;
            let pages = chunk.pages.iter().zip(&chunk.counted);
            let pages = pages.map(|(page, counted)| page.with_slots(&counted.slots));
            group_pages.push((group, chunk.dictionary.into_iter().chain(pages).collect()));
        }
        let group = groups.first().and_then(|some| some.first()).map_or(0, |p| p.group);
        let placed = place(chunks, groups, shape).map_err(|e| self.named(e, field, group))?;
        Ok(PlacedLeaf { shape, chunks, placed, group_pages })
    }

    /// Returns the number of items of each list, on which all its leaves must agree.
    fn agree(
        &self,
        field: usize,
        shape: &NestedShape,
        leaves: &[PlacedLeaf<'_>],
        groups: &[&[RowPiece]],
    ) -> Result<Vec<usize>> {
        let mut firsts: Vec<Option<(usize, usize)>> = vec![None; shape.nlists];
        let mut out = vec![0; shape.nlists];
        let counts = |leaf: usize| leaves.get(leaf).map_or(&[][..], |leaf| &leaf.placed.counts);
        for (k, leaf) in leaves.iter().enumerate() {
            for (depth, list) in leaf.shape.lists.iter().enumerate() {
                let stream = depth + 1;
                let Some(first) = firsts.get_mut(list.list) else { continue };
                let (other, at) = *first.get_or_insert((k, stream));
                if let Some(out) = out.get_mut(list.list) {
                    *out = leaf.placed.totals.get(stream).copied().unwrap_or(0);
                }
                let pieces = groups.iter().flat_map(|some| some.iter());
                for ((nitems, nothers), piece) in counts(k).iter().zip(counts(other)).zip(pieces) {
                    let (nitems, nothers) = (nitems.get(stream), nothers.get(at));
                    if nitems != nothers {
                        let (nitems, nothers) = (nitems.unwrap_or(&0), nothers.unwrap_or(&0));
                        let message = format!(
                            "leaf {k} of its fields has {nitems} items in its lists, leaf {other} has {nothers} in the same \
                             {} rows. The file is damaged; write it again.",
                            piece.nrows
                        );
                        let at = leaf.chunks.first().map_or(0, |chunk| chunk.base);
                        let error = Error::malformed("parquet", message).at(at);
                        return Err(self.named(error, field, piece.group));
                    }
                }
            }
        }
        Ok(out)
    }
}
