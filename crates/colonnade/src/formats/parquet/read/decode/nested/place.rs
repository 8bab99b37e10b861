//! Finds the levels at which the selected rows of a chunk begin and end, and how many positions of each stream they have.

use crate::error::{Error, Result};
use crate::formats::parquet::read::page::StoredPage;
use crate::formats::parquet::read::shape::LeafShape;

use super::super::RowPiece;
use super::count::CountedLevels;

/// The pages of one leaf in one row group.
#[derive(Debug, Default)]
pub(super) struct LeafChunk<'a> {
    /// Its offset in the file.
    pub(super) base: u64,
    /// Its dictionary.
    pub(super) dictionary: Option<StoredPage<'a>>,
    /// Its data pages as far as the selection reaches, and their counted levels.
    pub(super) pages: Vec<StoredPage<'a>>,
    pub(super) counted: Vec<CountedLevels>,
    /// Whether these are all pages.
    pub(super) whole: bool,
}

/// The selected levels of one page.
#[derive(Debug)]
pub(super) struct LevelRange {
    /// The index of its row group among the selected ones, and of the page in its chunk.
    pub(super) group: usize,
    pub(super) page: usize,
    /// The range of levels.
    pub(super) from: usize,
    pub(super) until: usize,
    /// For each stream: the page's positions before the selection, the selected ones, and their position in the result.
    pub(super) streams: Vec<StreamRange>,
}

/// A range of positions of a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StreamRange {
    pub(super) skip: usize,
    pub(super) n: usize,
    pub(super) at: usize,
}

/// The selected rows of a leaf.
#[derive(Debug, Default)]
pub(super) struct PlacedRows {
    pub(super) parts: Vec<LevelRange>,
    /// The selection as pieces of slots.
    pub(super) slots: Vec<RowPiece>,
    /// Positions of each stream, in each piece and in total.
    pub(super) counts: Vec<Vec<usize>>,
    pub(super) totals: Vec<usize>,
}

/// A position among the levels of a chunk.
#[derive(Debug, Clone, Copy)]
struct LevelPosition {
    page: usize,
    level: usize,
}

impl LeafChunk<'_> {
    /// Checks that the pages follow each other and have as many rows as the row group.
    ///
    /// # Errors
    /// Malformed.
    pub(super) fn check(&self, nrows: usize, leaf: &LeafShape) -> Result<()> {
        let mut before = None;
        for (page, counted) in self.pages.iter().zip(&self.counted) {
            if counted.n == 0 {
                continue;
            }
            if !counted.follows(before, leaf) {
                let what = if before.is_none() {
                    "the first repetition level of a column chunk is not 0"
                } else {
                    "a page goes on with a list that has no item in the page before"
                };
                let message = format!("{what}. The file is damaged; write it again.");
                return Err(Error::malformed("parquet", message).at(page.at));
            }
            before = Some(counted);
        }
        let found: usize = self.counted.iter().filter_map(|counted| counted.counts.first()).sum();
        if found != nrows && (self.whole || found > nrows) {
            let message = format!(
                "its levels begin {found} rows, its row group has {nrows}. The file is damaged; write it again."
            );
            return Err(Error::malformed("parquet", message).at(self.base));
        }
        Ok(())
    }

    /// Returns where a row begins; `first`: for each page the first row that begins in it.
    fn place(&self, row: usize, first: &[usize]) -> LevelPosition {
        let page = first.partition_point(|first| *first <= row).saturating_sub(1);
        // Of several pages in which no row begins, the last is found; `row` does not begin in it either.
        let Some(counted) = self.counted.get(page) else {
            return LevelPosition { page: self.counted.len(), level: 0 };
        };
        let within = row - first.get(page).copied().unwrap_or(0);
        LevelPosition { page, level: counted.row(within) }
    }
}

