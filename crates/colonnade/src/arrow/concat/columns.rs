//! Columns in Arrow's layout joined, by Arrow's own kernel.

use arrow_array::{ArrayRef, make_array};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat;

use crate::arrow::import::implied_dtype;
use crate::error::{Error, Result};
use crate::frame::{Block, Column, Frame, Part, Slot, type_name};
use crate::parallel;
use crate::parallel::Task;

use super::blocks::{self, Strip};
use super::{dictionary, order, required};

/// The columns at `positions` of all frames, as parts.
pub(super) fn join(frames: &[&Frame], slots: &[Vec<Slot>], positions: &[usize]) -> Result<Vec<Part>> {
    let mut out: Vec<Option<Column>> = vec![None; positions.len()];
    let mut tasks = Vec::with_capacity(positions.len());
    for (slot, &position) in out.iter_mut().zip(positions) {
        let columns = column_of(frames, slots, position);
        let nbytes = columns.iter().map(|c| c.data.len() * 8).sum();
        tasks.push(Task::new(nbytes, move || {
            *slot = Some(join_one(&columns).map_err(|e| e.in_member(format!("column {position}")))?);
            Ok(())
        }));
    }
    parallel::run_on_all_cores(tasks)?;
    Ok(out
        .into_iter()
        .flatten()
        .zip(positions)
        .map(|(column, &position)| Part::Column(column, position))
        .collect())
}

fn column_of<'f>(frames: &[&'f Frame], slots: &[Vec<Slot>], position: usize) -> Vec<&'f Column> {
    let piece = |(frame, slots): (&&'f Frame, &Vec<Slot>)| match frame.parts.get(slots.get(position)?.part) {
        Some(Part::Column(column, _)) => Some(column),
        _ => None,
    };
    frames.iter().zip(slots).filter_map(piece).collect()
}

/// Columns of one type as one.
pub(super) fn join_one(columns: &[&Column]) -> Result<Column> {
    let Some(first) = columns.first() else {
        return Err(Error::malformed("frame", "a column without batches."));
    };
    let pieces: Vec<&ArrayData> = columns.iter().map(|c| &c.data).collect();
    Ok(Column { data: join_data(&first.data, &pieces, first.ordered)?, ..(*first).clone() })
}

/// Arrays of one type as one; `empty` where none has rows.
pub(in crate::arrow) fn join_data(
    empty: &ArrayData,
    pieces: &[&ArrayData],
    is_ordered: bool,
) -> Result<ArrayData> {
    // Batches without rows add nothing, not even their dictionaries.
    let filled: Vec<&ArrayData> = pieces.iter().copied().filter(|d| !d.is_empty()).collect();
    let aligned = if filled.len() > 1 { order::aligned(&filled, is_ordered)? } else { None };
    let filled = aligned.as_ref().map_or(filled, |aligned| aligned.iter().collect());
    match filled.as_slice() {
        [] => Ok(empty.clone()),
        [one] => Ok((*one).clone()),
        many if matches!(empty.data_type(), DataType::Dictionary(..)) => dictionary::join(many),
        many => arrays(many),
    }
}

/// Arrays of one type as one. Text and bytes whose 32-bit offsets would overflow get 64-bit ones.
pub(super) fn arrays(pieces: &[&ArrayData]) -> Result<ArrayData> {
    let large = match pieces.first().map(|d| d.data_type()) {
        Some(DataType::Utf8) => Some(DataType::LargeUtf8),
        Some(DataType::Binary) => Some(DataType::LargeBinary),
        _ => None,
    };
    let nbytes: usize = if large.is_some() { pieces.iter().map(|d| value_nbytes(d)).sum() } else { 0 };
    let arrays: Vec<ArrayRef> = match large {
        Some(large) if i32::try_from(nbytes).is_err() => {
            pieces.iter().map(|d| widened(d, large.clone())).collect::<Result<_>>()?
        }
        _ => pieces
            .iter()
            .map(|d| required::array(d).map_err(|e| refused(pieces, &e)))
            .collect::<Result<_>>()?,
    };
    let borrowed: Vec<_> = arrays.iter().map(AsRef::as_ref).collect();
    let joined = concat(&borrowed).map_err(|e| refused(pieces, &e))?;
    Ok(joined.to_data())
}

fn refused(pieces: &[&ArrayData], error: &ArrowError) -> Error {
    let name = pieces.first().map_or(String::new(), |d| type_name(d.data_type(), false));
    Error::unsupported("arrow", format!("{} pieces of {name} cannot be joined: {error}.", pieces.len()))
}

fn offsets(data: &ArrayData) -> &[i32] {
    let all = data.buffers().first().map_or(&[][..], |b| b.typed_data::<i32>());
    all.get(data.offset()..data.offset() + data.len() + 1).unwrap_or(&[])
}

/// Bytes of text that the slice has.
fn value_nbytes(data: &ArrayData) -> usize {
    let ends = offsets(data).first().zip(offsets(data).last());
    ends.and_then(|(first, last)| usize::try_from(last.checked_sub(*first)?).ok()).unwrap_or(0)
}

/// The same text with 64-bit offsets.
fn widened(data: &ArrayData, large: DataType) -> Result<ArrayRef> {
    let wide: Vec<i64> = offsets(data).iter().map(|&o| i64::from(o)).collect();
    let values = data.buffers().get(1).cloned().unwrap_or_default();
    let builder = ArrayData::builder(large).len(data.len()).nulls(data.nulls().cloned());
    let built = builder.add_buffer(wide.into()).add_buffer(values).build();
    Ok(make_array(built.map_err(|e| refused(&[data], &e))?))
}

/// Labels in a block as a column of the type that other batches have them in, which have nulls.
pub(super) fn of_block(block: &Block, data_type: &DataType) -> Result<Column> {
    let dtype = block.grid.dtype;
    if implied_dtype(data_type) != Some(dtype) || *data_type == DataType::Boolean {
        let (found, wanted) = (dtype.descr(), type_name(data_type, false));
        let message = format!("batches differ: index: some have labels of {found}, some of {wanted}.");
        return Err(Error::malformed("frame", message));
    }
    let packed = blocks::join(dtype, block.grid.nrows, vec![vec![Strip { block, column: 0 }]])?;
    let builder = ArrayData::builder(data_type.clone()).len(block.grid.nrows);
    let built = builder.add_buffer(packed.buffer.to_arrow()).build();
    Ok(Column::new(built.map_err(|e| Error::malformed("arrow", e.to_string()))?))
}
