//! Extracts dictionaries from columns, which leaves codes, and sends them before the first batch that uses them.
//!
//! A file has one dictionary for each id. If it is written in several chunks, the dictionaries follow the batches, when all
//! values are known, and the footer locates them. (The format also allows deltas, but polars does not read them.)
//!
//! Ids are those of arrow-rs' `IpcSchemaEncoder`: fields in order, children before parents.

use std::sync::Arc;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, FieldRef};

use crate::arrow::concat::dictionary::{MergedDictionary, recode};
use crate::arrow::deep_copy::deep_copy;
use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::formats::arrow::read::Form;
use crate::frame::{children, with_children};

use super::slice;

/// In a stream, a dictionary that grew is sent whole up to this size, because polars does not read deltas.
const WHOLE_NBYTES: usize = 64 << 10;

/// A dictionary batch to send.
#[derive(Debug)]
pub(super) struct DictionaryUpdate {
    pub(super) id: i64,
    /// The values extend those sent before.
    pub(super) is_delta: bool,
    /// The values replace others. Batches that use those must be written first.
    pub(super) replaces: bool,
    /// The values, with codes in place of inner dictionaries.
    pub(super) values: ArrayData,
}

/// The state of one dictionary id.
#[derive(Debug, Default)]
struct DictionaryState {
    /// A copy of the values, because the caller may change its memory when `write` returns.
    values: Option<ArrayData>,
    /// Of a deferred dictionary with inner dictionaries: the values with codes in place of those.
    encoded: Option<ArrayData>,
    /// The last array compared, recognized by its address within one call.
    last: Option<ArrayData>,
}

/// The dictionaries of a schema.
#[derive(Debug)]
pub(super) struct DictionaryWriter {
    form: Form,
    /// Dictionaries are sent after the last batch.
    deferred: bool,
    states: Vec<DictionaryState>,
    /// Whether each column has a dictionary.
    columns: Vec<bool>,
}

impl DictionaryWriter {
    /// The dictionaries of `fields`. `whole`: there is only one chunk.
    ///
    /// # Errors
    /// `Unrepresentable`: a dictionary whose values are a dictionary.
    pub(super) fn new(form: Form, whole: bool, fields: &[FieldRef]) -> Result<Self> {
        let mut count = 0;
        let mut columns = Vec::with_capacity(fields.len());
        for field in fields {
            let ndictionaries =
                dictionary_count(field.data_type()).map_err(|e| e.in_member(field.name().clone()))?;
            columns.push(ndictionaries > 0);
            count += ndictionaries;
        }
        let deferred = form == Form::File && !whole;
        let states = (0..count).map(|_| DictionaryState::default()).collect();
        Ok(Self { form, deferred, states, columns })
    }

    /// Whether the schema has no dictionaries.
    pub(super) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Drops the arrays known by address, because the caller's memory may change after the call.
    pub(super) fn end_call(&mut self) {
        self.states.iter_mut().for_each(|state| state.last = None);
    }

    /// The deferred dictionaries.
    pub(super) fn finish(&mut self) -> Vec<DictionaryUpdate> {
        let states = std::mem::take(&mut self.states);
        let update = |(id, state): (usize, DictionaryState)| {
            let id = i64::try_from(id).unwrap_or(i64::MAX);
            let values = state.encoded.or(state.values)?;
            Some(DictionaryUpdate { id, is_delta: false, replaces: false, values })
        };
        states.into_iter().enumerate().filter(|_| self.deferred).filter_map(update).collect()
    }

    /// Replaces the dictionaries of a batch's columns by codes. Returns the dictionary batches to send first.
    ///
    /// # Errors
    /// `Unrepresentable`: a file's dictionary has more values than its codes can number.
    pub(super) fn extract(&mut self, arrays: &mut [ArrayData]) -> Result<Vec<DictionaryUpdate>> {
        let mut updates = Vec::new();
        if self.is_empty() {
            return Ok(updates);
        }
        let mut next = 0;
        for i in 0..arrays.len() {
            if let (Some(array), Some(true)) = (arrays.get_mut(i), self.columns.get(i)) {
                *array = self.extract_codes(array, &mut next, &mut updates)?;
            }
        }
        if self.deferred {
            updates.clear();
        }
        Ok(updates)
    }

    /// The array with codes in place of dictionaries.
    fn extract_codes(
        &mut self,
        data: &ArrayData,
        next: &mut usize,
        updates: &mut Vec<DictionaryUpdate>,
    ) -> Result<ArrayData> {
        if dictionary_count(data.data_type())? == 0 {
            return Ok(data.clone());
        }
        if let DataType::Dictionary(key_type, _) = data.data_type() {
            let values = slice::child(data, 0)?;
            let before = updates.len();
            let inner = self.extract_codes(values, next, updates)?;
            let replaces_inner = updates.get(before..).is_some_and(|new| new.iter().any(|u| u.replaces));
            let id = *next;
            *next += 1;
            let builder = ArrayData::builder(key_type.as_ref().clone()).len(data.len()).offset(data.offset());
            let builder = builder.nulls(data.nulls().cloned()).buffers(data.buffers().to_vec());
            // Trusted: `data` is a valid dictionary array, so its codes are a valid array of their type.
            let keys = trusted_array(builder);
            return self.update(id, &keys, key_type, values, inner, replaces_inner, updates);
        }
        let mut children = Vec::with_capacity(data.child_data().len());
        for child in data.child_data() {
            children.push(self.extract_codes(child, next, updates)?);
        }
        let builder =
            data.clone().into_builder().data_type(encoded_type(data.data_type())).child_data(children);
        // Trusted: the buffers are those of `data`, a valid array. Children keep their lengths, and `encoded_type` replaces
        // dictionaries by codes as `extract_codes` does.
        Ok(trusted_array(builder))
    }

