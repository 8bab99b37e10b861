//! NumPy arrays over the core's buffers, and blocks over NumPy's arrays. Neither direction copies.

use std::ffi::c_int;
use std::sync::Arc;

use colonnade::frame::{Block, DType, Grid};
use colonnade::memory::Buffer;
use numpy::npyffi::{self, NpyTypes, PY_ARRAY_API, npy_intp};
use numpy::{PyArrayDescr, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::dtype::{self, Descrs};

/// Keeps a buffer alive while NumPy arrays refer to it.
#[pyclass(frozen, module = "colonnade._core")]
struct Owner {
    _buffer: Buffer,
}

/// Keeps a Python object alive while a buffer refers to its memory.
pub(crate) struct KeepAlive {
    _object: Py<PyAny>,
}

impl KeepAlive {
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> Arc<Self> {
        Arc::new(Self { _object: object.clone().unbind() })
    }
}

/// Creates NumPy arrays. It caches dtypes and the owner for one call.
pub(crate) struct Arrays<'py> {
    py: Python<'py>,
    descrs: Descrs<'py>,
    owner: Option<(usize, Bound<'py, Owner>)>,
    writable: bool,
}

impl<'py> Arrays<'py> {
    /// Creates the maker of arrays. `writable` is only for memory that no other frame shares.
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

    /// Returns the block as a (width, nrows) array: the layout of pandas' blocks.
    pub(crate) fn block(&mut self, block: &Block) -> PyResult<Bound<'py, PyAny>> {
        let g = &block.grid;
        self.make(block, &[g.width, g.nrows], &[g.col_stride, g.row_stride])
    }

    /// Returns the block as a (nrows, width) array.
    pub(crate) fn matrix(&mut self, block: &Block) -> PyResult<Bound<'py, PyAny>> {
        let g = &block.grid;
        self.make(block, &[g.nrows, g.width], &[g.row_stride, g.col_stride])
    }

    /// Returns one column as a (nrows,) array.
    pub(crate) fn column(&mut self, block: &Block) -> PyResult<Bound<'py, PyAny>> {
        self.make(block, &[block.grid.nrows], &[block.grid.row_stride])
    }

    fn make(&mut self, block: &Block, shape: &[usize], strides: &[isize]) -> PyResult<Bound<'py, PyAny>> {
        let descr = self.descrs.get(block.grid.dtype)?;
        let owner = self.owner(&block.buffer)?;
        let writable = self.writable && block.buffer.is_exclusive();
        let data = block.buffer.as_ptr().wrapping_add(block.grid.offset);
        new_array(self.py, &descr, shape, Some(strides), data, writable, owner.as_any())
    }

    /// Returns an array of any shape over contiguous bytes.
    pub(crate) fn packed(
        &mut self,
        descr: &Bound<'py, PyArrayDescr>,
        shape: &[usize],
        fortran_order: bool,
        bytes: &Buffer,
    ) -> PyResult<Bound<'py, PyAny>> {
        let itemsize = numpy::PyArrayDescrMethods::itemsize(descr);
        let nbytes = shape.iter().try_fold(itemsize, |nbytes, &length| nbytes.checked_mul(length));
        if nbytes.is_none_or(|nbytes| nbytes > bytes.nbytes()) {
            return Err(too_few_bytes());
        }
        let owner = self.owner(bytes)?;
        let mut strides = vec![0isize; shape.len()];
        let mut next = isize::try_from(itemsize).unwrap_or(isize::MAX);
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

/// Returns an array of `count` values of `dtype` over `bytes`.
///
/// # Errors
/// `ValueError`: there are fewer bytes than the values have.
pub(crate) fn from_bytes<'py>(
    py: Python<'py>,
    dtype: DType,
    count: usize,
    bytes: Vec<u8>,
) -> PyResult<Bound<'py, PyAny>> {
    let buffer = Buffer::from_vec(bytes).assume_exclusive();
    let block = Block::new(Grid::column_major(dtype, count, 1, 0), buffer).ok_or_else(too_few_bytes)?;
    Arrays::new(py, true).column(&block)
}

