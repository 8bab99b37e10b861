//! Assembles nested columns from NumPy arrays and child columns, one level at a time, without copying a buffer.
//!
//! Offsets, type ids, text and the lengths of children come from a caller and are fully validated, because a file would
//! store them.

use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field, UnionFields, UnionMode};
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::array::ArrayBlocks;
use crate::arrow_build::packed_bytes;
use crate::arrow_column::ArrowColumn;
use crate::errors;

/// Name, nullability, and the column.
type ChildArgument<'py> = (String, bool, PyRef<'py, ArrowColumn>);

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(assemble_column, m)?)?;
    m.add_function(wrap_pyfunction!(column_with_tag, m)?)?;
    m.add_function(wrap_pyfunction!(null_column, m)?)?;
    m.add_function(wrap_pyfunction!(column_with_validity, m)?)
}

#[pyfunction]
#[pyo3(signature = (kind, nrows, buffers, children = Vec::new(), size = 0, tag = None))]
#[allow(clippy::needless_pass_by_value)] // PyO3 extracts owned arguments
fn assemble_column(
    kind: &str,
    nrows: usize,
    buffers: Vec<Bound<'_, PyUntypedArray>>,
    children: Vec<ChildArgument<'_>>,
    size: i32,
    tag: Option<String>,
) -> PyResult<ArrowColumn> {
    let data_type = type_of(kind, fields(&children)?, size)?;
    let mut builder = ArrayDataBuilder::new(data_type.clone()).len(nrows);
    let expected = layout(&data_type, nrows);
    if expected.len() != buffers.len() {
        let message = format!("{kind}: expected {} buffers, found {}", expected.len(), buffers.len());
        return Err(PyValueError::new_err(message));
    }
    for (array, (descr, count)) in buffers.iter().zip(expected) {
        builder = builder.add_buffer(array_bytes(array, descr, count)?);
    }
    for (_, _, child) in &children {
        builder = builder.add_child_data(child.column.data.clone());
    }
    let data = builder.align_buffers(true).build();
    Ok(ArrowColumn::from_data(data.map_err(|e| errors::encode(format!("{kind}: {e}")))?, tag))
}

#[pyfunction]
#[pyo3(signature = (column, bits, tag = None))]
#[allow(clippy::needless_pass_by_value)] // PyO3 extracts owned arguments
fn column_with_validity(
    column: PyRef<'_, ArrowColumn>,
    bits: &Bound<'_, PyUntypedArray>,
    tag: Option<String>,
) -> PyResult<ArrowColumn> {
    let data = &column.column.data;
    let can_have_nulls = arrow_data::layout(data.data_type()).can_contain_null_mask;
    if !can_have_nulls || data.offset() != 0 || data.null_count() > 0 {
        return Err(PyTypeError::new_err("expected a whole column that can have nulls and has none"));
    }
    let bits = BooleanBuffer::new(array_bytes(bits, "|u1", data.len().div_ceil(8))?, 0, data.len());
    let nulls = Some(NullBuffer::new(bits)).filter(|nulls| nulls.null_count() > 0);
    // SAFETY: `data` is a valid array with offset 0. Its type can have nulls, as just checked, and the validity has one bit
    // for each row.
    let data = unsafe { data.clone().into_builder().nulls(nulls).build_unchecked() };
    let mut with_nulls = ArrowColumn::from_data(data, tag);
    with_nulls.column.ordered = column.column.ordered;
    Ok(with_nulls)
}

#[pyfunction]
fn column_with_tag(column: &ArrowColumn, tag: Option<String>) -> ArrowColumn {
    let mut column = column.column.clone();
    column.tag = tag;
    ArrowColumn { column }
}

/// `nrows` nulls of the type of a column.
#[pyfunction]
fn null_column(column: &ArrowColumn, nrows: usize) -> ArrowColumn {
    let mut column = column.column.clone();
    column.data = ArrayData::new_null(column.data.data_type(), nrows);
    ArrowColumn { column }
}

fn fields(children: &[ChildArgument<'_>]) -> PyResult<Vec<Field>> {
    let field = |(name, nullable, child): &ChildArgument<'_>| {
        if name.contains('\0') {
            return Err(errors::encode(format!(
                "field {name:?}: expected a name without NUL, where Arrow's C interface would cut it. Rename the field."
            )));
        }
        let field = Field::new(name, child.column.data.data_type().clone(), *nullable);
        Ok(field.with_dict_is_ordered(child.column.ordered))
    };
    children.iter().map(field).collect()
}

fn type_of(kind: &str, fields: Vec<Field>, size: i32) -> PyResult<DataType> {
    Ok(match (kind, fields.as_slice()) {
        ("null", []) => DataType::Null,
        ("utf8", []) => DataType::Utf8,
        ("large_utf8", []) => DataType::LargeUtf8,
        ("binary", []) => DataType::Binary,
        ("large_binary", []) => DataType::LargeBinary,
        ("list", [item]) => DataType::List(Arc::new(item.clone())),
        ("large_list", [item]) => DataType::LargeList(Arc::new(item.clone())),
        ("fixed_size_list", [item]) => DataType::FixedSizeList(Arc::new(item.clone()), size),
        ("struct", _) => DataType::Struct(fields.into()),
        ("dense_union", _) => DataType::Union(UnionFields::from_fields(fields), UnionMode::Dense),
        _ => {
            let message = format!("expected a kind of column, found {kind:?} with {} children", fields.len());
            return Err(PyValueError::new_err(message));
        }
    })
}

/// The dtype and the minimum number of values of each buffer.
fn layout(data_type: &DataType, nrows: usize) -> Vec<(&'static str, usize)> {
    let offsets = nrows.saturating_add(1);
    match data_type {
        DataType::List(_) => vec![("<i4", offsets)],
        DataType::LargeList(_) => vec![("<i8", offsets)],
        DataType::Utf8 | DataType::Binary => vec![("<i4", offsets), ("|u1", 0)],
        DataType::LargeUtf8 | DataType::LargeBinary => vec![("<i8", offsets), ("|u1", 0)],
        DataType::Union(..) => vec![("|i1", nrows), ("<i4", nrows)],
        _ => Vec::new(),
    }
}

/// The bytes of a 1-D array of dtype `descr` with at least `count` values.
fn array_bytes(array: &Bound<'_, PyUntypedArray>, descr: &str, count: usize) -> PyResult<Buffer> {
    let block = ArrayBlocks::new().block(array, 0, None)?;
    let found = block.grid.dtype.descr();
    if found != descr || block.grid.nrows < count {
        let message =
            format!("expected {count} values of {descr} at least, found {} of {found}", block.grid.nrows);
        return Err(PyTypeError::new_err(message));
    }
    packed_bytes(&block)
}
