//! Builds offsets, validity, and the array of a nested column from the arrays of its leaves.

use std::sync::Arc;

use arrow_buffer::{Buffer as ArrowBuffer, NullBuffer};
use arrow_data::transform::MutableArrayData;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field, FieldRef};

use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::formats::parquet::read::shape::{NestedShape, ShapeNode};
use crate::frame::{children, with_children};
use crate::memory::{Buffer, Region, RegionMut, Scatter};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::Progress;

use super::super::ChunkDecoder;
use super::blocks::{BLOCK, has_bits};
use super::bounds::{check_entries, null_nbytes};
use super::count::CountedLevels;
use super::place::{LevelRange, StreamRange};
use super::{NestedColumn, values};

/// The first leaf of a list.
#[derive(Clone, Copy)]
struct FirstLeaf {
    leaf: usize,
    /// The stream of the list; its items are in the next stream.
    stream: usize,
}

struct NestedBuilder<'b> {
    decoder: &'b ChunkDecoder<'b>,
    column: &'b NestedColumn<'b>,
    arrays: Vec<Option<ArrayData>>,
    /// The offsets of each list.
    offsets: Vec<Option<ArrowBuffer>>,
}

impl ChunkDecoder<'_> {
    /// Builds the arrays of the columns from the arrays of all their leaves.
    ///
    /// # Errors
    /// More items than the offsets can address; fixed-size lists of another size.
    pub(super) fn build_arrays(
        &self,
        columns: &[NestedColumn<'_>],
        arrays: Vec<ArrayData>,
        progress: &dyn Progress,
    ) -> Result<Vec<ArrayData>> {
        let mut regions: Vec<Vec<RegionMut>> = Vec::with_capacity(columns.len());
        for column in columns {
            regions.push(self.allocate(column).map_err(|e| self.named(e, column.field, 0))?);
        }
        let mut tasks = Vec::new();
        for (column, regions) in columns.iter().zip(&mut regions) {
            let (firsts, wide) = (firsts(column), wide_lists(column.shape));
            for ((first, wide), region) in firsts.into_iter().zip(wide).zip(regions) {
                let scatter = Scatter::new(region);
                let Some(leaf) = column.leaves.get(first.leaf) else { continue };
                for part in &leaf.placed.parts {
                    let counted = leaf.chunks.get(part.group).and_then(|c| c.counted.get(part.page));
                    let Some(counted) = counted else { continue };
                    tasks.push(Task::new(4 * (part.until - part.from), move || match wide {
                        false => offsets::<4>(counted, part, first.stream, scatter),
                        true => offsets::<8>(counted, part, first.stream, scatter),
                    }));
                }
            }
        }
        parallel::run(tasks, self.threads, progress)?;
        let mut arrays = arrays.into_iter().map(Some);
        let mut out = Vec::with_capacity(columns.len());
        for (column, regions) in columns.iter().zip(regions) {
            let offsets = regions.into_iter().map(|region| Buffer::from_region(region.finish(), true));
            let offsets = offsets.map(|bytes| Some(bytes.to_arrow())).collect();
            let arrays = arrays.by_ref().take(column.leaves.len()).collect();
            let mut builder = NestedBuilder { decoder: self, column, arrays, offsets };
            let data = builder.node(&column.shape.node, self.nrows);
            out.push(data.map_err(|e| self.named(e, column.field, 0))?);
        }
        Ok(out)
    }

    /// Allocates the offsets of each list and writes the last one.
    fn allocate(&self, column: &NestedColumn<'_>) -> Result<Vec<RegionMut>> {
        let mut out = Vec::with_capacity(column.counts.len());
        for ((first, wide), count) in
            firsts(column).into_iter().zip(wide_lists(column.shape)).zip(&column.counts)
        {
            if !wide && i32::try_from(*count).is_err() {
                let message = format!(
                    "lists of {count} items, over what offsets of 32 bits reach. Read some rows= of them at a time."
                );
                return Err(Error::limit("parquet", message));
            }
            let n = column.leaves.get(first.leaf).and_then(|leaf| leaf.placed.totals.get(first.stream));
            let width = if wide { 8 } else { 4 };
            let nbytes = n.copied().unwrap_or(0).checked_add(1).and_then(|n| n.checked_mul(width));
            let nbytes = nbytes.ok_or_else(|| Error::too_large("parquet"))?;
            let mut region = Region::allocate(nbytes)?;
            let last = (*count as u64).to_le_bytes();
            if let Some(to) = region.as_mut_slice().get_mut(nbytes - width..) {
                to.copy_from_slice(last.get(..width).unwrap_or_default());
            }
            out.push(region);
        }
        Ok(out)
    }
}

