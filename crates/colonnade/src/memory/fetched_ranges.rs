//! The fetched ranges of a remote file, and the ranges to fetch for a request.

use std::collections::BTreeMap;

/// Ranges closer than this are fetched as one, because a request costs more than so many bytes.
pub(super) const JOIN_GAP: usize = 64 << 10;

/// The fetched ranges, from each start to its end: disjoint, and none touches the next.
#[derive(Debug, Default)]
pub(super) struct FetchedRanges {
    ranges: BTreeMap<usize, usize>,
    nbytes: u64,
}

impl FetchedRanges {
    /// The number of fetched bytes.
    pub(super) fn nbytes(&self) -> u64 {
        self.nbytes
    }

    /// The number of bytes from `at` on that are fetched.
    pub(super) fn fetched_from(&self, at: usize) -> usize {
        self.ranges.range(..=at).next_back().map_or(0, |(_, &end)| end.saturating_sub(at))
    }

    /// Adds a range.
    pub(super) fn add(&mut self, start: usize, end: usize) {
        if start >= end {
            return;
        }
        let (mut low, mut high) = (start, end);
        while let Some((&from, &to)) = self.ranges.range(..=high).next_back().filter(|(_, to)| **to >= low) {
            self.ranges.remove(&from);
            self.nbytes -= (to - from) as u64;
            (low, high) = (low.min(from), high.max(to));
        }
        self.ranges.insert(low, high);
        self.nbytes += (high - low) as u64;
    }

    /// Adds the missing parts of the range to `out`.
    pub(super) fn missing(&self, (start, end): (usize, usize), out: &mut Vec<(usize, usize)>) {
        let mut at = self.ranges.range(..=start).next_back().map_or(start, |(_, &to)| to.max(start));
        for (&from, &to) in self.ranges.range(start.saturating_add(1)..end.max(start.saturating_add(1))) {
            if at < from {
                out.push((at, from));
            }
            at = at.max(to);
        }
        if at < end {
            out.push((at, end));
        }
    }

    /// Returns the ranges to fetch: the missing ones, joined over small gaps, without fetched bytes.
    pub(super) fn to_fetch(&self, ranges: &[(usize, usize)], nbytes: usize) -> Vec<(usize, usize)> {
        let mut missing = Vec::new();
        for &(start, end) in ranges {
            self.missing((start.min(nbytes), end.min(nbytes)), &mut missing);
        }
        missing.sort_unstable();
        let mut out = Vec::new();
        let mut last: Option<(usize, usize)> = None;
        for (start, end) in missing {
            match &mut last {
                Some(last) if start <= last.1.saturating_add(JOIN_GAP) => last.1 = last.1.max(end),
                _ => {
                    last.into_iter().for_each(|range| self.missing(range, &mut out));
                    last = Some((start, end));
                }
            }
        }
        last.into_iter().for_each(|range| self.missing(range, &mut out));
        out
    }
}
