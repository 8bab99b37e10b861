//! Options for writing: one base class, which each format's class extends.

use std::any::Any;
use std::sync::Arc;

use colonnade::codec::file::FileCodec;
use colonnade::formats::FrameEncoding;
use pyo3::prelude::*;

use crate::errors::IntoPy;

/// The format, its options, the compression of the whole file, and whether to call fsync.
#[pyclass(frozen, subclass, module = "colonnade._core")]
pub(crate) struct WriteOptions {
    pub(crate) encoding: FrameEncoding,
    pub(crate) fsync: bool,
}

impl WriteOptions {
    /// Options for `format`, whose own options are `core`.
    pub(crate) fn new<T: Any + Send + Sync>(format: &'static str, core: T, fsync: bool) -> PyResult<Self> {
        Ok(Self { encoding: FrameEncoding::new(format, Arc::new(core)).py()?, fsync })
    }

    /// The same options, with the whole file compressed if `packing` names a codec.
    pub(crate) fn with_packing(self, packing: Option<&str>, level: Option<i32>) -> PyResult<Self> {
        let codec = packing.map(FileCodec::named).transpose().py()?;
        Ok(Self { encoding: self.encoding.compressed(codec, level).py()?, fsync: self.fsync })
    }
}

#[pymethods]
impl WriteOptions {
    #[getter]
    fn format(&self) -> &'static str {
        self.encoding.format().spec().name
    }
}
