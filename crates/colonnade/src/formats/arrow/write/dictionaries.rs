//! Dictionaries: taken out of the columns, which are codes from then on, and sent before the first batch that uses them.
//!
//! A file has one dictionary of each id. Written in several chunks, it gets them when all their values are known, behind the
//! batches: the footer says where. (Deltas would do too, but polars does not read them.)
//!
//! Numbered as `IpcSchemaEncoder` does it: fields in order, children before parents.

use std::sync::Arc;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, FieldRef};

use crate::arrow::concat::dictionary::{Merged, recoded};
use crate::arrow::owned::owned;
use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::formats::arrow::read::Form;
use crate::frame::{children, with_children};

use super::cut;

/// A stream's dictionary that grew is sent whole up to this size, else what was added: polars does not read deltas.
const WHOLE_NBYTES: usize = 64 << 10;

/// Values to be sent.
#[derive(Debug)]
pub(super) struct Update {
    pub(super) id: i64,
    /// They go behind those that were sent before.
    pub(super) is_delta: bool,
    /// Others of this id were sent before: batches that use those must go first.
    pub(super) replaces: bool,
    /// The values; dictionaries inside them are codes too.
    pub(super) values: ArrayData,
}

/// What was sent.
#[derive(Debug, Default)]
struct Held {
    /// A copy: the caller's memory is his again when `write` returns.
    values: Option<ArrayData>,
    /// The same with codes for dictionaries inside, where there are some; of deferred ones only.
    coded: Option<ArrayData>,
    /// The array that was looked at last, known by its address; only within one call.
    seen: Option<ArrayData>,
}

/// All dictionaries of a schema.
#[derive(Debug)]
pub(super) struct Dictionaries {
    form: Form,
    /// Nothing is sent before the end.
    deferred: bool,
    held: Vec<Held>,
    /// Whether each column has one.
    columns: Vec<bool>,
}

