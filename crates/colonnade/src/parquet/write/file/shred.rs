//! Arrays within arrays, taken apart: of each leaf the values where they lie, and two levels a value that say in which list and
//! struct it stands.
//!
//! A list is left behind by its offsets alone: its values are those of the child, which follow each other, so that a leaf is
//! most often a stretch of an array and nothing is copied but levels.

use std::borrow::Cow;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeListArray, StructArray, UInt64Array};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use arrow_select::take::take as select;

use crate::error::{Error, Result};
use crate::parquet::types::Stored;
use crate::parquet::write::column::Levels;

use super::dictionaries;
use super::tree::{Node, Shape};

/// A leaf that was taken out.
pub(super) struct Shredded<'s> {
    /// Its number in the tree.
    pub(super) leaf: usize,
    pub(super) stored: &'s Stored,
    /// Its values, and some between them that nothing stands for.
    pub(super) data: ArrayData,
    /// Which of them are there.
    pub(super) nulls: Option<NullBuffer>,
    pub(super) levels: Levels<'s>,
}

type Take<'t> = &'t mut dyn FnMut(Shredded<'_>) -> Result<()>;

/// Which nodes are gone into, of these arrays.
type Wants<'t> = &'t dyn Fn(&Node, &ArrayRef) -> bool;

/// Gives `take` the leaves `wanted` of the tree one after the other, those that no node which `wants` refuses stands above.
///
/// # Errors
/// `Unrepresentable`: nulls where none may be. Malformed: arrays that break Arrow's layout. Those of `take`.
pub(super) fn shred(
    node: &Node,
    array: &ArrayRef,
    wanted: &Range<usize>,
    wants: Wants<'_>,
    take: Take<'_>,
) -> Result<()> {
    let n = array.len();
    let rows = 0..n;
    let entries = Entries {
        definition: vec![0; n].into(),
        repetition: Vec::new().into(),
        live: vec![rows].into(),
        depth: 0,
        lists: 0,
    };
    walk(node, array, entries, wanted, wants, take)
}

fn broken(message: &str) -> Error {
    Error::malformed("parquet", format!("{message}. The array breaks Arrow's layout."))
}

/// Places of values so far, on the way from the root down.
#[derive(Debug, Clone)]
struct Entries<'e> {
    /// A level a place; those at `depth` have a value in the array at hand.
    definition: Cow<'e, [u8]>,
    /// A level a place; none while there was no list.
    repetition: Cow<'e, [u8]>,
    /// The values of the array at hand that the live places have, in order.
    live: Cow<'e, [Range<usize>]>,
    depth: u8,
    lists: u8,
}

