//! One pass over all pieces of the input. Each piece fills its own rows of the requests columns.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::column::{self, AdjacentCells, CellWord, PieceColumn, ScatteredCells};
use super::declared::{CellRun, DeclaredColumn};
use super::fields::{FieldEnds, FieldSearch, RareBytes, TokenError, fields};
use super::kinds::InferredType;
use super::normalize::{RowShape, RowSpans, spans};
use super::options::OnError;
use super::rules::DialectRules;
use super::structural::SpecialBytes;
use super::text::TextPiece;
use super::text_cells;
use super::tokenizer::Tokenizer;
use crate::cells::text::{CellFault, TextReader};
use crate::error::Result;
use crate::parallel;
use crate::progress::Progress;

/// Cells of a batch. All its cells are located before they are decoded; their ends and bytes then are still in the cache.
const BATCH_CELLS: usize = 8 << 10;

/// Least number of rows of a batch, so that the words of a column fill a cache line.
const BATCH_ROWS: usize = 8;

/// Largest accepted line. Positions within a batch are 32-bit.
const LONGEST: usize = 1 << 30;

/// Largest accepted line, in bytes.
pub(super) fn max_line_nbytes() -> usize {
    #[cfg(test)]
    if let Some(nbytes) = TESTED.get() {
        return nbytes;
    }
    LONGEST
}

#[cfg(test)]
thread_local! {
    static TESTED: std::cell::Cell<Option<usize>> = const { std::cell::Cell::new(None) };
}

/// Runs `work` with a smaller limit of line length, so that tests need no gigabyte.
#[cfg(test)]
pub(super) fn with_lines_of<T>(nbytes: usize, work: impl FnOnce() -> T) -> T {
    TESTED.set(Some(nbytes));
    let out = work();
    TESTED.set(None);
    out
}

/// A piece of the input, of whole lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinePiece {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Number of lines before it.
    pub(super) first_line: usize,
    /// Number of its lines, an upper bound of its rows.
    pub(super) lines: usize,
}

/// The input of a pass, and the rules for reading it.
#[derive(Debug)]
pub(super) struct PassInput<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) special: SpecialBytes,
    pub(super) rare_bytes: RareBytes,
    pub(super) shape: RowShape<'a>,
    /// The rules for most columns, then those for columns that may hold instants.
    pub(super) rules: DialectRules,
    pub(super) timed: DialectRules,
    /// Whether the tokenizer is used instead of masks: for escapes, comments and quotes inside cells.
    pub(super) careful: bool,
    pub(super) longest: usize,
}

impl PassInput<'_> {
    /// The parameters of [`fields`], which finds cells with masks.
    pub(super) fn search(&self, batch_ncells: usize) -> FieldSearch {
        FieldSearch {
            special: self.special,
            rare_bytes: self.rare_bytes,
            batch_ncells,
            longest: self.longest,
        }
    }

    /// The first row of each piece, and an upper bound of its rows: the number of lines, and the number of rows whose cells fit in
    /// its bytes, unless cells may be missing.
    pub(super) fn rows_at_most(&self, pieces: &[LinePiece]) -> Vec<(usize, usize)> {
        let mut first = 0;
        let place = |piece: &LinePiece| {
            let backed = (piece.end - piece.start + 1) / self.shape.ncols.max(1);
            let count =
                if self.shape.on_error == OnError::Null { piece.lines } else { piece.lines.min(backed) };
            first += count;
            (first - count, count)
        };
        pieces.iter().map(place).collect()
    }
}

/// A column that a pass reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProjectedColumn {
    /// Its place in a row.
    pub(super) position: usize,
    /// The type to read it as; `None`: only classify its cells.
    pub(super) kind: Option<InferredType>,
    /// Whether its cells may be instants.
    pub(super) timed: bool,
}

/// The destination of a column's cells in one piece.
pub(super) enum ColumnTarget<'a> {
    /// Words of the frame.
    Slots(&'a mut [CellWord], PieceColumn),
    /// The text of the column, with the end of each cell.
    Text(&'a mut [CellWord], PieceColumn, TextPiece<'a>),
    /// None: cells are only classified.
    Classify(PieceColumn),
    /// A reader of the declared type.
    Declared(&'a DeclaredColumn, PieceColumn, Box<dyn TextReader>),
}

/// The reason why a piece could not be read.
#[derive(Debug)]
pub(super) enum InputFaultKind {
    TokenError(TokenError),
    Ragged {
        found: usize,
    },
    Cell {
        position: usize,
        fault: CellFault,
    },
    /// Text that is not UTF-8.
    Encoding,
}

/// The first fault in a piece.
#[derive(Debug)]
pub(super) struct InputFault {
    /// Offset in the input.
    pub(super) at: usize,
    pub(super) kind: InputFaultKind,
}

/// The result of reading a piece.
pub(super) struct DonePiece<'a> {
    pub(super) targets: Vec<ColumnTarget<'a>>,
    pub(super) rows: usize,
    pub(super) dropped: u64,
    pub(super) nulled: u64,
}

