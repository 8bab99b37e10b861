//! Frames in memory.

use std::os::fd::RawFd;
use std::sync::Arc;

use colonnade::decode::{MemoryLayout, Request};
use colonnade::frame::{AdjacentColumns, Axis, Block, Column, Frame, Part, Tags};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::array::Arrays;
use crate::arrow_column::ArrowColumn;
use crate::axis::PyAxis;
use crate::byte_source::prefixed_descriptor;
use crate::errors::IntoPy;
use crate::guard::Guarded;
use crate::projection;
use crate::read_options::PyReadOptions;
use crate::run::{Callback, run_with_progress};

/// A frame in memory or over a memory map.
#[pyclass(frozen, module = "colonnade._core")]
pub(crate) struct CoreFrame {
    pub(crate) frame: Arc<Frame>,
    /// Whether the caller holds the only reference, for one use. Then Python may get its memory as writable.
    is_exclusive: bool,
}

impl CoreFrame {
    /// Wraps a frame that is kept. Its arrays are read-only, because later calls return them again.
    pub(crate) fn new(frame: Frame) -> Self {
        Self::with_exclusivity(frame, false)
    }

    pub(crate) fn with_exclusivity(frame: Frame, is_exclusive: bool) -> Self {
        Self { frame: Arc::new(frame), is_exclusive }
    }

    /// Returns another reference to the frame.
    pub(crate) fn share(&self) -> Self {
        Self { frame: Arc::clone(&self.frame), is_exclusive: false }
    }
}

/// A block's values, and the positions of its columns.
type PlacedBlock<'py> = (Bound<'py, PyAny>, Bound<'py, PyArray1<i64>>);

/// The `width` columns of a block from column `first` on.
fn slice_columns(block: &Block, first: usize, width: usize) -> Block {
    Block { grid: block.grid.columns(first, width, 1), buffer: block.buffer.clone() }
}

#[pymethods]
impl CoreFrame {
    #[staticmethod]
    #[pyo3(signature = (fd, *, options, head = None, progress = None, pandas = false))]
    fn open_fd(
        py: Python<'_>,
        fd: RawFd,
        options: &PyReadOptions,
        head: Option<Vec<u8>>,
        progress: Callback,
        pandas: bool,
    ) -> PyResult<Self> {
        let layout = if pandas { MemoryLayout::Pandas } else { MemoryLayout::AsStored };
        let (format, threads, mut stream) = (options.format, options.threads, prefixed_descriptor(head, fd));
        let core = options.core();
        let loaded = run_with_progress(py, progress, None, |watch| {
            let request = Request { private: true, layout, ..Request::all(threads, watch) };
            format.read_stream(&mut stream, core, &request)
        })?;
        Ok(Self::with_exclusivity(loaded.frame, loaded.private))
    }

    #[getter]
    fn nrows(&self) -> usize {
        self.frame.nrows
    }

    #[getter]
    fn ncols(&self) -> usize {
        self.frame.ncols
    }

    #[getter]
    fn index(&self) -> PyAxis {
        PyAxis::with_exclusivity(self.frame.index.clone(), self.is_exclusive)
    }

    #[getter]
    fn columns(&self) -> PyAxis {
        PyAxis::with_exclusivity(self.frame.columns.clone(), self.is_exclusive)
    }

    #[getter]
    fn name(&self) -> &str {
        &self.frame.tags.name
    }

    #[getter]
    fn attrs(&self) -> Option<&str> {
        self.frame.tags.attrs.as_deref()
    }

    #[getter]
    fn origin(&self) -> Option<&str> {
        self.frame.tags.origin.as_deref()
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.frame.nbytes()
    }

    fn check_ranges(&self, py: Python<'_>, first: usize) -> PyResult<()> {
        py.guarded(|| colonnade::arrow::ranges::check_ranges("verify", &self.frame, first)).py()
    }

