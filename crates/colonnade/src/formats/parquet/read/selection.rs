//! Rows that pass a filter: long runs of them are decoded directly; scattered rows are decoded with their surroundings and
//! filtered afterwards.

use std::ops::Range;

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};

use crate::arrow::decoded_columns::DecodedColumns;
use crate::error::Result;
use crate::filter::KeptRows;
use crate::parallel;
use crate::progress::Progress;

/// Gaps of at most this many rows between two selected rows are decoded too.
const GAP_NROWS: usize = 4096;

/// A range of rows of one row group, and its position in the result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowPiece {
    pub(crate) group: usize,
    /// Rows of the group before the first of the piece.
    pub(crate) skip: usize,
    pub(crate) nrows: usize,
    /// First row in the result.
    pub(crate) at: usize,
}

/// Rows to decode.
#[derive(Debug, Default)]
pub(crate) struct RowsToDecode {
    /// The ranges to decode.
    pub(crate) pieces: Vec<RowPiece>,
    /// Number of rows in `pieces`.
    pub(crate) decoded: usize,
    /// Which of the decoded rows are selected; `None`: all.
    pub(crate) keep: Option<BooleanBuffer>,
    /// Number of rows of the result.
    pub(crate) nrows: usize,
}

/// The rows of a file that a filter leaves.
#[derive(Debug, Clone)]
pub(crate) struct Selection(Vec<GroupRows>);

/// The selected rows of one row group.
#[derive(Debug, Clone)]
struct GroupRows {
    /// Runs of rows to decode, in order.
    runs: Vec<Range<usize>>,
    /// Which of the rows of `runs` are selected.
    keep: BooleanBuffer,
    /// Number of selected rows.
    count: usize,
}

impl Selection {
    /// `candidates`: runs of rows in each row group; `mask`: whether each of those rows is selected.
    pub(crate) fn new(candidates: &[Vec<Range<usize>>], mut mask: &[bool]) -> Self {
        let of_group = |rows: &Vec<Range<usize>>| {
            let (mut runs, mut count): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
            let mut keep = BooleanBufferBuilder::new(0);
            for range in rows {
                let (those, rest) = mask.split_at(range.len().min(mask.len()));
                mask = rest;
                for (from, to) in BooleanBuffer::from(those).set_slices() {
                    let chosen = range.start + from..range.start + to;
                    count += chosen.len();
                    match runs.last_mut() {
                        Some(last) if chosen.start - last.end < GAP_NROWS => {
                            keep.append_n(chosen.start - last.end, false);
                            last.end = chosen.end;
                        }
                        _ => runs.push(chosen.clone()),
                    }
                    keep.append_n(chosen.len(), true);
                }
            }
            GroupRows { runs, keep: keep.finish(), count }
        };
        Self(candidates.iter().map(of_group).collect())
    }

    /// All rows of these runs.
    pub(crate) fn all(runs: Vec<Vec<Range<usize>>>) -> Self {
        let of_group = |runs: Vec<Range<usize>>| {
            let count = runs.iter().map(Range::len).sum();
            GroupRows { runs, keep: BooleanBuffer::new_set(count), count }
        };
        Self(runs.into_iter().map(of_group).collect())
    }

    /// Number of selected rows of each row group.
    pub(crate) fn counts(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().map(|group| group.count)
    }

    /// Positions of the selected rows among all rows; `starts`: the first row of each row group.
    pub(crate) fn positions(&self, starts: &[usize]) -> Vec<usize> {
        let mut out = Vec::with_capacity(self.counts().sum());
        for (group, start) in self.0.iter().zip(starts) {
            let rows = group.runs.iter().cloned().flatten().zip(group.keep.iter());
            out.extend(rows.filter(|(_, is_selected)| *is_selected).map(|(row, _)| start + row));
        }
        out
    }

    /// The selected rows `start..stop`, counted over all row groups.
    pub(crate) fn rows(&self, start: usize, stop: usize) -> RowsToDecode {
        let mut out = RowsToDecode { nrows: stop - start, ..RowsToDecode::default() };
        let mut keep = BooleanBufferBuilder::new(0);
        let mut first = 0;
        for (number, group) in self.0.iter().enumerate() {
            let (from, to) =
                (start.saturating_sub(first).min(group.count), (stop.max(first) - first).min(group.count));
            first += group.count;
            if from < to {
                group.rows(number, from, to, &mut out, &mut keep);
            }
        }
        out.decoded = keep.len();
        let keep = keep.finish();
        out.keep = (out.decoded > out.nrows).then_some(keep);
        out
    }
}