/// Reads `pieces`, each into its targets (one per requests column). Returns them in order, or the first fault.
pub(super) fn run<'a>(
    source: &PassInput<'_>,
    pieces: &[LinePiece],
    requests: &[ProjectedColumn],
    targets: Vec<Vec<ColumnTarget<'a>>>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<std::result::Result<Vec<DonePiece<'a>>, InputFault>> {
    // Pieces after a failed one can be skipped. Pieces before it must be read, because they may contain the first fault.
    let failed = AtomicUsize::new(usize::MAX);
    let tasks = pieces.iter().zip(targets).enumerate().map(|(i, (piece, targets))| {
        let failed = &failed;
        let work = move || {
            if failed.load(Ordering::Relaxed) < i {
                return Ok(None);
            }
            let done = read(source, *piece, requests, targets);
            if done.is_err() {
                failed.fetch_min(i, Ordering::Relaxed);
            }
            Ok(Some(done))
        };
        (piece.end - piece.start, work)
    });
    let done = parallel::map(tasks.collect(), threads, progress)?;
    Ok(done.into_iter().map_while(|done| done).collect())
}

/// Reads one piece into its targets.
pub(super) fn read<'a>(
    source: &PassInput<'_>,
    piece: LinePiece,
    requests: &[ProjectedColumn],
    targets: Vec<ColumnTarget<'a>>,
) -> std::result::Result<DonePiece<'a>, InputFault> {
    let mut done = DonePiece { targets, rows: 0, dropped: 0, nulled: 0 };
    match lines(source, piece, requests, &mut done) {
        Ok(()) => {
            for target in &mut done.targets {
                target.finish(piece.end, done.rows);
            }
            Ok(done)
        }
        // Rows before the invalid line are not decoded yet, and one of their cells may be the first fault.
        Err((from, fault @ (InputFaultKind::TokenError(_) | InputFaultKind::Ragged { .. }), at)) => {
            let before = LinePiece { start: from, end: line_start(source, from, at), ..piece };
            let first = lines(source, before, requests, &mut done).err();
            Err(first.map_or(InputFault { at, kind: fault }, |(_, kind, at)| InputFault { at, kind }))
        }
        Err((_, kind, at)) => Err(InputFault { at, kind }),
    }
}

impl ColumnTarget<'_> {
    /// Ends a piece of `rows` rows. `end` is the offset of its end. Its text becomes part of the column's text.
    fn finish(&mut self, end: usize, rows: usize) {
        if let Self::Text(ends, part, text) = self {
            part.full |= text.finish(end, ends.get_mut(..rows).unwrap_or_default()).is_err();
        }
    }
}

/// A fault: offset of its batch, kind, and offset of the fault.
type LineFault = (usize, InputFaultKind, usize);

fn lines(
    source: &PassInput<'_>,
    piece: LinePiece,
    requests: &[ProjectedColumn],
    done: &mut DonePiece<'_>,
) -> std::result::Result<(), LineFault> {
    let (mut ends, mut rows, mut tokenizer) =
        (FieldEnds::default(), RowSpans::default(), Tokenizer::default());
    let ncols = source.shape.ncols;
    let cells = BATCH_CELLS.max(ncols.saturating_mul(BATCH_ROWS));
    let mut at = piece.start;
    while at < piece.end {
        let bytes = source.bytes.get(at..piece.end).unwrap_or_default();
        let reach = source.bytes.get(at..).unwrap_or_default();
        let ragged =
            |r: super::normalize::RaggedRow| (at, InputFaultKind::Ragged { found: r.found }, at + r.at);
        let used = if source.careful {
            let used = tokenizer.lines(bytes, &source.rules, cells, source.longest);
            let used = used.map_err(|t| first_fault(source, bytes, at, t))?;
            source.shape.normalize(bytes, at, tokenizer.spans(), &mut rows).map_err(ragged)?;
            used
        } else {
            let used = fields(bytes, source.search(cells), &mut ends);
            let used = used.map_err(|t| first_fault(source, bytes, at, t))?;
            let found = ends.with_front();
            if !source.shape.leaves_out(at, at + used)
                && let Some(cut) = source.shape.regular(bytes, found, ends.lines)
            {
                let batch = PieceRows { source, reach, at, first: done.rows, rows: ends.lines };
                batch.take_all(requests, &mut done.targets, |column| {
                    let cut = if column + 1 == ncols { cut } else { 0 };
                    AdjacentCells { ends: found, ncols, column, cut }
                })?;
                done.rows += ends.lines;
                at += used;
                continue;
            }
            let spans = spans(bytes, found, source.special.newline);
            source.shape.normalize(bytes, at, spans, &mut rows).map_err(ragged)?;
            used
        };
        let batch = PieceRows { source, reach, at, first: done.rows, rows: rows.rows };
        let spans = |column| ScatteredCells { spans: &rows.spans, ncols, column };
        batch.take_all(requests, &mut done.targets, spans)?;
        done.rows += rows.rows;
        done.dropped += rows.dropped;
        done.nulled += rows.nulled;
        at += used;
    }
    Ok(())
}

