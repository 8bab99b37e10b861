//! Opened files.

use std::os::fd::RawFd;
use std::sync::{Arc, OnceLock};

use colonnade::container::npy::Descr;
use colonnade::container::store::{Holder, Kind, MemberInfo, Source, Store};
use colonnade::frame::Axis;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::array::Arrays;
use crate::axis::PyAxis;
use crate::dtype;
use crate::errors::IntoPy;
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::http_file::PyHttpFile;
use crate::leaves;
use crate::limits::PyLimits;
use crate::path::PathArgument;
use crate::view::{after, bytes_of};
use crate::watched::{Asked, Callback, watched};

/// Threads where the caller names none: what the system says this process may use.
pub(crate) fn threads(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
}

/// An opened file, buffer, stream or directory.
#[pyclass(frozen, module = "colonnade._core")]
pub(crate) struct NpzFile {
    store: Arc<Store>,
    axes: OnceLock<(Axis, Axis)>,
    threads: usize,
}

impl NpzFile {
    fn wrap(py: Python<'_>, store: Store, verify: bool, threads: usize) -> PyResult<Self> {
        let file = Self { store: Arc::new(store), axes: OnceLock::new(), threads };
        if verify {
            file.verify(py, None, None)?;
        }
        Ok(file)
    }

    fn axes(&self) -> PyResult<&(Axis, Axis)> {
        if let Some(axes) = self.axes.get() {
            return Ok(axes);
        }
        // Labels of a file elsewhere are fetched now.
        let axes = Python::attach(|py| py.guarded(|| self.store.axes(self.threads))).py()?;
        Ok(self.axes.get_or_init(|| axes))
    }
}

#[pymethods]
impl NpzFile {
    #[staticmethod]
    #[pyo3(signature = (path, *, mmap, verify, limits, threads, progress = None))]
    fn open_path(
        py: Python<'_>,
        path: PathArgument,
        mmap: bool,
        verify: bool,
        limits: PyLimits,
        threads: Option<usize>,
        progress: Callback,
    ) -> PyResult<Self> {
        let store = watched(py, progress, Some(&path.0), |_| Store::open_path(&path.0, mmap, limits.core()))?;
        Self::wrap(py, store, verify, self::threads(threads))
    }

    #[staticmethod]
    #[pyo3(signature = (buffer, *, verify, limits, threads, progress = None))]
    fn open_buffer(
        py: Python<'_>,
        buffer: &Bound<'_, PyAny>,
        verify: bool,
        limits: PyLimits,
        threads: Option<usize>,
        progress: Callback,
    ) -> PyResult<Self> {
        let bytes = bytes_of(buffer)?;
        let store =
            watched(py, progress, None, |_| Store::open_source(Source::Memory(bytes), limits.core()))?;
        Self::wrap(py, store, verify, self::threads(threads))
    }

    #[staticmethod]
    #[pyo3(signature = (fd, *, verify, limits, threads, head = None, progress = None))]
    fn open_fd(
        py: Python<'_>,
        fd: RawFd,
        verify: bool,
        limits: PyLimits,
        threads: Option<usize>,
        head: Option<Vec<u8>>,
        progress: Callback,
    ) -> PyResult<Self> {
        let store = watched(py, progress, None, |watch| {
            let source = Source::stream(&mut after(head, fd), &limits.core(), watch)?;
            Store::open_source(source, limits.core())
        })?;
        Self::wrap(py, store, verify, self::threads(threads))
    }

    #[staticmethod]
    #[pyo3(signature = (file, *, verify, limits, threads, progress = None))]
    fn open_http(
        py: Python<'_>,
        file: &PyHttpFile,
        verify: bool,
        limits: PyLimits,
        threads: Option<usize>,
        progress: Callback,
    ) -> PyResult<Self> {
        let store = match file.remote(limits) {
            Some(remote) => {
                watched(py, progress, None, |_| Store::open_source(Source::Remote(remote?), limits.core()))
            }
            None => {
                let mut stream = file.stream(false)?;
                watched(py, progress, None, |watch| {
                    let source = Source::stream(&mut stream, &limits.core(), watch)?;
                    Store::open_source(source, limits.core())
                })
            }
        };
        Self::wrap(py, store?, verify, self::threads(threads))
    }

