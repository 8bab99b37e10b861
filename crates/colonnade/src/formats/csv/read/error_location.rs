//! Finds the first cell that does not fit the type of its column, for the error message.

use super::errors;
use super::kinds::{CellClasses, InferredType};
use super::normalize::{MISSING, RowSpans};
use super::number;
use super::pass::PassInput;
use super::tokenizer::Tokenizer;
use super::whole::InputReader;
use crate::error::Error;

impl InputReader<'_> {
    /// The error for a column whose declared type cannot hold all its cells.
    #[cold]
    pub(super) fn refused(
        &self,
        source: &PassInput<'_>,
        column: usize,
        class: CellClasses,
        fixed: Option<&[Option<InferredType>]>,
    ) -> Error {
        if class == CellClasses::default() {
            let kind =
                fixed.and_then(|kinds| kinds.get(column).copied().flatten()).unwrap_or(InferredType::Text);
            return self.misfit(source, column, kind);
        }
        let times = CellClasses::INSTANT | CellClasses::ZONED;
        let timed = class.is_in(times | CellClasses::TEXT | CellClasses::FAR);
        let missing = CellClasses::NULL | CellClasses::NAN | CellClasses::EMPTY;
        let predicate: &dyn Fn(CellClasses, &[u8]) -> bool = if class == CellClasses::TEXT {
            &|found, _| !(found.has(times) || found.is_in(missing))
        } else {
            &|found, _| found.has(class)
        };
        let (start, raw) = self.cell(first_of(source, self.opening.body, column, timed, predicate));
        let format = self.options.date_format.as_deref();
        errors::class((column, class), (start, raw), format, self.opening, self.place)
    }

    /// The error for a column whose cells differ in type from its first rows.
    #[cold]
    pub(super) fn misfit(&self, source: &PassInput<'_>, column: usize, kind: InferredType) -> Error {
        let timed = matches!(kind, InferredType::Time { .. });
        let (held, rules) = (CellClasses::held_by(kind), &source.rules);
        let missing = CellClasses::NULL | CellClasses::NAN | CellClasses::EMPTY;
        let fits = |raw: &[u8]| {
            let text = rules.text(raw);
            let plain = rules.plain_number(&text.bytes);
            match kind {
                InferredType::Nothing => !number::may_be_rounded(&plain),
                InferredType::Decimal(Some(most)) => {
                    number::integer_digits(&plain).is_some_and(|digits| digits <= most)
                }
                _ => true,
            }
        };
        let predicate =
            |class: CellClasses, raw: &[u8]| !(class.is_in(missing) || class.is_in(held) && fits(raw));
        let found = first_of(source, self.opening.body, column, timed, &predicate);
        errors::misfit(column, kind, self.cell(found), self.opening, self.place)
    }

    fn cell(&self, found: Option<(usize, usize)>) -> (usize, &[u8]) {
        let (start, end) = found.unwrap_or((self.opening.body, self.opening.body));
        (start, self.bytes.get(start..end).unwrap_or_default())
    }
}

/// Finds the first cell of a column that has one of these classes, in a row that is not dropped.
fn first_of(
    source: &PassInput<'_>,
    body: usize,
    column: usize,
    timed: bool,
    predicate: &dyn Fn(CellClasses, &[u8]) -> bool,
) -> Option<(usize, usize)> {
    let rules = if timed { &source.timed } else { &source.rules };
    let (mut at, mut tokenizer, mut rows) = (body, Tokenizer::default(), RowSpans::default());
    while at < source.bytes.len() {
        tokenizer.clear();
        let rest = source.bytes.get(at..).unwrap_or_default();
        let next = tokenizer.line(rest, 0, rules, source.longest).ok()?;
        source.shape.normalize(rest, at, tokenizer.spans(), &mut rows).ok()?;
        if rows.rows > 0
            && let Some((start, end)) = rows.spans.get(column).filter(|(start, _)| *start != MISSING)
        {
            let (start, end) = (*start as usize, *end as usize);
            if let Some(raw) = rest.get(start..end)
                && predicate(rules.class(raw), raw)
            {
                return Some((at + start, at + end));
            }
        }
        at += next;
    }
    None
}
