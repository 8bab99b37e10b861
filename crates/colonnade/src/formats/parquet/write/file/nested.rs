//! Encodes the leaves of lists, structs, maps and run-ends.

use std::ops::Range;

use arrow_array::types::{Int16Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, RunArray, UInt64Array, make_array};
use arrow_buffer::ArrowNativeType;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use arrow_select::take::take as select;

use crate::error::{Error, Result};
use crate::formats::parquet::write::column::{EncodedChunk, Settings, encode_within};

use super::array_leaf::of_masked;
use super::file_column::ColumnLeaf;
use super::shred::shred;
use super::tree::Tree;

/// Returns the field for the schema: run-ends are replaced by their values.
pub(super) fn field(field: &Field) -> Field {
    match field.data_type() {
        DataType::RunEndEncoded(_, values) => {
            let nullable = field.is_nullable() || values.is_nullable();
            field.clone().with_data_type(values.data_type().clone()).with_nullable(nullable)
        }
        _ => field.clone(),
    }
}

/// Converts the column to an array of that type.
///
/// # Errors
/// `Unrepresentable`: run-ends whose values cannot be repeated.
pub(super) fn array(data: &ArrayData) -> Result<ArrayRef> {
    let mut data = data.clone();
    // Copies buffers that are not aligned.
    data.align_buffers();
    let DataType::RunEndEncoded(ends, _) = data.data_type() else { return Ok(make_array(data)) };
    match ends.data_type() {
        DataType::Int16 => decoded(&RunArray::<Int16Type>::from(data)),
        DataType::Int32 => decoded(&RunArray::<Int32Type>::from(data)),
        _ => decoded(&RunArray::<Int64Type>::from(data)),
    }
}

/// Expands run-ends to one value per row.
fn decoded<R: arrow_array::types::RunEndIndexType>(runs: &RunArray<R>) -> Result<ArrayRef> {
    let (start, n) = (arrow_array::Array::offset(runs), arrow_array::Array::len(runs));
    let mut places: Vec<u64> = Vec::with_capacity(n);
    for (place, end) in (0u64..).zip(runs.run_ends().values()) {
        let rows = end.as_usize().saturating_sub(start).min(n);
        places.resize(rows.max(places.len()), place);
    }
    let values = select(runs.values(), &UInt64Array::from(places), None);
    values.map_err(|e| Error::unrepresentable("parquet", format!("run-ends: {e}.")))
}

/// Appends the chunks of these leaves of the column to `out`, and passes on the offset of each.
///
/// # Errors
/// `Unrepresentable`: nulls in a required field; values that their leaf cannot hold.
pub(super) fn encode(
    (tree, places): (&Tree, &[ColumnLeaf]),
    leaf_range: &Range<usize>,
    data: &ArrayData,
    all: &Settings,
    out: &mut Vec<u8>,
) -> Result<Vec<(usize, usize, EncodedChunk)>> {
    let array = array(data)?;
    let mut done = Vec::new();
    shred(&tree.node, &array, leaf_range, &|_, _| true, &mut |shredded| {
        let settings = places.get(shredded.leaf).and_then(|leaf| leaf.settings.as_deref()).unwrap_or(all);
        let (n, at) = (shredded.data.len(), out.len());
        of_masked(&shredded.data, shredded.nulls.as_ref(), shredded.stored, true, &mut |leaf| {
            done.push((shredded.leaf, at, encode_within(leaf, n, &shredded.levels, settings, out)?));
            Ok(())
        })
    })?;
    Ok(done)
}

#[cfg(test)]
mod tests;
