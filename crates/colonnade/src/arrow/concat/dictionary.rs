//! Merges dictionaries, so that the codes of a column mean the same in every batch.
//!
//! Most streams have one dictionary, or one that grows from batch to batch. Values are looked up only if dictionaries differ
//! otherwise. The order of values is that of their first appearance, as in `pyarrow`.

use std::collections::HashMap;

use arrow_array::{Array, BinaryViewArray, StringViewArray, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_row::{RowConverter, Rows, SortField};
use arrow_schema::{ArrowError, DataType};

use super::kernel;
use crate::error::{Error, Result};
use crate::frame::has_validity;

/// Joins dictionary arrays of one type.
pub(super) fn join(pieces: &[&ArrayData]) -> Result<ArrayData> {
    let Some((key_type, value_type)) = pieces.first().and_then(|d| match d.data_type() {
        DataType::Dictionary(key, value) => Some((key.as_ref().clone(), value.as_ref().clone())),
        _ => None,
    }) else {
        return Err(Error::malformed("arrow", "expected dictionary columns."));
    };
    let keys: Vec<ArrayData> = pieces.iter().map(|d| keys_of(d, &key_type)).collect::<Result<_>>()?;
    let values: Vec<&ArrayData> = pieces.iter().filter_map(|d| d.child_data().first()).collect();
    let keys: Vec<&ArrayData> = keys.iter().collect();
    if let Some(longest) = longest(&values) {
        return dictionary(&key_type, kernel::arrays(&keys)?, longest.clone());
    }
    let merged = MergedDictionary::new(&values, &value_type)?;
    let key_type = key_type_for(key_type, merged.values.len());
    let pairs = keys.iter().zip(&merged.maps);
    let keys: Vec<ArrayData> =
        pairs.map(|(keys, map)| recode(keys, map, &key_type)).collect::<Result<_>>()?;
    let keys: Vec<&ArrayData> = keys.iter().collect();
    dictionary(&key_type, kernel::arrays(&keys)?, merged.values)
}

fn merge_error(error: &ArrowError) -> Error {
    Error::malformed("arrow", format!("dictionaries cannot be merged: {error}."))
}

pub(super) fn dictionary(key_type: &DataType, keys: ArrayData, values: ArrayData) -> Result<ArrayData> {
    let data_type = DataType::Dictionary(Box::new(key_type.clone()), Box::new(values.data_type().clone()));
    keys.into_builder().data_type(data_type).add_child_data(values).build().map_err(|e| merge_error(&e))
}

/// The codes of a dictionary array.
pub(crate) fn keys_of(data: &ArrayData, key_type: &DataType) -> Result<ArrayData> {
    let builder = ArrayData::builder(key_type.clone()).len(data.len()).offset(data.offset());
    let builder = builder.nulls(data.nulls().cloned()).buffers(data.buffers().to_vec());
    builder.build().map_err(|e| merge_error(&e))
}

/// The dictionary of which all others are a prefix, if there is one.
pub(super) fn longest<'d>(values: &[&'d ArrayData]) -> Option<&'d ArrayData> {
    let longest = *values.iter().max_by_key(|v| v.len())?;
    let is_prefix = |v: &&ArrayData| v.ptr_eq(longest) || **v == longest.slice(0, v.len());
    values.iter().all(is_prefix).then_some(longest)
}

/// The distinct values of several dictionaries, and for each dictionary the new codes of its values.
pub(crate) struct MergedDictionary {
    pub(crate) values: ArrayData,
    pub(crate) maps: Vec<Vec<usize>>,
}

