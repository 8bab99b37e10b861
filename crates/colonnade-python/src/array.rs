//! NumPy arrays over our memory, and blocks over NumPy's. No copy either way.

use std::ffi::c_int;
use std::sync::Arc;

use colonnade::frame::{Block, DType, Grid};
use colonnade::memory::Buffer;
use numpy::npyffi::{self, NpyTypes, PY_ARRAY_API, npy_intp};
use numpy::{PyArrayDescr, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::dtype::{self, Descrs};

/// Keeps a buffer alive for the arrays over it.
#[pyclass(frozen, module = "colonnade._core")]
struct Owner {
    _buffer: Buffer,
}

/// Keeps a Python object alive for a buffer over it.
pub(crate) struct PyKeep {
    _object: Py<PyAny>,
}

impl PyKeep {
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> Arc<Self> {
        Arc::new(Self { _object: object.clone().unbind() })
    }
}

/// Makes arrays: dtypes and owners are made once a call.
pub(crate) struct Arrays<'py> {
    py: Python<'py>,
    descrs: Descrs<'py>,
    owner: Option<(usize, Bound<'py, Owner>)>,
    writable: bool,
}

impl<'py> Arrays<'py> {
    /// `writable` arrays are made only over memory that no other frame sees.
    pub(crate) fn new(py: Python<'py>, writable: bool) -> Self {
        Self { py, descrs: Descrs::new(py), owner: None, writable }
    }

    fn owner(&mut self, buffer: &Buffer) -> PyResult<Bound<'py, Owner>> {
        let id = buffer.owner_id();
        if let Some((known, owner)) = &self.owner
            && *known == id
        {
            return Ok(owner.clone());
        }
        let owner = Bound::new(self.py, Owner { _buffer: buffer.clone() })?;
        self.owner = Some((id, owner.clone()));
        Ok(owner)
    }

    /// The block as a (width, nrows) array: the layout of pandas' blocks.
    pub(crate) fn block(&mut self, block: &Block) -> PyResult<Bound<'py, PyAny>> {
        let g = &block.grid;
        self.make(block, &[g.width, g.nrows], &[g.col_stride, g.row_stride])
    }

    /// The block as a (nrows, width) array.
    pub(crate) fn matrix(&mut self, block: &Block) -> PyResult<Bound<'py, PyAny>> {
        let g = &block.grid;
        self.make(block, &[g.nrows, g.width], &[g.row_stride, g.col_stride])
    }

    /// One column as a (nrows,) array.
    pub(crate) fn line(&mut self, block: &Block) -> PyResult<Bound<'py, PyAny>> {
        self.make(block, &[block.grid.nrows], &[block.grid.row_stride])
    }

    fn make(&mut self, block: &Block, shape: &[usize], strides: &[isize]) -> PyResult<Bound<'py, PyAny>> {
        let descr = self.descrs.get(block.grid.dtype)?;
        let owner = self.owner(&block.buffer)?;
        let writable = self.writable && block.buffer.is_exclusive();
        let data = block.buffer.as_ptr().wrapping_add(block.grid.offset);
        new_array(self.py, &descr, shape, Some(strides), data, writable, owner.as_any())
    }

    /// An array of any shape over packed bytes.
    pub(crate) fn packed(
        &mut self,
        descr: &Bound<'py, PyArrayDescr>,
        shape: &[usize],
        fortran_order: bool,
        bytes: &Buffer,
    ) -> PyResult<Bound<'py, PyAny>> {
        let owner = self.owner(bytes)?;
        let mut strides = vec![0isize; shape.len()];
        let mut next = isize::try_from(numpy::PyArrayDescrMethods::itemsize(descr)).unwrap_or(isize::MAX);
        for i in 0..shape.len() {
            let axis = if fortran_order { i } else { shape.len() - 1 - i };
            if let (Some(slot), Some(&length)) = (strides.get_mut(axis), shape.get(axis)) {
                *slot = next;
                next = next.saturating_mul(isize::try_from(length).unwrap_or(isize::MAX));
            }
        }
        let writable = self.writable && bytes.is_exclusive();
        new_array(self.py, descr, shape, Some(&strides), bytes.as_ptr(), writable, owner.as_any())
    }
}

/// An array of `dtype` over `nbytes` that `bytes` owns.
pub(crate) fn owned<'py>(
    py: Python<'py>,
    dtype: DType,
    count: usize,
    bytes: Vec<u8>,
) -> PyResult<Bound<'py, PyAny>> {
    let buffer = Buffer::from_vec(bytes).assume_exclusive();
    let block = Block { grid: Grid::column_major(dtype, count, 1, 0), buffer };
    Arrays::new(py, true).line(&block)
}

