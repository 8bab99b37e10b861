//! Decodes the values of leaves, each like a flat column whose rows are the leaf's slots.

use std::cmp::Reverse;

use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::formats::parquet::levels::Validity;
use crate::formats::parquet::read::chunk::Pages;
use crate::formats::parquet::read::page::StoredPage;
use crate::memory::{BitWriter, Buffer, Region, RegionMut, STREAMING_FROM_NBYTES, Scatter, fence};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::Progress;

use super::super::super::conversion::{FixedConversion, NullFill, fixed_conversion};
use super::super::bools::decode_bits;
use super::super::fixed::{ValueConversion, values};
use super::super::leaf_selection::LeafSelection;
use super::super::page_decoder::{Job, Scratches};
use super::super::{ChunkDecoder, ColumnPlan, RowPiece, column_plan};
use super::{PlacedLeaf, StreamRange};

/// The approximate bytes that a task decodes.
const TASK_NBYTES: usize = 1 << 20;

/// Consecutive slots in consecutive pages.
struct SlotRun<'s> {
    leaf: usize,
    field: usize,
    conversion: ValueConversion,
    dictionary: Option<StoredPage<'s>>,
    pages: &'s [StoredPage<'s>],
    piece: [RowPiece; 1],
}

impl ChunkDecoder<'_> {
    /// Decodes the array of each leaf.
    ///
    /// # Errors
    /// Malformed pages.
    pub(super) fn leaf_arrays<'s>(
        &'s self,
        leaves: &'s [PlacedLeaf<'s>],
        selections: &[LeafSelection<'s>],
        progress: &dyn Progress,
    ) -> Result<Vec<ArrayData>> {
        let mut out: Vec<Option<ArrayData>> = leaves.iter().map(|_| None).collect();
        let (mut texts, mut fixed) = (Vec::new(), Vec::new());
        for selection in selections {
            let data = match column_plan(selection.data_type, &selection.flat) {
                ColumnPlan::Category => Some(self.category_column(selection, progress)?),
                ColumnPlan::Nothing => Some(ArrayData::new_null(&DataType::Null, selection.nrows)),
                ColumnPlan::Text => {
                    texts.push(*selection);
                    None
                }
                ColumnPlan::Fixed(_) | ColumnPlan::Nested => {
                    fixed.push(*selection);
                    None
                }
            };
            if let Some(slot) = out.get_mut(selection.i) {
                *slot = data;
            }
        }
        let mut decoded = self.texts(&texts, &|_| false, progress)?;
        decoded.extend(self.fixed_leaves(leaves, &fixed, progress)?);
        for (i, data) in decoded {
            if let Some(slot) = out.get_mut(i) {
                *slot = Some(data);
            }
        }
        let no_values = || Error::malformed("parquet", "a leaf without values.");
        out.into_iter().map(|data| data.ok_or_else(no_values)).collect()
    }

    fn fixed_leaves<'s>(
        &'s self,
        leaves: &'s [PlacedLeaf<'s>],
        selections: &[LeafSelection<'s>],
        progress: &dyn Progress,
    ) -> Result<Vec<(usize, ArrayData)>> {
        let large = || Error::too_large("parquet");
        let (mut sizes, mut items, mut total) = (Vec::new(), Vec::new(), 0usize);
        for selection in selections {
            let (kind, item) = fixed_conversion(selection.data_type, &selection.flat)
                .ok_or_else(|| Error::unsupported("parquet", "the type of a leaf."))?;
            let is_bits = kind == FixedConversion::Bools;
            let nbytes =
                if is_bits { Some(selection.nrows.div_ceil(8)) } else { selection.nrows.checked_mul(item) };
            let nbytes = nbytes.ok_or_else(large)?;
            total = total.saturating_add(nbytes);
            sizes.push(nbytes);
            items.push((kind, item));
        }
        self.charge(total as u64, "values inside of lists and structs")?;
        let regions = sizes.into_iter().map(Region::allocate);
        let mut regions: Vec<RegionMut> = regions.collect::<std::io::Result<_>>()?;
        // Writers of bits combine their first and last byte with what is there.
        let is_bits = |(kind, _): &(FixedConversion, usize)| *kind == FixedConversion::Bools;
        for (region, _) in regions.iter_mut().zip(&items).filter(|(_, item)| is_bits(item)) {
            region.as_mut_slice().fill(0);
        }
        let scatters: Vec<Scatter<'_>> = regions.iter_mut().map(Scatter::new).collect();
        let mut runs = Vec::new();
        for (number, (selection, (kind, item))) in selections.iter().zip(&items).enumerate() {
            let null = NullFill::of(selection.data_type);
            let conversion =
                ValueConversion { kind: *kind, null, item: *item, streaming: total >= STREAMING_FROM_NBYTES };
            cut(selection, number, conversion, &mut runs);
        }
        let scratches = &Scratches::default();
        let mut tasks: Vec<Task<'_>> = Vec::with_capacity(runs.len());
        for run in runs {
            let Some(scatter) = scatters.get(run.leaf).copied() else { continue };
            let optional = selections.get(run.leaf).is_some_and(|selection| selection.flat.optional);
            let nbytes = run.piece.iter().map(|p| p.nrows).sum::<usize>() * run.conversion.item;
            tasks.push(Task::new(nbytes, move || {
                let SlotRun { conversion, dictionary, pages, piece, field, .. } = run;
                let [RowPiece { group, nrows, at, .. }] = piece;
                let mut job = Job {
                    dictionary,
                    pages: Pages::from_pages(pages, self.file.bounds()),
                    pieces: &piece,
                    optional,
                };
                let done = scratches.with(|scratch| {
                    if conversion.kind == FixedConversion::Bools {
                        // SAFETY: no two runs of a leaf have the same slots, and each leaf has its own memory.
                        let mut out = unsafe { BitWriter::new(scatter, 0, at) };
                        decode_bits(&mut job, &mut out, None, &mut scratch.page)?;
                        return out.finish().ok_or_else(large);
                    }
                    // SAFETY: as above.
                    let out = unsafe { scatter.range(at * conversion.item, nrows * conversion.item) };
                    values(conversion, &mut job, out.ok_or_else(large)?, None, scratch)
                });
                fence();
                done.map_err(|e| self.named(e, field, group))
            }));
        }
        tasks.sort_by_key(|task| Reverse(task.nbytes));
        parallel::run(tasks, self.threads, progress)?;
        drop(scatters);
        let mut out = Vec::with_capacity(selections.len());
        for (selection, region) in selections.iter().zip(regions) {
            let bytes = Buffer::from_region(region.finish(), true).to_arrow();
            let nulls = leaves.get(selection.i).and_then(|leaf| leaf.nulls(selection.nrows));
            let builder =
                ArrayDataBuilder::new(selection.data_type.clone()).len(selection.nrows).add_buffer(bytes);
            // Trusted: as many values of this width as slots, all written.
            out.push((selection.i, trusted_array(builder.nulls(nulls).align_buffers(true))));
        }
        Ok(out)
    }
}