impl MergedDictionary {
    pub(crate) fn new(all: &[&ArrayData], value_type: &DataType) -> Result<Self> {
        let total = all.iter().map(|v| v.len()).sum();
        let nulls = all.iter().any(|d| has_validity(d));
        // Values may contain dictionaries whose code type is too narrow for all merged values.
        let mut merged =
            MutableArrayData::try_new(all.to_vec(), nulls, total).map_err(|e| merge_error(&e))?;
        let keys: Vec<Option<ValueKeys<'_>>> = all.iter().map(|v| ValueKeys::new(v, value_type)).collect();
        let mut codes: HashMap<Option<&[u8]>, usize> = HashMap::with_capacity(total);
        let mut maps: Vec<Vec<usize>> = Vec::with_capacity(all.len());
        let mut count = 0;
        for (i, (values, keys)) in all.iter().zip(&keys).enumerate() {
            let mut map = Vec::with_capacity(values.len());
            for row in 0..values.len() {
                // The first dictionary stays unchanged, with repeated values. Values without keys are all new.
                let found = keys.as_ref().and_then(|keys| {
                    let value = if values.is_null(row) { None } else { Some(keys.bytes(row)) };
                    let code = *codes.entry(value).or_insert(count);
                    (i > 0 && code < count).then_some(code)
                });
                map.push(match found {
                    Some(code) => code,
                    None => {
                        merged.try_extend(i, row, row + 1).map_err(|e| merge_error(&e))?;
                        count += 1;
                        count - 1
                    }
                });
            }
            maps.push(map);
        }
        Ok(Self { values: merged.freeze(), maps })
    }

    /// Reorders the values. `order` has the code of each value once.
    pub(super) fn reorder(&mut self, order: &[usize]) -> Result<()> {
        let nulls = has_validity(&self.values);
        let mut out =
            MutableArrayData::try_new(vec![&self.values], nulls, order.len()).map_err(|e| merge_error(&e))?;
        let mut places = vec![0; order.len()];
        for (place, &code) in order.iter().enumerate() {
            out.try_extend(0, code, code + 1).map_err(|e| merge_error(&e))?;
            if let Some(slot) = places.get_mut(code) {
                *slot = place;
            }
        }
        self.values = out.freeze();
        for code in self.maps.iter_mut().flatten() {
            *code = places.get(*code).copied().unwrap_or(0);
        }
        Ok(())
    }
}

/// Bytes that are equal for equal values.
enum ValueKeys<'d> {
    Fixed {
        bytes: &'d [u8],
        width: usize,
    },
    Bits(Vec<u8>),
    Small(&'d [i32], &'d [u8]),
    Large(&'d [i64], &'d [u8]),
    Text(StringViewArray),
    Views(BinaryViewArray),
    /// Nested values in arrow-row's comparable encoding.
    Rows(Rows),
}

impl<'d> ValueKeys<'d> {
    /// `None` for types without a comparable encoding.
    fn new(values: &'d ArrayData, value_type: &DataType) -> Option<Self> {
        let buffer = |i: usize| values.buffers().get(i).map_or(&[][..], Buffer::as_slice);
        let (start, stop) = (values.offset(), values.offset() + values.len());
        Some(match value_type {
            DataType::Boolean => {
                let bits = arrow_array::BooleanArray::from(values.clone());
                Self::Bits(bits.values().iter().map(u8::from).collect())
            }
            DataType::Utf8 | DataType::Binary => {
                let offsets = values.buffers().first()?.typed_data::<i32>();
                Self::Small(offsets.get(start..=stop)?, buffer(1))
            }
            DataType::LargeUtf8 | DataType::LargeBinary => {
                let offsets = values.buffers().first()?.typed_data::<i64>();
                Self::Large(offsets.get(start..=stop)?, buffer(1))
            }
            DataType::Utf8View => Self::Text(StringViewArray::from(values.clone())),
            DataType::BinaryView => Self::Views(BinaryViewArray::from(values.clone())),
            other => {
                let width = match (other, other.primitive_width()) {
                    (DataType::FixedSizeBinary(n), _) => usize::try_from(*n).ok()?,
                    (_, Some(width)) => width,
                    _ => return rows(values).map(Self::Rows),
                };
                Self::Fixed { bytes: buffer(0).get(start * width..stop * width)?, width }
            }
        })
    }

