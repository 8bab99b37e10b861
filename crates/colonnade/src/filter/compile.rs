//! Compiles terms for columns of known types: converts literals exactly to the column's unit.

use arrow_buffer::i256;
use arrow_schema::{DataType, TimeUnit};

use super::value_set::ValueSet;
use super::{Literal, Op, RowFilter, Term};
use crate::cells::iso8601::{self, IsoSpelling, TimeText};
use crate::error::{Error, Result};
use crate::frame::{type_name, values_of};

/// The compiled terms of a filter: for each the position of its column, and the test.
pub(crate) struct CompiledTerms(Vec<Vec<(usize, Test)>>);

impl CompiledTerms {
    /// Compiles the filter's terms for columns of these names and types, which are all that it names.
    ///
    /// # Errors
    /// As [`Test::new`].
    pub(crate) fn new(filter: &RowFilter, columns: &[(&str, &DataType)]) -> Result<Self> {
        let term = |term: &Term| {
            let (place, (_, data_type)) =
                columns.iter().enumerate().find(|(_, (name, _))| *name == term.column)?;
            Some(Test::new(term, data_type).map(|test| (place, test)))
        };
        let list = |list: &Vec<Term>| list.iter().filter_map(term).collect::<Result<Vec<_>>>();
        filter.any.iter().map(list).collect::<Result<_>>().map(Self)
    }

    /// The lists of terms.
    pub(crate) fn any(&self) -> &[Vec<(usize, Test)>] {
        &self.0
    }
}

/// A compiled term over values: integers in the column's unit, wide decimals, floats, or bytes in lexicographic order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    /// Bools, integers, times, decimals of up to 128 bits.
    Ints(ValueSet<i128>),
    /// Decimals of 256 bits.
    Wide(ValueSet<i256>),
    /// Floats of all widths.
    Floats(ValueSet<f64>),
    /// Text and bytes.
    Words(ValueSet<Vec<u8>>),
    /// Null, or with `false` not null.
    Null(bool),
}

/// A literal in the column's unit: the largest integer that is not above it, and whether that integer equals it.
#[derive(Clone, Copy)]
struct UnitLiteral {
    floor: i256,
    exact: bool,
}

impl Test {
    /// Compiles `term` for a column of type `data_type`.
    ///
    /// # Errors
    /// `InvalidOption`: literals that do not compare with the column's values, columns without an order.
    pub(crate) fn new(term: &Term, data_type: &DataType) -> Result<Self> {
        let data_type = values_of(data_type);
        if let Op::IsNull | Op::IsNotNull = term.op {
            return Ok(Self::Null(term.op == Op::IsNull));
        }
        if !matches!(term.op, Op::In | Op::NotIn) && term.literals.len() != 1 {
            let message = format!("column {:?}: {} takes one value.", term.column, term.op.word());
            return Err(Error::invalid_option("filters", message));
        }
        match data_type {
            // All its values are null.
            DataType::Null => Ok(Self::Ints(ValueSet::empty())),
            DataType::Float16 | DataType::Float32 | DataType::Float64 => {
                floats(term, data_type).map(Self::Floats)
            }
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                let text = |literal: &Literal| match literal {
                    Literal::Text(text) => Some(text.as_bytes().to_vec()),
                    _ => None,
                };
                words(term, data_type, text).map(Self::Words)
            }
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => {
                // NumPy pads bytes of fixed width with NUL.
                let width = match data_type {
                    DataType::FixedSizeBinary(width) => usize::try_from(*width).unwrap_or(0),
                    _ => 0,
                };
                let bytes = |literal: &Literal| match literal {
                    Literal::Bytes(bytes) => {
                        let mut bytes = bytes.clone();
                        bytes.resize(bytes.len().max(width), 0);
                        Some(bytes)
                    }
                    _ => None,
                };
                words(term, data_type, bytes).map(Self::Words)
            }
            DataType::Decimal256(..) => ints(term, data_type).map(Self::Wide),
            _ => {
                let narrow = |value: i256| value.to_i128().ok_or(value.is_negative());
                Ok(Self::Ints(ints(term, data_type)?.narrowed(narrow)))
            }
        }
    }
}

