//! The size of an array in which no rows share values, computed from offsets, sizes, codes and run ends without copying.
//!
//! Views, list views, runs and codes let many rows share one long value. Each item counts at least as a word, the size of a
//! reference to it.

use arrow_buffer::ArrowNativeType;
use arrow_data::ArrayData;
use arrow_schema::{DataType, UnionMode};

use super::children;

/// Names such values in error messages.
pub const SHARED: &str = "values that share their bytes";

/// Least bytes of a value.
const WORD: u64 = 8;

/// The cost of each row.
enum RowCosts {
    /// All rows cost the same.
    Each(u64),
    /// Prefix sums: before each row, and after the last one.
    Sums(Vec<u64>),
}

impl RowCosts {
    fn cost_of(&self, start: usize, end: usize) -> u64 {
        match self {
            Self::Each(cost) => cost.saturating_mul(end.saturating_sub(start) as u64),
            Self::Sums(sums) => {
                let at = |i: usize| sums.get(i).or(sums.last()).copied().unwrap_or(0);
                at(end).saturating_sub(at(start))
            }
        }
    }

    fn of(rows: impl Iterator<Item = u64>) -> Self {
        let mut sum = 0u64;
        let sums = std::iter::once(0).chain(rows.map(|cost| {
            sum = sum.saturating_add(cost);
            sum
        }));
        Self::Sums(sums.collect())
    }
}

/// The kinds of sharing to resolve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// Shared bytes and items. Dictionary codes and runs stay encoded.
    Views,
    /// Also codes and runs, so that every row has a separate value.
    All,
}

/// Whether rows of the type may share values.
#[must_use]
pub fn may_share(data_type: &DataType, sharing: Sharing) -> bool {
    let shares = match data_type {
        DataType::Utf8View | DataType::BinaryView | DataType::ListView(_) | DataType::LargeListView(_) => {
            true
        }
        DataType::Union(_, UnionMode::Dense) => true,
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) => sharing == Sharing::All,
        _ => false,
    };
    let child_shares = match data_type {
        // A dictionary's values are a separate array, which has been checked on its own.
        DataType::Dictionary(..) => false,
        _ => children(data_type).iter().any(|field| may_share(field.data_type(), sharing)),
    };
    shares || child_shares
}

/// Bytes of all rows of a valid array without sharing.
#[must_use]
pub fn unshared_nbytes(data: &ArrayData, sharing: Sharing) -> u64 {
    costs(data, sharing).cost_of(0, data.len())
}