impl Dictionaries {
    /// Those of a schema. `whole`: the first chunk is all there is.
    ///
    /// # Errors
    /// `Unrepresentable`: a dictionary whose values are a dictionary.
    pub(super) fn new(form: Form, whole: bool, fields: &[FieldRef]) -> Result<Self> {
        let mut count = 0;
        let mut columns = Vec::with_capacity(fields.len());
        for field in fields {
            let inside = number(field.data_type()).map_err(|e| e.in_member(field.name().clone()))?;
            columns.push(inside > 0);
            count += inside;
        }
        let deferred = form == Form::File && !whole;
        Ok(Self { form, deferred, held: (0..count).map(|_| Held::default()).collect(), columns })
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Forgets addresses: the caller's memory may change after the call.
    pub(super) fn end_call(&mut self) {
        self.held.iter_mut().for_each(|held| held.seen = None);
    }

    /// What was not sent yet.
    pub(super) fn finish(&mut self) -> Vec<Update> {
        let held = std::mem::take(&mut self.held);
        let update = |(id, held): (usize, Held)| {
            let id = i64::try_from(id).unwrap_or(i64::MAX);
            let values = held.coded.or(held.values)?;
            Some(Update { id, is_delta: false, replaces: false, values })
        };
        held.into_iter().enumerate().filter(|_| self.deferred).filter_map(update).collect()
    }

    /// Takes the dictionaries out of a batch's columns; answers what must be sent first.
    ///
    /// # Errors
    /// `Unrepresentable`: a file's dictionary that outgrows its codes.
    pub(super) fn take(&mut self, arrays: &mut [ArrayData]) -> Result<Vec<Update>> {
        let mut updates = Vec::new();
        if self.is_empty() {
            return Ok(updates);
        }
        let mut next = 0;
        for i in 0..arrays.len() {
            if let (Some(array), Some(true)) = (arrays.get_mut(i), self.columns.get(i)) {
                *array = self.codes(array, &mut next, &mut updates)?;
            }
        }
        if self.deferred {
            updates.clear();
        }
        Ok(updates)
    }

    /// The array with codes in place of dictionaries.
    fn codes(&mut self, data: &ArrayData, next: &mut usize, updates: &mut Vec<Update>) -> Result<ArrayData> {
        if number(data.data_type())? == 0 {
            return Ok(data.clone());
        }
        if let DataType::Dictionary(key_type, _) = data.data_type() {
            let values = cut::child(data, 0)?;
            let before = updates.len();
            let inner = self.codes(values, next, updates)?;
            let shaken = updates.get(before..).is_some_and(|new| new.iter().any(|u| u.replaces));
            let id = *next;
            *next += 1;
            let builder = ArrayData::builder(key_type.as_ref().clone()).len(data.len()).offset(data.offset());
            let builder = builder.nulls(data.nulls().cloned()).buffers(data.buffers().to_vec());
            // Trusted: the codes of a valid dictionary array are a valid array of their type.
            let keys = trusted_array(builder);
            return self.update(id, &keys, key_type, values, inner, shaken, updates);
        }
        let mut children = Vec::with_capacity(data.child_data().len());
        for child in data.child_data() {
            children.push(self.codes(child, next, updates)?);
        }
        let builder = data.clone().into_builder().data_type(coded(data.data_type())).child_data(children);
        // Trusted: the same buffers; children of the same lengths, dictionaries among them replaced by their codes, as in
        // the type.
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
        shaken: bool,
        updates: &mut Vec<Update>,
    ) -> Result<ArrayData> {
        let form = self.form;
        let Some(held) = self.held.get_mut(id) else { return Err(cut::broken("a dictionary too many")) };
        let number = i64::try_from(id).unwrap_or(i64::MAX);
        if self.deferred && super::dictionaries::number(values.data_type())? > 0 {
            let longer = held.values.as_ref().is_none_or(|known| known.len() < values.len());
            held.coded = if longer { Some(owned(&inner)?) } else { held.coded.take() };
        }
        let Some(known) = &held.values else {
            held.values = Some(owned(values)?);
            held.seen = Some(values.clone());
            updates.push(Update { id: number, is_delta: false, replaces: false, values: inner });
            return Ok(keys.clone());
        };
        if held.seen.as_ref().is_some_and(|seen| seen.ptr_eq(values)) && !shaken {
            return Ok(keys.clone());
        }
        let shared = known.len().min(values.len());
        let same = !shaken && known.slice(0, shared) == values.slice(0, shared);
        if same && values.len() <= known.len() {
            held.seen = Some(values.clone());
            return Ok(keys.clone());
        }
        if same
            && form == Form::Stream
            && !shaken
            && values.get_slice_memory_size().is_ok_and(|n| n <= WHOLE_NBYTES)
        {
            // Longer, but what waits may use it all the same.
            updates.push(Update { id: number, is_delta: false, replaces: false, values: inner });
            held.values = Some(owned(values)?);
            held.seen = Some(values.clone());
            return Ok(keys.clone());
        }
        if same {
            let added = inner.slice(known.len(), values.len() - known.len());
            updates.push(Update { id: number, is_delta: true, replaces: false, values: added });
            held.values = Some(owned(values)?);
            held.seen = Some(values.clone());
            return Ok(keys.clone());
        }
        if form == Form::Stream {
            updates.push(Update { id: number, is_delta: false, replaces: true, values: inner });
            held.values = Some(owned(values)?);
            held.seen = Some(values.clone());
            return Ok(keys.clone());
        }
        if super::dictionaries::number(values.data_type())? > 0 {
            let message = "a file cannot replace a dictionary, and this one holds another. Write one chunk, or a stream.";
            return Err(Error::unrepresentable("arrow", message));
        }
        let before = known.len();
        let merged = Merged::new(&[known, values], values.data_type())?;
        if !counts(key_type, merged.values.len()) {
            let message = format!(
                "the chunks' dictionaries have {} values together, more than codes of {key_type} can count. \
                 Cast the column to wider codes first.",
                merged.values.len()
            );
            return Err(Error::unrepresentable("arrow", message));
        }
        if merged.values.len() > before {
            let added = merged.values.slice(before, merged.values.len() - before);
            updates.push(Update { id: number, is_delta: true, replaces: false, values: added });
        }
        let map = merged.maps.get(1).map_or(&[][..], Vec::as_slice);
        let keys = recoded(keys, map, key_type)?;
        held.values = Some(merged.values);
        Ok(keys)
    }
}

/// Whether codes of a type can count so many values.
fn counts(key_type: &DataType, count: usize) -> bool {
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

/// Dictionaries in a type.
fn number(data_type: &DataType) -> Result<usize> {
    Ok(match data_type {
        DataType::Dictionary(_, values) => {
            if matches!(values.as_ref(), DataType::Dictionary(..)) {
                let message =
                    "Arrow IPC has no dictionary whose values are a dictionary. Decode one of them first.";
                return Err(Error::unrepresentable("arrow", message));
            }
            1 + number(values)?
        }
        other => children(other).iter().map(|f| number(f.data_type())).sum::<Result<usize>>()?,
    })
}

/// The type with codes in place of dictionaries.
fn coded(data_type: &DataType) -> DataType {
    if let DataType::Dictionary(codes, _) = data_type {
        return codes.as_ref().clone();
    }
    let field = |f: &FieldRef| Arc::new(Field::new(f.name(), coded(f.data_type()), f.is_nullable()));
    let fields: Vec<FieldRef> = children(data_type).into_iter().map(field).collect();
    with_children(data_type, &fields)
}
