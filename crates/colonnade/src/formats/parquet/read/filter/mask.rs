//! Evaluates terms on decoded values.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::compile::Test;
use super::prune::CompiledTerms;
use super::value_set::ValueSet;
use crate::arrow::trusted::trusted_array;

/// Returns whether each of `nrows` rows passes; the columns of the terms index `columns`.
pub(crate) fn mask(terms: &CompiledTerms, columns: &[ArrayData], nrows: usize) -> Vec<bool> {
    let arrays: Vec<ArrayRef> = columns.iter().cloned().map(make_array).collect();
    let mut any = vec![false; nrows];
    for list in terms.any() {
        let mut all = vec![true; nrows];
        for (place, test) in list {
            let holds = arrays.get(*place).map(|array| of(test, array)).unwrap_or_default();
            for (row, now) in all.iter_mut().enumerate() {
                *now &= holds.get(row).copied().unwrap_or(false);
            }
        }
        for (row, now) in any.iter_mut().zip(all) {
            *row |= now;
        }
    }
    any
}

/// Evaluates the test for each value; a null never matches.
fn of(test: &Test, array: &ArrayRef) -> Vec<bool> {
    let mut out = values(test, array);
    if let Some(nulls) = array.nulls() {
        for (row, holds) in out.iter_mut().enumerate() {
            *holds &= nulls.is_valid(row);
        }
    }
    out
}

fn values(test: &Test, array: &ArrayRef) -> Vec<bool> {
    match (test, array.data_type()) {
        (_, DataType::Dictionary(..)) => {
            let codes = array.as_any_dictionary();
            let holds = of(test, codes.values());
            let at = |code: &usize| holds.get(*code).copied().unwrap_or(false);
            // The code of a null is arbitrary.
            if codes.values().is_empty() {
                vec![false; array.len()]
            } else {
                codes.normalized_keys().iter().map(at).collect()
            }
        }
        (Test::Ints(shape), data_type) => match data_type {
            DataType::Boolean => {
                array.as_boolean().values().iter().map(|v| shape.contains(&i128::from(v))).collect()
            }
            DataType::Int8 => ints::<Int8Type>(shape, array),
            DataType::Int16 => ints::<Int16Type>(shape, array),
            DataType::Int32 => ints::<Int32Type>(shape, array),
            DataType::Int64 => ints::<Int64Type>(shape, array),
            DataType::UInt8 => ints::<UInt8Type>(shape, array),
            DataType::UInt16 => ints::<UInt16Type>(shape, array),
            DataType::UInt32 => ints::<UInt32Type>(shape, array),
            DataType::UInt64 => ints::<UInt64Type>(shape, array),
            DataType::Decimal32(..) => ints::<Decimal32Type>(shape, array),
            DataType::Decimal64(..) => ints::<Decimal64Type>(shape, array),
            DataType::Decimal128(..) => ints::<Decimal128Type>(shape, array),
            DataType::Date32 => ints::<Date32Type>(shape, array),
            DataType::Date64 => ints::<Date64Type>(shape, array),
            // Times of all units are integers of their widths.
            DataType::Time32(_) => reinterpret::<Int32Type>(shape, array),
            DataType::Time64(_) | DataType::Timestamp(..) | DataType::Duration(_) => {
                reinterpret::<Int64Type>(shape, array)
            }
            _ => vec![false; array.len()],
        },
        (Test::Wide(shape), DataType::Decimal256(..)) => {
            array.as_primitive::<Decimal256Type>().values().iter().map(|v| shape.contains(v)).collect()
        }
        (Test::Floats(shape), data_type) => match data_type {
            DataType::Float16 => floats::<Float16Type>(shape, array, |v| v.to_f64()),
            DataType::Float32 => floats::<Float32Type>(shape, array, f64::from),
            DataType::Float64 => floats::<Float64Type>(shape, array, |v| v),
            _ => vec![false; array.len()],
        },
        (Test::Words(shape), data_type) => words(shape, array, data_type),
        _ => vec![false; array.len()],
    }
}

fn ints<T: ArrowPrimitiveType>(shape: &ValueSet<i128>, array: &ArrayRef) -> Vec<bool>
where
    i128: From<T::Native>,
{
    array.as_primitive::<T>().values().iter().map(|v| shape.contains(&i128::from(*v))).collect()
}

fn reinterpret<T: ArrowPrimitiveType>(shape: &ValueSet<i128>, array: &ArrayRef) -> Vec<bool>
where
    i128: From<T::Native>,
{
    let data = array.to_data().into_builder().data_type(T::DATA_TYPE);
    // Trusted: the same buffers, reinterpreted as the integer type of the same width.
    let data = trusted_array(data);
    ints::<T>(shape, &make_array(data))
}

fn floats<T: ArrowPrimitiveType>(
    shape: &ValueSet<f64>,
    array: &ArrayRef,
    wide: impl Fn(T::Native) -> f64,
) -> Vec<bool> {
    array.as_primitive::<T>().values().iter().map(|v| shape.contains(&wide(*v))).collect()
}

fn words(shape: &ValueSet<Vec<u8>>, array: &ArrayRef, data_type: &DataType) -> Vec<bool> {
    // Compares slices: a `Vec` for each row would cost more than the comparison.
    let shape = match shape {
        ValueSet::OneOf(those) => ValueSet::OneOf(those.iter().map(Vec::as_slice).collect()),
        ValueSet::NoneOf(those) => ValueSet::NoneOf(those.iter().map(Vec::as_slice).collect()),
        ValueSet::Below(end, closed) => ValueSet::Below(end.as_slice(), *closed),
        ValueSet::Above(end, closed) => ValueSet::Above(end.as_slice(), *closed),
    };
    macro_rules! each {
        ($values:expr, $bytes:expr) => {{
            let values = $values;
            (0..array.len()).map(|row| shape.contains(&$bytes(values.value(row)))).collect()
        }};
    }
    match data_type {
        DataType::Utf8 => each!(array.as_string::<i32>(), str::as_bytes),
        DataType::LargeUtf8 => each!(array.as_string::<i64>(), str::as_bytes),
        DataType::Utf8View => each!(array.as_string_view(), str::as_bytes),
        DataType::Binary => each!(array.as_binary::<i32>(), std::convert::identity),
        DataType::LargeBinary => each!(array.as_binary::<i64>(), std::convert::identity),
        DataType::BinaryView => each!(array.as_binary_view(), std::convert::identity),
        DataType::FixedSizeBinary(_) => each!(array.as_fixed_size_binary(), std::convert::identity),
        _ => vec![false; array.len()],
    }
}