/// Finds the selected rows of a leaf; `groups` holds the pieces of each of the `chunks`.
///
/// # Errors
/// Truncated: rows that do not exist.
pub(super) fn place(
    chunks: &[LeafChunk<'_>],
    groups: &[&[RowPiece]],
    leaf: &LeafShape,
) -> Result<PlacedRows> {
    let nstreams = leaf.lists.len() + 1;
    let mut out = PlacedRows { totals: vec![0; nstreams], ..PlacedRows::default() };
    for (group, (chunk, pieces)) in chunks.iter().zip(groups).enumerate() {
        let (mut first, mut nrows) = (Vec::with_capacity(chunk.counted.len()), 0);
        let mut before = Vec::with_capacity(chunk.counted.len());
        let mut slots = 0;
        for counted in &chunk.counted {
            first.push(nrows);
            before.push(slots);
            nrows += counted.counts.first().copied().unwrap_or(0);
            slots += counted.slots.n;
        }
        for piece in *pieces {
            let end = piece.skip + piece.nrows;
            if end > nrows {
                let what = "the rows of a column chunk";
                return Err(Error::truncated("parquet", what, end as u64, nrows as u64).at(chunk.base));
            }
            let (from, until) = (chunk.place(piece.skip, &first), chunk.place(end, &first));
            let mut counts = vec![0; nstreams];
            let mut slots =
                RowPiece { skip: 0, nrows: 0, at: out.totals.last().copied().unwrap_or(0), ..*piece };
            for page in from.page..=until.page {
                let Some(counted) = chunk.counted.get(page) else { break };
                let start = if page == from.page { from.level } else { 0 };
                let stop = if page == until.page { until.level } else { counted.n };
                let mut streams = Vec::with_capacity(nstreams);
                for (stream, (total, count)) in out.totals.iter_mut().zip(&mut counts).enumerate() {
                    let skip = counted.rank(stream, start);
                    let n = counted.rank(stream, stop).saturating_sub(skip);
                    streams.push(StreamRange { skip, n, at: *total });
                    *total += n;
                    *count += n;
                }
                if page == from.page {
                    let preceding = streams.last().map_or(0, |span| span.skip);
                    slots.skip = before.get(page).copied().unwrap_or(0) + preceding;
                }
                if stop > start {
                    out.parts.push(LevelRange { group, page, from: start, until: stop, streams });
                }
            }
            slots.nrows = counts.last().copied().unwrap_or(0);
            if slots.nrows > 0 {
                out.slots.push(slots);
            }
            out.counts.push(counts);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::count::tests::{counted, leaf};
    use super::*;

    /// Repetition and definition levels of lists of lists: null, empty, of nulls, of such lists.
    const LEVELS: [(u8, u8); 19] = [
        (0, 5),
        (2, 5),
        (1, 3),
        (0, 0),
        (0, 1),
        (0, 4),
        (2, 5),
        (2, 4),
        (1, 5),
        (2, 5),
        (1, 2),
        (0, 5),
        (0, 3),
        (0, 2),
        (1, 5),
        (2, 4),
        (1, 5),
        (0, 0),
        (0, 5),
    ];

    fn chunk(pages: &[&[(u8, u8)]]) -> LeafChunk<'static> {
        let counted = pages.iter().map(|page| {
            let (repeats, defines): (Vec<u8>, Vec<u8>) = page.iter().copied().unzip();
            counted(2, &repeats, &defines).unwrap()
        });
        LeafChunk { counted: counted.collect(), whole: true, ..LeafChunk::default() }
    }

    /// Counts the positions of each stream among some levels.
    fn counts(levels: &[(u8, u8)]) -> [usize; 3] {
        let of = |stream: u8, item: u8| levels.iter().filter(|(r, d)| *r <= stream && *d >= item).count();
        [of(0, 0), of(1, 2), of(2, 4)]
    }

    #[test]
    fn rows_are_found_wherever_pages_end() {
        let starts: Vec<usize> = (0..LEVELS.len()).filter(|k| LEVELS[*k].0 == 0).collect();
        let start = |row: usize| starts.get(row).copied().unwrap_or(LEVELS.len());
        for size in 1..=LEVELS.len() {
            let pages: Vec<&[(u8, u8)]> = LEVELS.chunks(size).collect();
            let chunks = [chunk(&pages)];
            for skip in 0..starts.len() {
                for nrows in 1..=starts.len() - skip {
                    let piece = [RowPiece { group: 0, skip, nrows, at: 0 }];
                    let placed = place(&chunks, &[&piece], &leaf(2)).unwrap();
                    let (from, until) = (start(skip), start(skip + nrows));
                    let expected = counts(&LEVELS[from..until]);
                    assert_eq!(placed.totals, expected, "{size} {skip} {nrows}");
                    let levels: Vec<(u8, u8)> = placed
                        .parts
                        .iter()
                        .flat_map(|part| pages[part.page][part.from..part.until].iter().copied())
                        .collect();
                    assert_eq!(levels, LEVELS[from..until]);
                    let slots = counts(&LEVELS[..from])[2];
                    match placed.slots.as_slice() {
                        [] => assert_eq!(expected[2], 0),
                        [one] => assert_eq!((one.skip, one.nrows, one.at), (slots, expected[2], 0)),
                        _ => unreachable!(),
                    }
                    let mut at = [0; 3];
                    for part in &placed.parts {
                        let expected_counts = counts(&pages[part.page][part.from..part.until]);
                        let before = counts(&pages[part.page][..part.from]);
                        for (k, span) in part.streams.iter().enumerate() {
                            assert_eq!(
                                *span,
                                StreamRange { skip: before[k], n: expected_counts[k], at: at[k] }
                            );
                            at[k] += expected_counts[k];
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn pieces_follow_each_other_in_the_result() {
        let chunks = [chunk(&[&LEVELS[..7], &LEVELS[7..]]), chunk(&[&LEVELS])];
        let piece = |group, skip, nrows| RowPiece { group, skip, nrows, at: 0 };
        let pieces = [[piece(0, 3, 1), piece(0, 5, 2)], [piece(1, 0, 1), piece(1, 8, 1)]];
        let groups: Vec<&[RowPiece]> = pieces.iter().map(|some| some.as_slice()).collect();
        let placed = place(&chunks, &groups, &leaf(2)).unwrap();
        assert_eq!(placed.totals, [5, 10, 11]);
        assert_eq!(
            placed.slots.iter().map(|p| (p.group, p.skip, p.nrows, p.at)).collect::<Vec<_>>(),
            [(0, 2, 5, 0), (0, 8, 3, 5), (1, 0, 2, 8), (1, 11, 1, 10)]
        );
    }

    #[test]
    fn rows_that_are_not_there() {
        let chunks = [chunk(&[&LEVELS[..7]])];
        let piece = [RowPiece { group: 0, skip: 2, nrows: 3, at: 0 }];
        let error = place(&chunks, &[&piece], &leaf(2)).unwrap_err();
        assert!(error.to_string().contains("rows of a column chunk"), "{error}");
    }
}
