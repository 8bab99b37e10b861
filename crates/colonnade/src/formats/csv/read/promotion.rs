//! What an inferred column is read as: at first, in the next pass, and in the end.

use super::column_request::ColumnRequest;
use super::kinds::{BigInts, CellClasses, InferredType, kind_of};

/// Instants, as long as none has been seen.
const NO_TIME: InferredType = InferredType::Time { nanos: false, zoned: false };

/// What a column must be read as once more, if it must.
pub(super) fn promoted_type(
    column: &ColumnRequest<'_>,
    seen: CellClasses,
    kind: Option<InferredType>,
    misfit: bool,
    big_ints: BigInts,
) -> std::result::Result<Option<InferredType>, CellClasses> {
    if column.fixed.is_some() {
        return if misfit { Err(CellClasses::default()) } else { Ok(None) };
    }
    let is_time = |kind: Option<InferredType>| matches!(kind, Some(InferredType::Time { .. }));
    if column.must && !seen.has(CellClasses::VALUES) {
        return Ok((!is_time(kind)).then_some(NO_TIME));
    }
    if column.must && !is_time(kind_of(seen, big_ints).ok()) {
        let far = seen.has(CellClasses::NANOS) && seen.has(CellClasses::FAR);
        return Err(match seen.has(CellClasses::TEXT | CellClasses::BOOL | CellClasses::NUMBERS) {
            true => CellClasses::TEXT,
            false if far => CellClasses::FAR,
            false => CellClasses::ZONED,
        });
    }
    // Among numbers NaN is null where floats cannot be; of NaN and nulls alone each is itself.
    if kind == Some(InferredType::Int)
        && seen.has(CellClasses::NAN)
        && !seen.has(CellClasses::VALUES | CellClasses::EMPTY)
    {
        return Ok(Some(InferredType::Nothing));
    }
    // A column of empty texts and nulls only is text, whichever of them comes first.
    if kind == Some(InferredType::Int) && seen.has(CellClasses::EMPTY) && !seen.has(CellClasses::VALUES) {
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
pub(super) fn final_type(kind: Option<InferredType>, seen: CellClasses) -> InferredType {
    match kind {
        Some(InferredType::Int) if !seen.has(CellClasses::VALUES) && !seen.has(CellClasses::EMPTY) => {
            InferredType::Nothing
        }
        Some(kind) => kind,
        None => InferredType::Nothing,
    }
}

/// What a column with such cells is read as at first; `None` where it is only looked at.
pub(super) fn first_type(
    column: &ColumnRequest<'_>,
    seen: CellClasses,
    big_ints: BigInts,
) -> Option<InferredType> {
    match kind_of(seen, big_ints) {
        // Numbers are instants in some formats, and in a column that must be instants they are wrong: none is taken for one.
        Ok(kind) if column.must && !matches!(kind, InferredType::Time { .. }) => Some(NO_TIME),
        // Only text among its cells makes a column text whatever else comes.
        Ok(InferredType::Text | InferredType::Decimal(_)) if !seen.has(CellClasses::TEXT) => None,
        // Nothing yet: whole numbers leave all ways open.
        Ok(InferredType::Float) if !seen.has(CellClasses::FLOAT) => Some(InferredType::Int),
        Ok(kind) => Some(kind),
        Err(_) => None,
    }
}