#[cold]
fn mismatch(term: &Term, literal: &Literal, data_type: &DataType) -> Error {
    let column = &term.column;
    if data_type.is_nested() {
        let message = format!(
            "column {column:?} is nested, and its values have no order. Only `is null` can be asked of it."
        );
        return Error::invalid_option("filters", message);
    }
    let advice = match (data_type, literal) {
        (DataType::Timestamp(..), Literal::Instant(..)) => "Give both a zone, or neither.",
        (DataType::Timestamp(_, Some(_)), Literal::Text(_)) => {
            "Text is read as ISO 8601, here with a zone: '2024-01-31T12:00Z'."
        }
        (DataType::Timestamp(..) | DataType::Date32 | DataType::Date64, Literal::Text(_)) => {
            "Text is read as ISO 8601: '2024-01-31', '2024-01-31T12:00:00'."
        }
        (DataType::Time32(_) | DataType::Time64(_), Literal::Text(_)) => {
            "Text is read as ISO 8601: '12:30:00'."
        }
        _ => "Pass a value of the column's type.",
    };
    let found = match literal {
        Literal::Text(text) => format!("the text {text:?}"),
        other => other.kind().to_owned(),
    };
    let message = format!(
        "column {column:?} {}: expected a value that {} can be compared with, found {found}. {advice}",
        term.op.word(),
        type_name(data_type, false),
    );
    Error::invalid_option("filters", message)
}

fn ints(term: &Term, data_type: &DataType) -> Result<ValueSet<i256>> {
    let bound = |literal: &Literal| -> Result<Option<UnitLiteral>> {
        bound(literal, data_type).ok_or_else(|| mismatch(term, literal, data_type))
    };
    let one = i256::ONE;
    if let Op::Equal | Op::NotEqual | Op::In | Op::NotIn = term.op {
        let mut those = Vec::with_capacity(term.literals.len());
        for literal in &term.literals {
            those.extend(bound(literal)?.filter(|b| b.exact).map(|b| b.floor));
        }
        those.sort_unstable();
        return Ok(listed(term.op, those));
    }
    let Some(literal) = term.literals.first() else { return Ok(ValueSet::empty()) };
    // NaN: no value is below it, above it or equal to it.
    let Some(UnitLiteral { floor, exact }) = bound(literal)? else { return Ok(ValueSet::empty()) };
    Ok(match term.op {
        Op::Less if exact => ValueSet::Below(floor, false),
        Op::Less | Op::LessEqual => ValueSet::Below(floor, true),
        Op::GreaterEqual if exact => ValueSet::Above(floor, true),
        _ => ValueSet::Above(floor.checked_add(one).unwrap_or(floor), true),
    })
}

fn listed<T: PartialOrd>(op: Op, those: Vec<T>) -> ValueSet<T> {
    if matches!(op, Op::Equal | Op::In) { ValueSet::OneOf(those) } else { ValueSet::NoneOf(those) }
}

