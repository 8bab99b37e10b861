//! Splits dictionary columns into values and codes, and stores dictionaries that Parquet's dictionary pages cannot hold.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, make_array};
use arrow_buffer::{ArrowNativeType, Buffer};
use arrow_data::ArrayData;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use arrow_select::take::take as select;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::error::{Error, Result};

fn broken(message: &str) -> Error {
    Error::malformed("parquet", format!("{message}. The array breaks Arrow's layout."))
}

fn failed(error: &ArrowError) -> Error {
    Error::unrepresentable("parquet", format!("a dictionary: {error}."))
}

/// The values of a dictionary array.
pub(super) fn values(data: &ArrayData) -> Result<&ArrayData> {
    data.child_data().first().ok_or_else(|| broken("a dictionary has no values"))
}

/// Bytes of a code.
pub(super) fn key_width(data: &ArrayData) -> Result<usize> {
    match data.data_type() {
        DataType::Dictionary(key, _) => key.primitive_width().ok_or_else(|| broken("keys have no width")),
        _ => Err(broken("keys are missing")),
    }
}

/// The codes of the rows, as contiguous bytes.
pub(super) fn codes(data: &ArrayData) -> Result<&[u8]> {
    let width = key_width(data)?;
    let bytes = data.buffers().first().map_or(&[][..], Buffer::as_slice);
    let (start, nbytes) = (data.offset() * width, data.len() * width);
    bytes.get(start..start + nbytes).ok_or_else(|| broken("keys are missing"))
}

/// Returns the column without nulls in its dictionary: rows with the code of a null value become null.
pub(super) fn without_null_values(data: &ArrayData) -> Result<Cow<'_, ArrayData>> {
    let values = values(data)?;
    let Some(nulls) = values.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Ok(Cow::Borrowed(data));
    };
    let kept: Vec<u64> = (0u64..).zip(nulls.iter()).filter(|(_, there)| *there).map(|(k, _)| k).collect();
    let mut place = vec![None; values.len()];
    for (new, &old) in kept.iter().enumerate() {
        if let Some(slot) = usize::try_from(old).ok().and_then(|old| place.get_mut(old)) {
            *slot = i32::try_from(new).ok();
        }
    }
    let keys = numbers(data)?;
    let there = |row: usize| data.nulls().is_none_or(|nulls| nulls.is_valid(row));
    let keys: arrow_array::Int32Array = keys
        .iter()
        .enumerate()
        .map(|(row, key)| key.filter(|_| there(row)).and_then(|key| place.get(key).copied().flatten()))
        .collect();
    let kept = arrow_array::UInt64Array::from(kept);
    let values = select(&make_array(values.clone()), &kept, None).map_err(|e| failed(&e))?;
    let data_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(values.data_type().clone()));
    let keys = arrow_array::Array::to_data(&keys);
    let built = keys.into_builder().data_type(data_type).add_child_data(values.to_data()).build();
    built.map(Cow::Owned).map_err(|e| failed(&e))
}

/// Returns the code of each row; undefined for null rows.
fn numbers(data: &ArrayData) -> Result<Vec<Option<usize>>> {
    fn all<T: ArrowNativeType>(bytes: &[u8]) -> Vec<Option<usize>> {
        let read = |chunk: &[u8]| {
            let mut value = T::default();
            // SAFETY: the key type is an integer of exactly the chunk's size, for which every bit pattern is valid.
            unsafe {
                std::ptr::copy_nonoverlapping(chunk.as_ptr(), (&raw mut value).cast::<u8>(), size_of::<T>())
            };
            value.to_usize()
        };
        bytes.chunks_exact(size_of::<T>()).map(read).collect()
    }
    let bytes = codes(data)?;
    Ok(match data.data_type() {
        DataType::Dictionary(key, _) => match key.as_ref() {
            DataType::Int8 => all::<i8>(bytes),
            DataType::Int16 => all::<i16>(bytes),
            DataType::Int32 => all::<i32>(bytes),
            DataType::UInt8 => all::<u8>(bytes),
            DataType::UInt16 => all::<u16>(bytes),
            DataType::UInt32 => all::<u32>(bytes),
            DataType::UInt64 => all::<u64>(bytes),
            _ => all::<i64>(bytes),
        },
        _ => return Err(broken("keys are missing")),
    })
}

/// Returns the column's values, one per row.
pub(super) fn decoded_values(data: &ArrayData) -> Result<ArrayData> {
    let values: ArrayRef = make_array(values(data)?.clone());
    let there = |row: usize| data.nulls().is_none_or(|nulls| nulls.is_valid(row));
    let keys: arrow_array::UInt64Array = numbers(data)?
        .into_iter()
        .enumerate()
        .map(|(row, key)| key.filter(|_| there(row)).map(|key| key as u64))
        .collect();
    Ok(select(&values, &keys, None).map_err(|e| failed(&e))?.to_data())
}

/// Returns the column's codes as an integer array.
pub(super) fn as_codes(data: &ArrayData) -> Result<ArrayData> {
    let DataType::Dictionary(key, _) = data.data_type() else { return Err(broken("keys are missing")) };
    let builder = ArrayData::builder(key.as_ref().clone()).len(data.len()).offset(data.offset());
    let buffer = data.buffers().first().cloned().unwrap_or_default();
    builder.add_buffer(buffer).nulls(data.nulls().cloned()).build().map_err(|e| failed(&e))
}

/// Encodes a dictionary as text for the file's metadata: an Arrow stream of one column, in base64.
pub(super) fn encode_text(values: &ArrayData) -> Result<String> {
    let schema = Arc::new(Schema::new(vec![Field::new("values", values.data_type().clone(), true)]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![make_array(values.clone())])
        .map_err(|e| failed(&e))?;
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).map_err(|e| failed(&e))?;
    writer.write(&batch).map_err(|e| failed(&e))?;
    Ok(STANDARD.encode(writer.into_inner().map_err(|e| failed(&e))?))
}