/// Splits the slots of a leaf at its pages.
fn cut<'s>(
    selection: &LeafSelection<'s>,
    leaf: usize,
    conversion: ValueConversion,
    runs: &mut Vec<SlotRun<'s>>,
) {
    let group_pages = selection.group_pages.unwrap_or_default();
    let enough = (TASK_NBYTES / conversion.item.max(1)).max(1);
    for piece in selection.pieces {
        let Some((_, pages)) = group_pages.iter().find(|(group, _)| *group == piece.group) else { continue };
        let (dictionary, pages) = match pages.split_first() {
            Some((first, rest)) if first.slots().is_none() => (Some(*first), rest),
            _ => (None, pages.as_slice()),
        };
        let end = piece.skip + piece.nrows;
        // Slots before the current page; the first page of the run, and the slots before it.
        let (mut before, mut from, mut start) = (0, 0, 0);
        for (k, page) in pages.iter().enumerate() {
            let after = before + page.n();
            if after <= piece.skip {
                (before, from, start) = (after, k + 1, after);
                continue;
            }
            let (first, last) = (start.max(piece.skip), after.min(end));
            if last - first >= enough || after >= end || k + 1 == pages.len() {
                let pages = pages.get(from..=k).unwrap_or_default();
                let at = piece.at + first - piece.skip;
                let piece = [RowPiece { group: piece.group, skip: first - start, nrows: last - first, at }];
                runs.push(SlotRun { leaf, field: selection.field, conversion, dictionary, pages, piece });
                (from, start) = (k + 1, after);
            }
            before = after;
            if after >= end {
                break;
            }
        }
    }
}

/// Joins the bitmaps of consecutive parts; `None` if no bit is 0.
pub(super) fn joined<'v>(
    parts: impl Iterator<Item = (Option<&'v Validity>, StreamRange)> + Clone,
    n: usize,
) -> Option<NullBuffer> {
    if parts.clone().all(|(bits, _)| bits.is_none()) {
        return None;
    }
    let mut out = BooleanBufferBuilder::new(n);
    for (bits, StreamRange { skip, n, .. }) in parts {
        match bits {
            None => out.append_n(n, true),
            Some(bits) => {
                let bytes: Vec<u8> = bits.words().iter().flat_map(|word| word.to_le_bytes()).collect();
                out.append_packed_range(skip..skip + n, &bytes);
            }
        }
    }
    Some(NullBuffer::new(out.finish())).filter(|nulls| nulls.null_count() > 0)
}