impl Entries<'_> {
    fn below(&self) -> Entries<'_> {
        Entries {
            definition: Cow::Borrowed(&self.definition),
            repetition: Cow::Borrowed(&self.repetition),
            live: Cow::Borrowed(&self.live),
            ..*self
        }
    }

    fn all_live(&self) -> bool {
        self.live.iter().map(Range::len).sum::<usize>() == self.definition.len()
    }

    /// The array at hand may be null: one level more for what is there.
    fn optional(&mut self, nulls: Option<&NullBuffer>) {
        let (old, all) = (self.depth, self.all_live());
        let new = old.saturating_add(1);
        self.depth = new;
        let definition = self.definition.to_mut();
        match nulls {
            None if all => definition.fill(new),
            None => definition.iter_mut().for_each(|level| *level += u8::from(*level == old)),
            Some(nulls) if all => {
                let mut rest = definition.as_mut_slice();
                for run in self.live.iter() {
                    let bits = nulls.inner().slice(run.start, run.len());
                    let Some((levels, behind)) = std::mem::take(&mut rest).split_at_mut_checked(run.len())
                    else {
                        return;
                    };
                    levels.iter_mut().zip(&bits).for_each(|(level, there)| *level += u8::from(there));
                    rest = behind;
                }
            }
            Some(nulls) => {
                let mut values = self.live.iter().flat_map(Range::clone);
                for level in definition.iter_mut().filter(|level| **level == old) {
                    *level += u8::from(values.next().is_some_and(|value| nulls.is_valid(value)));
                }
            }
        }
    }

    /// What is null is not gone into.
    fn narrow(&mut self, nulls: Option<&NullBuffer>) {
        let Some(nulls) = nulls else { return };
        let mut live = Vec::new();
        for run in self.live.iter() {
            let some = nulls.inner().slice(run.start, run.len());
            live.extend(some.set_slices().map(|(start, end)| run.start + start..run.start + end));
        }
        self.live = live.into();
    }

    /// Whether a value that a place has is null.
    fn any_null(&self, nulls: Option<&NullBuffer>) -> bool {
        let Some(nulls) = nulls else { return false };
        let some = |run: &Range<usize>| nulls.inner().slice(run.start, run.len()).count_set_bits();
        self.live.iter().any(|run| some(run) < run.len())
    }

    /// The array at hand has lists that follow each other, all of them live: their values become places, without a look at
    /// each list's own. `None` where some are not there, or offsets fall.
    fn dense<O: Copy + TryInto<usize>>(&self, most: usize, offsets: &[O]) -> Option<Entries<'static>> {
        if !self.all_live() {
            return None;
        }
        let place = |offset: O| offset.try_into().unwrap_or(usize::MAX);
        let (mut total, mut behind) = (0usize, 0);
        let mut live: Vec<Range<usize>> = Vec::with_capacity(self.live.len());
        for run in self.live.iter().filter(|run| !run.is_empty()) {
            let ends = offsets.get(run.start..=run.end)?;
            let (first, last) = (place(*ends.first()?), place(*ends.last()?));
            if first < behind || last > most {
                return None;
            }
            let (mut empty, mut falls) = (0usize, false);
            for (&start, &end) in ends.iter().zip(ends.get(1..)?) {
                let (start, end) = (place(start), place(end));
                empty += usize::from(start == end);
                falls |= start > end;
            }
            if falls {
                return None;
            }
            total = total.checked_add(last - first)?.checked_add(empty)?;
            behind = last;
            match live.last_mut() {
                _ if first == last => {}
                Some(before) if before.end == first => before.end = last,
                _ => live.push(first..last),
            }
        }
        let level = self.lists.saturating_add(1);
        let mut definition = vec![self.depth.saturating_add(1); total];
        let mut repetition = vec![level; total];
        let mut olds = self.repetition.iter().copied();
        let mut at = 0;
        for run in self.live.iter().filter(|run| !run.is_empty()) {
            let ends = offsets.get(run.start..=run.end)?;
            for (&start, &end) in ends.iter().zip(ends.get(1..)?) {
                let n = place(end) - place(start);
                *repetition.get_mut(at)? = olds.next().unwrap_or(0);
                if n == 0 {
                    *definition.get_mut(at)? = self.depth;
                }
                at += n.max(1);
            }
        }
        Some(Entries {
            definition: definition.into(),
            repetition: repetition.into(),
            live: live.into(),
            depth: self.depth.saturating_add(1),
            lists: level,
        })
    }

    /// The array at hand has lists: their values become places. `extent`: of a list, in the child of `most` values.
    fn list(
        &self,
        most: usize,
        extent: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Result<Entries<'static>> {
        let lists = || self.live.iter().flat_map(Range::clone);
        let dead = self.definition.len() - self.live.iter().map(Range::len).sum::<usize>();
        let (mut total, mut behind) = (dead, 0);
        for list in lists() {
            let (start, end) = extent(list)
                .filter(|&(start, end)| start <= end && end <= most && (start == end || start >= behind))
                .ok_or_else(|| broken("an offset passes the values of its lists"))?;
            total = total.saturating_add((end - start).max(1));
            behind = behind.max(end);
        }
        let level = self.lists.saturating_add(1);
        // As if all followed in their list; the exceptions are put over it.
        let mut definition = vec![self.depth.saturating_add(1); total];
        let mut repetition = vec![level; total];
        let mut live: Vec<Range<usize>> = Vec::new();
        let (mut values, mut at) = (lists(), 0);
        let old = self.repetition.iter().copied().chain(std::iter::repeat(0));
        for (&was, before) in self.definition.iter().zip(old) {
            let extent = if was == self.depth { values.next().and_then(&extent) } else { None };
            if let Some(slot) = repetition.get_mut(at) {
                *slot = before;
            }
            match extent.filter(|(start, end)| end > start) {
                None => {
                    if let Some(slot) = definition.get_mut(at) {
                        *slot = was;
                    }
                    at += 1;
                }
                Some((start, end)) => {
                    at += end - start;
                    match live.last_mut() {
                        Some(last) if last.end == start => last.end = end,
                        _ => live.push(start..end),
                    }
                }
            }
        }
        Ok(Entries {
            definition: definition.into(),
            repetition: repetition.into(),
            live: live.into(),
            depth: self.depth.saturating_add(1),
            lists: level,
        })
    }

    /// The stretch of the array at hand that holds all values, and which of them are there.
    fn stretch(&self, nulls: Option<&NullBuffer>) -> (Range<usize>, Option<NullBuffer>) {
        let (Some(first), Some(last)) = (self.live.first(), self.live.last()) else { return (0..0, None) };
        let all = first.start..last.end;
        if self.live.len() == 1 {
            return (all.clone(), nulls.map(|nulls| nulls.slice(all.start, all.len())));
        }
        let mut bits = BooleanBufferBuilder::new(all.len());
        for run in self.live.iter() {
            bits.append_n(run.start - all.start - bits.len(), false);
            match nulls {
                None => bits.append_n(run.len(), true),
                Some(nulls) => bits.append_buffer(&nulls.inner().slice(run.start, run.len())),
            }
        }
        (all, Some(NullBuffer::new(bits.finish())))
    }
}

