//! Splits a column into its buffers, as NumPy arrays, and its children, one level at a time. A buffer is copied only if its
//! layout changes.

use arrow_array::{Array, BinaryViewArray, LargeBinaryArray, LargeStringArray, StringViewArray};
use arrow_buffer::{Buffer as ArrowBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, FieldRef, UnionMode};
use colonnade::frame::{Block, Column, DType, Grid, type_name};
use colonnade::memory::Buffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::array::{self, Arrays};
use crate::arrow_column::ArrowColumn;

/// Name, nullability, metadata, and the column.
type ChildParts = (String, bool, Vec<(String, String)>, ArrowColumn);

/// Kind, size, buffers, validity (a set bit is a valid row), children.
type ColumnParts<'py> = (String, i32, Vec<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>, Vec<ChildParts>);

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(column_parts, m)?)
}

#[pyfunction]
fn column_parts<'py>(py: Python<'py>, column: &ArrowColumn) -> PyResult<ColumnParts<'py>> {
    let column = without_views(&column.column);
    let data = &column.data;
    let (start, nrows) = (data.offset(), data.len());
    let mut size = 0;
    let mut buffers = Vec::new();
    let mut children = Vec::new();
    let child_data = |i: usize| data.child_data().get(i).cloned();
    let kind = match data.data_type() {
        DataType::Utf8 | DataType::Binary => {
            buffers.push(offsets(py, data, "<i4")?);
            buffers.push(bytes(py, data)?);
            None
        }
        DataType::LargeUtf8 | DataType::LargeBinary => {
            buffers.push(offsets(py, data, "<i8")?);
            buffers.push(bytes(py, data)?);
            None
        }
        DataType::FixedSizeBinary(width) => {
            size = *width;
            let width = usize::try_from(*width).unwrap_or(0);
            buffers.push(view(py, data, 0, "|u1", start * width, nrows * width)?);
            Some("fixed_size_binary")
        }
        DataType::List(item) => {
            buffers.push(offsets(py, data, "<i4")?);
            children.extend(child_data(0).map(|values| child(item, values)));
            Some("list")
        }
        DataType::LargeList(item) => {
            buffers.push(offsets(py, data, "<i8")?);
            children.extend(child_data(0).map(|values| child(item, values)));
            Some("large_list")
        }
        DataType::Map(entries, _) => {
            buffers.push(offsets(py, data, "<i4")?);
            children.extend(child_data(0).map(|values| child(entries, values)));
            Some("map")
        }
        DataType::ListView(item) | DataType::LargeListView(item) => {
            let large = matches!(data.data_type(), DataType::LargeListView(_));
            let descr = if large { "<i8" } else { "<i4" };
            for buffer in 0..2 {
                buffers.push(view(py, data, buffer, descr, start, nrows)?);
            }
            children.extend(child_data(0).map(|values| child(item, values)));
            Some("list_view")
        }
        DataType::FixedSizeList(item, width) => {
            size = *width;
            let width = usize::try_from(*width).unwrap_or(0);
            children
                .extend(child_data(0).map(|values| child(item, rows(&values, start * width, nrows * width))));
            Some("fixed_size_list")
        }
        DataType::Struct(fields) => {
            let parts = fields.iter().zip(data.child_data());
            children.extend(parts.map(|(field, values)| child(field, rows(values, start, nrows))));
            Some("struct")
        }
        DataType::Union(fields, mode) => {
            let dense = *mode == UnionMode::Dense;
            buffers.push(view(py, data, 0, "|i1", start, nrows)?);
            if dense {
                buffers.push(view(py, data, 1, "<i4", start, nrows)?);
            }
            let ids: Vec<u8> = fields.iter().map(|(id, _)| id.cast_unsigned()).collect();
            buffers.push(new_array(py, "|i1", ids.len(), ids)?);
            let parts = fields.iter().zip(data.child_data());
            children.extend(parts.map(|((_, field), values)| {
                child(field, if dense { values.clone() } else { rows(values, start, nrows) })
            }));
            Some(if dense { "dense_union" } else { "sparse_union" })
        }
        DataType::Dictionary(..) => Some("dictionary"),
        _ => None,
    };
    let kind = kind.map_or_else(|| type_name(data.data_type(), false), str::to_owned);
    let nulls = data.nulls().filter(|nulls| nulls.null_count() > 0);
    let validity = nulls.map(|nulls| validity(py, nulls)).transpose()?;
    Ok((kind, size, buffers, validity, children))
}

