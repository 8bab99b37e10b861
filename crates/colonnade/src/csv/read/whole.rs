//! A whole input as a frame.

use arrow_schema::Field;
use serde_json::{Value, json};

use super::FORMAT;
use super::errors;
use super::fields::{Trouble, Watch};
use super::infer::{self, Refused};
use super::kinds::{Classes, Kind};
use super::opening::{Opening, open};
use super::options::{Dates, IndexColumns, OnError, ReadOptions};
use super::pass::{Fault, FaultKind, LONGEST, Piece, Source};
use super::split::{careful_pieces, piece_nbytes, pieces};
use super::tidy::Shape;
use super::{decimals, dtypes, typed};
use crate::arrow::import::to_block;
use crate::arrow::text_labels;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Axis, Frame, Labels, Level, Part, Tags};
use crate::memory::Buffer;
use crate::msgpack::typed::Dictionaries;
use crate::plan::{NoProgress, Progress};
use crate::text::Decoded;
use crate::text::cells::{self, Style};
use crate::text::header::{Header, keys};
use crate::text::input::Text;
use crate::text::nulls::is_rounded;
use crate::text::place::Place;

/// Null and NaN are two things in these columns, as in Arrow's. pandas makes of them what it makes of a table of pyarrow's:
/// numbers with nulls are floats with NaN there, as `pandas.read_csv` has it.
const ORIGIN: &str = r#"{"library":"pyarrow","schema_metadata":[]}"#;

/// Decodes a whole input.
///
/// # Errors
/// Malformed, with line, column and byte; over a limit; options that do not go together.
pub fn decode(input: &Buffer, options: &ReadOptions) -> Result<Decoded> {
    decode_with(input, options, &NoProgress)
}

/// The same, reporting progress.
///
/// # Errors
/// As [`decode`], and `Cancelled` from `progress`.
pub fn decode_with(input: &Buffer, options: &ReadOptions, progress: &dyn Progress) -> Result<Decoded> {
    options.check()?;
    let nbytes = input.nbytes() as u64;
    if nbytes > options.limits.max_nbytes {
        let most = options.limits.max_nbytes;
        return Err(Error::limit(
            FORMAT,
            format!("{nbytes} bytes, the limit is {most}. Raise max_nbytes to read it."),
        ));
    }
    let text = Text::decode(FORMAT, input, options.encoding, options.threads)?;
    let place = |at: usize| text.place(at);
    let opening = open(text.as_bytes(), options, &place)?;
    let read = Reading { bytes: text.as_bytes(), options, opening: &opening, place: &place, chunk: None };
    let rows = match &opening.header {
        Some(_) => read.told(progress)?,
        None => read.inferred(None, progress)?,
    };
    let Rows { frame, dropped, nulled, .. } = rows;
    let version = opening.header.as_ref().map(|_| crate::text::header::VERSION);
    Ok(Decoded { frame, orient: "records", version, dropped, nulled, dialect: Some(opening.dialect) })
}

/// Rows of an input whose opening has been read.
pub(super) struct Reading<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) options: &'a ReadOptions,
    pub(super) opening: &'a Opening,
    pub(super) place: &'a dyn Fn(usize) -> Place,
    /// One chunk of several: rows before it. Its columns are in Arrow's layout, and the header says nothing of its rows.
    pub(super) chunk: Option<usize>,
}

/// A frame of rows, and what is said of them.
pub(super) struct Rows {
    pub(super) frame: Frame,
    pub(super) dropped: u64,
    pub(super) nulled: u64,
    /// What inferred columns have become, by position; `None` where a type was told.
    pub(super) kinds: Vec<Option<Kind>>,
}

/// What was read, or why the input cannot be.
type Outcome<T> = Result<std::result::Result<T, Refused>>;