fn walk(
    node: &Node,
    array: &ArrayRef,
    mut entries: Entries<'_>,
    wanted: &Range<usize>,
    wants: Wants<'_>,
    take: Take<'_>,
) -> Result<()> {
    if node.leaves.start >= wanted.end || node.leaves.end <= wanted.start || !wants(node, array) {
        return Ok(());
    }
    let plain;
    let array = match array.data_type() {
        DataType::Dictionary(..) => {
            plain =
                arrow_array::make_array(dictionaries::without_null_values(&array.to_data())?.into_owned());
            &plain
        }
        _ => array,
    };
    let nulls = match array.data_type() {
        DataType::Null => Some(NullBuffer::new_null(array.len())),
        _ => array.nulls().filter(|nulls| nulls.null_count() > 0).cloned(),
    };
    let nulls = nulls.as_ref();
    if node.optional {
        entries.optional(nulls);
    } else if entries.any_null(nulls) {
        let message =
            format!("expected no nulls in {:?}, as its field is not nullable. Fill them first.", node.name);
        return Err(Error::unrepresentable("parquet", message));
    }
    match &node.shape {
        Shape::Leaf(stored) => {
            let (stretch, nulls) = entries.stretch(nulls);
            take(Shredded {
                leaf: node.leaves.start,
                stored,
                data: array.to_data().slice(stretch.start, stretch.len()),
                nulls: nulls.filter(|nulls| nulls.null_count() > 0),
                levels: Levels {
                    definition: &entries.definition,
                    most_definition: entries.depth,
                    repetition: &entries.repetition,
                    most_repetition: entries.lists,
                },
            })
        }
        Shape::Struct(below) => {
            entries.narrow(nulls);
            let array = array.as_struct_opt().ok_or_else(|| broken("a struct is none"))?;
            each_child(array, below, &entries, wanted, wants, take)
        }
        Shape::List(element) | Shape::Map(element) => {
            entries.narrow(nulls);
            let (values, entries) = lists(array, &entries)?;
            walk(element, &values, entries, wanted, wants, take)
        }
    }
}

