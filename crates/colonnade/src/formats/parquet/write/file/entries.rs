//! Computes the levels of a leaf from the root of its column down.

use std::borrow::Cow;
use std::ops::Range;

use arrow_buffer::{BooleanBufferBuilder, NullBuffer};

use crate::error::{Error, Result};

/// The entries of an array below the root: their levels, and the values of those that have one.
#[derive(Debug, Clone)]
pub(super) struct LevelEntries<'e> {
    /// One definition level per entry. Entries at level `depth` have a value in the current array.
    pub(super) definition: Cow<'e, [u8]>,
    /// One repetition level per entry; empty above the first list.
    pub(super) repetition: Cow<'e, [u8]>,
    /// Ranges of the current array that hold the values of the live entries, in order.
    pub(super) live: Cow<'e, [Range<usize>]>,
    pub(super) depth: u8,
    pub(super) lists: u8,
}

impl LevelEntries<'_> {
    /// The entries of `n` rows, at the root.
    pub(super) fn rows(n: usize) -> LevelEntries<'static> {
        let all = 0..n;
        LevelEntries {
            definition: vec![0; n].into(),
            repetition: Vec::new().into(),
            live: vec![all].into(),
            depth: 0,
            lists: 0,
        }
    }

    pub(super) fn reborrow(&self) -> LevelEntries<'_> {
        LevelEntries {
            definition: Cow::Borrowed(&self.definition),
            repetition: Cow::Borrowed(&self.repetition),
            live: Cow::Borrowed(&self.live),
            ..*self
        }
    }

    /// Creates `total` entries one list deeper, all set to "a further value of the same list". The caller overwrites the exceptions
    /// and sets `live`.
    fn one_list_deeper(&self, total: usize) -> LevelEntries<'static> {
        let (depth, lists) = (self.depth.saturating_add(1), self.lists.saturating_add(1));
        let (definition, repetition) = (vec![depth; total].into(), vec![lists; total].into());
        LevelEntries { definition, repetition, live: Vec::new().into(), depth, lists }
    }

    fn all_live(&self) -> bool {
        self.live.iter().map(Range::len).sum::<usize>() == self.definition.len()
    }

    /// Enters an optional field: increments the definition level of entries with a valid value.
    pub(super) fn enter_optional(&mut self, nulls: Option<&NullBuffer>) {
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

    /// Removes null values from `live`.
    pub(super) fn drop_nulls(&mut self, nulls: Option<&NullBuffer>) {
        let Some(nulls) = nulls else { return };
        let mut live = Vec::new();
        for run in self.live.iter() {
            let some = nulls.inner().slice(run.start, run.len());
            live.extend(some.set_slices().map(|(start, end)| run.start + start..run.start + end));
        }
        self.live = live.into();
    }

    /// Whether an entry's value is null.
    pub(super) fn any_null(&self, nulls: Option<&NullBuffer>) -> bool {
        let Some(nulls) = nulls else { return false };
        let some = |run: &Range<usize>| nulls.inner().slice(run.start, run.len()).count_set_bits();
        self.live.iter().any(|run| some(run) < run.len())
    }

    /// The fast path of [`LevelEntries::list`], for lists that are contiguous and all live. Returns `None` if an entry has no value
    /// or offsets decrease.
    pub(super) fn contiguous_lists<O: Copy + TryInto<usize>>(
        &self,
        most: usize,
        offsets: &[O],
    ) -> Option<LevelEntries<'static>> {
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
        let mut below = self.one_list_deeper(total);
        let (definition, repetition) = (below.definition.to_mut(), below.repetition.to_mut());
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
        below.live = live.into();
        Some(below)
    }

    /// Enters lists: their values become entries. `extent` returns the range of a list in the child array of `most` values.
    pub(super) fn list(
        &self,
        most: usize,
        extent: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Result<LevelEntries<'static>> {
        let lists = || self.live.iter().flat_map(Range::clone);
        let dead = self.definition.len() - self.live.iter().map(Range::len).sum::<usize>();
        let (mut total, mut behind) = (dead, 0);
        for list in lists() {
            let (start, end) = extent(list)
                .filter(|&(start, end)| start <= end && end <= most && (start == end || start >= behind))
                .ok_or_else(|| malformed_array("an offset passes the values of its lists"))?;
            total = total.saturating_add((end - start).max(1));
            behind = behind.max(end);
        }
        let mut below = self.one_list_deeper(total);
        let (definition, repetition) = (below.definition.to_mut(), below.repetition.to_mut());
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
        below.live = live.into();
        Ok(below)
    }

    /// Returns the range of the current array that contains all live values, and their validity.
    pub(super) fn live_extent(&self, nulls: Option<&NullBuffer>) -> (Range<usize>, Option<NullBuffer>) {
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

/// The error for an array that breaks Arrow's layout.
pub(super) fn malformed_array(message: &str) -> Error {
    Error::malformed("parquet", format!("{message}. The array breaks Arrow's layout."))
}
