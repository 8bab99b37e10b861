//! Converts filters from Python: lists of (column, comparison, [(kind, value), ...]), see `colonnade/_frame/filter_values.py`.

use std::sync::Arc;

use colonnade::filter::{Literal, Op, RowFilter, Term};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::axis::PyAxis;
use crate::frame::CoreFrame;
use crate::read_options::threads as threads_of;
use crate::run::{Callback, run_with_progress};

/// Any of these lists of conditions must hold, and in it all conditions.
pub(crate) type Conditions<'py> = Vec<Vec<(String, String, Vec<(String, Bound<'py, PyAny>)>)>>;

/// Converts `conditions`.
pub(crate) fn filter_of(conditions: Conditions<'_>) -> PyResult<RowFilter> {
    let term = |(column, op, values): (String, String, Vec<(String, Bound<'_, PyAny>)>)| {
        let op =
            Op::of(&op).ok_or_else(|| PyValueError::new_err(format!("filters: no comparison {op:?}.")))?;
        let literals = values.iter().map(|(kind, value)| literal(kind, value)).collect::<PyResult<_>>()?;
        Ok(Term { column, op, literals })
    };
    let list = |list: Vec<_>| list.into_iter().map(term).collect::<PyResult<Vec<_>>>();
    Ok(RowFilter { any: conditions.into_iter().map(list).collect::<PyResult<_>>()? })
}

fn literal(kind: &str, value: &Bound<'_, PyAny>) -> PyResult<Literal> {
    Ok(match kind {
        "bool" => Literal::Bool(value.extract()?),
        "int" => Literal::Int(value.extract()?),
        "float" => Literal::Float(value.extract()?),
        "decimal" => {
            let (digits, scale) = value.extract()?;
            Literal::Decimal(digits, scale)
        }
        "text" => Literal::Text(value.extract()?),
        "bytes" => Literal::Bytes(value.extract()?),
        "instant" => {
            let (nanos, utc) = value.extract()?;
            Literal::Instant(nanos, utc)
        }
        "date" => Literal::Date(value.extract()?),
        "clock" => Literal::Clock(value.extract()?),
        "span" => Literal::Span(value.extract()?),
        other => return Err(PyValueError::new_err(format!("filters: no kind {other:?}."))),
    })
}

/// The positions of the rows that pass, as int64.
#[pyfunction]
#[pyo3(signature = (frame, filters, places, threads = None))]
fn matching_rows<'py>(
    py: Python<'py>,
    frame: &CoreFrame,
    filters: Conditions<'_>,
    places: Vec<usize>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let filter = filter_of(filters)?;
    let (frame, threads) = (Arc::clone(&frame.frame), threads_of(threads));
    let rows = run_with_progress(py, None, None, |_| {
        colonnade::filter::matching_rows(&frame, &filter, &places, threads)
    })?;
    Ok(PyArray1::from_iter(py, rows.into_iter().map(|row| i64::try_from(row).unwrap_or(i64::MAX))))
}

/// The rows at these positions, which ascend.
#[pyfunction]
#[pyo3(signature = (frame, positions, index = None, *, private = false, threads = None, progress = None))]
fn keep_rows(
    py: Python<'_>,
    frame: &CoreFrame,
    positions: PyReadonlyArray1<'_, i64>,
    index: Option<PyRef<'_, PyAxis>>,
    private: bool,
    threads: Option<usize>,
    progress: Callback,
) -> PyResult<CoreFrame> {
    let positions: Vec<usize> =
        positions.as_array().iter().map(|row| usize::try_from(*row).unwrap_or(usize::MAX)).collect();
    let index = index.map(|index| index.axis.clone());
    let (frame, threads) = (Arc::clone(&frame.frame), threads_of(threads));
    // Adjacent rows are a view of the frame's memory.
    let copies =
        positions.last().zip(positions.first()).is_some_and(|(last, first)| last - first >= positions.len());
    let kept = run_with_progress(py, progress, None, |watch| frame.keep(&positions, index, threads, watch))?;
    Ok(CoreFrame::with_exclusivity(kept, private && copies))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(matching_rows, m)?)?;
    m.add_function(wrap_pyfunction!(keep_rows, m)?)
}
