//! Converts decoded columns to the types that the file stores in another form: dictionaries of bools and of nested values,
//! which the file's metadata hold while its pages hold plain values or codes; and runs.

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray, UInt64Array, make_array};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field};
use arrow_select::take::take;

use crate::arrow::ipc::EmbeddedStream;
use crate::arrow::stream_of;
use crate::error::{Error, Result};
use crate::formats::parquet::types::{DICTIONARY, DictionaryStorage, decoded_type};

use super::ChunkDecoder;

fn wrong(what: &str) -> Error {
    let message = format!("metadata {DICTIONARY}: expected a stream of one column, {what}.");
    Error::malformed("parquet", message)
}

/// Returns the field as its column is stored; see [`decoded_type`].
pub(super) fn stored_field(field: &Field) -> Field {
    match decoded_type(field.data_type()) {
        Some(data_type) => field.clone().with_data_type(data_type),
        None => field.clone(),
    }
}

impl ChunkDecoder<'_> {
    /// Returns the dictionary of a field, if the file's metadata have it.
    pub(super) fn stored_dictionary(&self, field: &Field) -> Result<Option<ArrayData>> {
        let DataType::Dictionary(_, values) = field.data_type() else { return Ok(None) };
        let key = format!("{DICTIONARY}{}", field.name());
        let Some(text) = self.file.schema.metadata().get(&key) else { return Ok(None) };
        let found = |e: Error| wrong(&format!("found: {}", e.message()));
        let EmbeddedStream { arrays, .. } = stream_of(text, &|_| Ok(())).map_err(found)?;
        match <[ArrayData; 1]>::try_from(arrays) {
            Ok([one]) if one.data_type() == values.as_ref() => Ok(Some(one)),
            Ok([one]) => Err(wrong(&format!("of type {values}, found {}", one.data_type()))),
            Err(arrays) => Err(wrong(&format!("of type {values}, found {} columns", arrays.len()))),
        }
    }

    /// Converts the stored column `data` (see [`stored_field`]) to the original dictionary or run-end encoded column.
    ///
    /// # Errors
    /// Malformed: no dictionary, or one without the codes or values.
    pub(super) fn restore_type(&self, field: &Field, data: ArrayData) -> Result<ArrayData> {
        if let DataType::RunEndEncoded(ends, _) = field.data_type() {
            return runs(&data, ends.data_type(), field.data_type());
        }
        let Some(storage) = DictionaryStorage::of(field.data_type()) else { return Ok(data) };
        let values = self.stored_dictionary(field)?.ok_or_else(|| wrong("found none"))?;
        let (keys, nulls) = match storage {
            DictionaryStorage::Codes(_) => (codes(&data)?, data.nulls().cloned()),
            DictionaryStorage::Values(_) => {
                let DataType::Dictionary(key, _) = field.data_type() else { return Ok(data) };
                places(&data, &values, key)?
            }
        };
        let builder = ArrayData::builder(field.data_type().clone()).len(data.len()).nulls(nulls);
        let built = builder.add_buffer(keys).add_child_data(values).align_buffers(true).build();
        built.map_err(|e| wrong(&format!("found one that the codes do not fit: {e}")))
    }
}

/// Run-end encodes equal adjacent rows.
fn runs(data: &ArrayData, ends: &DataType, data_type: &DataType) -> Result<ArrayData> {
    let failed = |e: ArrowError| Error::malformed("parquet", format!("values as run-ends: {e}."));
    let n = data.len();
    let (mut stops, mut starts): (Vec<usize>, Vec<u64>) = (Vec::new(), Vec::new());
    for row in 0..n {
        if row == 0 || data.slice(row - 1, 1) != data.slice(row, 1) {
            starts.push(row as u64);
            stops.extend((row > 0).then_some(row));
        }
    }
    stops.extend((n > 0).then_some(n));
    let width = ends.primitive_width().unwrap_or(4);
    let bytes: Vec<u8> = stops.iter().flat_map(|stop| stop.to_le_bytes().into_iter().take(width)).collect();
    let values = take(&make_array(data.clone()), &UInt64Array::from(starts), None).map_err(failed)?;
    let ends = ArrayData::builder(ends.clone()).len(stops.len()).add_buffer(Buffer::from_vec(bytes));
    let ends = ends.align_buffers(true).build().map_err(failed)?;
    let builder = ArrayData::builder(data_type.clone()).len(n).add_child_data(ends);
    builder.add_child_data(values.to_data()).build().map_err(failed)
}

/// Returns the buffer of the codes, from the first row on.
fn codes(data: &ArrayData) -> Result<Buffer> {
    let width = data.data_type().primitive_width().unwrap_or(0);
    let buffer = data.buffers().first().cloned().unwrap_or_default();
    let (start, nbytes) = (data.offset() * width, data.len() * width);
    if start + nbytes > buffer.len() {
        return Err(wrong("found codes that end early"));
    }
    Ok(buffer.slice_with_length(start, nbytes))
}

/// Returns the position of each row's value in the dictionary of bools (or nulls), as keys of this type.
fn places(data: &ArrayData, values: &ArrayData, key: &DataType) -> Result<(Buffer, Option<NullBuffer>)> {
    let width = key.primitive_width().ok_or_else(|| wrong("found keys of no known type"))?;
    let array = make_array(data.clone());
    let values = make_array(values.clone());
    let place = |target: bool| {
        let bools: &BooleanArray = values.as_boolean_opt()?;
        bools.iter().position(|value| value == Some(target))
    };
    let positions = [place(false), place(true)];
    let mut out: Vec<u8> = Vec::with_capacity(data.len() * width);
    let mut valid = Vec::with_capacity(data.len());
    let rows = array.as_boolean_opt();
    for row in 0..data.len() {
        let value = rows.filter(|rows| rows.is_valid(row)).map(|rows| rows.value(row));
        let place = match value {
            None => 0,
            Some(value) => {
                let [no, yes] = positions;
                let found = if value { yes } else { no };
                found.ok_or_else(|| wrong("found one without a value of the column"))?
            }
        };
        valid.push(value.is_some());
        out.extend(place.to_le_bytes().into_iter().take(width));
    }
    let nulls = valid.iter().any(|is_valid| !is_valid).then(|| NullBuffer::from(valid));
    Ok((Buffer::from_vec(out), nulls))
}