/// Returns the first leaf of each list.
fn firsts(column: &NestedColumn<'_>) -> Vec<FirstLeaf> {
    let mut out = vec![FirstLeaf { leaf: 0, stream: 0 }; column.shape.nlists];
    for (k, leaf) in column.leaves.iter().enumerate() {
        for (stream, list) in leaf.shape.lists.iter().enumerate().filter(|(_, list)| list.first) {
            if let Some(first) = out.get_mut(list.list) {
                *first = FirstLeaf { leaf: k, stream };
            }
        }
    }
    out
}

/// Returns whether each list has 64-bit offsets.
fn wide_lists(shape: &NestedShape) -> Vec<bool> {
    let mut out = vec![false; shape.nlists];
    widths(&shape.node, &mut out);
    out
}

/// Marks the lists with 64-bit offsets. Fixed-size lists keep no offsets and may have any number of items.
fn widths(node: &ShapeNode, wide: &mut [bool]) {
    match node {
        ShapeNode::Leaf(_) => {}
        ShapeNode::Struct { fields, .. } => fields.iter().for_each(|node| widths(node, wide)),
        ShapeNode::List { data_type, list, items, .. } => {
            if let Some(wide) = wide.get_mut(*list) {
                *wide = matches!(
                    data_type,
                    DataType::LargeList(_) | DataType::LargeListView(_) | DataType::FixedSizeList(..)
                );
            }
            widths(items, wide);
        }
    }
}

/// Writes the offsets of the lists that begin in a part: the number of items before each list.
fn offsets<const N: usize>(
    counted: &CountedLevels,
    part: &LevelRange,
    stream: usize,
    out: Scatter<'_>,
) -> Result<()> {
    #[cfg(target_arch = "x86_64")]
    if has_bits() {
        #[target_feature(enable = "bmi1,bmi2,popcnt")]
        fn with_bits<const N: usize>(
            c: &CountedLevels,
            part: &LevelRange,
            stream: usize,
            out: Scatter<'_>,
        ) -> Result<()> {
            ranks::<N>(c, part, stream, out)
        }
        // SAFETY: the processor has the instructions, as `has_bits` checks.
        return unsafe { with_bits::<N>(counted, part, stream, out) };
    }
    ranks::<N>(counted, part, stream, out)
}

#[inline(always)]
fn ranks<const N: usize>(
    counted: &CountedLevels,
    part: &LevelRange,
    stream: usize,
    out: Scatter<'_>,
) -> Result<()> {
    let large = || Error::too_large("parquet");
    let span = |stream: usize| part.streams.get(stream).copied().unwrap_or_default();
    let (StreamRange { n, at, .. }, StreamRange { at: mut items, .. }) = (span(stream), span(stream + 1));
    // SAFETY: each part writes to lists that no other part has.
    let room = unsafe { out.range(at * N, n * N) }.ok_or_else(large)?;
    let mut to = room.as_chunks_mut::<N>().0.iter_mut();
    let (Some(lists), Some(places)) = (counted.plane(stream), counted.plane(stream + 1)) else {
        return if n == 0 { Ok(()) } else { Err(large()) };
    };
    for k in part.from / BLOCK..part.until.div_ceil(BLOCK) {
        let (Some(lists), Some(places)) = (lists.get(k), places.get(k)) else { continue };
        let first = part.from.saturating_sub(k * BLOCK);
        let last = (part.until - k * BLOCK).min(BLOCK);
        let inside = if last < BLOCK { (1u64 << last) - 1 } else { u64::MAX } & u64::MAX << first;
        let (mut lists, places) = (lists & inside, places & inside);
        while lists != 0 {
            let begin = lists.trailing_zeros();
            lists &= lists - 1;
            let before = (places & ((1u64 << begin) - 1)).count_ones() as usize;
            let Some(to) = to.next() else { return Err(large()) };
            let bytes = ((items + before) as u64).to_le_bytes();
            if let Some(bytes) = bytes.first_chunk::<N>() {
                *to = *bytes;
            }
        }
        items += places.count_ones() as usize;
    }
    // Offsets that were not written would be what an earlier holder of the memory left.
    if to.next().is_some() { Err(large()) } else { Ok(()) }
}