/// Converts a literal to the unit of an integer-like type; `Some(None)` is NaN, and `None` a literal that does not compare.
fn bound(literal: &Literal, data_type: &DataType) -> Option<Option<UnitLiteral>> {
    let whole = |value: i128| Some(Some(UnitLiteral { floor: i256::from_i128(value), exact: true }));
    let of_unit = |nanos: i128, unit: &TimeUnit| {
        let per = nanos_in(unit);
        let floor = i256::from_i128(nanos.div_euclid(per));
        Some(Some(UnitLiteral { floor, exact: nanos.rem_euclid(per) == 0 }))
    };
    const DAY_NANOS: i128 = 86_400_000_000_000;
    if let Literal::Text(text) = literal {
        return bound(&time_of(text, data_type)?, data_type);
    }
    match (data_type, literal) {
        (DataType::Boolean, Literal::Bool(value)) => whole(i128::from(*value)),
        (other, Literal::Int(value)) if other.is_integer() => whole(*value),
        (other, Literal::Bool(value)) if other.is_integer() => whole(i128::from(*value)),
        (other, Literal::Float(value)) if other.is_integer() => Some(of_float(*value)),
        (other, Literal::Decimal(digits, scale)) if other.is_integer() => Some(rescaled(*digits, *scale, 0)),
        (
            DataType::Decimal32(_, scale)
            | DataType::Decimal64(_, scale)
            | DataType::Decimal128(_, scale)
            | DataType::Decimal256(_, scale),
            literal,
        ) => match literal {
            Literal::Int(value) => Some(rescaled(*value, 0, *scale)),
            Literal::Decimal(digits, of) => Some(rescaled(*digits, *of, *scale)),
            _ => None,
        },
        (DataType::Timestamp(unit, zone), Literal::Instant(nanos, utc)) => {
            let zoned = zone.as_ref().is_some_and(|zone| !zone.is_empty());
            if zoned == *utc { of_unit(*nanos, unit) } else { None }
        }
        (DataType::Timestamp(unit, None), Literal::Date(days)) => {
            of_unit(i128::from(*days) * DAY_NANOS, unit)
        }
        (DataType::Date32, Literal::Date(days)) => whole(i128::from(*days)),
        (DataType::Date64, Literal::Date(days)) => whole(i128::from(*days) * 86_400_000),
        (DataType::Date32, Literal::Instant(nanos, false)) => {
            let floor = i256::from_i128(nanos.div_euclid(DAY_NANOS));
            Some(Some(UnitLiteral { floor, exact: nanos.rem_euclid(DAY_NANOS) == 0 }))
        }
        (DataType::Date64, Literal::Instant(nanos, false)) => of_unit(*nanos, &TimeUnit::Millisecond),
        (DataType::Time32(unit) | DataType::Time64(unit), Literal::Clock(nanos)) => of_unit(*nanos, unit),
        (DataType::Duration(unit), Literal::Span(nanos)) => of_unit(*nanos, unit),
        _ => None,
    }
}

/// Reads text as a time of ISO 8601, for a column of times. A date without a time of day is its midnight.
fn time_of(text: &str, data_type: &DataType) -> Option<Literal> {
    let nanos = |seconds: i64, part: u32| i128::from(seconds) * 1_000_000_000 + i128::from(part);
    match data_type {
        DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 => {
            let found = iso8601::instant(text.as_bytes(), IsoSpelling::Lenient)?;
            Some(Literal::Instant(nanos(found.seconds, found.nanoseconds), found.zoned))
        }
        DataType::Time32(_) | DataType::Time64(_) => {
            let mut rest = TimeText(text.as_bytes());
            let (seconds, part) = rest.clock(IsoSpelling::Lenient)?;
            rest.0.is_empty().then_some(Literal::Clock(nanos(seconds, part)))
        }
        _ => None,
    }
}

fn nanos_in(unit: &TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1000,
        TimeUnit::Nanosecond => 1,
    }
}

#[allow(clippy::cast_possible_truncation)] // saturates beyond 128 bits, where no column has values
fn of_float(value: f64) -> Option<UnitLiteral> {
    if value.is_nan() {
        return None;
    }
    let floor = value.floor();
    Some(UnitLiteral { floor: i256::from_i128(floor as i128), exact: floor == value && value.is_finite() })
}