fn too_few_bytes() -> PyErr {
    PyValueError::new_err("an array has fewer bytes than its shape needs")
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
    // NumPy's type of dimensions and strides is a signed word.
    let mut dims: Vec<npy_intp> =
        shape.iter().map(|&n| npy_intp::try_from(n).unwrap_or(npy_intp::MAX)).collect();
    let mut steps: Vec<npy_intp> = strides.unwrap_or(&[]).to_vec();
    let step_ptr = if strides.is_some() { steps.as_mut_ptr() } else { std::ptr::null_mut() };
    // SAFETY: the descr is a live dtype without Python objects. The call takes a reference to it, so it gets one of its own. `dims`
    // and `strides` have `ndim` entries. Every cell is inside the buffer that `base` keeps alive: `Block::new`, `ArrayBlocks::block`
    // or `Arrays::packed` checked it. Empty arrays access no memory.
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
        // The call takes this reference to the base, too.
        if PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), base.clone().into_ptr()) < 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(array)
    }
}

/// Reads the descriptions of arrays. If consecutive arrays have the same dtype object, it is converted once.
pub(crate) struct ArrayBlocks {
    last: Option<(usize, DType)>,
}

impl ArrayBlocks {
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

    /// Returns a block over an array. `row_axis` and `col_axis` are its axes of rows and columns. No `col_axis`: one column.
    pub(crate) fn block(
        &mut self,
        array: &Bound<'_, PyUntypedArray>,
        row_axis: usize,
        col_axis: Option<usize>,
    ) -> PyResult<Block> {
        let dtype = self.dtype(array)?;
        // SAFETY: `array` is a live array object, whose data pointer is read but not dereferenced.
        let data = unsafe { (*array.as_array_ptr()).fields.data }.cast::<u8>();
        let at = |axis: usize| Some((*array.shape().get(axis)?, *array.strides().get(axis)?));
        let wrong = || {
            PyValueError::new_err(format!("expected an array of 1 or 2 dimensions, found {}", array.ndim()))
        };
        let (nrows, row_stride) = at(row_axis).ok_or_else(wrong)?;
        let item = isize::try_from(dtype.itemsize).unwrap_or(isize::MAX);
        let (width, col_stride) = match col_axis {
            None => (1, item.saturating_mul(isize::try_from(nrows).unwrap_or(isize::MAX))),
            Some(axis) => at(axis).ok_or_else(wrong)?,
        };
        let mut grid = Grid { dtype, nrows, width, row_stride, col_stride, offset: 0 };
        if nrows == 0 || width == 0 || dtype.itemsize == 0 {
            return Ok(Block { grid, buffer: Buffer::from_vec(Vec::new()) });
        }
        // Negative strides reach below the data pointer.
        let below = |stride: isize, count: usize| match stride < 0 {
            true => stride.unsigned_abs().saturating_mul(count - 1),
            false => 0,
        };
        grid.offset = below(row_stride, nrows).saturating_add(below(col_stride, width));
        let (_, high) = grid.extent();
        // `as_strided` can make such arrays, though NumPy has no memory for them.
        if isize::try_from(high).is_err() {
            return Err(PyValueError::new_err("an array reaches beyond the address space"));
        }
        let start = data.wrapping_sub(grid.offset);
        // SAFETY: NumPy guarantees that all cells of a live array are readable, and the buffer keeps the array alive. An array that
        // the buffer holds cannot be resized: its reference count is not 1. A frame over an array shares its memory, so it sees
        // later writes to the array; callers accept that.
        let buffer = unsafe { Buffer::from_raw(start, high, KeepAlive::new(array.as_any())) };
        Ok(Block { grid, buffer })
    }
}
