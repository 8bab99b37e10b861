//! Decides which R vector holds a column.

use std::ffi::CString;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, StringArray, make_array};
use arrow_data::ArrayData;
use arrow_schema::{DataType, TimeUnit};
use arrow_select::take::take;
use colonnade::Result;
use colonnade::frame::{DType, DTypeKind, TimeBase, type_name};
use serde_json::Value;

use super::arrays::Source;
use super::{CnrKind, Node, unsupported};
use crate::units::seconds_of;
use crate::{NA_INTEGER, NA_INTEGER64, tags};

/// Whether all values that are not null are R's integers, which have no -2^31. R's `NA` is -2^31 in a null's place.
fn fits_integer<P: ArrowPrimitiveType>(array: &ArrayRef, to_i64: impl Fn(P::Native) -> Option<i64>) -> bool {
    let fits = |value: P::Native| {
        to_i64(value).is_some_and(|value| value > i64::from(NA_INTEGER) && value <= i64::from(i32::MAX))
    };
    let array = array.as_primitive::<P>();
    // A count needs no branch, so the compiler vectorises it.
    let others = array.values().iter().filter(|value| !fits(**value)).count();
    let Some(nulls) = array.nulls().filter(|_| others > 0) else { return others == 0 };
    let absent = !nulls.inner();
    others == absent.set_indices().filter(|row| !fits(array.value(*row))).count()
}

/// The kind of whole numbers of up to 64 bits, and whether the kind rounds them.
fn integer_kind(data: &ArrayData) -> (CnrKind, bool) {
    const EXACT: u64 = 1 << 53;
    let array = make_array(data.clone());
    match data.data_type() {
        DataType::Int32 if fits_integer::<Int32Type>(&array, |value| Some(i64::from(value))) => {
            (CnrKind::Integer, false)
        }
        DataType::Int32 => (CnrKind::Double, false),
        DataType::Int64 => {
            if fits_integer::<Int64Type>(&array, Some) {
                return (CnrKind::Integer, false);
            }
            let values = || array.as_primitive::<Int64Type>().iter().flatten();
            // integer64 has no -2^63, a double has.
            let whole = values().all(|value| value != NA_INTEGER64);
            let exact = values().all(|value| value.unsigned_abs() <= EXACT);
            (if whole { CnrKind::Integer64 } else { CnrKind::Double }, !whole && !exact)
        }
        DataType::UInt32 => {
            let whole = fits_integer::<UInt32Type>(&array, |value| Some(i64::from(value)));
            (if whole { CnrKind::Integer } else { CnrKind::Double }, false)
        }
        DataType::UInt64 => {
            if fits_integer::<UInt64Type>(&array, |value| i64::try_from(value).ok()) {
                return (CnrKind::Integer, false);
            }
            let values = || array.as_primitive::<UInt64Type>().iter().flatten();
            if values().all(|value| i64::try_from(value).is_ok()) {
                return (CnrKind::Integer64, false);
            }
            (CnrKind::Double, !values().all(|value| value <= EXACT))
        }
        _ => (CnrKind::Integer, false),
    }
}

/// Whether times of nanoseconds are rounded to a double.
fn is_rounded(data: &ArrayData, unit: TimeUnit) -> bool {
    if unit != TimeUnit::Nanosecond {
        return false;
    }
    let offset = data.offset();
    let values = data.buffers().first().map(|buffer| buffer.typed_data::<i64>()).unwrap_or_default();
    let mut rows = values.iter().skip(offset).take(data.len()).enumerate();
    rows.any(|(row, &value)| {
        data.is_valid(row) && {
            let seconds = seconds_of(value, unit);
            let part = (seconds - seconds.floor()) * 1e9;
            #[allow(clippy::cast_possible_truncation)] // within 64 bits, as `value` is
            let back = (seconds.floor() as i64).wrapping_mul(1_000_000_000).wrapping_add(part.round() as i64);
            back != value
        }
    })
}

/// The kind of a block of NumPy that Arrow has no type for.
fn block_kind(dtype: DType) -> Option<Result<CnrKind>> {
    let unit = dtype.unit.map(|unit| (unit.base, unit.multiple));
    match dtype.kind {
        DTypeKind::Complex if dtype.itemsize <= 16 => Some(Ok(CnrKind::Complex)),
        DTypeKind::Complex => Some(Err(unsupported(&dtype.descr()))),
        DTypeKind::Float if dtype.itemsize == 16 => Some(Err(unsupported(&dtype.descr()))),
        DTypeKind::DateTime => match unit {
            Some((TimeBase::Day, 1)) => Some(Ok(CnrKind::Date)),
            Some((
                TimeBase::Second | TimeBase::Millisecond | TimeBase::Microsecond | TimeBase::Nanosecond,
                1,
            )) => None,
            _ => Some(Err(unsupported(&dtype.descr()))),
        },
        DTypeKind::TimeDelta => match unit {
            Some((
                TimeBase::Second | TimeBase::Millisecond | TimeBase::Microsecond | TimeBase::Nanosecond,
                1,
            )) => None,
            _ => Some(Err(unsupported(&dtype.descr()))),
        },
        _ => None,
    }
}

/// The levels of a dictionary can be those of a factor: text, each once.
fn has_levels(values: &ArrayData) -> bool {
    if !matches!(values.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) {
        return false;
    }
    let texts = super::views::texts(values);
    let mut seen = std::collections::HashSet::with_capacity(texts.len());
    texts.into_iter().all(|text| seen.insert(text))
}

