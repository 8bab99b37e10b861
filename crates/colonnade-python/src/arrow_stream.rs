//! Imports and exports Arrow's C stream interface.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_data::ArrayData;
use colonnade::arrow::concat::concat_all;
use colonnade::arrow::import::FramePlan;
use colonnade::frame::Frame;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow_export;
use crate::arrow_foreign::{self, Batch, ForeignBatches, ForeignTable, SCHEMA_NAME, STREAM_NAME};
use crate::errors::IntoPy;
use crate::foreign_fields;
use crate::frame::CoreFrame;
use crate::guard::Guarded;

/// The frames of batches; without batches, one frame without rows.
fn frames(schema: &arrow_schema::Schema, mut batches: Vec<Batch>) -> colonnade::Result<Vec<Frame>> {
    if batches.is_empty() {
        let empty = schema.fields().iter().map(|f| ArrayData::new_empty(f.data_type())).collect();
        batches.push((0, empty));
    }
    FramePlan::new(schema)?.frames(&batches)
}

#[pyfunction]
fn import_arrow(py: Python<'_>, obj: &Bound<'_, PyAny>) -> PyResult<Vec<CoreFrame>> {
    let ForeignTable { schema, batches } = ForeignTable::of(obj)?;
    let frames = py.guarded(|| frames(&schema, batches)).py()?;
    Ok(frames.into_iter().map(CoreFrame::new).collect())
}

#[pyfunction]
fn import_arrow_schema(obj: &Bound<'_, PyAny>) -> PyResult<CoreFrame> {
    let schema = arrow_foreign::schema_of(obj)?;
    let mut frames = frames(&schema, Vec::new()).py()?;
    Ok(CoreFrame::new(frames.swap_remove(0)))
}

#[pyfunction]
#[pyo3(signature = (frames, metadata = true, storage = Vec::new()))]
fn export_arrow_stream<'py>(
    py: Python<'py>,
    frames: Vec<PyRef<'py, CoreFrame>>,
    metadata: bool,
    storage: Vec<usize>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let frames: Vec<Arc<Frame>> = frames.iter().map(|f| Arc::clone(&f.frame)).collect();
    let stream = py.guarded(|| arrow_export::stream(frames, metadata, storage)).py()?;
    PyCapsule::new_with_value(py, stream, STREAM_NAME)
}

#[pyfunction]
fn export_arrow_schema<'py>(py: Python<'py>, frame: &CoreFrame) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, arrow_export::schema(&frame.frame).py()?, SCHEMA_NAME)
}

/// Positions of the fields (columns, then levels of row labels) that may have an extension type, or a descendant with one.
#[pyfunction]
fn arrow_extensions(frame: &CoreFrame) -> Vec<usize> {
    let columns = frame.frame.arrow_columns();
    columns
        .filter(|(_, column)| foreign_fields::has_extension(column))
        .map(|(position, _)| position)
        .collect()
}

/// Concatenates frames into new memory. A single frame is returned unchanged. `alone`: the frame is for one use.
#[pyfunction]
#[pyo3(signature = (frames, alone = false))]
fn concat_frames<'py>(
    py: Python<'py>,
    frames: Vec<Bound<'py, CoreFrame>>,
    alone: bool,
) -> PyResult<Bound<'py, CoreFrame>> {
    if let [one] = frames.as_slice() {
        return Ok(one.clone());
    }
    let borrowed: Vec<&Frame> = frames.iter().map(|f| &*f.get().frame).collect();
    let joined = py.guarded(|| concat_all(&borrowed)).py()?;
    Bound::new(py, CoreFrame::with_exclusivity(joined, alone))
}

/// The batches of a foreign stream, imported one at a time.
#[pyclass(module = "colonnade._core")]
struct ArrowStream {
    plan: FramePlan,
    schema: arrow_schema::Schema,
    /// The mutex only makes the interface's pointers `Sync`: `next_batch` borrows the class mutably, so no lock is
    /// contended.
    batches: Mutex<ForeignBatches>,
    nrows: usize,
}

#[pymethods]
impl ArrowStream {
    #[staticmethod]
    fn open(obj: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (schema, batches) = ForeignBatches::of(obj)?;
        Ok(Self { plan: FramePlan::new(&schema).py()?, schema, batches: Mutex::new(batches), nrows: 0 })
    }

    fn schema(&self) -> PyResult<CoreFrame> {
        let mut frames = frames(&self.schema, Vec::new()).py()?;
        Ok(CoreFrame::new(frames.swap_remove(0)))
    }

    fn next_batch(&mut self, py: Python<'_>) -> PyResult<Option<CoreFrame>> {
        let Self { plan, batches, nrows: first_row, .. } = self;
        let batches = batches.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some((nrows, arrays)) = py.guarded(|| batches.next())? else { return Ok(None) };
        let frame = plan.batch(&arrays, nrows, *first_row).py()?;
        *first_row += nrows;
        Ok(Some(CoreFrame::new(frame)))
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<ArrowStream>()?;
    m.add_function(wrap_pyfunction!(import_arrow, m)?)?;
    m.add_function(wrap_pyfunction!(import_arrow_schema, m)?)?;
    m.add_function(wrap_pyfunction!(export_arrow_stream, m)?)?;
    m.add_function(wrap_pyfunction!(export_arrow_schema, m)?)?;
    m.add_function(wrap_pyfunction!(arrow_extensions, m)?)?;
    m.add_function(wrap_pyfunction!(concat_frames, m)?)
}
