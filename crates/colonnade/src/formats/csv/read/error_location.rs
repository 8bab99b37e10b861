//! Finds the first cell that does not fit the type of its column, for the error message.

use super::errors;
use super::kinds::{Classes, Kind};
use super::normalize::{MISSING, RowSpans};
use super::number;
use super::pass::RowSource;
use super::tokenizer::Tokenizer;
use super::whole::Reading;
use crate::error::Error;

impl Reading<'_> {
    /// The error of a column whose type does not hold all of it.
    #[cold]
    pub(super) fn refused(
        &self,
        source: &RowSource<'_>,
        column: usize,
        class: Classes,
        fixed: Option<&[Option<Kind>]>,
    ) -> Error {
        if class == Classes::default() {
            let kind = fixed.and_then(|kinds| kinds.get(column).copied().flatten()).unwrap_or(Kind::Text);
            return self.misfit(source, column, kind);
        }
        let times = Classes::INSTANT | Classes::ZONED;
        let timed = class.is_in(times | Classes::TEXT | Classes::FAR);
        let nothing = Classes::NULL | Classes::NAN | Classes::EMPTY;
        let is_wanted: &dyn Fn(Classes, &[u8]) -> bool = if class == Classes::TEXT {
            &|found, _| !(found.has(times) || found.is_in(nothing))
        } else {
            &|found, _| found.has(class)
        };
        let (start, raw) = self.cell(first_of(source, self.opening.body, column, timed, is_wanted));
        errors::class(column, class, (start, raw), self.opening, self.place)
    }

    /// The error of a column that is no longer what the first rows were.
    #[cold]
    pub(super) fn misfit(&self, source: &RowSource<'_>, column: usize, kind: Kind) -> Error {
        let timed = matches!(kind, Kind::Time { .. });
        let (held, rules) = (Classes::held_by(kind), &source.rules);
        let nothing = Classes::NULL | Classes::NAN | Classes::EMPTY;
        let fits = |raw: &[u8]| {
            let text = rules.text(raw);
            let plain = rules.plain_number(&text.bytes);
            match kind {
                Kind::Nothing => !number::may_be_rounded(&plain),
                Kind::Decimal(Some(most)) => {
                    number::integer_digits(&plain).is_some_and(|digits| digits <= most)
                }
                _ => true,
            }
        };
        let is_wanted =
            |class: Classes, raw: &[u8]| !(class.is_in(nothing) || class.is_in(held) && fits(raw));
        let found = first_of(source, self.opening.body, column, timed, &is_wanted);
        errors::misfit(column, kind, self.cell(found), self.opening, self.place)
    }

    fn cell(&self, found: Option<(usize, usize)>) -> (usize, &[u8]) {
        let (start, end) = found.unwrap_or((self.opening.body, self.opening.body));
        (start, self.bytes.get(start..end).unwrap_or_default())
    }
}

/// The first cell of a column that is of a class, among the rows that are kept.
fn first_of(
    source: &RowSource<'_>,
    body: usize,
    column: usize,
    timed: bool,
    is_wanted: &dyn Fn(Classes, &[u8]) -> bool,
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
                && is_wanted(rules.class(raw), raw)
            {
                return Some((at + start, at + end));
            }
        }
        at += next;
    }
    None
}
