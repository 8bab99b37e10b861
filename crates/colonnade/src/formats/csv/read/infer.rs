//! Columns whose types nobody has told: they become what all their cells are.
//!
//! A look at the first lines of some pieces tells what a column is at least; it is read as that. Where a later cell does not
//! fit, the whole column has been looked at by the end of the pass, and is read once more as what holds all of it.

use super::column::Part;
use super::fields::{Ends, fields};
use super::kinds::{BigInts, Classes, Kind, kind_of};
use super::options::OnError;
use super::pass::{Fault, Piece, Source, Target, Wanted, run};
use super::table::{Filled, Table, close_gaps, join_texts, validity};
use super::walk::Walk;
use crate::error::Result;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{NoProgress, Progress, Silent};

/// Pieces that are looked at first, and lines of each.
const SAMPLED: usize = 8;
const SAMPLE_LINES: usize = 64;
const SAMPLE_CELLS: usize = 64 << 10;

/// A column to read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// Its place in a row.
    pub(super) position: usize,
    /// Whether its cells may be instants.
    pub(super) timed: bool,
    /// Whether all of them must be.
    pub(super) must: bool,
    /// The type that it has had so far, if somebody has said.
    pub(super) fixed: Option<Kind>,
    /// Whether it comes in Arrow's layout though it may have no nulls.
    pub(super) arrow: bool,
    /// Whether whoever told its type reads it otherwise where something in it does not fit.
    pub(super) told: bool,
}

impl Column {
    /// A column whose type is told.
    pub(super) fn told(position: usize, kind: Kind) -> Self {
        Self { position, timed: false, must: false, fixed: Some(kind), arrow: true, told: true }
    }
}

/// Columns that have been read, and what is said of their rows.
pub(super) struct Columns {
    pub(super) table: Table,
    pub(super) filled: Vec<Filled>,
    pub(super) rows: usize,
    pub(super) dropped: u64,
    /// Rows that were filled up or cut.
    pub(super) mended: u64,
    /// Where cells stand that became null.
    pub(super) wrong: Vec<usize>,
}

/// Instants, as long as none has been seen.
const NO_TIME: Kind = Kind::Time { nanos: false, zoned: false };

/// Why columns could not be read.
#[derive(Debug)]
pub(super) enum Refused {
    /// Something in the input.
    Fault(Fault),
    /// A column whose type does not hold such cells: its place in a row.
    Class(usize, Classes),
    /// A column with a cell that is not of this type: its place in a row.
    Misfit(usize, Kind),
    /// Rows that must be left out, as these cells of theirs are not what they must be.
    Rows(Vec<usize>),
}

/// Reads columns.
pub(super) fn read(
    source: &Source<'_>,
    pieces: &[Piece],
    columns: &[Column],
    big_ints: BigInts,
    threads: usize,
    progress: &dyn Progress,
) -> Result<std::result::Result<Columns, Refused>> {
    let mut seen = sample(source, pieces, columns)?;
    let first = |(column, seen): (&Column, &Classes)| column.fixed.or_else(|| guess(column, *seen, big_ints));
    let mut kinds: Vec<Option<Kind>> = columns.iter().zip(&seen).map(first).collect();
    let rows_at = source.rows_at_most(pieces);
    let room = rows_at.last().map_or(0, |(first, count)| first + count);
    let mut table = Table::new(room, by_kind(&kinds))?;
    let mut parts: Vec<Vec<(Part, usize)>> = columns.iter().map(|_| Vec::new()).collect();
    let mut wanted: Vec<usize> = (0..columns.len()).collect();
    let (mut dropped, mut mended, mut rows) = (0, 0, 0);
    while !wanted.is_empty() {
        let want = |&c: &usize| {
            let Column { position, timed, .. } = *columns.get(c)?;
            Some(Wanted { position, kind: kinds.get(c).copied().flatten(), timed })
        };
        let list: Vec<Wanted> = wanted.iter().filter_map(want).collect();
        let targets = targets(&mut table, &wanted, &list, &rows_at);
        let done = match run(source, pieces, &list, targets, threads, progress)? {
            Ok(done) => done,
            Err(fault) => return Ok(Err(Refused::Fault(fault))),
        };
        for &c in &wanted {
            if let Some(parts) = parts.get_mut(c) {
                parts.clear();
            }
        }
        (dropped, mended, rows) = (0, 0, 0);
        for done in done {
            (dropped, mended, rows) = (dropped + done.dropped, mended + done.nulled, rows + done.rows);
            for (&c, target) in wanted.iter().zip(done.targets) {
                if let (Target::Slots(_, part), Some(parts)) = (target, parts.get_mut(c)) {
                    parts.push((part, done.rows));
                }
            }
        }
        let skips = source.shape.on_error == OnError::Skip;
        let wrong: Vec<usize> = parts.iter().flatten().flat_map(|(part, _)| &part.wrong).copied().collect();
        if skips && !wrong.is_empty() {
            return Ok(Err(Refused::Rows(wrong)));
        }
        let mut again = Vec::new();
        for (&c, Wanted { kind, position, .. }) in wanted.iter().zip(list) {
            let (Some(seen), Some(parts), Some(column)) = (seen.get_mut(c), parts.get(c), columns.get(c))
            else {
                continue;
            };
            if parts.iter().any(|(part, _)| part.full) {
                return Err(std::io::Error::from(std::io::ErrorKind::OutOfMemory).into());
            }
            let misfit = kind.is_none() || parts.iter().any(|(part, _)| part.misfit);
            parts.iter().for_each(|(part, _)| *seen |= part.seen);
            let next = match settle(column, *seen, kind, misfit, big_ints) {
                Ok(next) => next,
                Err(class) => return Ok(Err(Refused::Class(position, class))),
            };
            if let (Some(next), Some(slot)) = (next, kinds.get_mut(c)) {
                *slot = Some(next);
                again.push(c);
            }
        }
        wanted = again;
    }
    let wrong = parts.iter().flatten().flat_map(|(part, _)| part.wrong.iter().copied()).collect();
    let end = |((kind, seen), column): ((Option<Kind>, &Classes), &Column)| {
        column.fixed.unwrap_or(last(kind, *seen))
    };
    let kinds: Vec<Kind> = kinds.into_iter().zip(&seen).zip(columns).map(end).collect();
    // Nothing between quotes is null among inferred numbers only.
    let fits = |parts: &Vec<(Part, usize)>, kind: &Kind| {
        parts.iter().all(|(part, _)| !part.misfit && (*kind == Kind::Text || !part.seen.has(Classes::EMPTY)))
    };
    let fits: Vec<bool> = parts.iter().zip(&kinds).map(|(parts, kind)| fits(parts, kind)).collect();
    let mut filled = fill(&mut table, kinds, parts, (&rows_at, rows), threads, &Silent(progress))?;
    for ((filled, column), fits) in filled.iter_mut().zip(columns).zip(fits) {
        (filled.arrow, filled.fits) = (column.arrow, fits || !column.told);
    }
    Ok(Ok(Columns { table, filled, rows, dropped, mended, wrong }))
}

