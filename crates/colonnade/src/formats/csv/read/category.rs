//! Category columns: the cells' type is inferred, then the distinct values are stored once, sorted.
//!
//! The result equals that of `pandas.read_csv(dtype="category")`: categories are numbers if all cells are numbers, else text.

use std::collections::HashMap;
use std::hash::Hash;

use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, LargeStringArray,
    PrimitiveArray, UInt64Array,
};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::FORMAT;
use crate::error::{Error, Result};
use crate::frame::Column;

/// The name of the type in `dtypes`.
pub(super) const NAME: &str = "category";

/// Converts the column to categories.
pub(super) fn categories_of(column: &Column) -> Result<Column> {
    let data = &column.data;
    let (codes, values): (Vec<Option<usize>>, ArrayRef) = match data.data_type() {
        DataType::Int64 => {
            let cells = Int64Array::from(data.clone());
            let (codes, values) = encode_categories(cells.iter(), |value| value);
            (codes, std::sync::Arc::new(Int64Array::from(values)))
        }
        DataType::UInt64 => {
            let cells = UInt64Array::from(data.clone());
            let (codes, values) = encode_categories(cells.iter(), |value| value);
            (codes, std::sync::Arc::new(UInt64Array::from(values)))
        }
        DataType::Float64 => {
            let cells = Float64Array::from(data.clone());
            // NaN is not a category. Both zeros are one category, because they are equal.
            let found = cells.iter().map(|cell| cell.filter(|value| !value.is_nan()));
            let (codes, values) = encode_categories(found, |value: f64| OrderedFloat::of(value));
            (codes, std::sync::Arc::new(Float64Array::from(values)))
        }
        DataType::Boolean => {
            let cells = BooleanArray::from(data.clone());
            let (codes, values) = encode_categories(cells.iter(), |value| value);
            (codes, std::sync::Arc::new(BooleanArray::from(values)))
        }
        DataType::LargeUtf8 => {
            let cells = LargeStringArray::from(data.clone());
            // The byte order of UTF-8 is the order of its characters.
            let (codes, values) = encode_categories(cells.iter(), |value| value);
            (codes, std::sync::Arc::new(LargeStringArray::from_iter_values(values)))
        }
        other => {
            let message = format!(
                "dtype: expected numbers, truth values or text to make categories of, found {other}. Leave \"category\" out, or \
                 read with big_ints=\"text\"."
            );
            return Err(Error::unsupported(FORMAT, message));
        }
    };
    // pandas uses the same width for codes.
    let data = match values.len() {
        0..127 => dictionary::<Int8Type>(&codes, &values),
        127..32_767 => dictionary::<Int16Type>(&codes, &values),
        32_767..2_147_483_647 => dictionary::<Int32Type>(&codes, &values),
        _ => dictionary::<Int64Type>(&codes, &values),
    };
    Ok(Column::new(data.ok_or_else(|| Error::malformed(FORMAT, "codes that name no category."))?))
}

/// A float's rank in the order of all floats, as an integer. Both zeros have the same rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct OrderedFloat(u64);

impl OrderedFloat {
    fn of(value: f64) -> Self {
        let bits = (value + 0.0).to_bits();
        Self(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
    }
}

/// Returns the code of each cell, and the distinct values in order.
fn encode_categories<T: Copy, K: Copy + Eq + Hash + Ord>(
    cells: impl Iterator<Item = Option<T>>,
    key: impl Fn(T) -> K,
) -> (Vec<Option<usize>>, Vec<T>) {
    let mut codes_by_key: HashMap<K, usize> = HashMap::new();
    let mut values: Vec<(K, T)> = Vec::new();
    let mut last: Option<(K, usize)> = None;
    let mut code = |cell: T| {
        let key = key(cell);
        // Most cells have the same category as the cell before.
        if let Some((before, code)) = last
            && before == key
        {
            return code;
        }
        let code = *codes_by_key.entry(key).or_insert_with(|| {
            values.push((key, cell));
            values.len() - 1
        });
        last = Some((key, code));
        code
    };
    let mut codes: Vec<Option<usize>> = cells.map(|cell| cell.map(&mut code)).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by_key(|place| values.get(*place).map(|(key, _)| *key));
    let mut places = vec![0; order.len()];
    for (place, old) in order.iter().enumerate() {
        if let Some(slot) = places.get_mut(*old) {
            *slot = place;
        }
    }
    for code in codes.iter_mut().flatten() {
        *code = places.get(*code).copied().unwrap_or(0);
    }
    let values = order.iter().filter_map(|old| values.get(*old)).map(|(_, value)| *value).collect();
    (codes, values)
}

fn dictionary<T: ArrowDictionaryKeyType>(codes: &[Option<usize>], values: &ArrayRef) -> Option<ArrayData>
where
    T::Native: TryFrom<usize>,
{
    let narrow = |code: &Option<usize>| code.and_then(|code| T::Native::try_from(code).ok());
    let keys: PrimitiveArray<T> = codes.iter().map(narrow).collect();
    Some(DictionaryArray::try_new(keys, values.clone()).ok()?.into_data())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_places_among_the_sorted_values() {
        let cells = ["b", "a", "", "b", "b", "c", "a"].map(|cell| Some(cell).filter(|cell| !cell.is_empty()));
        let (codes, values) = encode_categories(cells.into_iter(), |cell| cell);
        assert_eq!(codes, [Some(1), Some(0), None, Some(1), Some(1), Some(2), Some(0)]);
        assert_eq!(values, ["a", "b", "c"]);
        let floats = [1.5, -0.0, f64::NEG_INFINITY, 0.0, -2.0, f64::INFINITY];
        let (codes, values) = encode_categories(floats.into_iter().map(Some), OrderedFloat::of);
        assert_eq!(codes, [3, 2, 0, 2, 1, 4].map(Some));
        assert_eq!(values, [f64::NEG_INFINITY, -2.0, -0.0, 1.5, f64::INFINITY]);
        assert_eq!(encode_categories([None::<&str>].into_iter(), |cell| cell), (vec![None], vec![]));
    }
}
