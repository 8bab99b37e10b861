//! The labels of one axis of a frame.

use colonnade::frame::{Axis, Labels, Level};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::array::{ArrayBlocks, Arrays};
use crate::arrow_column::ArrowColumn;
use crate::errors::{self, IntoPy};

/// The labels of one axis.
#[pyclass(frozen, name = "Axis", module = "colonnade._core")]
pub(crate) struct PyAxis {
    pub(crate) axis: Axis,
    /// The frame is for one use, so its label arrays may be writable.
    is_exclusive: bool,
}

impl PyAxis {
    /// An axis that shares its labels; Python gets them read-only.
    pub(crate) fn new(axis: Axis) -> Self {
        Self::with_exclusivity(axis, false)
    }

    pub(crate) fn with_exclusivity(axis: Axis, is_exclusive: bool) -> Self {
        Self { axis, is_exclusive }
    }
}

/// A level from Python: a 1-D array or a column in Arrow's layout.
#[derive(FromPyObject)]
pub(crate) enum LevelArgument<'py> {
    Arrow(PyRef<'py, ArrowColumn>),
    Array(Bound<'py, PyUntypedArray>),
}

#[pymethods]
impl PyAxis {
    #[staticmethod]
    #[pyo3(signature = (start, stop, step, cls = "Index", name = "null", meta = None))]
    fn auto(start: i64, stop: i64, step: i64, cls: &str, name: &str, meta: Option<String>) -> PyResult<Self> {
        let span = i128::from(stop) - i128::from(start);
        let count = match step {
            0 => return Err(PyValueError::new_err("step: expected any number but 0")),
            step if step > 0 => (span + i128::from(step) - 1) / i128::from(step),
            step => (span + i128::from(step) + 1) / i128::from(step),
        };
        let count =
            usize::try_from(count.max(0)).map_err(|_| PyValueError::new_err("the range is too long"))?;
        let end = i128::from(start) + i128::from(step) * i128::try_from(count).unwrap_or(i128::MAX);
        if i64::try_from(end).is_err() {
            let message = format!(
                "row labels from {start} to {stop} in steps of {step}: one step more would pass 64 bits, which no format here \
                 keeps. Make them ordinary labels: pd.Index(list(index))."
            );
            return Err(errors::encode(message));
        }
        let axis = Axis {
            labels: Labels::Auto { start, stop, step, count },
            class: cls.into(),
            name: name.into(),
            meta,
            ..Axis::range(0)
        };
        Ok(Self::new(axis))
    }

    #[staticmethod]
    #[pyo3(signature = (levels, classes, cls = "Index", name = "null", meta = None))]
    fn levels(
        levels: Vec<LevelArgument<'_>>,
        classes: Vec<String>,
        cls: &str,
        name: &str,
        meta: Option<String>,
    ) -> PyResult<Self> {
        if levels.is_empty() || levels.len() != classes.len() {
            return Err(PyValueError::new_err("expected one class a level, and one level at least"));
        }
        let mut views = ArrayBlocks::new();
        let convert = |level: &LevelArgument<'_>| match level {
            LevelArgument::Arrow(column) => Ok(Level::Column(column.column.clone())),
            LevelArgument::Array(array) => views.block(array, 0, None).map(Level::Block),
        };
        let levels = levels.iter().map(convert).collect::<PyResult<Vec<_>>>()?;
        let first = levels.first().map_or(0, Level::len);
        if levels.iter().any(|l| l.len() != first) {
            return Err(PyValueError::new_err("levels of labels differ in length"));
        }
        let labels = Labels::Levels(levels);
        Ok(Self::new(Axis { labels, class: cls.into(), classes, name: name.into(), meta }))
    }

    #[getter]
    fn is_auto(&self) -> bool {
        matches!(self.axis.labels, Labels::Auto { .. })
    }

    #[getter]
    fn range(&self) -> PyResult<(i64, i64, i64)> {
        match self.axis.labels {
            Labels::Auto { start, stop, step, .. } => Ok((start, stop, step)),
            Labels::Levels(_) => Err(PyValueError::new_err("the labels are no automatic range")),
        }
    }

    #[getter]
    fn depth(&self) -> usize {
        self.axis.depth()
    }

    #[getter]
    fn cls(&self) -> &str {
        &self.axis.class
    }

    #[getter]
    fn classes(&self) -> Vec<String> {
        self.axis.classes.clone()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.axis.name
    }

    #[getter]
    fn meta(&self) -> Option<&str> {
        self.axis.meta.as_deref()
    }

    fn same(&self, other: PyRef<'_, Self>) -> bool {
        self.axis.is_same(&other.axis)
    }

    fn detached(&self) -> PyResult<Self> {
        Ok(Self::new(self.axis.detached().py()?))
    }

    fn __len__(&self) -> usize {
        self.axis.len()
    }

    #[pyo3(signature = (i, writable = false))]
    fn level<'py>(&self, py: Python<'py>, i: usize, writable: bool) -> PyResult<Bound<'py, PyAny>> {
        let Labels::Levels(levels) = &self.axis.labels else {
            return Err(PyValueError::new_err("an automatic range has no levels"));
        };
        match levels.get(i) {
            Some(Level::Block(block)) => Arrays::new(py, writable && self.is_exclusive).column(block),
            Some(Level::Column(column)) => {
                Ok(Bound::new(py, ArrowColumn { column: column.clone() })?.into_any())
            }
            None => {
                Err(PyValueError::new_err(format!("level {i} is out of range: there are {}", levels.len())))
            }
        }
    }
}