    #[pyo3(signature = (writable = false))]
    fn blocks<'py>(&self, py: Python<'py>, writable: bool) -> PyResult<Vec<PlacedBlock<'py>>> {
        let mut arrays = Arrays::new(py, writable && self.is_exclusive);
        let mut out = Vec::new();
        for part in &self.frame.parts {
            if let Part::Block(block, positions) = part {
                let at = positions.iter().map(|&p| i64::try_from(p).unwrap_or(i64::MAX));
                out.push((arrays.block(block)?, PyArray1::from_iter(py, at)));
            }
        }
        Ok(out)
    }

    fn arrow_columns(&self) -> Vec<(usize, ArrowColumn)> {
        let mut out: Vec<(usize, ArrowColumn)> = Vec::new();
        for part in &self.frame.parts {
            if let Part::Column(column, position) = part {
                let column = Column { exclusive: column.exclusive && self.is_exclusive, ..column.clone() };
                out.push((*position, ArrowColumn { column }));
            }
        }
        out.sort_by_key(|(position, _)| *position);
        out
    }

    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut arrays = Arrays::new(py, false);
        let mut out = Vec::new();
        for run in self.frame.runs(&|_| 0).py()? {
            out.push(match run {
                AdjacentColumns::Column(column) => {
                    let column = Column { exclusive: false, ..column.clone() };
                    Bound::new(py, ArrowColumn { column })?.into_any()
                }
                AdjacentColumns::Block(block) if block.grid.width == 1 => arrays.column(&block)?,
                AdjacentColumns::Block(block) => arrays.matrix(&block)?,
            });
        }
        PyList::new(py, out)
    }

    fn column<'py>(&self, py: Python<'py>, position: usize) -> PyResult<Bound<'py, PyAny>> {
        let slots = self.frame.slots().py()?;
        let slot = slots.get(position).ok_or_else(|| {
            pyo3::exceptions::PyIndexError::new_err(format!("column {position} of {}", slots.len()))
        })?;
        match self.frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => {
                Arrays::new(py, false).column(&slice_columns(block, slot.column, 1))
            }
            Some(Part::Column(column, _)) => {
                let column = Column { exclusive: false, ..column.clone() };
                Ok(Bound::new(py, ArrowColumn { column })?.into_any())
            }
            None => Err(pyo3::exceptions::PyIndexError::new_err("no such column")),
        }
    }

    fn dtypes(&self) -> Vec<String> {
        let mut out = vec![String::new(); self.frame.ncols];
        for part in &self.frame.parts {
            let (name, positions) = match part {
                Part::Block(block, positions) => (block.grid.dtype.descr(), positions.clone()),
                Part::Column(column, position) => {
                    (colonnade::frame::type_name(column.data.data_type(), column.ordered), vec![*position])
                }
            };
            for position in positions {
                if let Some(slot) = out.get_mut(position) {
                    slot.clone_from(&name);
                }
            }
        }
        out
    }

    fn select(&self, positions: Vec<usize>) -> PyResult<Self> {
        let columns = self.frame.columns.select(&positions).py()?;
        Ok(Self::new(self.frame.select(&positions, columns).py()?))
    }

    #[pyo3(signature = (position, steps = None))]
    fn leaf_paths(
        &self,
        position: usize,
        steps: Option<projection::LeafPaths>,
    ) -> Vec<(String, Vec<usize>, bool)> {
        projection::list_paths(self.frame.arrow_type(position), steps.as_ref())
    }

    fn leaf_dtype(&self, position: usize, steps: projection::LeafPaths) -> String {
        projection::type_name_of(self.frame.arrow_type(position), &steps)
    }

    fn project_leaves(&self, leaves: projection::RequestedPaths) -> PyResult<Self> {
        let leaves = projection::of_paths(leaves, &|position| self.frame.arrow_type(position))?;
        let frame = (*self.frame).clone();
        Ok(Self::with_exclusivity(
            if let Some(leaves) = leaves { frame.projected(&leaves) } else { frame },
            self.is_exclusive,
        ))
    }

    fn slice(&self, start: usize, stop: usize) -> PyResult<Self> {
        if start > stop || stop > self.frame.nrows {
            let message = format!("rows {start}..{stop} are out of range: there are {}", self.frame.nrows);
            return Err(pyo3::exceptions::PyIndexError::new_err(message));
        }
        Ok(Self::new(self.frame.slice(start, stop)))
    }

    #[pyo3(signature = (name, attrs, origin))]
    fn with_meta(&self, name: String, attrs: Option<String>, origin: Option<String>) -> Self {
        let mut frame = (*self.frame).clone();
        frame.tags = Tags { name, attrs, origin };
        Self::with_exclusivity(frame, self.is_exclusive)
    }

    #[pyo3(signature = (index, columns))]
    fn with_axes(
        &self,
        index: Option<PyRef<'_, PyAxis>>,
        columns: Option<PyRef<'_, PyAxis>>,
    ) -> PyResult<Self> {
        let pick = |given: Option<PyRef<'_, PyAxis>>, own: &Axis| {
            given.map_or_else(|| own.clone(), |a| a.axis.clone())
        };
        let (index, columns) = (pick(index, &self.frame.index), pick(columns, &self.frame.columns));
        let parts = self.frame.parts.clone();
        Ok(Self::with_exclusivity(
            Frame::new(index, columns, parts, self.frame.tags.clone()).py()?,
            self.is_exclusive,
        ))
    }
}