    #[allow(clippy::too_many_arguments)]
    fn update(
        &mut self,
        id: usize,
        keys: &ArrayData,
        key_type: &DataType,
        values: &ArrayData,
        inner: ArrayData,
        replaces_inner: bool,
        updates: &mut Vec<DictionaryUpdate>,
    ) -> Result<ArrayData> {
        let form = self.form;
        let Some(state) = self.states.get_mut(id) else {
            return Err(slice::invalid_layout("a dictionary too many"));
        };
        let number = i64::try_from(id).unwrap_or(i64::MAX);
        if self.deferred && dictionary_count(values.data_type())? > 0 {
            let is_longer = state.values.as_ref().is_none_or(|known| known.len() < values.len());
            state.encoded = if is_longer { Some(deep_copy(&inner)?) } else { state.encoded.take() };
        }
        let Some(known) = &state.values else {
            state.values = Some(deep_copy(values)?);
            state.last = Some(values.clone());
            updates.push(DictionaryUpdate { id: number, is_delta: false, replaces: false, values: inner });
            return Ok(keys.clone());
        };
        if state.last.as_ref().is_some_and(|last| last.ptr_eq(values)) && !replaces_inner {
            return Ok(keys.clone());
        }
        let shared = known.len().min(values.len());
        let same = !replaces_inner && known.slice(0, shared) == values.slice(0, shared);
        if same && values.len() <= known.len() {
            state.last = Some(values.clone());
            return Ok(keys.clone());
        }
        if same
            && form == Form::Stream
            && !replaces_inner
            && values.get_slice_memory_size().is_ok_and(|n| n <= WHOLE_NBYTES)
        {
            // The dictionary only grew, so pending rows may use the longer one.
            updates.push(DictionaryUpdate { id: number, is_delta: false, replaces: false, values: inner });
            state.values = Some(deep_copy(values)?);
            state.last = Some(values.clone());
            return Ok(keys.clone());
        }
        if same {
            let added = inner.slice(known.len(), values.len() - known.len());
            updates.push(DictionaryUpdate { id: number, is_delta: true, replaces: false, values: added });
            state.values = Some(deep_copy(values)?);
            state.last = Some(values.clone());
            return Ok(keys.clone());
        }
        if form == Form::Stream {
            updates.push(DictionaryUpdate { id: number, is_delta: false, replaces: true, values: inner });
            state.values = Some(deep_copy(values)?);
            state.last = Some(values.clone());
            return Ok(keys.clone());
        }
        if dictionary_count(values.data_type())? > 0 {
            let message = "a file cannot replace a dictionary, and this one holds another. Write one chunk, or a stream.";
            return Err(Error::unrepresentable("arrow", message));
        }
        let before = known.len();
        let merged = MergedDictionary::new(&[known, values], values.data_type())?;
        if !can_number(key_type, merged.values.len()) {
            let message = format!(
                "the chunks' dictionaries have {} values together, more than codes of {key_type} can count. \
                 Cast the column to wider codes first.",
                merged.values.len()
            );
            return Err(Error::unrepresentable("arrow", message));
        }
        if merged.values.len() > before {
            let added = merged.values.slice(before, merged.values.len() - before);
            updates.push(DictionaryUpdate { id: number, is_delta: true, replaces: false, values: added });
        }
        let map = merged.maps.get(1).map_or(&[][..], Vec::as_slice);
        let keys = recode(keys, map, key_type)?;
        state.values = Some(merged.values);
        Ok(keys)
    }
}

/// Whether codes of a type can number `count` values.
fn can_number(key_type: &DataType, count: usize) -> bool {
    let bits = match key_type {
        DataType::Int8 => 7,
        DataType::UInt8 => 8,
        DataType::Int16 => 15,
        DataType::UInt16 => 16,
        DataType::Int32 => 31,
        DataType::UInt32 => 32,
        _ => 63,
    };
    count as u64 <= 1 << bits
}

/// Number of dictionaries in a type.
fn dictionary_count(data_type: &DataType) -> Result<usize> {
    Ok(match data_type {
        DataType::Dictionary(_, values) => {
            if matches!(values.as_ref(), DataType::Dictionary(..)) {
                let message =
                    "Arrow IPC has no dictionary whose values are a dictionary. Decode one of them first.";
                return Err(Error::unrepresentable("arrow", message));
            }
            1 + dictionary_count(values)?
        }
        other => children(other).iter().map(|f| dictionary_count(f.data_type())).sum::<Result<usize>>()?,
    })
}

/// The type with codes in place of dictionaries.
fn encoded_type(data_type: &DataType) -> DataType {
    if let DataType::Dictionary(codes, _) = data_type {
        return codes.as_ref().clone();
    }
    let field = |f: &FieldRef| Arc::new(Field::new(f.name(), encoded_type(f.data_type()), f.is_nullable()));
    let fields: Vec<FieldRef> = children(data_type).into_iter().map(field).collect();
    with_children(data_type, &fields)
}
