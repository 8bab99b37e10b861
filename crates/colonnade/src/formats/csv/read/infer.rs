//! Reads the columns of a whole input. Inferred columns get the type that holds all their cells, declared columns their declared
//! type.
//!
//! The first lines of some pieces give the first type of an inferred column. If a later cell does not fit, the pass classifies the
//! rest of the column, and the next pass reads the column again with the type that holds all of it.

use super::column::{CellWord, PieceColumn};
use super::column_request::ColumnRequest;
use super::declared::DeclaredColumn;
use super::kinds::{BigInts, CellClasses, InferredType};
use super::options::OnError;
use super::pass::{self, ColumnTarget, InputFault, LinePiece, PassInput, ProjectedColumn, run};
use super::promotion::{final_type, first_type, promoted_type};
use super::sample::sample;
use super::table::{FinishedColumn, WordTable, close_gaps, validity};
use super::text::{TextColumn, TextPiece, shift};
use crate::cells::text::TextReader;
use crate::error::Result;
use crate::memory::Buffer;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{Progress, SignalsOnly};

/// Decoded columns, and counts of changed rows.
pub(super) struct InferredColumns {
    pub(super) table: WordTable,
    pub(super) filled: Vec<FinishedColumn>,
    pub(super) rows: usize,
    pub(super) dropped: u64,
    /// Rows that were padded or cut.
    pub(super) adjusted_rows: u64,
    /// Offsets of cells that became null.
    pub(super) wrong: Vec<usize>,
}

/// The reason why columns could not be read.
#[derive(Debug)]
pub(super) enum ReadFailure {
    /// A fault in the input.
    Fault(InputFault),
    /// A column whose type cannot hold cells of these classes; its position in a row.
    Class(usize, CellClasses),
    /// A column with a cell that is not of this type; its position in a row.
    Misfit(usize, InferredType),
    /// Offsets of invalid cells, whose rows must be dropped.
    Rows(Vec<usize>),
}

/// The state of a column between two passes.
struct ColumnState<'d> {
    column: ColumnRequest<'d>,
    seen: CellClasses,
    /// The type for the next pass; `None`: the pass only classifies the cells.
    kind: Option<InferredType>,
    /// Whether the reader of its declared type reads it.
    by_reader: bool,
    /// The results of the last pass, one for each piece, with the number of rows.
    parts: Vec<(PieceColumn, usize)>,
    text: Option<(Buffer, Vec<(usize, usize)>)>,
    readers: Vec<Box<dyn TextReader>>,
}

impl<'d> ColumnState<'d> {
    fn is_text(&self) -> bool {
        !self.by_reader && matches!(self.kind, Some(InferredType::Text | InferredType::Decimal(_)))
    }

    /// The declared type, if its reader reads the column.
    fn reader(&self) -> Option<&'d DeclaredColumn> {
        self.column.declared.filter(|_| self.by_reader)
    }

    fn request(&self) -> ProjectedColumn {
        ProjectedColumn { position: self.column.position, kind: self.kind, timed: self.column.timed }
    }

    /// Whether all cells have the declared type. Quoted empty text is null only in columns of inferred numbers.
    fn is(&self, declared: &DeclaredColumn) -> bool {
        self.parts.iter().all(|(part, _)| {
            let empty = part.seen.has(CellClasses::EMPTY) && self.kind != Some(InferredType::Text);
            !part.misfit && !empty && (declared.nullable || part.nulls.is_empty())
        })
    }
}

