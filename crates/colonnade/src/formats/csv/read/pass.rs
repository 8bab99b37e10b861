//! One pass over all pieces of the input: every piece fills its own rows of the columns that are wanted.

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

/// Cells found before they are read: their ends and their bytes stay in the cache.
const BATCH_CELLS: usize = 8 << 10;

/// Rows of a batch at least: a column of some rows fills a line of the cache.
const BATCH_ROWS: usize = 8;

/// Positions within some lines are 32-bit.
const LONGEST: usize = 1 << 30;

/// Bytes of a line that are accepted.
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

/// Runs `work` with lines of at most so many bytes, where a test has no gigabyte.
#[cfg(test)]
pub(super) fn with_lines_of<T>(nbytes: usize, work: impl FnOnce() -> T) -> T {
    TESTED.set(Some(nbytes));
    let out = work();
    TESTED.set(None);
    out
}

/// A piece of the input: whole lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinePiece {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Lines before it.
    pub(super) first_line: usize,
    /// Its lines: rows are as many at most.
    pub(super) lines: usize,
}

/// What is read, and how.
#[derive(Debug)]
pub(super) struct PassInput<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) special: SpecialBytes,
    pub(super) rare_bytes: RareBytes,
    pub(super) shape: RowShape<'a>,
    /// Rules of most columns, and of those that may be instants.
    pub(super) rules: DialectRules,
    pub(super) timed: DialectRules,
    /// Byte by byte rather than by masks: escapes, comments, quotes inside cells.
    pub(super) careful: bool,
    pub(super) longest: usize,
}

impl PassInput<'_> {
    /// What is looked for where masks tell cells apart.
    pub(super) fn search(&self, wanted: usize) -> FieldSearch {
        FieldSearch { special: self.special, rare_bytes: self.rare_bytes, wanted, longest: self.longest }
    }

    /// Where each piece's rows begin, and how many there can be: no more than its lines, and each has its cells' bytes,
    /// unless cells may be missing.
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
pub(super) struct WantedColumn {
    /// Its place in a row.
    pub(super) position: usize,
    /// The type that it is read as; it is only classified where `None`.
    pub(super) kind: Option<InferredType>,
    /// Whether its cells may be instants.
    pub(super) timed: bool,
}

/// Where a column's cells go in one piece.
pub(super) enum ColumnTarget<'a> {
    /// Into words.
    Slots(&'a mut [CellWord], PieceColumn),
    /// Into the text of the column, and the ends of cells in it.
    Text(&'a mut [CellWord], PieceColumn, TextPiece<'a>),
    /// Nowhere: cells are classified.
    Classify(PieceColumn),
    /// Into a reader of the declared type.
    Declared(&'a DeclaredColumn, PieceColumn, Box<dyn TextReader>),
}

/// Why a piece could not be read.
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

/// The first thing in a piece that could not be read.
#[derive(Debug)]
pub(super) struct InputFault {
    /// Where in the input.
    pub(super) at: usize,
    pub(super) kind: InputFaultKind,
}

/// What has become of a piece.
pub(super) struct DonePiece<'a> {
    pub(super) targets: Vec<ColumnTarget<'a>>,
    pub(super) rows: usize,
    pub(super) dropped: u64,
    pub(super) nulled: u64,
}

/// Reads `pieces`, each into its targets (one a wanted column), and answers them in order; or the first fault there is.
pub(super) fn run<'a>(
    source: &PassInput<'_>,
    pieces: &[LinePiece],
    wanted: &[WantedColumn],
    targets: Vec<Vec<ColumnTarget<'a>>>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<std::result::Result<Vec<DonePiece<'a>>, InputFault>> {
    // Pieces behind one that failed need not be read; those before it must be, as theirs may be the first fault.
    let failed = AtomicUsize::new(usize::MAX);
    let tasks = pieces.iter().zip(targets).enumerate().map(|(i, (piece, targets))| {
        let failed = &failed;
        let work = move || {
            if failed.load(Ordering::Relaxed) < i {
                return Ok(None);
            }
            let done = read(source, *piece, wanted, targets);
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
    wanted: &[WantedColumn],
    targets: Vec<ColumnTarget<'a>>,
) -> std::result::Result<DonePiece<'a>, InputFault> {
    let mut done = DonePiece { targets, rows: 0, dropped: 0, nulled: 0 };
    match lines(source, piece, wanted, &mut done) {
        Ok(()) => {
            for target in &mut done.targets {
                target.finish(piece.end, done.rows);
            }
            Ok(done)
        }
        // Rows before a line that is wrong have not been read yet: a cell of theirs may be the first fault.
        Err((from, fault @ (InputFaultKind::TokenError(_) | InputFaultKind::Ragged { .. }), at)) => {
            let before = LinePiece { start: from, end: line_start(source, from, at), ..piece };
            let first = lines(source, before, wanted, &mut done).err();
            Err(first.map_or(InputFault { at, kind: fault }, |(_, kind, at)| InputFault { at, kind }))
        }
        Err((_, kind, at)) => Err(InputFault { at, kind }),
    }
}

impl ColumnTarget<'_> {
    /// Ends a piece of `rows` rows and of input up to `end`: its text becomes part of the column's.
    fn finish(&mut self, end: usize, rows: usize) {
        if let Self::Text(ends, part, text) = self {
            part.full |= text.finish(end, ends.get_mut(..rows).unwrap_or_default()).is_err();
        }
    }
}

/// Where the lines begin that were looked at together, and what is wrong in them, and where.
type LineFault = (usize, InputFaultKind, usize);

fn lines(
    source: &PassInput<'_>,
    piece: LinePiece,
    wanted: &[WantedColumn],
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
                batch.take_all(wanted, &mut done.targets, |column| {
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
        batch.take_all(wanted, &mut done.targets, spans)?;
        done.rows += rows.rows;
        done.dropped += rows.dropped;
        done.nulled += rows.nulled;
        at += used;
    }
    Ok(())
}

/// The first fault of some lines that cannot be cut into cells: a row of another width may stand before.
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

/// Where the line of `at` begins; `from` begins a line.
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

/// Some rows of a piece.
struct PieceRows<'a> {
    source: &'a PassInput<'a>,
    /// The input from the first of these rows on.
    reach: &'a [u8],
    at: usize,
    /// Rows of the piece before these.
    first: usize,
    rows: usize,
}

impl PieceRows<'_> {
    /// Takes all columns that are wanted; answers the first cell in the input that is wrong.
    #[inline]
    fn take_all<S: column::CellSpans>(
        &self,
        wanted: &[WantedColumn],
        targets: &mut [ColumnTarget<'_>],
        spans: impl Fn(usize) -> S,
    ) -> std::result::Result<(), LineFault> {
        let mut first: Option<InputFault> = None;
        for (column, target) in wanted.iter().zip(targets) {
            if let Err(fault) = self.take(*column, spans(column.position), target)
                && first.as_ref().is_none_or(|first| fault.at < first.at)
            {
                first = Some(fault);
            }
        }
        first.map_or(Ok(()), |fault| Err((self.at, fault.kind, fault.at)))
    }

    /// Takes one column.
    fn take(
        &self,
        column: WantedColumn,
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