impl NestedBuilder<'_> {
    /// Builds the array of a node with `n` positions.
    fn node(&mut self, node: &ShapeNode, n: usize) -> Result<ArrayData> {
        match node {
            ShapeNode::Leaf(leaf) => {
                let array = self.arrays.get_mut(*leaf).and_then(Option::take);
                let array = array.ok_or_else(|| Error::malformed("parquet", "a leaf without values."))?;
                let is_nullable = self.column.leaves.get(*leaf).is_some_and(|leaf| leaf.shape.is_nullable);
                // The codes of null rows are valid only under the nulls: an empty dictionary has no code 0.
                let coded = matches!(array.data_type(), DataType::Dictionary(..));
                if is_nullable || coded || array.nulls().is_none() {
                    return Ok(array);
                }
                // A required leaf is not null below a null parent.
                // Trusted: the buffers hold a value for every slot, of nulls too.
                Ok(trusted_array(array.into_builder().nulls(None)))
            }
            ShapeNode::Struct { data_type, nullable, fields } => {
                let children: Vec<ArrayData> =
                    fields.iter().map(|field| self.node(field, n)).collect::<Result<_>>()?;
                let DataType::Struct(typed_fields) = data_type else {
                    return Err(Error::too_large("parquet"));
                };
                let typed_fields =
                    typed_fields.iter().zip(&children).map(|(field, data)| with_array_type(field, data));
                let builder = ArrayDataBuilder::new(DataType::Struct(typed_fields.collect())).len(n);
                let builder = builder.nulls(self.nulls(*nullable, n)).child_data(children);
                // Trusted: all children have `n` positions, those of the struct's stream.
                Ok(trusted_array(builder))
            }
            ShapeNode::List { data_type, list, nullable, presence, items } => {
                let count = self.column.counts.get(*list).copied().unwrap_or(0);
                let child = self.node(items, count)?;
                let offsets = self.offsets.get_mut(*list).and_then(Option::take);
                let offsets = offsets.ok_or_else(|| Error::malformed("parquet", "lists without offsets."))?;
                let child = match data_type {
                    DataType::FixedSizeList(_, size) => {
                        let nulls = self.nulls(*presence, n);
                        // The file has no bytes for the items of a null list; only the writer's schema states its size.
                        let filled = nulls.as_ref().map_or(0, |nulls| nulls.null_count() as u64);
                        let nbytes = filled.saturating_mul(null_nbytes(data_type));
                        self.decoder.charge(nbytes, "null lists of one size")?;
                        let size = usize::try_from(*size).unwrap_or(0);
                        of_one_size(size, n, nulls.as_ref(), &offsets, child)?
                    }
                    _ => child,
                };
                list_of(data_type, n, self.nulls(*nullable, n), offsets, child)
            }
        }
    }

    /// Returns which of the `n` positions of a node are null.
    fn nulls(&self, nullable: Option<usize>, n: usize) -> Option<NullBuffer> {
        let number = nullable.filter(|number| *number < self.column.shape.nnullables)?;
        self.column.leaves.iter().find_map(|leaf| {
            let place = leaf.shape.nullables.iter().position(|at| at.nullable == number)?;
            let stream = leaf.shape.nullables.get(place)?.stream;
            let bits =
                leaf.bits(stream, move |counted| counted.validities.get(place).and_then(Option::as_ref));
            Some(values::joined(bits, n))
        })?
    }
}