/// The column, with views of text and bytes converted to offsets and values.
fn without_views(column: &Column) -> Column {
    let data = match column.data.data_type() {
        DataType::Utf8View => {
            LargeStringArray::from_iter(&StringViewArray::from(column.data.clone())).to_data()
        }
        DataType::BinaryView => {
            LargeBinaryArray::from_iter(&BinaryViewArray::from(column.data.clone())).to_data()
        }
        _ => return column.clone(),
    };
    Column { data, ..column.clone() }
}

fn rows(values: &ArrayData, start: usize, nrows: usize) -> ArrayData {
    if start == 0 && values.len() == nrows { values.clone() } else { values.slice(start, nrows) }
}

fn child(field: &FieldRef, data: ArrayData) -> ChildParts {
    let ordered = field.dict_is_ordered() == Some(true);
    let metadata = field.metadata().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    let column = ArrowColumn { column: Column { ordered, ..Column::new(data) } };
    (field.name().clone(), field.is_nullable(), metadata, column)
}

/// Values `first..first + count` of a buffer.
fn view<'py>(
    py: Python<'py>,
    data: &ArrayData,
    buffer: usize,
    descr: &str,
    first: usize,
    count: usize,
) -> PyResult<Bound<'py, PyAny>> {
    array_view(py, data.buffers().get(buffer).cloned().unwrap_or_default(), descr, first, count)
}

fn array_view<'py>(
    py: Python<'py>,
    buffer: ArrowBuffer,
    descr: &str,
    first: usize,
    count: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let wrong = || PyValueError::new_err("a buffer is shorter than its column");
    let dtype = DType::parse(descr).ok_or_else(wrong)?;
    let grid = Grid::column_major(dtype, count, 1, first * dtype.itemsize as usize);
    Arrays::new(py, false).column(&Block::new(grid, Buffer::from_arrow(buffer)).ok_or_else(wrong)?)
}

/// The offsets, one more than rows. An array without rows may have no offsets.
fn offsets<'py>(py: Python<'py>, data: &ArrayData, descr: &str) -> PyResult<Bound<'py, PyAny>> {
    if data.is_empty() {
        return new_array(py, descr, 1, vec![0; 8]);
    }
    view(py, data, 0, descr, data.offset(), data.len() + 1)
}

fn bytes<'py>(py: Python<'py>, data: &ArrayData) -> PyResult<Bound<'py, PyAny>> {
    let buffer = data.buffers().get(1).cloned().unwrap_or_default();
    let nbytes = buffer.len();
    array_view(py, buffer, "|u1", 0, nbytes)
}

fn validity<'py>(py: Python<'py>, nulls: &NullBuffer) -> PyResult<Bound<'py, PyAny>> {
    let nbytes = nulls.len().div_ceil(8);
    if nulls.offset().is_multiple_of(8) {
        return array_view(py, nulls.buffer().clone(), "|u1", nulls.offset() / 8, nbytes);
    }
    array_view(py, nulls.inner().sliced(), "|u1", 0, nbytes)
}

fn new_array<'py>(py: Python<'py>, descr: &str, count: usize, bytes: Vec<u8>) -> PyResult<Bound<'py, PyAny>> {
    let dtype = DType::parse(descr).ok_or_else(|| PyValueError::new_err("no dtype"))?;
    array::from_bytes(py, dtype, count, bytes)
}