/// What a column must be read as once more, if it must.
fn settle(
    column: &Column,
    seen: Classes,
    kind: Option<Kind>,
    misfit: bool,
    big_ints: BigInts,
) -> std::result::Result<Option<Kind>, Classes> {
    if column.fixed.is_some() {
        return if misfit && !column.told { Err(Classes::default()) } else { Ok(None) };
    }
    let is_time = |kind: Option<Kind>| matches!(kind, Some(Kind::Time { .. }));
    if column.must && !seen.has(Classes::VALUES) {
        return Ok((!is_time(kind)).then_some(NO_TIME));
    }
    if column.must && !is_time(kind_of(seen, big_ints).ok()) {
        let far = seen.has(Classes::NANOS) && seen.has(Classes::FAR);
        return Err(match seen.has(Classes::TEXT | Classes::BOOL | Classes::NUMBERS) {
            true => Classes::TEXT,
            false if far => Classes::FAR,
            false => Classes::ZONED,
        });
    }
    // Among numbers NaN is null where floats cannot be; of NaN and nulls alone each is itself.
    if kind == Some(Kind::Int) && seen.has(Classes::NAN) && !seen.has(Classes::VALUES | Classes::EMPTY) {
        return Ok(Some(Kind::Nothing));
    }
    // Of nothing but empty texts and nulls it is one of text, wherever the first of them stands.
    if kind == Some(Kind::Int) && seen.has(Classes::EMPTY) && !seen.has(Classes::VALUES) {
        return Ok(Some(Kind::Text));
    }
    if !misfit {
        return Ok(None);
    }
    let next = kind_of(seen, big_ints)?;
    // What did not fit once does not fit the next time: text holds everything.
    Ok(Some(if kind == Some(next) { Kind::Text } else { next }))
}

/// What a column is in the end: one of nothing is a column of floats, though it was read as another.
fn last(kind: Option<Kind>, seen: Classes) -> Kind {
    match kind {
        Some(Kind::Int) if !seen.has(Classes::VALUES) && !seen.has(Classes::EMPTY) => Kind::Nothing,
        Some(kind) => kind,
        None => Kind::Nothing,
    }
}

/// What a column with such cells is read as at first; `None` where it is only looked at.
fn guess(column: &Column, seen: Classes, big_ints: BigInts) -> Option<Kind> {
    match kind_of(seen, big_ints) {
        // Numbers are instants in some formats, and in a column that must be instants they are wrong: none is taken for one.
        Ok(kind) if column.must && !matches!(kind, Kind::Time { .. }) => Some(NO_TIME),
        // Only text among its cells makes a column text whatever else comes.
        Ok(Kind::Text | Kind::Decimal(_)) if !seen.has(Classes::TEXT) => None,
        // Nothing yet: whole numbers leave all ways open.
        Ok(Kind::Float) if !seen.has(Classes::FLOAT) => Some(Kind::Int),
        Ok(kind) => Some(kind),
        Err(_) => None,
    }
}

