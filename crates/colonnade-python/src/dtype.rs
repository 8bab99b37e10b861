//! NumPy's dtypes and ours.

use std::collections::HashMap;

use colonnade::container::npy::{Descr, Field};
use colonnade::frame::{ByteOrder, DType, Kind};
use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Our dtype of a NumPy one.
pub(crate) fn from_numpy(descr: &Bound<'_, PyArrayDescr>) -> PyResult<DType> {
    let itemsize = u32::try_from(descr.itemsize()).map_err(|_| refuse(descr, "its items are too large"))?;
    let order = match descr.byteorder() {
        b'>' => ByteOrder::Big,
        b'|' => ByteOrder::None,
        _ => ByteOrder::Little,
    };
    let kind = match descr.kind() {
        b'b' => Kind::Bool,
        b'i' => Kind::Int,
        b'u' => Kind::UInt,
        b'f' => Kind::Float,
        b'c' => Kind::Complex,
        b'S' => Kind::Bytes,
        b'U' => Kind::Unicode,
        b'V' if !descr.has_fields() && !descr.has_subarray() => Kind::Void,
        b'M' | b'm' => {
            let text: String = descr.getattr("str")?.extract()?;
            return DType::parse(&text).ok_or_else(|| refuse(descr, "its unit is unknown"));
        }
        b'O' => return Err(refuse(descr, "objects have no fixed width")),
        _ => return Err(refuse(descr, "it is no plain fixed-width dtype")),
    };
    Ok(DType { kind, itemsize, order, unit: None })
}

fn refuse(descr: &Bound<'_, PyArrayDescr>, why: &str) -> PyErr {
    let text = descr.str().map_or_else(|_| "?".to_owned(), |s| s.to_string());
    PyTypeError::new_err(format!("expected a NumPy dtype of fixed width, found {text}: {why}"))
}

/// NumPy's dtypes by ours, made once a call.
pub(crate) struct Descrs<'py> {
    py: Python<'py>,
    known: HashMap<DType, Bound<'py, PyArrayDescr>>,
}

impl<'py> Descrs<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self { py, known: HashMap::new() }
    }

    pub(crate) fn get(&mut self, dtype: DType) -> PyResult<Bound<'py, PyArrayDescr>> {
        if let Some(known) = self.known.get(&dtype) {
            return Ok(known.clone());
        }
        let made = PyArrayDescr::new(self.py, dtype.descr())?;
        self.known.insert(dtype, made.clone());
        Ok(made)
    }
}

/// The NumPy dtype of an NPY header, structured ones included.
pub(crate) fn of_descr<'py>(py: Python<'py>, descr: &Descr) -> PyResult<Bound<'py, PyArrayDescr>> {
    match descr {
        Descr::Scalar(dtype) => PyArrayDescr::new(py, dtype.descr()),
        Descr::Struct(fields) => PyArrayDescr::new(py, structured(py, fields)?),
    }
}

/// `{"names": ..., "formats": ..., "offsets": ..., "titles": ..., "itemsize": ...}`: padding is not a field.
pub(crate) fn structured<'py>(py: Python<'py>, fields: &[Field]) -> PyResult<Bound<'py, PyDict>> {
    let (names, formats, offsets, titles) =
        (PyList::empty(py), PyList::empty(py), PyList::empty(py), PyList::empty(py));
    let mut offset = 0;
    for field in fields {
        if !field.is_padding() {
            names.append(&field.name)?;
            let base = of_descr(py, &field.descr)?;
            let shape: Vec<usize> = field.shape.clone();
            if shape.is_empty() {
                formats.append(base)?;
            } else {
                formats.append((base, pyo3::types::PyTuple::new(py, shape)?))?;
            }
            offsets.append(offset)?;
            titles.append(field.title.as_deref())?;
        }
        offset += field.nbytes().unwrap_or(0);
    }
    let out = PyDict::new(py);
    out.set_item("names", names)?;
    out.set_item("formats", formats)?;
    out.set_item("offsets", offsets)?;
    out.set_item("titles", titles)?;
    out.set_item("itemsize", offset)?;
    Ok(out)
}
