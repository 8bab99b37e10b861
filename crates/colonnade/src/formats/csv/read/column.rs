//! Decodes one column of some rows from the text of its cells directly into the words of the frame.
//!
//! Each type has its own loop. [`DialectRules::class`] classifies a cell that does not fit. The rest of the column is then only
//! classified, so that the next pass uses a type that holds all of it.

use super::kinds::{CellClasses, InferredType};
use super::normalize::place;
use super::null_values::{NullValue, truth};
use super::number::{is_infinite_by_name, may_be_rounded};
use super::rules::DialectRules;
use super::time;
use crate::cells::number::{ParsedInt, float, integer, short_float, short_int};
use crate::cells::text;

/// A word of the frame: the bytes of a number, or the end offset of a text.
pub(super) type CellWord = [u8; 8];

/// NumPy's NaT.
const NAT: CellWord = i64::MIN.to_le_bytes();

/// The positions of the cells of one column.
pub(super) trait CellSpans: Copy {
    /// Start and end of the cell in a row; [`NOWHERE`](super::normalize::NOWHERE) twice if the row has no such cell.
    fn span(self, row: usize) -> (usize, usize);
}

/// Adjacent cells with one byte between them. `ends` starts with an entry for the position before the first byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct AdjacentCells<'a> {
    pub(super) ends: &'a [u32],
    pub(super) ncols: usize,
    pub(super) column: usize,
    /// Bytes at the end of each cell that belong to the line end.
    pub(super) cut: u32,
}

impl CellSpans for AdjacentCells<'_> {
    #[inline(always)]
    fn span(self, row: usize) -> (usize, usize) {
        let at = row * self.ncols + self.column;
        match self.ends.get(at..at + 2) {
            Some([before, end]) => (before.wrapping_add(1) as usize, (*end - self.cut) as usize),
            _ => (0, 0),
        }
    }
}

/// Cells at arbitrary positions.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScatteredCells<'a> {
    pub(super) spans: &'a [(u32, u32)],
    pub(super) ncols: usize,
    pub(super) column: usize,
}

impl CellSpans for ScatteredCells<'_> {
    #[inline(always)]
    fn span(self, row: usize) -> (usize, usize) {
        self.spans
            .get(row * self.ncols + self.column)
            .map_or((0, 0), |(start, end)| (place(*start), place(*end)))
    }
}

/// The result of reading one column in one piece of the input.
#[derive(Debug, Default)]
pub(super) struct PieceColumn {
    /// The classes of its cells.
    pub(super) seen: CellClasses,
    /// Whether a cell did not fit. The stored words are then meaningless.
    pub(super) misfit: bool,
    /// One bit for each row that is null, from the piece's first row; empty without nulls.
    pub(super) nulls: Vec<u64>,
    /// Whether allocating memory for its text failed.
    pub(super) full: bool,
    /// Positions of cells of another type that became null.
    pub(super) wrong: Vec<usize>,
}

impl PieceColumn {
    #[inline]
    pub(super) fn null(&mut self, row: usize) {
        let word = row / 64;
        if self.nulls.len() <= word {
            self.nulls.resize(word + 1, 0);
        }
        if let Some(bits) = self.nulls.get_mut(word) {
            *bits |= 1 << (row % 64);
        }
    }
}