fn each_child(
    array: &StructArray,
    below: &[Node],
    entries: &Entries<'_>,
    wanted: &Range<usize>,
    wants: Wants<'_>,
    take: Take<'_>,
) -> Result<()> {
    below
        .iter()
        .zip(array.columns())
        .try_for_each(|(node, column)| walk(node, column, entries.below(), wanted, wants, &mut *take))
}

/// The child of an array of lists, and the places of its values.
fn lists(array: &ArrayRef, entries: &Entries<'_>) -> Result<(ArrayRef, Entries<'static>)> {
    match array.data_type() {
        DataType::List(_) => {
            let array = array.as_list::<i32>();
            Ok((array.values().clone(), following(entries, array.values().len(), array.value_offsets())?))
        }
        DataType::LargeList(_) => {
            let array = array.as_list::<i64>();
            Ok((array.values().clone(), following(entries, array.values().len(), array.value_offsets())?))
        }
        DataType::Map(..) => {
            let array = array.as_map();
            let entries = following(entries, array.entries().len(), array.value_offsets())?;
            Ok((std::sync::Arc::new(array.entries().clone()), entries))
        }
        DataType::FixedSizeList(..) => {
            let array: &FixedSizeListArray = array.as_fixed_size_list();
            let size = usize::try_from(array.value_length()).unwrap_or(0);
            let extent =
                |list: usize| Some((list.checked_mul(size)?, list.checked_add(1)?.checked_mul(size)?));
            Ok((array.values().clone(), entries.list(array.values().len(), extent)?))
        }
        DataType::ListView(_) => {
            let array = array.as_list_view::<i32>();
            viewed(array.values(), array.value_offsets(), array.value_sizes(), entries)
        }
        DataType::LargeListView(_) => {
            let array = array.as_list_view::<i64>();
            viewed(array.values(), array.value_offsets(), array.value_sizes(), entries)
        }
        _ => Err(broken("a list is none")),
    }
}

/// The places of lists whose values follow each other.
fn following<O: Copy + TryInto<usize>>(
    entries: &Entries<'_>,
    most: usize,
    offsets: &[O],
) -> Result<Entries<'static>> {
    if let Some(below) = entries.dense(most, offsets) {
        return Ok(below);
    }
    entries.list(most, |list| {
        let (start, end) = (offsets.get(list)?, offsets.get(list + 1)?);
        Some(((*start).try_into().ok()?, (*end).try_into().ok()?))
    })
}

/// Lists that may lie in any order and over each other: their values one after the other.
fn viewed<O: Copy + TryInto<u64>>(
    values: &ArrayRef,
    offsets: &[O],
    sizes: &[O],
    entries: &Entries<'_>,
) -> Result<(ArrayRef, Entries<'static>)> {
    let (mut places, mut ends) = (Vec::new(), vec![0usize; offsets.len() + 1]);
    let mut behind = 0;
    for list in entries.live.iter().flat_map(Range::clone) {
        // Lists that are passed over have no values.
        ends.get_mut(behind..=list).unwrap_or_default().fill(places.len());
        behind = list + 1;
        let (Some(start), Some(size)) = (
            offsets.get(list).and_then(|&o| o.try_into().ok()),
            sizes.get(list).and_then(|&o| o.try_into().ok()),
        ) else {
            return Err(broken("an offset or a size is missing or negative"));
        };
        let end = start.checked_add(size).filter(|&end| end <= values.len() as u64);
        places.extend(start..end.ok_or_else(|| broken("an offset passes the values of its lists"))?);
    }
    ends.get_mut(behind..).unwrap_or_default().fill(places.len());
    let n = places.len();
    let values = select(values, &UInt64Array::from(places), None);
    let values =
        values.map_err(|e| Error::unrepresentable("parquet", format!("lists in any order: {e}.")))?;
    let extent = |list: usize| Some((*ends.get(list)?, *ends.get(list + 1)?));
    Ok((values, entries.list(n, extent)?))
}