fn costs(data: &ArrayData, sharing: Sharing) -> RowCosts {
    let child = |i: usize| data.child_data().get(i).map_or(RowCosts::Each(0), |data| costs(data, sharing));
    let rows = data.offset()..data.offset() + data.len();
    match data.data_type() {
        DataType::Utf8 | DataType::Binary => lengths::<i32>(data, &RowCosts::Each(1)),
        DataType::LargeUtf8 | DataType::LargeBinary => lengths::<i64>(data, &RowCosts::Each(1)),
        DataType::List(_) | DataType::Map(..) => lengths::<i32>(data, &child(0)),
        DataType::LargeList(_) => lengths::<i64>(data, &child(0)),
        DataType::ListView(_) => sizes::<i32>(data, &child(0)),
        DataType::LargeListView(_) => sizes::<i64>(data, &child(0)),
        DataType::Utf8View | DataType::BinaryView => {
            let views = typed_buffer::<u128>(data, 0).get(rows).unwrap_or(&[]);
            // The lower half of a view's first word is its length.
            RowCosts::of(
                views.iter().map(|view| WORD + u64::try_from(view & u128::from(u32::MAX)).unwrap_or(0)),
            )
        }
        DataType::FixedSizeList(_, n) => {
            let (items, n) = (child(0), usize::try_from(*n).unwrap_or(0));
            let at = |row: usize| row.saturating_mul(n);
            match items {
                RowCosts::Each(cost) => RowCosts::Each(WORD.saturating_add(cost.saturating_mul(n as u64))),
                items => {
                    RowCosts::of(rows.map(|row| WORD.saturating_add(items.cost_of(at(row), at(row + 1)))))
                }
            }
        }
        DataType::Struct(_) | DataType::Union(_, UnionMode::Sparse) => {
            let members: Vec<RowCosts> = (0..data.child_data().len()).map(child).collect();
            // Slicing a struct may slice its members too.
            let is_sliced = data.child_data().iter().all(|member| member.len() == data.len());
            let rows = if is_sliced { 0..data.len() } else { rows };
            let each = members.iter().try_fold(WORD, |sum, member| match member {
                RowCosts::Each(cost) => Some(sum.saturating_add(*cost)),
                RowCosts::Sums(_) => None,
            });
            let of =
                |row: usize| members.iter().fold(WORD, |sum, m| sum.saturating_add(m.cost_of(row, row + 1)));
            each.map_or_else(|| RowCosts::of(rows.map(of)), RowCosts::Each)
        }
        DataType::Union(fields, _) => {
            let members: Vec<RowCosts> = (0..data.child_data().len()).map(child).collect();
            let ids: Vec<i8> = fields.iter().map(|(id, _)| id).collect();
            let (types, offsets) = (typed_buffer::<i8>(data, 0), typed_buffer::<i32>(data, 1));
            RowCosts::of(rows.map(|row| {
                let member =
                    types.get(row).and_then(|id| members.get(ids.iter().position(|other| other == id)?));
                let at = offsets.get(row).and_then(|&at| usize::try_from(at).ok()).unwrap_or(0);
                member.map_or(WORD, |member| WORD.saturating_add(member.cost_of(at, at + 1)))
            }))
        }
        DataType::Dictionary(key, _) if sharing == Sharing::All => {
            let values = child(0);
            let code = |row: usize| -> Option<usize> {
                Some(match key.as_ref() {
                    DataType::Int8 => usize::try_from(*typed_buffer::<i8>(data, 0).get(row)?).ok()?,
                    DataType::Int16 => usize::try_from(*typed_buffer::<i16>(data, 0).get(row)?).ok()?,
                    DataType::Int32 => usize::try_from(*typed_buffer::<i32>(data, 0).get(row)?).ok()?,
                    DataType::Int64 => usize::try_from(*typed_buffer::<i64>(data, 0).get(row)?).ok()?,
                    DataType::UInt8 => usize::from(*typed_buffer::<u8>(data, 0).get(row)?),
                    DataType::UInt16 => usize::from(*typed_buffer::<u16>(data, 0).get(row)?),
                    DataType::UInt32 => usize::try_from(*typed_buffer::<u32>(data, 0).get(row)?).ok()?,
                    _ => usize::try_from(*typed_buffer::<u64>(data, 0).get(row)?).ok()?,
                })
            };
            let cost = |row: usize| code(row).map_or(0, |code| values.cost_of(code, code.saturating_add(1)));
            RowCosts::of(rows.map(|row| WORD.saturating_add(cost(row))))
        }
        DataType::RunEndEncoded(ends, _) if sharing == Sharing::All => {
            let (values, Some(run_end_data)) = (child(1), data.child_data().first()) else {
                return RowCosts::Each(WORD);
            };
            let end_rows = run_end_data.offset()..run_end_data.offset() + run_end_data.len();
            let ends: Vec<usize> = match ends.data_type() {
                DataType::Int16 => run_ends::<i16>(run_end_data, end_rows),
                DataType::Int32 => run_ends::<i32>(run_end_data, end_rows),
                _ => run_ends::<i64>(run_end_data, end_rows),
            };
            let mut run = 0;
            RowCosts::of(rows.map(|row| {
                while ends.get(run).is_some_and(|&end| end <= row) {
                    run += 1;
                }
                WORD.saturating_add(values.cost_of(run, run + 1))
            }))
        }
        other => RowCosts::Each(
            other.primitive_width().map_or(WORD, |width| WORD.max(width as u64)).max(fixed(other)),
        ),
    }
}

fn fixed(data_type: &DataType) -> u64 {
    if let DataType::FixedSizeBinary(n) = data_type { u64::try_from(*n).unwrap_or(0) } else { 0 }
}

fn typed_buffer<T: ArrowNativeType>(data: &ArrayData, buffer: usize) -> &[T] {
    data.buffers().get(buffer).map_or(&[], |buffer| buffer.typed_data::<T>())
}

fn run_ends<T: ArrowNativeType>(run_end_data: &ArrayData, rows: std::ops::Range<usize>) -> Vec<usize> {
    typed_buffer::<T>(run_end_data, 0).get(rows).unwrap_or(&[]).iter().map(|end| end.as_usize()).collect()
}

