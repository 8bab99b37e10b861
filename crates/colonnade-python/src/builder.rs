//! Builds frames from the arrays of an adapter.

use colonnade::frame::{Frame, Part, Tags};
use numpy::{PyArrayLikeDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::array::ArrayBlocks;
use crate::arrow_column::ArrowColumn;
use crate::axis::PyAxis;
use crate::errors::IntoPy;
use crate::frame::CoreFrame;

/// Collects blocks and columns, then validates them as a frame.
#[pyclass(module = "colonnade._core")]
pub(crate) struct FrameBuilder {
    nrows: usize,
    ncols: usize,
    parts: Vec<Part>,
}

impl FrameBuilder {
    fn check_rows(&self, what: &str, found: usize) -> PyResult<()> {
        if found == self.nrows {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("{what}: expected {} rows, found {found}", self.nrows)))
    }
}

#[pymethods]
impl FrameBuilder {
    #[new]
    fn new(nrows: usize, ncols: usize) -> Self {
        Self { nrows, ncols, parts: Vec::new() }
    }

    fn add_block(
        &mut self,
        values: &Bound<'_, PyUntypedArray>,
        positions: PyArrayLikeDyn<'_, i64, numpy::AllowTypeChange>,
    ) -> PyResult<()> {
        let block = ArrayBlocks::new().block(values, 1, Some(0))?;
        self.check_rows("block", block.grid.nrows)?;
        let convert =
            |&p: &i64| usize::try_from(p).map_err(|_| PyValueError::new_err(format!("position {p}")));
        let positions = positions.as_array().iter().map(convert).collect::<PyResult<Vec<_>>>()?;
        if positions.len() != block.grid.width {
            let message = format!("expected {} positions, found {}", block.grid.width, positions.len());
            return Err(PyValueError::new_err(message));
        }
        self.parts.push(Part::Block(block, positions));
        Ok(())
    }

    fn add_arrays(&mut self, arrays: Vec<Bound<'_, PyUntypedArray>>, start: usize) -> PyResult<usize> {
        let mut views = ArrayBlocks::new();
        let mut position = start;
        self.parts.reserve(arrays.len());
        for array in &arrays {
            let block = views.block(array, 0, (array.ndim() == 2).then_some(1))?;
            self.check_rows("array", block.grid.nrows)?;
            let end = position + block.grid.width;
            self.parts.push(Part::Block(block, (position..end).collect()));
            position = end;
        }
        Ok(position)
    }

    fn add_arrow(&mut self, position: usize, column: PyRef<'_, ArrowColumn>) -> PyResult<()> {
        self.check_rows("column", column.column.len())?;
        self.parts.push(Part::Column(column.column.clone(), position));
        Ok(())
    }

    #[pyo3(signature = (index, columns, name = "null", attrs = None, origin = None))]
    fn finish(
        &mut self,
        index: PyRef<'_, PyAxis>,
        columns: PyRef<'_, PyAxis>,
        name: &str,
        attrs: Option<String>,
        origin: Option<String>,
    ) -> PyResult<CoreFrame> {
        let (index, columns) = (index.axis.clone(), columns.axis.clone());
        self.check_rows("index", index.len())?;
        if columns.len() != self.ncols {
            let message = format!("columns: expected {} labels, found {}", self.ncols, columns.len());
            return Err(PyValueError::new_err(message));
        }
        let tags = Tags { name: name.into(), attrs, origin };
        let frame = Frame::new(index, columns, std::mem::take(&mut self.parts), tags).py()?;
        Ok(CoreFrame::new(frame))
    }
}