/// Reads `out.len()` cells of a column of type `kind`. The first cell is in row `first` of its piece. `bytes` extends as far as
/// possible behind the cells. `kind` is the least type that holds `part.seen` and the classes found by earlier passes.
pub(super) fn take(
    kind: Option<InferredType>,
    rules: &DialectRules,
    bytes: &[u8],
    spans: impl CellSpans,
    first: usize,
    out: &mut [CellWord],
    part: &mut PieceColumn,
) {
    if part.misfit {
        return classify(rules, bytes, spans, 0, out.len(), part);
    }
    let done = match kind {
        // `text_cells` reads text.
        None | Some(InferredType::Text | InferredType::Decimal(_)) => 0,
        Some(InferredType::Int) => ints(rules, bytes, spans, first, out, part),
        Some(InferredType::Float) => floats(rules, bytes, spans, first, out, part, false),
        Some(InferredType::Nothing) => floats(rules, bytes, spans, first, out, part, true),
        Some(InferredType::UInt) => {
            parse_each(rules, bytes, spans, first, out, part, [0; 8], |text| match integer(text) {
                ParsedInt::Int(value) if value >= 0 => Some((value.to_le_bytes(), CellClasses::INT)),
                ParsedInt::UInt(value) => Some((value.to_le_bytes(), CellClasses::BIG)),
                _ => None,
            })
        }
        Some(InferredType::Bool) => parse_each(rules, bytes, spans, first, out, part, [0; 8], |text| {
            truth(text).map(|value| (u64::from(value).to_le_bytes(), CellClasses::BOOL))
        }),
        Some(InferredType::Time { nanos, zoned }) => {
            parse_each(rules, bytes, spans, first, out, part, NAT, |text| {
                let found = rules.time.as_ref().and_then(|format| time::parse(text, format))?;
                let class = time::class(found);
                let fits = found.zoned == zoned && (nanos || !class.has(CellClasses::NANOS));
                fits.then(|| Some((found.ticks(nanos)?.to_le_bytes(), class))).flatten()
            })
        }
    };
    if done < out.len() {
        part.misfit = true;
        classify(rules, bytes, spans, done, out.len(), part);
    }
}

/// Classifies cells without storing values.
pub(super) fn classify(
    rules: &DialectRules,
    bytes: &[u8],
    spans: impl CellSpans,
    from: usize,
    to: usize,
    part: &mut PieceColumn,
) {
    for row in from..to {
        if part.seen.has(CellClasses::TEXT) {
            return;
        }
        let (start, end) = spans.span(row);
        part.seen |= given(rules, bytes.get(start..end)).map_or(CellClasses::NULL, |raw| rules.class(raw));
    }
}

/// The bytes of a cell; `None` if it is not there, or empty and therefore null, as most cells of some columns are.
#[inline]
fn given<'c>(rules: &DialectRules, raw: Option<&'c [u8]>) -> Option<&'c [u8]> {
    raw.filter(|raw| !(raw.is_empty() && rules.null_values.empty_is_null()))
}

/// Whether the cell is null, NaN or empty; if so, records its class and the null.
#[inline]
fn is_nothing(class: CellClasses, row: usize, part: &mut PieceColumn) -> bool {
    let is_missing = class == CellClasses::NULL || class == CellClasses::NAN || class == CellClasses::EMPTY;
    if is_missing {
        part.seen |= class;
        part.null(row);
    }
    is_missing
}

/// Reads cells one by one: most with `short`, the others with `long`. Returns the number of rows before the first cell that fits
/// neither.
#[inline(always)]
fn each<T>(
    bytes: &[u8],
    spans: impl CellSpans,
    out: &mut [CellWord],
    short: impl Fn(usize, usize) -> Option<T>,
    mut long: impl FnMut(usize, Option<&[u8]>) -> Option<T>,
    mut word: impl FnMut(T) -> CellWord,
) -> usize {
    for (row, slot) in out.iter_mut().enumerate() {
        let (start, end) = spans.span(row);
        let value = match short(start, end) {
            Some(value) => value,
            None => match long(row, bytes.get(start..end)) {
                Some(value) => value,
                None => return row,
            },
        };
        *slot = word(value);
    }
    out.len()
}

fn ints(
    rules: &DialectRules,
    bytes: &[u8],
    spans: impl CellSpans,
    first: usize,
    out: &mut [CellWord],
    part: &mut PieceColumn,
) -> usize {
    let (mut signs, mut nmissing) = (0i64, 0);
    let looked_up = rules.numbers_are_looked_up();
    let short = |start, end| if looked_up { None } else { short_int(bytes, start, end) };
    let long = |row, raw: Option<&[u8]>| {
        let found = long_int(rules, raw, first + row, part)?;
        nmissing += usize::from(found.is_none());
        Some(found.unwrap_or(0))
    };
    let done = each(bytes, spans, out, short, long, |value| {
        signs |= value;
        value.to_le_bytes()
    });
    note_signs(signs, done - nmissing, part);
    done
}

fn note_signs(signs: i64, values: usize, part: &mut PieceColumn) {
    if signs < 0 {
        part.seen |= CellClasses::NEGATIVE;
    }
    // If all values are negative, `INT` is inexact, which changes no type.
    if values > 0 {
        part.seen |= CellClasses::INT;
    }
}

