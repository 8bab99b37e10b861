//! Joins columns in Arrow's layout by Arrow's kernel.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::arrow::import::implied_dtype;
use crate::error::{Error, Result};
use crate::frame::{Block, Column, Frame, Part, Slot, type_name};
use crate::parallel;
use crate::parallel::Task;

use super::blocks::{self, BlockColumn};
use super::{dictionary, kernel, order};

/// Joins the columns at `positions` of all frames.
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

/// Joins columns of one type.
pub(super) fn join_one(columns: &[&Column]) -> Result<Column> {
    let Some(first) = columns.first() else {
        return Err(Error::malformed("frame", "a column without batches."));
    };
    let pieces: Vec<&ArrayData> = columns.iter().map(|c| &c.data).collect();
    let data = join_data(&first.data, &pieces, first.ordered)?;
    Ok(Column { data, exclusive: false, ..(*first).clone() })
}

/// Joins arrays of one type; `empty` is the result if none has rows.
pub(in crate::arrow) fn join_data(
    empty: &ArrayData,
    pieces: &[&ArrayData],
    is_ordered: bool,
) -> Result<ArrayData> {
    // Batches without rows contribute nothing, not even their dictionaries.
    let nonempty: Vec<&ArrayData> = pieces.iter().copied().filter(|d| !d.is_empty()).collect();
    let aligned = if nonempty.len() > 1 { order::align(&nonempty, is_ordered)? } else { None };
    let nonempty = aligned.as_ref().map_or(nonempty, |aligned| aligned.iter().collect());
    match nonempty.as_slice() {
        [] => Ok(empty.clone()),
        [one] => Ok((*one).clone()),
        many if matches!(empty.data_type(), DataType::Dictionary(..)) => dictionary::join(many),
        many => kernel::arrays(many),
    }
}

/// Converts labels in a block to a column of `data_type`, the type of the labels of other batches, which have nulls.
pub(super) fn from_block(block: &Block, data_type: &DataType) -> Result<Column> {
    let dtype = block.grid.dtype;
    if implied_dtype(data_type) != Some(dtype) || *data_type == DataType::Boolean {
        let (found, expected) = (dtype.descr(), type_name(data_type, false));
        let message = format!("batches differ: index: some have labels of {found}, some of {expected}.");
        return Err(Error::malformed("frame", message));
    }
    let packed = blocks::join(dtype, block.grid.nrows, vec![vec![BlockColumn { block, column: 0 }]])?;
    let builder = ArrayData::builder(data_type.clone()).len(block.grid.nrows);
    let built = builder.add_buffer(packed.buffer.to_arrow()).build();
    Ok(Column::new(built.map_err(|e| Error::malformed("arrow", e.to_string()))?))
}
