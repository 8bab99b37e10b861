//! Evaluates terms on decoded values.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, RunEndIndexType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RunArray, make_array};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::compile::{CompiledTerms, Test};
use super::value_set::ValueSet;
use crate::arrow::trusted::trusted_array;

/// Returns whether each of `nrows` rows passes; the columns of the terms index `columns`.
pub(crate) fn mask(terms: &CompiledTerms, columns: &[ArrayData], nrows: usize) -> Vec<bool> {
    let arrays: Vec<ArrayRef> = columns.iter().cloned().map(make_array).collect();
    let mut any = vec![false; nrows];
    for list in terms.any() {
        let mut all = vec![true; nrows];
        for (place, test) in list {
            let holds = arrays.get(*place).map_or_else(|| vec![false; nrows], |array| of(test, array));
            all.iter_mut().zip(holds).for_each(|(row, now)| *row &= now);
        }
        any.iter_mut().zip(all).for_each(|(row, now)| *row |= now);
    }
    any
}

/// Evaluates the test for each value; no comparison matches a null.
fn of(test: &Test, array: &ArrayRef) -> Vec<bool> {
    if let Test::Null(is_null) = test {
        let mut out = vec![!is_null; array.len()];
        if let Some(nulls) = array.logical_nulls() {
            for (row, holds) in out.iter_mut().enumerate() {
                *holds = nulls.is_null(row) == *is_null;
            }
        }
        return out;
    }
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
        (_, DataType::RunEndEncoded(..)) => by_run::<Int16Type>(test, array)
            .or_else(|| by_run::<Int32Type>(test, array))
            .or_else(|| by_run::<Int64Type>(test, array))
            .unwrap_or_else(|| vec![false; array.len()]),
        (Test::Ints(shape), data_type) => match data_type {
            DataType::Boolean => {
                array.as_boolean().values().iter().map(|v| shape.contains(&i128::from(v))).collect()
            }
            DataType::Int8 => ints::<Int8Type, i64>(shape, array),
            DataType::Int16 => ints::<Int16Type, i64>(shape, array),
            DataType::Int32 => ints::<Int32Type, i64>(shape, array),
            DataType::Int64 => ints::<Int64Type, i64>(shape, array),
            DataType::UInt8 => ints::<UInt8Type, i64>(shape, array),
            DataType::UInt16 => ints::<UInt16Type, i64>(shape, array),
            DataType::UInt32 => ints::<UInt32Type, i64>(shape, array),
            DataType::UInt64 => ints::<UInt64Type, u64>(shape, array),
            DataType::Decimal32(..) => ints::<Decimal32Type, i64>(shape, array),
            DataType::Decimal64(..) => ints::<Decimal64Type, i64>(shape, array),
            DataType::Decimal128(..) => ints::<Decimal128Type, i128>(shape, array),
            DataType::Date32 => ints::<Date32Type, i64>(shape, array),
            DataType::Date64 => ints::<Date64Type, i64>(shape, array),
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

/// Evaluates the test once for each run.
fn by_run<R: RunEndIndexType>(test: &Test, array: &ArrayRef) -> Option<Vec<bool>> {
    let runs = array.as_any().downcast_ref::<RunArray<R>>()?;
    let holds = of(test, runs.values());
    let at = |row: usize| holds.get(runs.get_physical_index(row)).copied().unwrap_or(false);
    Some((0..runs.len()).map(at).collect())
}

/// Compares integers in the narrow type `W`, in which the loop is fast.
fn ints<T: ArrowPrimitiveType, W>(shape: &ValueSet<i128>, array: &ArrayRef) -> Vec<bool>
where
    W: From<T::Native> + TryFrom<i128> + PartialOrd + Copy,
{
    let narrow = |value: i128| W::try_from(value).map_err(|_| value < 0);
    let values = array.as_primitive::<T>().values().iter();
    shape.clone().narrowed(narrow).contains_each(values.map(|v| W::from(*v)))
}

fn reinterpret<T: ArrowPrimitiveType>(shape: &ValueSet<i128>, array: &ArrayRef) -> Vec<bool>
where
    i64: From<T::Native>,
{
    let data = array.to_data().into_builder().data_type(T::DATA_TYPE);
    // Trusted: the same buffers, reinterpreted as the integer type of the same width.
    let data = trusted_array(data);
    ints::<T, i64>(shape, &make_array(data))
}

fn floats<T: ArrowPrimitiveType>(
    shape: &ValueSet<f64>,
    array: &ArrayRef,
    wide: impl Fn(T::Native) -> f64,
) -> Vec<bool> {
    shape.contains_each(array.as_primitive::<T>().values().iter().map(|v| wide(*v)))
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
