//! What an inferred column is read as: at first, in the next pass, and in the end.

use super::column_request::ColumnRequest;
use super::kinds::{BigInts, Classes, InferredType, kind_of};

/// Instants, as long as none has been seen.
const NO_TIME: InferredType = InferredType::Time { nanos: false, zoned: false };

/// What a column must be read as once more, if it must.
pub(super) fn promoted_type(
    column: &ColumnRequest<'_>,
    seen: Classes,
    kind: Option<InferredType>,
    misfit: bool,
    big_ints: BigInts,
) -> std::result::Result<Option<InferredType>, Classes> {
    if column.fixed.is_some() {
        return if misfit { Err(Classes::default()) } else { Ok(None) };
    }
    let is_time = |kind: Option<InferredType>| matches!(kind, Some(InferredType::Time { .. }));
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
    if kind == Some(InferredType::Int)
        && seen.has(Classes::NAN)
        && !seen.has(Classes::VALUES | Classes::EMPTY)
    {
        return Ok(Some(InferredType::Nothing));
    }
    // A column of empty texts and nulls only is text, whichever of them comes first.
    if kind == Some(InferredType::Int) && seen.has(Classes::EMPTY) && !seen.has(Classes::VALUES) {
        return Ok(Some(InferredType::Text));
    }
    if !misfit {
        return Ok(None);
    }
    let next = kind_of(seen, big_ints)?;
    // What did not fit once does not fit the next time: text holds everything.
    Ok(Some(if kind == Some(next) { InferredType::Text } else { next }))
}

/// What a column is in the end: one of nothing is a column of floats, though it was read as another.
pub(super) fn final_type(kind: Option<InferredType>, seen: Classes) -> InferredType {
    match kind {
        Some(InferredType::Int) if !seen.has(Classes::VALUES) && !seen.has(Classes::EMPTY) => {
            InferredType::Nothing
        }
        Some(kind) => kind,
        None => InferredType::Nothing,
    }
}

/// What a column with such cells is read as at first; `None` where it is only looked at.
pub(super) fn first_type(
    column: &ColumnRequest<'_>,
    seen: Classes,
    big_ints: BigInts,
) -> Option<InferredType> {
    match kind_of(seen, big_ints) {
        // Numbers are instants in some formats, and in a column that must be instants they are wrong: none is taken for one.
        Ok(kind) if column.must && !matches!(kind, InferredType::Time { .. }) => Some(NO_TIME),
        // Only text among its cells makes a column text whatever else comes.
        Ok(InferredType::Text | InferredType::Decimal(_)) if !seen.has(Classes::TEXT) => None,
        // Nothing yet: whole numbers leave all ways open.
        Ok(InferredType::Float) if !seen.has(Classes::FLOAT) => Some(InferredType::Int),
        Ok(kind) => Some(kind),
        Err(_) => None,
    }
}
