//! Converts between NumPy's dtypes and the core's.

use std::collections::HashMap;

use colonnade::container::npy::{Descr, DescrField};
use colonnade::frame::{ByteOrder, DType, DTypeKind};
use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The core's dtype for a NumPy dtype.
pub(crate) fn from_numpy(descr: &Bound<'_, PyArrayDescr>) -> PyResult<DType> {
    let itemsize =
        u32::try_from(descr.itemsize()).map_err(|_| unsupported_dtype(descr, "its items are too large"))?;
    let order = match descr.byteorder() {
        b'>' => ByteOrder::Big,
        b'|' => ByteOrder::None,
        _ => ByteOrder::Little,
    };
    let kind = match descr.kind() {
        b'b' => DTypeKind::Bool,
        b'i' => DTypeKind::Int,
        b'u' => DTypeKind::UInt,
        b'f' => DTypeKind::Float,
        b'c' => DTypeKind::Complex,
        b'S' => DTypeKind::Bytes,
        b'U' => DTypeKind::Unicode,
        b'V' if !descr.has_fields() && !descr.has_subarray() => DTypeKind::Void,
        b'M' | b'm' => {
            let text: String = descr.getattr("str")?.extract()?;
            return DType::parse(&text).ok_or_else(|| unsupported_dtype(descr, "its unit is unknown"));
        }
        b'O' => return Err(unsupported_dtype(descr, "objects have no fixed width")),
        _ => return Err(unsupported_dtype(descr, "it is no plain fixed-width dtype")),
    };
    Ok(DType { kind, itemsize, order, unit: None })
}

fn unsupported_dtype(descr: &Bound<'_, PyArrayDescr>, why: &str) -> PyErr {
    let text = descr.str().map_or_else(|_| "?".to_owned(), |s| s.to_string());
    PyTypeError::new_err(format!("expected a NumPy dtype of fixed width, found {text}: {why}"))
}

/// A cache of NumPy dtypes by the core's dtype, for one call.
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
        let descr = PyArrayDescr::new(self.py, dtype.descr())?;
        self.known.insert(dtype, descr.clone());
        Ok(descr)
    }
}

/// The NumPy dtype of an NPY header, which may be structured.
pub(crate) fn of_descr<'py>(py: Python<'py>, descr: &Descr) -> PyResult<Bound<'py, PyArrayDescr>> {
    match descr {
        Descr::Scalar(dtype) => PyArrayDescr::new(py, dtype.descr()),
        Descr::Struct(fields) => PyArrayDescr::new(py, structured(py, fields)?),
    }
}

/// `{"names": ..., "formats": ..., "offsets": ..., "titles": ..., "itemsize": ...}` without padding fields.
pub(crate) fn structured<'py>(py: Python<'py>, fields: &[DescrField]) -> PyResult<Bound<'py, PyDict>> {
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
