//! Runs work without the interpreter lock, reports progress to a callback and checks for signals.

use std::path::Path;

use colonnade::decode::{MemoryLayout, Request};
use colonnade::frame::paths::Projection;
use colonnade::progress::Progress;
use pyo3::prelude::*;

use crate::errors;
use crate::guard::Guarded;
use crate::progress::PyProgress;

/// A callable `(done, total | None)`, or none.
pub(crate) type Callback = Option<Py<PyAny>>;

/// Runs `work` without the interpreter lock and checks for signals. Errors of the operating system name `path`.
pub(crate) fn run_with_progress<T: Send>(
    py: Python<'_>,
    progress: Callback,
    path: Option<&Path>,
    work: impl FnOnce(&dyn Progress) -> colonnade::Result<T> + Send,
) -> PyResult<T> {
    let progress = PyProgress::new(progress);
    let watch = &progress;
    let result = py.guarded(|| work(watch));
    match (result, path) {
        (Err(error), Some(path)) if matches!(error.kind(), colonnade::ErrorKind::Io(_)) => {
            Err(errors::with_path(error, path))
        }
        (result, _) => progress.finish(result),
    }
}

/// The request of a Python call to load from an opened file.
pub(crate) struct LoadRequest {
    pub(crate) positions: Option<Vec<usize>>,
    pub(crate) leaf_projection: Option<Projection>,
    pub(crate) rows: Option<(usize, usize)>,
    pub(crate) private: bool,
    pub(crate) layout: MemoryLayout,
    pub(crate) threads: usize,
}

impl LoadRequest {
    /// Runs [`run_with_progress`] with the core's form of the request.
    pub(crate) fn run<T: Send>(
        self,
        py: Python<'_>,
        progress: Callback,
        work: impl FnOnce(&Request<'_>) -> colonnade::Result<T> + Send,
    ) -> PyResult<T> {
        let Self { positions, leaf_projection, rows, private, layout, threads } = self;
        run_with_progress(py, progress, None, |progress| {
            work(&Request {
                positions: positions.as_deref(),
                projection: leaf_projection.as_ref(),
                rows,
                private,
                layout,
                threads: threads.max(1),
                progress,
            })
        })
    }
}