fn new_array<'py>(
    py: Python<'py>,
    descr: &Bound<'py, PyArrayDescr>,
    shape: &[usize],
    strides: Option<&[isize]>,
    data: *const u8,
    writable: bool,
    base: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let ndim = c_int::try_from(shape.len()).unwrap_or(c_int::MAX);
    let flags = if writable { npyffi::NPY_ARRAY_WRITEABLE } else { 0 };
    // NumPy takes both as signed words of the same size.
    let mut dims: Vec<npy_intp> =
        shape.iter().map(|&n| npy_intp::try_from(n).unwrap_or(npy_intp::MAX)).collect();
    let mut steps: Vec<npy_intp> = strides.unwrap_or(&[]).to_vec();
    let step_ptr = if strides.is_some() { steps.as_mut_ptr() } else { std::ptr::null_mut() };
    // SAFETY: the descr is a live dtype (its reference is stolen, so one is given); dims and strides have `ndim` entries;
    // every cell lies inside the buffer that `base` keeps alive: `Block::new` proved it (and empty arrays touch nothing).
    unsafe {
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            npyffi::get_type_object(py, NpyTypes::PyArray_Type),
            descr.clone().into_ptr().cast(),
            ndim,
            dims.as_mut_ptr(),
            step_ptr,
            data.cast_mut().cast(),
            flags,
            std::ptr::null_mut(),
        );
        let array = Bound::from_owned_ptr_or_err(py, array)?;
        // The base's reference is stolen too.
        if PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), base.clone().into_ptr()) < 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(array)
    }
}

/// Reads an array's description; the dtype of the array before is reused where it is the same object.
pub(crate) struct Views {
    last: Option<(usize, DType)>,
}

impl Views {
    pub(crate) fn new() -> Self {
        Self { last: None }
    }

    fn dtype(&mut self, array: &Bound<'_, PyUntypedArray>) -> PyResult<DType> {
        let descr = array.dtype();
        let id = descr.as_ptr() as usize;
        let dtype = match self.last {
            Some((known, dtype)) if known == id => dtype,
            _ => dtype::from_numpy(&descr)?,
        };
        self.last = Some((id, dtype));
        Ok(dtype)
    }

    /// A block over an array; `axes` says which of its axes are rows and columns (`None`: one column).
    pub(crate) fn block(
        &mut self,
        array: &Bound<'_, PyUntypedArray>,
        row_axis: usize,
        col_axis: Option<usize>,
    ) -> PyResult<Block> {
        let dtype = self.dtype(array)?;
        // SAFETY: a live array object; its data pointer is read, not followed.
        let data = unsafe { (*array.as_array_ptr()).fields.data }.cast::<u8>();
        let at = |axis: usize| Some((*array.shape().get(axis)?, *array.strides().get(axis)?));
        let wrong = || {
            PyValueError::new_err(format!("expected an array of 1 or 2 dimensions, found {}", array.ndim()))
        };
        let (nrows, row_stride) = at(row_axis).ok_or_else(wrong)?;
        let item = isize::try_from(dtype.itemsize).unwrap_or(isize::MAX);
        let (width, col_stride) = match col_axis {
            None => (1, item * isize::try_from(nrows).unwrap_or(isize::MAX)),
            Some(axis) => at(axis).ok_or_else(wrong)?,
        };
        let mut grid = Grid { dtype, nrows, width, row_stride, col_stride, offset: 0 };
        if nrows == 0 || width == 0 || dtype.itemsize == 0 {
            return Ok(Block { grid, buffer: Buffer::from_vec(Vec::new()) });
        }
        // Negative strides reach before the data pointer.
        let below =
            |stride: isize, count: usize| if stride < 0 { stride.unsigned_abs() * (count - 1) } else { 0 };
        grid.offset = below(row_stride, nrows) + below(col_stride, width);
        let (_, high) = grid.extent();
        let start = data.wrapping_sub(grid.offset);
        // SAFETY: NumPy guarantees that all cells of a live array are readable; the array is kept alive by the buffer. The
        // caller shares the memory knowingly: a frame over an array sees later writes to it.
        let buffer = unsafe { Buffer::from_raw(start, high, PyKeep::new(array.as_any())) };
        Ok(Block { grid, buffer })
    }
}