/// Returns the field with the type of its array: text offsets and codes may have become wider.
fn with_array_type(field: &FieldRef, data: &ArrayData) -> FieldRef {
    match field.data_type() == data.data_type() {
        true => Arc::clone(field),
        false => Arc::new(Field::clone(field).with_data_type(data.data_type().clone())),
    }
}

/// Builds an array of lists of any layout.
fn list_of(
    data_type: &DataType,
    n: usize,
    nulls: Option<NullBuffer>,
    offsets: ArrowBuffer,
    child: ArrayData,
) -> Result<ArrayData> {
    let buffers = match data_type {
        DataType::List(_) | DataType::LargeList(_) => vec![offsets],
        DataType::Map(..) => {
            check_entries(Some(&child))?;
            vec![offsets]
        }
        DataType::ListView(_) => view::<4>(&offsets, n).into(),
        DataType::LargeListView(_) => view::<8>(&offsets, n).into(),
        DataType::FixedSizeList(..) => Vec::new(),
        other => return Err(Error::unsupported("parquet", format!("lists of type {other}."))),
    };
    let fields: Vec<FieldRef> =
        children(data_type).into_iter().map(|field| with_array_type(field, &child)).collect();
    let builder = ArrayDataBuilder::new(with_children(data_type, &fields)).len(n).nulls(nulls);
    let builder = builder.buffers(buffers).add_child_data(child);
    // Trusted: offsets rise from 0 to the length of the child; fixed-size lists have the length that their size requires.
    Ok(trusted_array(builder.align_buffers(true)))
}

/// Converts offsets to the position and length of each list.
fn view<const N: usize>(offsets: &ArrowBuffer, n: usize) -> [ArrowBuffer; 2] {
    let places: Vec<u64> = offsets.as_chunks::<N>().0.iter().map(|place| widened(place)).collect();
    let sizes = places.windows(2).flat_map(|pair| match pair {
        [a, b] => (b - a).to_le_bytes().into_iter().take(N),
        _ => 0u64.to_le_bytes().into_iter().take(0),
    });
    [offsets.slice_with_length(0, n * N), ArrowBuffer::from_vec(sizes.collect::<Vec<u8>>())]
}

fn widened(place: &[u8]) -> u64 {
    let mut word = [0u8; 8];
    word.iter_mut().zip(place).for_each(|(to, from)| *to = *from);
    u64::from_le_bytes(word)
}

/// Inserts the items of null lists, which the file does not store, between the items of fixed-size lists.
fn of_one_size(
    size: usize,
    n: usize,
    nulls: Option<&NullBuffer>,
    offsets: &ArrowBuffer,
    child: ArrayData,
) -> Result<ArrayData> {
    let places = offsets.as_chunks::<8>().0;
    let is_valid = |list: usize| nulls.is_none_or(|nulls| nulls.is_valid(list));
    for (list, (a, b)) in places.iter().zip(places.iter().skip(1)).enumerate() {
        let found = u64::from_le_bytes(*b).wrapping_sub(u64::from_le_bytes(*a));
        let expected = if is_valid(list) { size as u64 } else { 0 };
        if found != expected {
            let message = format!(
                "list {list} of lists of {size} items has {found}, expected {expected}. The file is damaged; write it again."
            );
            return Err(Error::malformed("parquet", message));
        }
    }
    if nulls.is_none() {
        return Ok(child);
    }
    let total = n.checked_mul(size).ok_or_else(|| Error::too_large("parquet"))?;
    let failed = |e: arrow_schema::ArrowError| Error::malformed("parquet", format!("{e}."));
    let mut out = MutableArrayData::new(vec![&child], true, total);
    let mut at = 0;
    for list in 0..n {
        if is_valid(list) {
            out.try_extend(0, at, at + size).map_err(failed)?;
            at += size;
        } else {
            out.try_extend_nulls(size).map_err(failed)?;
        }
    }
    Ok(out.freeze())
}