    #[getter]
    fn kind(&self) -> &'static str {
        match self.store.kind() {
            Kind::Frame => "frame",
            Kind::Savez => "savez",
            Kind::Npy => "npy",
            Kind::Bundle => "bundle",
            Kind::Zip => "zip",
        }
    }

    #[getter]
    fn layout(&self) -> &'static str {
        match self.store.holder() {
            Holder::Zip => "zip",
            Holder::Directory => "directory",
            Holder::Npy => "npy",
        }
    }

    #[getter]
    fn nrows(&self) -> PyResult<usize> {
        Ok(self.store.shape().py()?.0)
    }

    #[getter]
    fn ncols(&self) -> PyResult<usize> {
        Ok(self.store.shape().py()?.1)
    }

    #[getter]
    fn index(&self) -> PyResult<PyAxis> {
        Ok(PyAxis::new(self.axes()?.0.clone()))
    }

    #[getter]
    fn columns(&self) -> PyResult<PyAxis> {
        Ok(PyAxis::new(self.axes()?.1.clone()))
    }

    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.store.tags().py()?.name.clone())
    }

    #[getter]
    fn attrs(&self) -> PyResult<Option<String>> {
        Ok(self.store.tags().py()?.attrs.clone())
    }

    #[getter]
    fn origin(&self, py: Python<'_>) -> PyResult<Option<String>> {
        match (self.store.tags().py()?.origin.clone(), self.store.lone()) {
            (None, Some(member)) => lone_origin(py, &member),
            (origin, _) => Ok(origin),
        }
    }

    #[getter]
    fn version(&self) -> Option<u64> {
        self.store.version()
    }

    #[getter]
    fn file_nbytes(&self) -> u64 {
        self.store.file_nbytes()
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.store.nbytes()
    }

    #[pyo3(signature = (position, steps = None))]
    fn leaf_paths(&self, position: usize, steps: Option<leaves::Steps>) -> Vec<(String, Vec<usize>, bool)> {
        leaves::listed(self.store.arrow_type(position), steps.as_ref())
    }

    fn leaf_dtype(&self, position: usize, steps: leaves::Steps) -> String {
        leaves::named(self.store.arrow_type(position), &steps)
    }

    fn dtypes(&self) -> PyResult<Vec<String>> {
        self.store.dtypes().py()
    }

    fn members<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.store.members().iter().map(|m| member_dict(py, m)).collect()
    }

    #[pyo3(signature = (positions = None, rows = None, *, private = false, threads = None, progress = None, leaves = None))]
    #[allow(clippy::too_many_arguments)] // the arguments of a Python method
    fn load(
        &self,
        py: Python<'_>,
        positions: Option<Vec<usize>>,
        rows: Option<(usize, usize)>,
        private: bool,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
        leaves: leaves::Asked,
    ) -> PyResult<CoreFrame> {
        let kept = leaves::kept(leaves, &|position| self.store.arrow_type(position))?;
        let axes = self.axes()?;
        let every = positions.is_none();
        let asked = Asked { positions, kept, rows, private, threads: threads.unwrap_or(self.threads) };
        let mut frame = asked.watched(py, progress, |request| self.store.load(axes, request))?;
        if frame.tags.origin.is_none() && every {
            frame.tags.origin = self.origin(py)?;
        }
        Ok(CoreFrame::alone(frame, private))
    }

    #[pyo3(signature = (threads = None, progress = None))]
    fn verify(&self, py: Python<'_>, threads: Option<usize>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let threads = threads.unwrap_or(self.threads).max(1);
        watched(py, progress, None, |watch| self.store.verify(threads, watch))
    }

    fn read_array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let array = py.guarded(|| self.store.array(name, true, self.threads)).py()?;
        let descr = dtype::of_descr(py, &array.descr)?;
        Arrays::new(py, true).packed(&descr, &array.shape, array.fortran_order, &array.bytes)
    }

    fn array_names(&self) -> PyResult<Vec<String>> {
        self.store.array_names().py()
    }

    fn labels(&self) -> PyResult<Vec<String>> {
        self.store.labels().py()
    }

    fn open_label(&self, py: Python<'_>, label: &str) -> PyResult<Self> {
        let store = watched(py, None, None, |_| self.store.open_label(label))?;
        Self::wrap(py, store, false, self.threads)
    }
}

/// Where a lone array came from: NumPy, in this shape.
fn lone_origin(py: Python<'_>, member: &MemberInfo) -> PyResult<Option<String>> {
    let Some((descr, fortran_order, shape)) = &member.array else { return Ok(None) };
    let origin = PyDict::new(py);
    origin.set_item("library", "numpy")?;
    match descr {
        Descr::Struct(fields) => {
            origin.set_item("class", "structured")?;
            let described = dtype::structured(py, fields)?;
            let formats: Vec<String> = fields
                .iter()
                .filter(|f| !f.is_padding())
                .map(|f| match &f.descr {
                    Descr::Scalar(dtype) => dtype.descr(),
                    Descr::Struct(_) => String::new(),
                })
                .collect();
            described.set_item("formats", formats)?;
            described.set_item("aligned", false)?;
            origin.set_item("dtype", described)?;
        }
        Descr::Scalar(_) => {
            origin.set_item("class", if shape.len() == 1 { "1d" } else { "2d" })?;
            if shape.len() == 2 {
                origin.set_item("order", if *fortran_order { "F" } else { "C" })?;
            }
        }
    }
    let text = py.import("json")?.call_method1("dumps", (origin,))?;
    Ok(Some(text.extract()?))
}

fn member_dict<'py>(py: Python<'py>, member: &MemberInfo) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("name", &member.name)?;
    out.set_item("method", &member.method)?;
    out.set_item("nbytes", member.nbytes)?;
    out.set_item("compressed_nbytes", member.compressed_nbytes)?;
    out.set_item("offset", member.offset)?;
    out.set_item("crc32", member.crc32)?;
    out.set_item("filter", member.filter)?;
    let (descr, order, shape) = match &member.array {
        None => (None, None, None),
        Some((descr, fortran_order, shape)) => {
            let text = match descr {
                Descr::Scalar(dtype) => dtype.descr(),
                Descr::Struct(_) => dtype::of_descr(py, descr)?.str()?.to_string(),
            };
            (Some(text), Some(*fortran_order), Some(PyTuple::new(py, shape)?))
        }
    };
    out.set_item("descr", descr)?;
    out.set_item("fortran_order", order)?;
    out.set_item("shape", shape)?;
    Ok(out)
}
