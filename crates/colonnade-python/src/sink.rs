//! Sinks: adapters of the transports to the core's trait, and memory with Python's buffer protocol.

use std::ffi::{c_int, c_void};
use std::io;

use colonnade::memory::Growing;
use colonnade::sink::{Appender, Sink};
use colonnade_transport::{AtomicFile, Descriptor};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

/// A file that appears when it is complete.
pub(crate) struct FileSink(pub(crate) AtomicFile);

impl Sink for FileSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write(bytes)
    }

    fn can_patch(&self) -> bool {
        true
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.patch(offset, bytes)
    }

    fn reserve(&mut self, total: u64) -> io::Result<()> {
        self.0.reserve(total)
    }
}

/// A pipe, socket or device.
pub(crate) struct DescriptorSink(pub(crate) Descriptor);

impl Sink for DescriptorSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let signals = || Python::attach(|py| py.check_signals()).map_err(io::Error::other);
        self.0.write(bytes, &mut { signals })
    }
}

/// Memory that grows without copying and exposes the buffer protocol.
#[pyclass(module = "colonnade._core")]
pub(crate) struct BufferSink {
    bytes: Growing,
    exports: usize,
}

impl BufferSink {
    fn check_free(&self) -> PyResult<()> {
        if self.exports == 0 {
            return Ok(());
        }
        Err(PyBufferError::new_err(
            "the sink cannot change while a view of it exists: release the view first",
        ))
    }

    /// A writer that appends to the sink.
    pub(crate) fn appender(&mut self) -> PyResult<Appender<'_>> {
        self.check_free()?;
        Ok(Appender::new(&mut self.bytes))
    }

    /// An empty sink.
    pub(crate) fn empty() -> Self {
        Self { bytes: Growing::default(), exports: 0 }
    }

    /// Number of bytes written so far.
    pub(crate) fn filled(&self) -> usize {
        self.bytes.nbytes()
    }

    /// Drops all bytes after the first `nbytes`.
    pub(crate) fn truncate(&mut self, nbytes: usize) -> PyResult<()> {
        self.check_free()?;
        self.bytes.truncate(nbytes);
        Ok(())
    }
}

#[pymethods]
impl BufferSink {
    #[new]
    fn new() -> Self {
        Self::empty()
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.filled()
    }

    fn __len__(&self) -> usize {
        self.filled()
    }

    fn clear(&mut self) -> PyResult<()> {
        self.truncate(0)
    }

    fn write(slf: &Bound<'_, Self>, data: &Bound<'_, PyAny>) -> PyResult<usize> {
        // The view comes first: if `data` is this sink, its export count makes `check_free` fail.
        let view = PyUntypedBuffer::get(data)?;
        let mut sink =
            slf.try_borrow_mut().map_err(|_| PyBufferError::new_err("the sink is being written"))?;
        sink.check_free()?;
        if !view.is_c_contiguous() {
            return Err(PyValueError::new_err("expected a contiguous buffer"));
        }
        // A view without bytes may have no address, from which no slice may be made.
        if view.len_bytes() > 0 {
            // SAFETY: the view keeps its bytes in place, and no Python code writes to them while this holds the interpreter lock.
            let bytes = unsafe {
                std::slice::from_raw_parts(view.buf_ptr().cast::<u8>().cast_const(), view.len_bytes())
            };
            sink.bytes.append(bytes)?;
        }
        Ok(view.len_bytes())
    }

    fn __repr__(&self) -> String {
        format!("BufferSink({} bytes)", self.filled())
    }

    /// # Safety
    /// Called by Python with a buffer to fill.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let Ok(mut sink) = slf.try_borrow_mut() else {
            // SAFETY: `view` is valid, and its object must be null if no view is returned.
            unsafe { (*view).obj = std::ptr::null_mut() };
            return Err(PyBufferError::new_err("the sink is being written"));
        };
        let length = ffi::Py_ssize_t::try_from(sink.filled()).unwrap_or(ffi::Py_ssize_t::MAX);
        let data = sink.bytes.as_mut_slice().as_mut_ptr().cast::<c_void>();
        // SAFETY: `view` is valid for writes. The region stays in place while `exports` counts this view, and the view holds
        // a reference to the sink.
        let status = unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), data, length, 1, flags) };
        if status != 0 {
            return Err(PyErr::fetch(slf.py()));
        }
        sink.exports += 1;
        Ok(())
    }

    /// # Safety
    /// Called by Python when a view ends.
    unsafe fn __releasebuffer__(&mut self, _view: *mut ffi::Py_buffer) {
        self.exports = self.exports.saturating_sub(1);
    }
}
