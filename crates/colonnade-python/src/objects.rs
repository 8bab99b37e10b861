//! Converts object cells of one type to Arrow, and Arrow values to Python objects.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;
use colonnade::memory::unpack;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyList, PyString};

use crate::arrow_build;
use crate::errors;

/// Whether a cell is None, NaN or pandas' NA.
fn is_null(cell: &Bound<'_, PyAny>) -> bool {
    if cell.is_none() {
        return true;
    }
    if let Ok(float) = cell.cast::<PyFloat>() {
        return float.value().is_nan();
    }
    cell.get_type().name().is_ok_and(|name| name == "NAType")
}

/// Converts the cells of a 1-D object array, which must be of type `kind` or null.
pub(crate) fn from_objects(values: &Bound<'_, PyAny>, kind: &str) -> PyResult<ArrayData> {
    let cells = values.call_method0("tolist")?.cast_into::<PyList>()?;
    let length = cells.len();
    let mut valid = Vec::with_capacity(length);
    let mut bytes: Vec<u8> = Vec::new();
    let mut offsets: Vec<i64> = vec![0];
    let mut flags = Vec::new();
    for (row, cell) in cells.iter().enumerate() {
        let null = is_null(&cell);
        valid.push(!null);
        let wrong = || {
            let found = cell.get_type().name().map_or_else(|_| "?".into(), |n| n.to_string());
            PyTypeError::new_err(format!("row {row}: expected {kind}, found {found}"))
        };
        match kind {
            _ if null => flags.push(false),
            "str" => {
                let text = cell.cast::<PyString>().map_err(|_| wrong())?;
                let text = text.to_str().map_err(|_| {
                    errors::encode(format!(
                        "row {row}: a lone surrogate is no Unicode text. Replace it first."
                    ))
                })?;
                bytes.extend_from_slice(text.as_bytes());
            }
            "bytes" => bytes.extend_from_slice(cell.cast::<PyBytes>().map_err(|_| wrong())?.as_bytes()),
            "bool" => flags.push(cell.cast::<PyBool>().map_err(|_| wrong())?.is_true()),
            _ => {
                return Err(PyValueError::new_err(format!(
                    "kind: expected str, bytes or bool, found {kind}"
                )));
            }
        }
        offsets.push(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
    }
    let nulls = Some(NullBuffer::new(BooleanBuffer::from(valid))).filter(|n| n.null_count() > 0);
    let data_type = match kind {
        "str" => DataType::LargeUtf8,
        "bytes" => DataType::LargeBinary,
        _ => DataType::Boolean,
    };
    let builder = ArrayDataBuilder::new(data_type.clone()).len(length).nulls(nulls);
    let builder = if data_type == DataType::Boolean {
        builder.add_buffer(BooleanBuffer::from(flags).into_inner())
    } else {
        builder.add_buffer(offsets.into()).add_buffer(bytes.into())
    };
    builder.build().map_err(|e| PyValueError::new_err(e.to_string()))
}

/// Converts strings, bytes or bools to a 1-D object array, with None for null. Returns `None` for other types.
pub(crate) fn to_objects<'py>(py: Python<'py>, data: &ArrayData) -> PyResult<Option<Bound<'py, PyAny>>> {
    let null = |row: usize| data.nulls().is_some_and(|n| n.is_null(row));
    let mut out: Vec<Bound<'py, PyAny>> = Vec::with_capacity(data.len());
    match data.data_type() {
        DataType::Null => out.resize_with(data.len(), || py.None().into_bound(py)),
        DataType::Boolean => return Ok(Some(bools(py, data))),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => {
            let text = matches!(data.data_type(), DataType::Utf8 | DataType::LargeUtf8);
            for row in 0..data.len() {
                if null(row) {
                    out.push(py.None().into_bound(py));
                    continue;
                }
                let bytes = value(data, row).unwrap_or(&[]);
                out.push(if text {
                    PyString::from_bytes(py, bytes)?.into_any()
                } else {
                    PyBytes::new(py, bytes).into_any()
                });
            }
        }
        _ => return Ok(None),
    }
    let array = py.import("numpy")?.call_method1("empty", (data.len(), "O"))?;
    array.set_item(pyo3::types::PySlice::full(py), PyList::new(py, out)?)?;
    Ok(Some(array))
}

fn bools<'py>(py: Python<'py>, data: &ArrayData) -> Bound<'py, PyAny> {
    let mut cells = vec![0; data.len()];
    // The unpacking cannot fail: Arrow's arrays have as many bits as rows.
    let _ = unpack(data.buffers().first().map_or(&[], |bits| bits), data.offset(), &mut cells);
    if let Some(nulls) = data.nulls() {
        cells.iter_mut().zip(arrow_build::mask(nulls)).for_each(|(cell, null)| *cell |= 2 * null);
    }
    let object = |value: bool| PyBool::new(py, value).to_owned().into_any().unbind();
    let (no, yes, none) = (object(false), object(true), py.None());
    // SAFETY: NumPy initialises the cells of a new object array with null pointers, which it treats as None.
    let array = unsafe { PyArray1::<Py<PyAny>>::new(py, data.len(), false) };
    for (row, cell) in cells.into_iter().enumerate() {
        let object = [&no, &yes].get(usize::from(cell)).map_or(&none, |object| *object);
        // SAFETY: the array is contiguous and has one cell for each row. The overwritten null pointer holds no reference.
        unsafe { array.data().add(row).write(object.clone_ref(py)) };
    }
    array.into_any()
}

/// The bytes of a row of a string or binary array.
pub(crate) fn value(data: &ArrayData, row: usize) -> Option<&[u8]> {
    let (offsets, values) = (data.buffers().first()?, data.buffers().get(1)?);
    let at = data.offset() + row;
    let (start, end) = match data.data_type() {
        DataType::Utf8 | DataType::Binary => {
            let all = offsets.typed_data::<i32>();
            (usize::try_from(*all.get(at)?).ok()?, usize::try_from(*all.get(at + 1)?).ok()?)
        }
        _ => {
            let all = offsets.typed_data::<i64>();
            (usize::try_from(*all.get(at)?).ok()?, usize::try_from(*all.get(at + 1)?).ok()?)
        }
    };
    values.as_slice().get(start..end)
}