/// The costs of rows with consecutive offsets.
fn lengths<T: ArrowNativeType>(data: &ArrayData, items: &RowCosts) -> RowCosts {
    let offsets = typed_buffer::<T>(data, 0).get(data.offset()..=data.offset() + data.len()).unwrap_or(&[]);
    RowCosts::of(offsets.windows(2).map(|pair| match pair {
        [start, end] => WORD.saturating_add(items.cost_of(start.as_usize(), end.as_usize())),
        _ => WORD,
    }))
}

/// The costs of rows with offsets and sizes, which may overlap.
fn sizes<T: ArrowNativeType>(data: &ArrayData, items: &RowCosts) -> RowCosts {
    let rows = data.offset()..data.offset() + data.len();
    let offsets = typed_buffer::<T>(data, 0).get(rows.clone()).unwrap_or(&[]);
    let sizes = typed_buffer::<T>(data, 1).get(rows).unwrap_or(&[]);
    RowCosts::of(offsets.iter().zip(sizes).map(|(start, size)| {
        let (start, size) = (start.as_usize(), size.as_usize());
        WORD.saturating_add(items.cost_of(start, start.saturating_add(size)))
    }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        Array, DictionaryArray, Int8Array, Int32Array, ListViewArray, RunArray, StringArray, StringViewArray,
        StructArray,
    };
    use arrow_buffer::{Buffer, ScalarBuffer};
    use arrow_schema::Field;

    use super::*;

    /// `n` lists, each all of `n` items.
    fn lists(n: i32) -> ArrayData {
        let field = Arc::new(Field::new("item", DataType::Int8, true));
        let offsets = ScalarBuffer::from(vec![0i32; n as usize]);
        let sizes = ScalarBuffer::from(vec![n; n as usize]);
        let items = Arc::new(Int8Array::from(vec![7i8; n as usize]));
        ListViewArray::new(field, offsets, sizes, items, None).into_data()
    }

    /// `n` views of one text of a thousand bytes.
    fn texts(n: usize) -> ArrayData {
        let view = 1000u128 | u128::from(u32::from_le_bytes(*b"aaaa")) << 32;
        let views = ScalarBuffer::from(vec![view; n]);
        StringViewArray::new(views, vec![Buffer::from(vec![b'a'; 1000])], None).into_data()
    }

    #[test]
    fn shared_values_count_for_each_use() {
        assert_eq!(unshared_nbytes(&texts(10), Sharing::Views), 10 * 1008);
        assert_eq!(unshared_nbytes(&texts(20), Sharing::Views), 20 * 1008);
        assert_eq!(unshared_nbytes(&texts(20).slice(5, 2), Sharing::Views), 2 * 1008);
        // As the number of rows, times that of items.
        let each = |n: u64| n * (8 + n * 8);
        for n in [10, 20, 40] {
            assert_eq!(unshared_nbytes(&lists(n), Sharing::Views), each(n as u64));
        }
        let within = StructArray::from(vec![(
            Arc::new(Field::new("a", texts(3).data_type().clone(), true)),
            arrow_array::make_array(texts(3)),
        )]);
        assert_eq!(unshared_nbytes(&within.into_data(), Sharing::Views), 3 * (8 + 1008));
    }

    #[test]
    fn codes_and_runs_count_for_each_row() {
        let long = "a".repeat(500);
        let codes = DictionaryArray::<Int32Type>::new(
            Int32Array::from(vec![Some(1), Some(0), None, Some(1)]),
            Arc::new(StringArray::from(vec!["", &long])),
        );
        let (data, all) = (codes.into_data(), Sharing::All);
        assert_eq!(unshared_nbytes(&data, Sharing::Views), 4 * 8);
        // A null may have any code: it counts as the first value.
        assert_eq!(unshared_nbytes(&data, all), 4 * 8 + 4 * 8 + 1000);
        let runs = RunArray::<Int32Type>::try_new(
            &Int32Array::from(vec![3, 5]),
            &StringArray::from(vec!["", &long]),
        );
        assert_eq!(unshared_nbytes(&runs.unwrap().into_data(), all), 5 * 8 + 5 * 8 + 2 * 500);
        assert!(may_share(data.data_type(), all) && !may_share(data.data_type(), Sharing::Views));
    }

    #[test]
    fn types_without_sharing_are_recognized() {
        assert!(!may_share(&DataType::Utf8, Sharing::All));
        assert!(!may_share(&DataType::new_list(DataType::Int8, true), Sharing::All));
        assert!(may_share(&DataType::new_list(DataType::Utf8View, true), Sharing::Views));
    }
}
