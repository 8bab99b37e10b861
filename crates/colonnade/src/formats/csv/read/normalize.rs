//! Makes rows of equal width from lines: handles blank lines, lines of another width, and carriage returns before line feeds.

use super::options::OnError;

/// Offset of a missing cell. Batches of lines are shorter, so no byte has this offset.
pub(super) const MISSING: u32 = u32::MAX;

/// Offset of a missing cell in the whole input. No input is that long.
pub(super) const NOWHERE: usize = usize::MAX;

/// Converts an offset of a span.
#[inline(always)]
pub(super) fn place(at: u32) -> usize {
    if at == MISSING { NOWHERE } else { at as usize }
}

/// The expected form of rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowShape<'a> {
    /// Number of cells in a row.
    pub(super) ncols: usize,
    /// The last byte of a line end.
    pub(super) newline: u8,
    /// Whether the input may have carriage returns before line feeds.
    pub(super) returns: bool,
    /// Whether empty lines are skipped.
    pub(super) skip_blank: bool,
    /// The treatment of rows of another width.
    pub(super) on_error: OnError,
    /// Offsets of invalid cells in the input, ascending. Their rows are dropped.
    pub(super) left_out: &'a [usize],
}

/// Rows of equal width.
#[derive(Debug, Default)]
pub(super) struct RowSpans {
    /// Start and end of each cell.
    pub(super) spans: Vec<(u32, u32)>,
    pub(super) rows: usize,
    /// Rows that were dropped.
    pub(super) dropped: u64,
    /// Rows that were padded or cut.
    pub(super) nulled: u64,
}

/// A row of another width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RaggedRow {
    /// Offset of its last cell, or of the first surplus cell.
    pub(super) at: usize,
    pub(super) found: usize,
}

impl RowShape<'_> {
    /// Whether a row between `at` and `end` must be dropped.
    pub(super) fn leaves_out(&self, at: usize, end: usize) -> bool {
        let first = self.left_out.partition_point(|place| *place < at);
        self.left_out.get(first).is_some_and(|place| *place <= end)
    }

    /// Checks whether the cells already form rows. `ends` starts with an entry for the position before the first byte. Returns the
    /// number of bytes before each line feed that belong to the line end.
    pub(super) fn regular(&self, bytes: &[u8], ends: &[u32], lines: usize) -> Option<u32> {
        let cells = ends.get(1..).unwrap_or_default();
        if cells.len() != lines.saturating_mul(self.ncols) {
            return None;
        }
        // There are as many line ends as rows. If every row ends with one, no other cell does.
        let mut rows = cells.chunks_exact(self.ncols).map(|row| row.last().map_or(0, |end| *end as usize));
        if !(self.returns && self.newline == b'\n') {
            let ended = |end: usize| bytes.get(end).is_none_or(|byte| *byte == self.newline);
            let blank = self.ncols == 1
                && self.skip_blank
                && ends.windows(2).any(|pair| matches!(pair, [a, b] if a.wrapping_add(1) == *b));
            return (rows.all(ended) && !blank).then_some(0);
        }
        let ended = |end: usize| end > 0 && bytes.get(end - 1..=end) == Some(b"\r\n");
        (self.ncols > 1 && rows.all(ended)).then_some(1)
    }

    /// Groups cells into rows. `at` is the offset of `bytes` in the input.
    pub(super) fn normalize(
        &self,
        bytes: &[u8],
        at: usize,
        spans: impl Iterator<Item = (u32, u32, bool)>,
        out: &mut RowSpans,
    ) -> Result<(), RaggedRow> {
        *out = RowSpans { spans: std::mem::take(&mut out.spans), ..RowSpans::default() };
        out.spans.clear();
        let mut first = 0;
        for (start, end, is_last) in spans {
            let mut end = end;
            if is_last && self.returns && self.newline == b'\n' && end > start {
                let before = bytes.get(end as usize - 1) == Some(&b'\r');
                end -= u32::from(before && bytes.get(end as usize) == Some(&b'\n'));
            }
            out.spans.push((start, end));
            if !is_last {
                continue;
            }
            let found = out.spans.len() - first;
            let begin = out.spans.get(first).map_or(start, |span| span.0);
            if found == 1 && self.skip_blank && self.is_blank(bytes, start, end) {
                out.spans.truncate(first);
                continue;
            }
            if found != self.ncols {
                match self.on_error {
                    OnError::Raise => {
                        let place = if found > self.ncols { first + self.ncols } else { out.spans.len() - 1 };
                        let at = out.spans.get(place).map_or(0, |span| span.0 as usize);
                        return Err(RaggedRow { at, found });
                    }
                    OnError::Null => {
                        out.nulled += 1;
                        out.spans.resize(first + self.ncols, (MISSING, MISSING));
                    }
                    OnError::Skip => {
                        out.dropped += 1;
                        out.spans.truncate(first);
                        continue;
                    }
                }
            }
            if !self.left_out.is_empty() && self.leaves_out(at + begin as usize, at + end as usize) {
                out.dropped += 1;
                out.spans.truncate(first);
                continue;
            }
            out.rows += 1;
            first = out.spans.len();
        }
        Ok(())
    }

    /// Whether a line of one cell is blank: empty, or only spaces and tabs if a row has several cells.
    fn is_blank(&self, bytes: &[u8], start: u32, end: u32) -> bool {
        let cell = bytes.get(start as usize..end as usize).unwrap_or_default();
        cell.is_empty() || (self.ncols > 1 && cell.iter().all(|b| matches!(b, b' ' | b'\t')))
    }
}

/// The cells that end at `ends`, and whether each is the last of its line.
pub(super) fn spans<'a>(
    bytes: &'a [u8],
    ends: &'a [u32],
    newline: u8,
) -> impl Iterator<Item = (u32, u32, bool)> + 'a {
    ends.windows(2).filter_map(move |pair| match pair {
        [before, end] => {
            let is_last = bytes.get(*end as usize).is_none_or(|byte| *byte == newline);
            Some((before.wrapping_add(1), *end, is_last))
        }
        _ => None,
    })
}