impl GroupRows {
    /// Adds the selected rows `from..to` of this row group.
    fn rows(
        &self,
        number: usize,
        from: usize,
        to: usize,
        out: &mut RowsToDecode,
        keep: &mut BooleanBufferBuilder,
    ) {
        let (mut seen, mut at) = (0, 0);
        for run in &self.runs {
            let bits = self.keep.slice(at, run.len());
            at += run.len();
            let count = bits.count_set_bits();
            let (skip, end) = (from.saturating_sub(seen).min(count), (to.max(seen) - seen).min(count));
            seen += count;
            if skip >= end {
                continue;
            }
            // The range from the first selected row to the last.
            let (head, tail) = if (skip, end) == (0, count) {
                (0, run.len())
            } else {
                let mut selected = bits.set_indices();
                let head = selected.nth(skip).unwrap_or(0);
                (
                    head,
                    if end - skip > 1 { selected.nth(end - skip - 2).unwrap_or(head) + 1 } else { head + 1 },
                )
            };
            let nrows = tail - head;
            out.pieces.push(RowPiece { group: number, skip: run.start + head, nrows, at: keep.len() });
            keep.append_buffer(&bits.slice(head, nrows));
        }
    }
}

/// Keeps the selected rows of the decoded columns.
///
/// # Errors
/// Out of memory; cancellation.
pub(crate) fn keep_selected(
    landed: DecodedColumns,
    keep: &BooleanBuffer,
    threads: usize,
    progress: &dyn Progress,
) -> Result<DecodedColumns> {
    let positions: Vec<usize> = keep.set_indices().collect();
    let rows = &KeptRows::new(&positions, keep.len(), threads);
    let mut out = DecodedColumns { exclusive: landed.exclusive, ..DecodedColumns::default() };
    for (block, members) in landed.blocks {
        out.blocks.push((rows.block(&block, progress)?, members));
    }
    let tasks = landed.columns.into_iter().map(|(i, data)| (keep.len(), move || Ok((i, rows.data(data)?))));
    out.columns = parallel::map(tasks.collect(), threads, progress)?;
    out.columns.sort_unstable_by_key(|(i, _)| *i);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows that pieces and bits select, as (row group, row).
    fn meant(rows: &RowsToDecode) -> Vec<(usize, usize)> {
        let decoded = rows.pieces.iter().flat_map(|p| (p.skip..p.skip + p.nrows).map(|row| (p.group, row)));
        let all: Vec<_> = decoded.collect();
        assert_eq!(all.len(), rows.decoded);
        let keep = |i: usize| rows.keep.as_ref().is_none_or(|keep| keep.value(i));
        (0..all.len()).filter(|i| keep(*i)).map(|i| all[i]).collect()
    }

    #[test]
    fn decoded_rows_match_the_selection() {
        let candidates = vec![vec![0..10, 20..30], vec![], vec![5..6, 9000..20_000]];
        let places: Vec<(usize, usize)> = candidates
            .iter()
            .enumerate()
            .flat_map(|(g, runs)| runs.iter().cloned().flatten().map(move |row| (g, row)))
            .collect();
        for step in [1, 2, 3, 7, 5000, 100_000] {
            let mask: Vec<bool> = (0..places.len()).map(|i| i % step == step / 2).collect();
            let expected: Vec<_> = places.iter().zip(&mask).filter(|(_, w)| **w).map(|(p, _)| *p).collect();
            let selection = Selection::new(&candidates, &mask);
            assert_eq!(selection.counts().sum::<usize>(), expected.len());
            for (start, stop) in
                [(0, expected.len()), (1, 2), (0, 0), (3, 11), (expected.len() / 2, expected.len())]
            {
                let (start, stop) = (start.min(expected.len()), stop.min(expected.len()));
                let rows = selection.rows(start, stop.max(start));
                assert_eq!(
                    meant(&rows),
                    expected[start..stop.max(start)],
                    "step {step}, rows {start}..{stop}"
                );
                let mut at = 0;
                for piece in &rows.pieces {
                    assert_eq!(piece.at, at);
                    at += piece.nrows;
                }
            }
        }
    }
}
