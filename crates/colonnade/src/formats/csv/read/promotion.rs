//! What an inferred column is read as: at first, in the next pass, and in the end.

use super::declared::Declared;
use super::kinds::{BigInts, Classes, Kind, kind_of};

/// A column to read.
#[derive(Clone, Copy)]
pub(super) struct InferredColumn<'d> {
    /// Its place in a row.
    pub(super) position: usize,
    /// Whether its cells may be instants.
    pub(super) timed: bool,
    /// Whether all of them must be.
    pub(super) must: bool,
    /// The type that it has had so far, or that is declared.
    pub(super) fixed: Option<Kind>,
    /// Whether it comes in Arrow's layout though it may have no nulls.
    pub(super) arrow: bool,
    /// Its declared type, whose reader takes what does not fit.
    pub(super) declared: Option<&'d Declared>,
}

impl<'d> InferredColumn<'d> {
    /// A column whose type is declared.
    pub(super) fn declared(declared: &'d Declared) -> Self {
        let (position, fixed) = (declared.position, declared.kind);
        Self { position, timed: false, must: false, fixed, arrow: true, declared: Some(declared) }
    }
}

/// Instants, as long as none has been seen.
const NO_TIME: Kind = Kind::Time { nanos: false, zoned: false };

/// What a column must be read as once more, if it must.
pub(super) fn settle(
    column: &InferredColumn<'_>,
    seen: Classes,
    kind: Option<Kind>,
    misfit: bool,
    big_ints: BigInts,
) -> std::result::Result<Option<Kind>, Classes> {
    if column.fixed.is_some() {
        return if misfit { Err(Classes::default()) } else { Ok(None) };
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
    // A column of empty texts and nulls only is text, whichever of them comes first.
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
pub(super) fn last(kind: Option<Kind>, seen: Classes) -> Kind {
    match kind {
        Some(Kind::Int) if !seen.has(Classes::VALUES) && !seen.has(Classes::EMPTY) => Kind::Nothing,
        Some(kind) => kind,
        None => Kind::Nothing,
    }
}

/// What a column with such cells is read as at first; `None` where it is only looked at.
pub(super) fn guess(column: &InferredColumn<'_>, seen: Classes, big_ints: BigInts) -> Option<Kind> {
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