/// Columns of one type side by side, so that they are one block.
fn by_kind(kinds: &[Option<Kind>]) -> Vec<usize> {
    let rank = |kind: &Option<Kind>| match kind {
        Some(Kind::Int) => 0,
        Some(Kind::Float | Kind::Nothing) => 1,
        Some(Kind::UInt) => 2,
        Some(Kind::Time { .. }) => 3,
        _ => 4,
    };
    let mut list: Vec<usize> = (0..kinds.len()).collect();
    list.sort_by_key(|c| kinds.get(*c).map_or(4, rank));
    let mut places = vec![0; kinds.len()];
    for (place, column) in list.into_iter().enumerate() {
        if let Some(slot) = places.get_mut(column) {
            *slot = place;
        }
    }
    places
}

/// The words of each piece in each wanted column. Ends of texts are one word further: the first is for the front.
fn targets<'t>(
    table: &'t mut Table,
    places: &[usize],
    wanted: &[Wanted],
    rows_at: &[(usize, usize)],
) -> Vec<Vec<Target<'t>>> {
    let mut out: Vec<Vec<Target<'t>>> = rows_at.iter().map(|_| Vec::with_capacity(wanted.len())).collect();
    let mut columns: Vec<Option<_>> = table.columns().into_iter().map(Some).collect();
    for (place, want) in places.iter().zip(wanted) {
        let text = matches!(want.kind, Some(Kind::Text | Kind::Decimal(_)));
        let words = columns.get_mut(*place).and_then(Option::take).unwrap_or_default();
        let mut rest = words.get_mut(usize::from(text)..).unwrap_or_default();
        for (list, (_, count)) in out.iter_mut().zip(rows_at) {
            let (own, others) = rest.split_at_mut_checked(*count).unwrap_or_default();
            rest = others;
            list.push(Target::Slots(own, Part::default()));
        }
    }
    out
}

/// What the first lines of some pieces are. Faults are left to the pass that reads everything, which finds the first.
fn sample(source: &Source<'_>, pieces: &[Piece], columns: &[Column]) -> Result<Vec<Classes>> {
    let ncols = source.shape.ncols;
    let mut seen = vec![Classes::default(); columns.len()];
    if columns.iter().all(|column| column.fixed.is_some()) {
        return Ok(seen);
    }
    let step = pieces.len().div_ceil(SAMPLED).max(1);
    let list: Vec<Wanted> =
        columns.iter().map(|c| Wanted { position: c.position, kind: None, timed: c.timed }).collect();
    for piece in pieces.iter().step_by(step) {
        let bytes = source.bytes.get(piece.start..piece.end).unwrap_or_default();
        let cells = SAMPLE_LINES.saturating_mul(ncols).min(SAMPLE_CELLS).max(ncols);
        let (mut ends, mut walk) = (Ends::default(), Walk::default());
        let found = if source.careful {
            walk.lines(bytes, &source.rules, cells, source.longest).map(|n| (n, walk.lines))
        } else {
            fields(bytes, source.search(cells), &mut ends).map(|n| (n, ends.lines))
        };
        let Ok((nbytes, lines)) = found else { continue };
        let small = Piece { end: piece.start + nbytes, lines, ..*piece };
        let targets = list.iter().map(|_| Target::Look(Part::default())).collect();
        let Ok(done) = run(source, &[small], &list, vec![targets], 1, &NoProgress)? else { continue };
        for (seen, target) in seen.iter_mut().zip(done.into_iter().flat_map(|done| done.targets)) {
            if let Target::Look(part) = target {
                *seen |= part.seen;
            }
        }
    }
    Ok(seen)
}

fn fill(
    table: &mut Table,
    kinds: Vec<Kind>,
    parts: Vec<Vec<(Part, usize)>>,
    (rows_at, rows): (&[(usize, usize)], usize),
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<Filled>> {
    let mut out: Vec<Option<Filled>> = kinds.iter().map(|_| None).collect();
    let tasks = table.columns().into_iter().zip(out.iter_mut()).zip(kinds).zip(parts).map(
        |(((words, slot), kind), mut parts)| {
            Task::new(words.len() * 8, move || {
                let counts: Vec<usize> = parts.iter().map(|(_, rows)| *rows).collect();
                let gaps: Vec<(usize, usize)> =
                    rows_at.iter().zip(&counts).map(|((first, _), rows)| (*first, *rows)).collect();
                let is_text = matches!(kind, Kind::Text | Kind::Decimal(_));
                close_gaps(words.get_mut(usize::from(is_text)..).unwrap_or_default(), &gaps);
                let list: Vec<(&Part, usize)> = parts.iter().map(|(part, rows)| (part, *rows)).collect();
                let nulls = validity(&list, rows);
                let text = if is_text { Some(join_texts(words, &mut parts)?) } else { None };
                *slot = Some(Filled { kind, nulls, text, arrow: false, fits: true });
                Ok(())
            })
        },
    );
    parallel::run(tasks.collect(), threads, progress)?;
    Ok(out.into_iter().flatten().collect())
}