/// Rescales `digits` of scale `of` to scale `to`. No column has values beyond 256 bits: such a result saturates.
fn rescaled(digits: i128, of: u8, to: i8) -> Option<UnitLiteral> {
    let digits = i256::from_i128(digits);
    let step = i32::from(to) - i32::from(of);
    let farthest =
        || UnitLiteral { floor: if digits.is_negative() { i256::MIN } else { i256::MAX }, exact: false };
    let power = i256::from_i128(10).checked_pow(step.unsigned_abs());
    Some(match power {
        Some(power) if step >= 0 => {
            digits.checked_mul(power).map_or_else(farthest, |floor| UnitLiteral { floor, exact: true })
        }
        Some(power) => {
            let (quotient, rest) = (digits.wrapping_div(power), digits.wrapping_rem(power));
            let below = rest.is_negative();
            let floor = if below { quotient.wrapping_sub(i256::ONE) } else { quotient };
            UnitLiteral { floor, exact: rest == i256::ZERO }
        }
        None if step >= 0 && digits != i256::ZERO => farthest(),
        None if step >= 0 => UnitLiteral { floor: i256::ZERO, exact: true },
        None => UnitLiteral {
            floor: if digits.is_negative() { i256::MINUS_ONE } else { i256::ZERO },
            exact: digits == i256::ZERO,
        },
    })
}

fn floats(term: &Term, data_type: &DataType) -> Result<ValueSet<f64>> {
    // An integer may lie between two floats: the nearest float represents it, together with how the two compare.
    let near = |literal: &Literal| -> Result<(f64, std::cmp::Ordering)> {
        use std::cmp::Ordering::Equal;
        match literal {
            Literal::Float(value) => Ok((*value, Equal)),
            Literal::Bool(value) => Ok((f64::from(u8::from(*value)), Equal)),
            Literal::Int(value) => {
                #[allow(clippy::cast_precision_loss)] // compared with the value below
                let near = *value as f64;
                #[allow(clippy::cast_possible_truncation)]
                // saturates, and is then farther out than the number
                Ok((near, (near as i128).cmp(value)))
            }
            // As a float written with these digits.
            Literal::Decimal(digits, scale) => {
                let near = format!("{digits}e-{scale}").parse();
                Ok((near.unwrap_or(f64::NAN), Equal))
            }
            other => Err(mismatch(term, other, data_type)),
        }
    };
    if let Op::Equal | Op::NotEqual | Op::In | Op::NotIn = term.op {
        let mut those = Vec::with_capacity(term.literals.len());
        for literal in &term.literals {
            let (value, order) = near(literal)?;
            if order.is_eq() && !value.is_nan() {
                those.push(value);
            }
        }
        those.sort_unstable_by(f64::total_cmp);
        return Ok(listed(term.op, those));
    }
    let Some(literal) = term.literals.first() else { return Ok(ValueSet::empty()) };
    let (value, order) = near(literal)?;
    if value.is_nan() {
        return Ok(ValueSet::empty());
    }
    // `order`: how the float compares with the number that it represents.
    Ok(match term.op {
        Op::Less => ValueSet::Below(value, order.is_lt()),
        Op::LessEqual => ValueSet::Below(value, order.is_le()),
        Op::Greater => ValueSet::Above(value, order.is_gt()),
        _ => ValueSet::Above(value, order.is_ge()),
    })
}

fn words(
    term: &Term,
    data_type: &DataType,
    of: impl Fn(&Literal) -> Option<Vec<u8>>,
) -> Result<ValueSet<Vec<u8>>> {
    let mut those = Vec::with_capacity(term.literals.len());
    for literal in &term.literals {
        those.push(of(literal).ok_or_else(|| mismatch(term, literal, data_type))?);
    }
    if let Op::Equal | Op::NotEqual | Op::In | Op::NotIn = term.op {
        those.sort_unstable();
        return Ok(listed(term.op, those));
    }
    let Some(word) = those.into_iter().next() else { return Ok(ValueSet::empty()) };
    Ok(match term.op {
        Op::Less => ValueSet::Below(word, false),
        Op::LessEqual => ValueSet::Below(word, true),
        Op::Greater => ValueSet::Above(word, false),
        _ => ValueSet::Above(word, true),
    })
}
