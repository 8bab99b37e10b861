//! Nested columns put together from NumPy arrays and the columns within, one level at a time; no buffer is copied.
//!
//! Offsets, tags, text and the lengths of what is within are checked in full: they are a caller's, and a file would hold them.

use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::ArrayDataBuilder;
use arrow_schema::{DataType, Field, UnionFields, UnionMode};
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::array::Views;
use crate::arrow_build::packed;
use crate::arrow_column::ArrowColumn;
use crate::errors;

/// Name, whether it may be null, and the column.
type Child<'py> = (String, bool, PyRef<'py, ArrowColumn>);

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(assemble_column, m)?)?;
    m.add_function(wrap_pyfunction!(column_with_tag, m)?)?;
    m.add_function(wrap_pyfunction!(column_with_validity, m)?)
}

#[pyfunction]
#[pyo3(signature = (kind, nrows, buffers, children = Vec::new(), size = 0, tag = None))]
#[allow(clippy::needless_pass_by_value)] // what was extracted for this call
fn assemble_column(
    kind: &str,
    nrows: usize,
    buffers: Vec<Bound<'_, PyUntypedArray>>,
    children: Vec<Child<'_>>,
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
    for (array, (descr, least)) in buffers.iter().zip(expected) {
        builder = builder.add_buffer(words(array, descr, least)?);
    }
    for (_, _, child) in &children {
        builder = builder.add_child_data(child.column.data.clone());
    }
    let data = builder.align_buffers(true).build();
    Ok(ArrowColumn::from_data(data.map_err(|e| errors::encode(format!("{kind}: {e}")))?, tag))
}

#[pyfunction]
#[pyo3(signature = (column, bits, tag = None))]
#[allow(clippy::needless_pass_by_value)] // what was extracted for this call
fn column_with_validity(
    column: PyRef<'_, ArrowColumn>,
    bits: &Bound<'_, PyUntypedArray>,
    tag: Option<String>,
) -> PyResult<ArrowColumn> {
    let data = &column.column.data;
    let can = arrow_data::layout(data.data_type()).can_contain_null_mask;
    if !can || data.offset() != 0 || data.null_count() > 0 {
        return Err(PyTypeError::new_err("expected a whole column that can have nulls and has none"));
    }
    let bits = BooleanBuffer::new(words(bits, "|u1", data.len().div_ceil(8))?, 0, data.len());
    let nulls = Some(NullBuffer::new(bits)).filter(|nulls| nulls.null_count() > 0);
    // SAFETY: the data are a whole column's; a validity of as many bits as rows is legal for its type, as was just checked.
    let data = unsafe { data.clone().into_builder().nulls(nulls).build_unchecked() };
    let mut made = ArrowColumn::from_data(data, tag);
    made.column.ordered = column.column.ordered;
    Ok(made)
}

#[pyfunction]
fn column_with_tag(column: &ArrowColumn, tag: Option<String>) -> ArrowColumn {
    let mut column = column.column.clone();
    column.tag = tag;
    ArrowColumn { column }
}

fn fields(children: &[Child<'_>]) -> PyResult<Vec<Field>> {
    let field = |(name, nullable, child): &Child<'_>| {
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

/// Of each buffer the dtype and how many values it must have.
fn layout(data_type: &DataType, nrows: usize) -> Vec<(&'static str, usize)> {
    match data_type {
        DataType::List(_) => vec![("<i4", nrows + 1)],
        DataType::LargeList(_) => vec![("<i8", nrows + 1)],
        DataType::Utf8 | DataType::Binary => vec![("<i4", nrows + 1), ("|u1", 0)],
        DataType::LargeUtf8 | DataType::LargeBinary => vec![("<i8", nrows + 1), ("|u1", 0)],
        DataType::Union(..) => vec![("|i1", nrows), ("<i4", nrows)],
        _ => Vec::new(),
    }
}

/// The bytes of a 1-D array of this dtype with `least` values at least.
fn words(array: &Bound<'_, PyUntypedArray>, descr: &str, least: usize) -> PyResult<Buffer> {
    let block = Views::new().block(array, 0, None)?;
    let found = block.grid.dtype.descr();
    if found != descr || block.grid.nrows < least {
        let message =
            format!("expected {least} values of {descr} at least, found {} of {found}", block.grid.nrows);
        return Err(PyTypeError::new_err(message));
    }
    packed(&block)
}