/// The first fault of a batch that cannot be tokenized: a row of another width may come earlier.
#[cold]
fn first_fault(source: &PassInput<'_>, bytes: &[u8], at: usize, found: TokenError) -> LineFault {
    let inside = found.at();
    let last = (at, InputFaultKind::TokenError(found), at + inside);
    if matches!(found, TokenError::Quote(_)) && !source.careful {
        return last;
    }
    let (mut tokenizer, mut rows, mut from) = (Tokenizer::default(), RowSpans::default(), 0);
    while from < inside {
        tokenizer.clear();
        let line = bytes.get(from..).unwrap_or_default();
        let Ok(used) = tokenizer.line(line, 0, &source.rules, source.longest) else { break };
        if let Err(ragged) = source.shape.normalize(line, at + from, tokenizer.spans(), &mut rows) {
            return (at, InputFaultKind::Ragged { found: ragged.found }, at + from + ragged.at);
        }
        from += used;
    }
    last
}

/// Offset of the line that contains `at`. `from` is the offset of an earlier line or of the same.
#[cold]
fn line_start(source: &PassInput<'_>, mut from: usize, at: usize) -> usize {
    let mut tokenizer = Tokenizer::default();
    loop {
        tokenizer.clear();
        let line = source.bytes.get(from..).unwrap_or_default();
        match tokenizer.line(line, 0, &source.rules, source.longest) {
            Ok(used) if used > 0 && from + used <= at => from += used,
            _ => return from,
        }
    }
}

/// A batch of rows of a piece.
struct PieceRows<'a> {
    source: &'a PassInput<'a>,
    /// The input from the first of these rows on.
    reach: &'a [u8],
    at: usize,
    /// Number of rows in the piece before these.
    first: usize,
    rows: usize,
}

impl PieceRows<'_> {
    /// Decodes all requests columns. The error is the first invalid cell in the order of the input.
    #[inline]
    fn take_all<S: column::CellSpans>(
        &self,
        requests: &[ProjectedColumn],
        targets: &mut [ColumnTarget<'_>],
        spans: impl Fn(usize) -> S,
    ) -> std::result::Result<(), LineFault> {
        let mut first: Option<InputFault> = None;
        for (column, target) in requests.iter().zip(targets) {
            if let Err(fault) = self.take(*column, spans(column.position), target)
                && first.as_ref().is_none_or(|first| fault.at < first.at)
            {
                first = Some(fault);
            }
        }
        first.map_or(Ok(()), |fault| Err((self.at, fault.kind, fault.at)))
    }

    /// Decodes one column.
    fn take(
        &self,
        column: ProjectedColumn,
        spans: impl column::CellSpans,
        target: &mut ColumnTarget<'_>,
    ) -> std::result::Result<(), InputFault> {
        let rules = if column.timed { &self.source.timed } else { &self.source.rules };
        match target {
            ColumnTarget::Slots(out, part) => {
                let out = out.get_mut(self.first..self.first + self.rows).unwrap_or_default();
                let before = part.wrong.len();
                column::take(column.kind, rules, self.reach, spans, self.first, out, part);
                part.wrong.iter_mut().skip(before).for_each(|place| *place += self.at);
                Ok(())
            }
            ColumnTarget::Classify(part) => {
                column::classify(rules, self.reach, spans, 0, self.rows, part);
                Ok(())
            }
            ColumnTarget::Text(ends, part, text) => {
                let (input, rows) = ((self.reach, self.at), (self.first, self.rows));
                let valid = text_cells::take_text((rules, part), input, spans, rows, ends, text);
                valid.then_some(()).ok_or(InputFault { at: self.at, kind: InputFaultKind::Encoding })
            }
            ColumnTarget::Declared(declared, part, reader) => {
                let cells = CellRun { rules, bytes: self.reach, at: self.at, spans, rows: self.rows };
                declared.take(&cells, reader.as_mut(), &mut part.wrong).map_err(|(at, fault)| InputFault {
                    at,
                    kind: InputFaultKind::Cell { position: column.position, fault },
                })
            }
        }
    }
}