/// Reads the columns of an input whose rows start at `body`.
pub(super) fn read<'d>(
    (source, body): (&PassInput<'_>, usize),
    pieces: &[LinePiece],
    columns: &[ColumnRequest<'d>],
    (big_ints, threads): (BigInts, usize),
    progress: &dyn Progress,
) -> Result<std::result::Result<InferredColumns, ReadFailure>> {
    let skips = source.shape.on_error == OnError::Skip;
    let seen = sample(source, pieces, columns)?;
    let begin = |(column, seen): (ColumnRequest<'d>, CellClasses)| ColumnState {
        column,
        seen,
        kind: column.fixed.or_else(|| first_type(&column, seen, big_ints)),
        // With `OnError::Skip`, the readers first find the rows to drop. Other cells of these rows do not affect types.
        by_reader: column.declared.is_some_and(|declared| declared.kind.is_none() || skips),
        parts: Vec::new(),
        text: None,
        readers: Vec::new(),
    };
    let mut states: Vec<ColumnState<'_>> = columns.iter().copied().zip(seen).map(begin).collect();
    let rows_at = source.rows_at_most(pieces);
    let room = rows_at.last().map_or(0, |(first, count)| first + count);
    let words = states.iter().filter(|state| !state.by_reader).count();
    let mut table = WordTable::new(room, order(&states), words)?;
    let mut columns_left: Vec<usize> = (0..columns.len()).collect();
    // Declared columns with a cell that the loops of inference refused. Their readers read them in the last pass.
    let mut refused_columns: Vec<usize> = Vec::new();
    // Progress counts rows only in the first pass.
    let silent = SignalsOnly(progress);
    let mut pass_progress = progress;
    let (dropped, adjusted_rows, rows) = loop {
        let list: Vec<ProjectedColumn> =
            columns_left.iter().filter_map(|c| states.get(*c)).map(ColumnState::request).collect();
        let column = |c: &usize| {
            let is_text = states.get(*c).is_some_and(ColumnState::is_text);
            is_text.then(|| TextColumn::new(body, source.bytes.len()))
        };
        let texts: Vec<Option<TextColumn>> = columns_left.iter().map(column).collect();
        let targets = targets(&mut table, &states, (&columns_left, &texts), (pieces, &rows_at))?;
        let done = match run(source, pieces, &list, targets, threads, pass_progress)? {
            Ok(done) => done,
            Err(fault) => return Ok(Err(ReadFailure::Fault(fault))),
        };
        pass_progress = &silent;
        for &c in &columns_left {
            if let Some(state) = states.get_mut(c) {
                state.parts.clear();
            }
        }
        let (mut dropped, mut adjusted_rows, mut rows) = (0, 0, 0);
        for done in done {
            (dropped, adjusted_rows, rows) =
                (dropped + done.dropped, adjusted_rows + done.nulled, rows + done.rows);
            for (&c, target) in columns_left.iter().zip(done.targets) {
                let Some(state) = states.get_mut(c) else { continue };
                let part = match target {
                    ColumnTarget::Slots(_, part)
                    | ColumnTarget::Text(_, part, _)
                    | ColumnTarget::Classify(part) => part,
                    ColumnTarget::Declared(_, part, reader) => {
                        state.readers.push(reader);
                        part
                    }
                };
                state.parts.push((part, done.rows));
            }
        }
        for (&c, text) in columns_left.iter().zip(texts) {
            if let Some(state) = states.get_mut(c) {
                state.text = text.map(TextColumn::finish);
            }
        }
        if skips {
            let wrong = wrong(&states);
            if !wrong.is_empty() {
                return Ok(Err(ReadFailure::Rows(wrong)));
            }
        }
        let mut again = Vec::new();
        for &c in &columns_left {
            let Some(state) = states.get_mut(c).filter(|state| !state.by_reader) else { continue };
            if state.parts.iter().any(|(part, _)| part.full) {
                return Err(std::io::Error::from(std::io::ErrorKind::OutOfMemory).into());
            }
            if let Some(declared) = state.column.declared {
                if !state.is(declared) {
                    state.by_reader = true;
                    refused_columns.push(c);
                }
                continue;
            }
            let misfit = state.kind.is_none() || state.parts.iter().any(|(part, _)| part.misfit);
            for (part, _) in &state.parts {
                state.seen |= part.seen;
            }
            match promoted_type(&state.column, state.seen, state.kind, misfit, big_ints) {
                Ok(None) => {}
                Ok(next) => {
                    state.kind = next;
                    again.push(c);
                }
                Err(class) => return Ok(Err(ReadFailure::Class(state.column.position, class))),
            }
        }
        columns_left = if again.is_empty() { std::mem::take(&mut refused_columns) } else { again };
        if columns_left.is_empty() {
            break (dropped, adjusted_rows, rows);
        }
    };
    let wrong = wrong(&states);
    let readers: Vec<Option<&DeclaredColumn>> = states.iter().map(ColumnState::reader).collect();
    let mut filled = fill(&mut table, states, (&rows_at, rows), threads, &SignalsOnly(progress))?;
    for (filled, declared) in filled.iter_mut().zip(readers) {
        // The arrays of all pieces exceed 32-bit offsets together. A single reader finds the cell at which the offsets overflow.
        if let (Some(declared), None) = (declared, &filled.array) {
            let whole = LinePiece { start: body, end: source.bytes.len(), first_line: 0, lines: 0 };
            let list = [ProjectedColumn { position: declared.position, kind: None, timed: false }];
            let target = ColumnTarget::Declared(declared, PieceColumn::default(), declared.reader(rows)?);
            match pass::read(source, whole, &list, vec![target]) {
                Ok(done) => {
                    for target in done.targets {
                        let ColumnTarget::Declared(_, _, reader) = target else { continue };
                        filled.array = Some(reader.finish()?);
                    }
                }
                Err(fault) => return Ok(Err(ReadFailure::Fault(fault))),
            }
        }
    }
    Ok(Ok(InferredColumns { table, filled, rows, dropped, adjusted_rows, wrong }))
}

/// Offsets of cells that became null.
fn wrong(states: &[ColumnState<'_>]) -> Vec<usize> {
    states.iter().flat_map(|state| &state.parts).flat_map(|(part, _)| part.wrong.iter().copied()).collect()
}

/// The place of each column in the table. Columns of one type are adjacent, so that they form one block; columns without words are
/// last.
fn order(states: &[ColumnState<'_>]) -> Vec<usize> {
    let rank = |state: &ColumnState<'_>| match state.kind {
        _ if state.by_reader => 5,
        Some(InferredType::Int) => 0,
        Some(InferredType::Float | InferredType::Nothing) => 1,
        Some(InferredType::UInt) => 2,
        Some(InferredType::Time { .. }) => 3,
        _ => 4,
    };
    let mut list: Vec<usize> = (0..states.len()).collect();
    list.sort_by_key(|c| states.get(*c).map_or(4, rank));
    let mut places = vec![0; states.len()];
    for (place, column) in list.into_iter().enumerate() {
        if let Some(slot) = places.get_mut(column) {
            *slot = place;
        }
    }
    places
}

/// The target of each projected column in each piece. Ends of text start one word later, because the first word is the start offset.
fn targets<'t>(
    table: &'t mut WordTable,
    states: &[ColumnState<'t>],
    (columns_left, texts): (&[usize], &'t [Option<TextColumn>]),
    (pieces, rows_at): (&[LinePiece], &[(usize, usize)]),
) -> Result<Vec<Vec<ColumnTarget<'t>>>> {
    let mut out: Vec<Vec<ColumnTarget<'t>>> =
        rows_at.iter().map(|_| Vec::with_capacity(columns_left.len())).collect();
    let mut columns: Vec<Option<_>> = table.columns().into_iter().map(Some).collect();
    for (place, text) in columns_left.iter().zip(texts) {
        let Some(state) = states.get(*place) else { continue };
        let words = columns.get_mut(*place).and_then(Option::take).unwrap_or_default();
        let mut rest = words.get_mut(usize::from(text.is_some())..).unwrap_or_default();
        for (number, ((list, piece), (_, count))) in out.iter_mut().zip(pieces).zip(rows_at).enumerate() {
            let (slots, later) = rest.split_at_mut_checked(*count).unwrap_or_default();
            rest = later;
            list.push(match (state.reader(), text) {
                (Some(declared), _) => {
                    ColumnTarget::Declared(declared, PieceColumn::default(), declared.reader(*count)?)
                }
                (_, Some(text)) => {
                    let text = TextPiece::new(text, number, (piece.start, piece.end));
                    ColumnTarget::Text(slots, PieceColumn::default(), text)
                }
                _ => ColumnTarget::Slots(slots, PieceColumn::default()),
            });
        }
    }
    Ok(out)
}

fn fill(
    table: &mut WordTable,
    states: Vec<ColumnState<'_>>,
    (rows_at, rows): (&[(usize, usize)], usize),
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<FinishedColumn>> {
    let mut out: Vec<Option<FinishedColumn>> = states.iter().map(|_| None).collect();
    let tasks = table.columns().into_iter().zip(out.iter_mut()).zip(states).map(|((words, slot), state)| {
        Task::new(words.len() * 8, move || {
            *slot = Some(filled(words, state, rows_at, rows)?);
            Ok(())
        })
    });
    parallel::run(tasks.collect(), threads, progress)?;
    Ok(out.into_iter().flatten().collect())
}

/// Combines the pieces of a column.
fn filled(
    words: &mut [CellWord],
    state: ColumnState<'_>,
    rows_at: &[(usize, usize)],
    rows: usize,
) -> Result<FinishedColumn> {
    let kind = state.column.fixed.unwrap_or(final_type(state.kind, state.seen));
    let filled = FinishedColumn { kind, nulls: None, text: None, arrow: state.column.arrow, array: None };
    if let Some(declared) = state.reader() {
        return Ok(FinishedColumn { array: declared.join(state.readers)?, ..filled });
    }
    let nulls = validity(&state.parts, rows);
    let gaps = || rows_at.iter().zip(&state.parts).map(|((first, _), (_, rows))| (*first, *rows));
    let Some((text, shifts)) = state.text else {
        close_gaps(words, gaps());
        return Ok(FinishedColumn { nulls, ..filled });
    };
    let Some((front, ends)) = words.split_first_mut() else { return Ok(FinishedColumn { nulls, ..filled }) };
    *front = [0; 8];
    for (piece, nbytes) in shifts {
        if let Some((first, count)) = gaps().nth(piece) {
            shift(ends.get_mut(first..first + count).unwrap_or_default(), nbytes);
        }
    }
    close_gaps(ends, gaps());
    Ok(FinishedColumn { nulls, text: Some(text), ..filled })
}