/// The values of a dictionary, row by row.
fn decoded(data: &ArrayData) -> Result<ArrayData> {
    let dictionary = make_array(data.clone());
    let Some(dictionary) = dictionary.as_any_dictionary_opt() else { return Ok(data.clone()) };
    let values = take(dictionary.values(), dictionary.keys(), None);
    Ok(values.map_err(|error| unsupported(&format!("a dictionary ({error})")))?.to_data())
}

fn kind_of(data: &ArrayData, dtype: Option<DType>, tag: &Value) -> Result<(CnrKind, bool)> {
    if let Some(kind) = dtype.and_then(block_kind) {
        return kind.map(|kind| (kind, false));
    }
    let storage = tag.get("storage").and_then(Value::as_str);
    let exact = |kind| Ok((kind, false));
    match data.data_type() {
        DataType::Null | DataType::Boolean => exact(CnrKind::Logical),
        DataType::UInt8 if storage == Some("raw") && data.null_count() == 0 => exact(CnrKind::Raw),
        DataType::Int64 if storage == Some("integer64") => exact(CnrKind::Integer64),
        DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16 => exact(CnrKind::Integer),
        DataType::Int32 | DataType::Int64 | DataType::UInt32 | DataType::UInt64 => Ok(integer_kind(data)),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => exact(CnrKind::Double),
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => {
            Ok((CnrKind::Double, true))
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => exact(CnrKind::Text),
        DataType::Binary | DataType::LargeBinary | DataType::FixedSizeBinary(_) | DataType::BinaryView => {
            exact(if storage == Some("cells") { CnrKind::Cells } else { CnrKind::Bytes })
        }
        DataType::Dictionary(..) => exact(CnrKind::Factor),
        DataType::Date32 | DataType::Date64 => exact(CnrKind::Date),
        DataType::Timestamp(unit, _) => Ok((CnrKind::Time, is_rounded(data, *unit))),
        DataType::Duration(unit) => Ok((CnrKind::Duration, is_rounded(data, *unit))),
        DataType::Time32(_) | DataType::Time64(_) => exact(CnrKind::Clock),
        DataType::List(_) | DataType::LargeList(_) | DataType::Map(..) => exact(CnrKind::List),
        DataType::FixedSizeList(_, _) if data.null_count() == 0 => exact(CnrKind::Matrix),
        DataType::FixedSizeList(_, _) => exact(CnrKind::List),
        DataType::Struct(_) => exact(CnrKind::Frame),
        other => Err(unsupported(&type_name(other, false))),
    }
}

/// The node of a column, level or child.
pub(super) fn node(name: String, source: Source) -> Result<Node> {
    let Source { mut data, dtype, ordered, tag } = source;
    let tag: Value = tag.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let tag = if tag.get("kind").and_then(Value::as_str) == Some("r") { tag } else { Value::Null };
    if matches!(data.data_type(), DataType::Dictionary(..))
        && !data.child_data().first().is_some_and(has_levels)
    {
        data = decoded(&data)?;
    }
    let (kind, rounded) = kind_of(&data, dtype, &tag)?;
    let zone = match data.data_type() {
        DataType::Timestamp(_, zone) => {
            Some(CString::new(zone.as_deref().unwrap_or("UTC")).unwrap_or_default())
        }
        _ => None,
    };
    let attributes = tag.get("attributes").map_or(Ok(Vec::new()), tags::attributes_to_msgpack)?;
    Ok(Node {
        name,
        data,
        ordered,
        kind,
        rounded,
        integer: tag.get("storage").and_then(Value::as_str) == Some("integer"),
        tagged: tag.get("attributes").is_some(),
        attributes,
        zone,
        children: Vec::new(),
    })
}

fn child_source(data: ArrayData, ordered: bool) -> Source {
    Source { data, dtype: None, ordered, tag: None }
}

/// The children of a node that R needs as vectors.
pub(super) fn children(node: &Node) -> Vec<Source> {
    let data = &node.data;
    match node.kind {
        CnrKind::Factor => match data.child_data().first() {
            Some(levels) => vec![child_source(levels.clone(), false)],
            None => vec![child_source(StringArray::from(Vec::<&str>::new()).to_data(), false)],
        },
        CnrKind::List | CnrKind::Matrix => {
            let Some(child) = data.child_data().first() else { return Vec::new() };
            let child = match data.data_type() {
                DataType::FixedSizeList(_, width) => {
                    let width = usize::try_from(*width).unwrap_or(0);
                    child.slice(data.offset() * width, data.len() * width)
                }
                // Offsets count from the child's first value.
                _ => child.clone(),
            };
            vec![child_source(child, false)]
        }
        CnrKind::Frame => {
            let DataType::Struct(fields) = data.data_type() else { return Vec::new() };
            let column = |(field, child): (&arrow_schema::FieldRef, &ArrayData)| {
                let child = if data.offset() == 0 && child.len() == data.len() {
                    child.clone()
                } else {
                    child.slice(data.offset(), data.len())
                };
                child_source(child, field.dict_is_ordered().unwrap_or(false))
            };
            fields.iter().zip(data.child_data()).map(column).collect()
        }
        _ => Vec::new(),
    }
}

impl Node {
    /// The name of a struct's field.
    pub(super) fn child_name(&self, child: usize) -> &str {
        match self.data.data_type() {
            DataType::Struct(fields) => fields.get(child).map_or("", |field| field.name()),
            _ => "",
        }
    }

    /// Values of a matrix' row.
    pub(super) fn width(&self) -> usize {
        match self.data.data_type() {
            DataType::FixedSizeList(_, width) => usize::try_from(*width).unwrap_or(0),
            _ => 1,
        }
    }
}