/// Reads a cell that is not a short integer. Returns a value, null (`Some(None)`), or another type (`None`).
#[inline(never)]
fn long_int(
    rules: &DialectRules,
    raw: Option<&[u8]>,
    row: usize,
    part: &mut PieceColumn,
) -> Option<Option<i64>> {
    let Some(raw) = given(rules, raw) else {
        return is_nothing(CellClasses::NULL, row, part).then_some(None);
    };
    if let ParsedInt::Int(value) = integer(raw)
        && !rules.numbers_are_looked_up()
    {
        return Some(Some(value));
    }
    let text = rules.text(raw);
    let class = rules.class_of(&text);
    if is_nothing(class, row, part) {
        return Some(None);
    }
    match integer(&rules.plain_number(&text.bytes)) {
        ParsedInt::Int(value) if class.has(CellClasses::INT | CellClasses::NEGATIVE) => Some(Some(value)),
        _ => None,
    }
}

fn floats(
    rules: &DialectRules,
    bytes: &[u8],
    spans: impl CellSpans,
    first: usize,
    out: &mut [CellWord],
    part: &mut PieceColumn,
    exact: bool,
) -> usize {
    let looked_up = rules.numbers_are_looked_up();
    let short = |start, end| if looked_up { None } else { short_float(bytes, start, end, rules.point) };
    let long = |row, raw: Option<&[u8]>| long_float(rules, raw, first + row, part, exact);
    each(bytes, spans, out, short, long, f64::to_le_bytes)
}

/// Reads a cell that is not a short float. `exact` refuses integers that a float would round.
#[inline(never)]
fn long_float(
    rules: &DialectRules,
    raw: Option<&[u8]>,
    row: usize,
    part: &mut PieceColumn,
    exact: bool,
) -> Option<f64> {
    let Some(raw) = given(rules, raw) else {
        return is_nothing(CellClasses::NULL, row, part).then_some(f64::NAN);
    };
    let text = rules.text(raw);
    let plain = rules.plain_number(&text.bytes);
    let value = std::str::from_utf8(&plain).ok().and_then(|t| float(t).map(|v| (t, v)));
    let is_word = rules.null_value(&text) != NullValue::Other;
    match value {
        Some((t, value)) if !is_word && (value.is_finite() || is_infinite_by_name(t)) => {
            return (!exact || !may_be_rounded(&plain)).then_some(value);
        }
        _ => {}
    }
    if !is_word
        && rules.null_values.has_values_only()
        && let Some(value) = std::str::from_utf8(&plain).ok().and_then(text::float)
    {
        return Some(value);
    }
    let class = rules.class_of(&text);
    if class == CellClasses::NAN {
        part.seen |= class;
        let sign = if text.bytes.first() == Some(&b'-') { -1.0 } else { 1.0 };
        return Some(f64::NAN.copysign(sign));
    }
    is_nothing(class, row, part).then_some(f64::NAN)
}

#[allow(clippy::too_many_arguments)] // one loop for several types
fn parse_each(
    rules: &DialectRules,
    bytes: &[u8],
    spans: impl CellSpans,
    first: usize,
    out: &mut [CellWord],
    part: &mut PieceColumn,
    nothing: CellWord,
    value: impl Fn(&[u8]) -> Option<(CellWord, CellClasses)>,
) -> usize {
    for (row, slot) in out.iter_mut().enumerate() {
        let (start, end) = spans.span(row);
        let Some(raw) = given(rules, bytes.get(start..end)) else {
            is_nothing(CellClasses::NULL, first + row, part);
            *slot = nothing;
            continue;
        };
        let text = rules.text(raw);
        let class = rules.class_of(&text);
        if is_nothing(class, first + row, part) {
            let is_word = class == CellClasses::EMPTY || rules.null_value(&text) != NullValue::Other;
            if rules.lenient && !is_word {
                part.wrong.push(start);
            }
            *slot = nothing;
            continue;
        }
        let found = value(&text.bytes).or_else(|| value(&rules.plain_number(&text.bytes)));
        match found {
            Some((found, its)) if its.has(class) => {
                part.seen |= its;
                *slot = found;
            }
            _ => return row,
        }
    }
    out.len()
}
