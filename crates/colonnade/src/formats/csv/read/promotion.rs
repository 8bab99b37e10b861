//! Chooses the type of an inferred column: for the first pass, for the next pass, and for the result.

use super::column_request::ColumnRequest;
use super::kinds::{BigInts, CellClasses, InferredType, kind_of};

/// The type of instants before any instant was found.
const NO_TIME: InferredType = InferredType::Time { nanos: false, zoned: false };

/// The type for another pass over the column; `None` if no pass is needed.
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
    if column.must_be_time && !seen.has(CellClasses::VALUES) {
        return Ok((!is_time(kind)).then_some(NO_TIME));
    }
    if column.must_be_time && !is_time(kind_of(seen, big_ints).ok()) {
        let far = seen.has(CellClasses::NANOS) && seen.has(CellClasses::FAR);
        return Err(match seen.has(CellClasses::TEXT | CellClasses::BOOL | CellClasses::NUMBERS) {
            true => CellClasses::TEXT,
            false if far => CellClasses::FAR,
            false => CellClasses::ZONED,
        });
    }
    // NaN becomes null in a column of integers. A column of only NaN and nulls becomes floats, where both stay distinct.
    if kind == Some(InferredType::Int)
        && seen.has(CellClasses::NAN)
        && !seen.has(CellClasses::VALUES | CellClasses::EMPTY)
    {
        return Ok(Some(InferredType::Nothing));
    }
    // A column of only quoted empty texts and nulls is text, in any order of its cells.
    if kind == Some(InferredType::Int) && seen.has(CellClasses::EMPTY) && !seen.has(CellClasses::VALUES) {
        return Ok(Some(InferredType::Text));
    }
    if !misfit {
        return Ok(None);
    }
    let next = kind_of(seen, big_ints)?;
    // If a type did not fit once, the next pass would fail too. Text holds every cell.
    Ok(Some(if kind == Some(next) { InferredType::Text } else { next }))
}

/// The type of the result. A column without values becomes a column of floats, even if it was read as another type.
pub(super) fn final_type(kind: Option<InferredType>, seen: CellClasses) -> InferredType {
    match kind {
        Some(InferredType::Int) if !seen.has(CellClasses::VALUES) && !seen.has(CellClasses::EMPTY) => {
            InferredType::Nothing
        }
        Some(kind) => kind,
        None => InferredType::Nothing,
    }
}

/// The type for the first pass, given the classes of the sample; `None`: only classify the cells.
pub(super) fn first_type(
    column: &ColumnRequest<'_>,
    seen: CellClasses,
    big_ints: BigInts,
) -> Option<InferredType> {
    match kind_of(seen, big_ints) {
        // In some date formats, numbers are instants. In a column of required instants, other numbers are errors. So the first pass
        // uses instants.
        Ok(kind) if column.must_be_time && !matches!(kind, InferredType::Time { .. }) => Some(NO_TIME),
        // Only a text cell makes a column text for every later cell.
        Ok(InferredType::Text | InferredType::Decimal(_)) if !seen.has(CellClasses::TEXT) => None,
        // No value yet. Integers can be promoted to every other type.
        Ok(InferredType::Float) if !seen.has(CellClasses::FLOAT) => Some(InferredType::Int),
        Ok(kind) => Some(kind),
        Err(_) => None,
    }
}