impl Reading<'_> {
    fn source(&self, careful: bool) -> Result<(Source<'_>, Vec<Piece>)> {
        let Opening { body, rules, ncols, .. } = self.opening;
        let (special, threads) = (self.opening.special(), self.options.threads);
        let nbytes = piece_nbytes(self.bytes.len(), *ncols, threads);
        let (pieces, found) = if careful {
            let found = super::split::Found { returns: true, nul: true };
            (careful_pieces(self.bytes, *body, rules, nbytes, LONGEST), found)
        } else {
            pieces(self.bytes, *body, special, nbytes, threads)?
        };
        let source = Source {
            bytes: self.bytes,
            special,
            watch: Watch { returns: found.returns, nul: found.nul },
            shape: Shape {
                ncols: *ncols,
                newline: rules.newline,
                returns: found.returns,
                skip_blank: true,
                on_error: self.options.on_error,
            },
            rules: rules.clone(),
            timed: self.opening.timed(self.options)?,
            careful,
            longest: LONGEST,
        };
        let rows: usize = source.rows_at_most(&pieces).iter().map(|(_, count)| count).sum();
        let unbacked = rows.saturating_mul(*ncols).saturating_sub(self.bytes.len() + 1) as u64;
        if unbacked > self.options.limits.max_unbacked_rows {
            let message = format!(
                "{rows} short lines filled up to {ncols} cells are {unbacked} cells that no byte stands behind, the limit is {}.",
                self.options.limits.max_unbacked_rows
            );
            return Err(Error::limit(FORMAT, message));
        }
        Ok((source, pieces))
    }

    /// Reads with masks where that can be done, else byte by byte.
    fn either<T>(
        &self,
        fixed: Option<&[Option<Kind>]>,
        read: &mut dyn FnMut(&Source<'_>, &[Piece]) -> Outcome<T>,
    ) -> Result<T> {
        let rules = &self.opening.rules;
        let mut careful =
            rules.escape != super::rules::NEVER || rules.comment != super::rules::NEVER || !rules.doublequote;
        loop {
            let (source, pieces) = self.source(careful)?;
            match read(&source, &pieces)? {
                Ok(found) => return Ok(found),
                Err(Refused::Fault(Fault { kind: FaultKind::Trouble(Trouble::Quote(_)), .. }))
                    if !careful =>
                {
                    careful = true
                }
                Err(Refused::Fault(fault)) => return Err(errors::fault(fault, self.opening, self.place)),
                Err(Refused::Class(column, class)) => return Err(self.refused(&source, column, class, fixed)),
            }
        }
    }

    /// The error of a column whose type does not hold all of it.
    #[cold]
    fn refused(
        &self,
        source: &Source<'_>,
        column: usize,
        class: Classes,
        fixed: Option<&[Option<Kind>]>,
    ) -> Error {
        if class == Classes::default() {
            return self.misfit(
                source,
                column,
                fixed.and_then(|k| k.get(column).copied().flatten()).unwrap_or(Kind::Text),
            );
        }
        let timed = class == Classes::TEXT || class == Classes::FAR;
        let nothing = Classes::NULL | Classes::NAN | Classes::EMPTY;
        let first: &dyn Fn(Classes) -> bool = if class == Classes::TEXT {
            &|found| !(found.has(Classes::INSTANT | Classes::ZONED) || found.is_in(nothing))
        } else {
            &|found| found.has(class)
        };
        let found = errors::first_of(source, self.opening.body, column, timed, first);
        let (start, end) = found.unwrap_or((self.opening.body, self.opening.body));
        let raw = self.bytes.get(start..end).unwrap_or_default();
        errors::class(column, class, (start, raw), self.opening, self.place)
    }

    /// The error of a column that is no longer what the first rows were.
    #[cold]
    fn misfit(&self, source: &Source<'_>, column: usize, kind: Kind) -> Error {
        let timed = matches!(kind, Kind::Time { .. });
        let held = Classes::held_by(kind);
        let found = errors::first_of(source, self.opening.body, column, timed, &|class| !class.is_in(held));
        let (start, end) = found.unwrap_or((self.opening.body, self.opening.body));
        let raw = self.bytes.get(start..end).unwrap_or_default();
        errors::misfit(column, kind, (start, raw), self.opening, self.place)
    }

    /// Columns as our header says.
    pub(super) fn told(&self, progress: &dyn Progress) -> Result<Rows> {
        let Some(header) = &self.opening.header else { return self.inferred(None, progress) };
        let plan = header.plan()?;
        let keys = keys(&header.schema);
        // Row labels stand first in the lines, and last in the schema.
        let levels = keys.len().saturating_sub(plan.ncols);
        let field =
            |position: usize| if position < levels { plan.ncols + position } else { position - levels };
        let expected: Vec<&str> =
            (0..keys.len()).filter_map(|i| keys.get(field(i))).map(String::as_str).collect();
        let found = self.opening.names.first().map_or(&[][..], Vec::as_slice);
        if !expected.iter().eq(found.iter()) {
            let at = expected.iter().zip(found).take_while(|(a, b)| a == b).count();
            let shown = |name: Option<String>| name.map_or("none".to_owned(), |name| format!("{name:?}"));
            let message = format!(
                "the schema is not this file's: expected {} columns, number {} of them {}, found {}, number {} of them {}. \
                 Read it with schema=\"ignore\".",
                expected.len(),
                at + 1,
                shown(expected.get(at).map(|s| (*s).to_owned())),
                found.len(),
                at + 1,
                shown(found.get(at).cloned())
            );
            return Err((self.place)(0).error(ErrorKind::Malformed, FORMAT, None, message));
        }
        let lenient = self.options.on_error == OnError::Null;
        let read = self.either(None, &mut |source, _| {
            let readers = header.readers(&plan, Style::csv(true), &self.options.limits)?;
            let mut readers: Vec<_> = readers.into_iter().map(Some).collect();
            let column = |position: usize| {
                let reader = readers.get_mut(field(position)).and_then(Option::take)?;
                let data_type = header.schema.fields().get(field(position))?.data_type();
                let (number, nan) = (typed::is_number(data_type), typed::has_nan(data_type));
                Some(typed::Column { position, reader, number, nan, lenient })
            };
            let columns: Vec<typed::Column> = (0..keys.len()).filter_map(column).collect();
            let read = typed::read(source, self.opening.body, columns, self.options.threads, progress)?;
            Ok(read.map_err(Refused::Fault))
        })?;
        if !keys.is_empty()
            && self.chunk.is_none()
            && let Some(nrows) = header.nrows
            && nrows as u64 != read.rows as u64 + read.dropped
        {
            let message = format!(
                "the schema is not this file's: expected {nrows} rows, found {}. The file was cut or changed: read it with \
                 schema=\"ignore\".",
                read.rows
            );
            return Err((self.place)(self.bytes.len()).error(ErrorKind::Malformed, FORMAT, None, message));
        }
        let mut arrays: Vec<_> = read.arrays.into_iter().map(Some).collect();
        let in_schema = |i: usize| if i < plan.ncols { i + levels } else { i - plan.ncols };
        let arrays: Vec<_> =
            (0..keys.len()).filter_map(|i| arrays.get_mut(in_schema(i)).and_then(Option::take)).collect();
        let rows = if keys.is_empty() { header.nrows.unwrap_or(read.rows) } else { read.rows };
        let frame = match self.chunk {
            Some(first) => plan.batch(&arrays, rows, first)?,
            None => Header { nrows: Some(rows), ..header.clone() }.frame(plan, arrays)?,
        };
        Ok(Rows { frame, dropped: read.dropped, nulled: read.mended + read.nulled, kinds: Vec::new() })
    }

    /// Columns as their cells are, or as `dtypes` say. `fixed`: what they have been so far.
    pub(super) fn inferred(&self, fixed: Option<&[Option<Kind>]>, progress: &dyn Progress) -> Result<Rows> {
        let Opening { ncols, body, .. } = *self.opening;
        let told = self.told_columns()?;
        let dates = self.named(
            match &self.options.dates {
                Dates::Names(names) => names,
                _ => &[],
            },
            "dates",
        )?;
        let all = self.options.dates == Dates::All;
        let column = |position: usize| infer::Column {
            position,
            timed: all || dates.contains(&position),
            must: dates.contains(&position),
            fixed: fixed.and_then(|kinds| kinds.get(position).copied().flatten()),
        };
        let is_told = |position: &usize| told.iter().any(|(p, ..)| p == position);
        let columns: Vec<infer::Column> = (0..ncols).filter(|p| !is_told(p)).map(column).collect();
        let (big_ints, threads) = (self.options.big_ints, self.options.threads);
        let (inferred, read) = self.either(fixed, &mut |source, pieces| {
            let inferred = match infer::read(source, pieces, &columns, big_ints, threads, progress)? {
                Ok(found) => found,
                Err(refused) => return Ok(Err(refused)),
            };
            if told.is_empty() {
                return Ok(Ok((inferred, None)));
            }
            let mut typed_columns = Vec::with_capacity(told.len());
            for (position, field, dtype) in &told {
                let mut none = Dictionaries::of(Vec::new());
                let style = Style::csv(true);
                let reader = cells::reader(field, *dtype, None, style, &mut none, &self.options.limits)
                    .map_err(|e| e.in_member(field.name().as_str()))?;
                let lenient = self.options.on_error == OnError::Null;
                let (number, nan) = (typed::is_number(field.data_type()), typed::has_nan(field.data_type()));
                typed_columns.push(typed::Column { position: *position, reader, number, nan, lenient });
            }
            Ok(typed::read(source, body, typed_columns, threads, &NoProgress)?
                .map(|read| (inferred, Some(read)))
                .map_err(Refused::Fault))
        })?;
        let infer::Columns { table, filled, mut rows, mut dropped, mut nulled } = inferred;
        let mut kinds = vec![None; ncols];
        for (column, filled) in columns.iter().zip(&filled) {
            if let Some(slot) = kinds.get_mut(column.position) {
                *slot = Some(filled.kind);
            }
        }
        let place = |list: usize| columns.get(list).map_or(list, |column| column.position);
        let mut parts: Vec<Part> = Vec::with_capacity(ncols);
        for part in table.finish(rows, filled, self.chunk.is_some())? {
            parts.push(match part {
                Part::Block(block, positions) => {
                    Part::Block(block, positions.into_iter().map(place).collect())
                }
                Part::Column(column, position)
                    if kinds.get(place(position)) == Some(&Some(Kind::Decimal)) =>
                {
                    let made = decimals::of(&column).map_err(|e| e.in_member(self.name(place(position))))?;
                    Part::Column(made, place(position))
                }
                Part::Column(column, position) => Part::Column(column, place(position)),
            });
        }
        if let Some(read) = read {
            if columns.is_empty() {
                (rows, dropped, nulled) = (read.rows, read.dropped, read.mended);
            }
            nulled += read.nulled;
            for ((position, field, dtype), data) in told.iter().zip(read.arrays) {
                let block = match dtype {
                    Some(dtype) if self.chunk.is_none() => {
                        to_block(*dtype, &data).map_err(|e| e.in_member(field.name().as_str()))?
                    }
                    _ => None,
                };
                parts.push(match block {
                    Some(block) => Part::Block(block, vec![*position]),
                    None => Part::Column(crate::frame::Column::new(data), *position),
                });
            }
        }
        let frame = self.frame(parts, rows)?;
        Ok(Rows { frame, dropped, nulled, kinds })
    }

    fn name(&self, position: usize) -> String {
        self.opening.name(position).map_or_else(|| position.to_string(), str::to_owned)
    }

    /// The columns of `dtypes`: position, field, NumPy's dtype.
    #[allow(clippy::type_complexity)]
    fn told_columns(&self) -> Result<Vec<(usize, Field, Option<crate::frame::DType>)>> {
        let mut out: Vec<(usize, Field, Option<crate::frame::DType>)> = Vec::new();
        for (name, text) in &self.options.dtypes {
            let (data_type, dtype) = dtypes::parse(name, text)?;
            for position in self.named(std::slice::from_ref(name), "dtypes")? {
                if out.iter().all(|(p, ..)| *p != position) {
                    out.push((position, Field::new(name, data_type.clone(), true), dtype));
                }
            }
        }
        Ok(out)
    }

    /// The places of all columns of these names.
    fn named(&self, names: &[String], option: &str) -> Result<Vec<usize>> {
        let mut out = Vec::new();
        for name in names {
            let before = out.len();
            out.extend((0..self.opening.ncols).filter(|c| self.name(*c) == *name));
            if out.len() == before {
                let some: Vec<String> =
                    (0..self.opening.ncols.min(10)).map(|c| format!("{:?}", self.name(c))).collect();
                let message =
                    format!("{option}: column {name:?} is not there; there are {}.", some.join(", "));
                return Err(Error::not_found(FORMAT, message));
            }
        }
        Ok(out)
    }

    /// Columns with their labels, and those that are row labels.
    fn frame(&self, parts: Vec<Part>, rows: usize) -> Result<Frame> {
        let ncols = self.opening.ncols;
        let levels: Vec<usize> = match &self.options.index_columns {
            IndexColumns::None => Vec::new(),
            IndexColumns::Count(count) if *count > ncols => {
                let message =
                    format!("index_columns: expected at most {ncols} as there are columns, found {count}.");
                return Err(Error::invalid_option(FORMAT, message));
            }
            IndexColumns::Count(count) => (0..*count).collect(),
            IndexColumns::Names(names) => self.named(names, "index_columns")?,
        };
        let data: Vec<usize> = (0..ncols).filter(|c| !levels.contains(c)).collect();
        // Integers beside nulls that a float would round stay what they are.
        let origin = (!parts.iter().any(is_rounded)).then(|| ORIGIN.into());
        let tags = Tags { name: "null".into(), origin, attrs: None };
        let whole = Frame::new(Axis::range(rows), Axis::range(ncols), parts, tags)?;
        let columns = self.labels(&data)?;
        if levels.is_empty() {
            return Ok(Frame { columns, ..whole });
        }
        let slots = whole.slots()?;
        let level = |c: &usize| {
            let slot = slots.get(*c)?;
            match whole.parts.get(slot.part)? {
                Part::Block(block, _) => Some(Level::Block(block.column(slot.column))),
                Part::Column(column, _) => Some(Level::Column(column.clone())),
            }
        };
        let labels: Vec<Level> = levels.iter().filter_map(level).collect();
        let told = |c: &usize| match self.opening.name(*c) {
            Some(name) if !name.is_empty() => json!(name),
            _ => Value::Null,
        };
        let names: Vec<Value> = levels.iter().map(told).collect();
        let name = match names.as_slice() {
            [one] => one.to_string(),
            names if names.iter().all(Value::is_null) => "null".into(),
            names => json!({ "$tuple": names }).to_string(),
        };
        let index = Axis {
            class: if labels.len() == 1 { "Index" } else { "IndexHierarchy" }.into(),
            classes: vec!["Index".into(); labels.len()],
            labels: Labels::Levels(labels),
            name,
            meta: None,
        };
        Ok(Frame { index, ..whole.select(&data, columns)? })
    }

    /// The labels of these columns: the rows of names, one above the other, or numbers.
    fn labels(&self, columns: &[usize]) -> Result<Axis> {
        let mut levels = Vec::new();
        for row in &self.opening.names {
            let texts: Vec<&str> = columns.iter().map(|c| row.get(*c).map_or("", String::as_str)).collect();
            match text_labels(&texts, "null".into())?.labels {
                Labels::Levels(level) => levels.extend(level),
                Labels::Auto { .. } => {}
            }
        }
        Ok(match levels.len() {
            0 => Axis::range(columns.len()),
            n => Axis {
                class: if n == 1 { "Index" } else { "IndexHierarchy" }.into(),
                classes: vec!["Index".into(); n],
                labels: Labels::Levels(levels),
                name: "null".into(),
                meta: None,
            },
        })
    }
}