    fn bytes(&self, row: usize) -> &[u8] {
        fn part<O: Copy>(offsets: &[O], bytes: &'_ [u8], row: usize) -> Option<(usize, usize)>
        where
            usize: TryFrom<O>,
        {
            let start = usize::try_from(*offsets.get(row)?).ok()?;
            let stop = usize::try_from(*offsets.get(row + 1)?).ok()?;
            (stop <= bytes.len()).then_some((start, stop))
        }
        match self {
            Self::Fixed { bytes, width } => bytes.get(row * width..(row + 1) * width).unwrap_or(&[]),
            Self::Bits(bytes) => bytes.get(row..=row).unwrap_or(&[]),
            Self::Small(offsets, bytes) => {
                part(offsets, bytes, row).and_then(|(a, b)| bytes.get(a..b)).unwrap_or(&[])
            }
            Self::Large(offsets, bytes) => {
                part(offsets, bytes, row).and_then(|(a, b)| bytes.get(a..b)).unwrap_or(&[])
            }
            Self::Text(views) if row < views.len() => views.value(row).as_bytes(),
            Self::Views(views) if row < views.len() => views.value(row),
            Self::Rows(rows) if row < rows.num_rows() => rows.row(row).data(),
            _ => &[],
        }
    }
}

fn rows(values: &ArrayData) -> Option<Rows> {
    let field = SortField::new(values.data_type().clone());
    let converter = RowConverter::new(vec![field]).ok()?;
    converter.convert_columns(&[make_array(values.clone())]).ok()
}

/// A type of codes for `count` values: `key_type` if it is wide enough.
pub(super) fn key_type_for(key_type: DataType, count: usize) -> DataType {
    let fits = |max: u64| u64::try_from(count).is_ok_and(|n| n <= max.saturating_add(1));
    let enough = match key_type {
        DataType::Int8 => fits(i8::MAX as u64),
        DataType::UInt8 => fits(u64::from(u8::MAX)),
        DataType::Int16 => fits(i16::MAX as u64),
        DataType::UInt16 => fits(u64::from(u16::MAX)),
        DataType::Int32 => fits(i32::MAX as u64),
        DataType::UInt32 => fits(u64::from(u32::MAX)),
        _ => true,
    };
    match (enough, fits(i16::MAX as u64), fits(i32::MAX as u64)) {
        (true, _, _) => key_type,
        (_, true, _) => DataType::Int16,
        (_, _, true) => DataType::Int32,
        _ => DataType::Int64,
    }
}

/// Maps codes to their new numbers. The code of a null is 0.
pub(crate) fn recode(keys: &ArrayData, map: &[usize], key_type: &DataType) -> Result<ArrayData> {
    let width = keys.data_type().primitive_width().unwrap_or(8);
    let bytes = keys.buffers().first().map_or(&[][..], Buffer::as_slice);
    let bytes = bytes.get(keys.offset() * width..(keys.offset() + keys.len()) * width).unwrap_or(&[]);
    let new_width = key_type.primitive_width().unwrap_or(8);
    let mut out: Vec<u8> = Vec::with_capacity(keys.len() * new_width);
    for (row, key) in bytes.chunks_exact(width).enumerate() {
        let mut word = [0u8; 8];
        word.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
        // As unsigned numbers, negative codes are past the end of every map.
        let code = usize::try_from(u64::from_le_bytes(word)).ok().and_then(|code| map.get(code));
        let code = match (code, keys.is_null(row)) {
            (_, true) => 0,
            (Some(&code), false) => code,
            (None, false) => {
                let message = format!(
                    "row {row}: the code of a dictionary column is outside its {} values.",
                    map.len()
                );
                return Err(Error::malformed("arrow", message));
            }
        };
        out.extend(code.to_le_bytes().iter().take(new_width));
    }
    let builder = ArrayData::builder(key_type.clone()).len(keys.len()).nulls(keys.nulls().cloned());
    builder.add_buffer(Buffer::from_vec(out)).align_buffers(true).build().map_err(|e| merge_error(&e))
}
