//! Connections: messages over a channel. The core says where bytes go, the transport moves them; here both are joined.

mod callable;
mod encoding;
mod inner;
mod memory;
mod msgpack;
mod object;
mod reader;
mod receive;
mod send;
mod table;
mod turns;
mod watch;
mod writer;

use std::os::fd::{BorrowedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use colonnade::message::PendingMessage;
use colonnade_transport::{Address, Channel, Direction, from_descriptors};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::connect_options::ConnectOptions;
use crate::errors::{self, IntoPy};
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::secure;
use crate::view::bytes_of;
use crate::watched::Callback;
use crate::write_options::WriteOptions;
use crate::writer::Writer;

use inner::{Inner, lock};
use reader::ConnectionReader;
use receive::Turn;
use send::Sending;
use watch::{Patience, Watch};
pub(crate) use writer::ConnectionTarget;

/// Bytes that one `poll` of no patience takes at most, so that an event loop is not held for a large frame.
const POLL_NBYTES: usize = 8 << 20;

const RECEIVE_ADVICE: &str = "What came of it is kept: call again to go on.";
const SEND_ADVICE: &str = "Part of it may be gone: then nothing more can be sent, see status(). The peer reads too slowly, or not at all.";

/// Messages over a channel.
#[pyclass(frozen, module = "colonnade._core")]
pub(crate) struct Connection {
    inner: Arc<Inner>,
}

impl Connection {
    /// Over a channel of its own.
    pub(crate) fn over(channel: Arc<dyn Channel>, options: &ConnectOptions) -> Self {
        Self { inner: Arc::new(Inner::new(channel, options, true)) }
    }

    /// Over what belongs to somebody else.
    fn over_lent(channel: Arc<dyn Channel>, options: &ConnectOptions) -> Self {
        Self { inner: Arc::new(Inner::new(channel, options, false)) }
    }

    fn patience(&self, timeout_s: Option<f64>) -> PyResult<Patience> {
        Patience::of(timeout_s, self.inner.options.timeout)
    }
}

#[pymethods]
impl Connection {
    #[staticmethod]
    fn dial(py: Python<'_>, url: &str, options: &ConnectOptions) -> PyResult<Self> {
        let address: Address = url.parse().map_err(|e| errors::of_address(std::io::Error::from(e)))?;
        let channel = secure::dial(py, &address, options)?;
        Ok(Self::over(channel, options))
    }

    #[staticmethod]
    fn over_fd(
        receive_fd: Option<RawFd>,
        send_fd: Option<RawFd>,
        peer: &str,
        options: &ConnectOptions,
    ) -> PyResult<Self> {
        if receive_fd.into_iter().chain(send_fd).any(|fd| fd < 0) {
            return Err(PyValueError::new_err("descriptor: expected 0 or more. Was it closed?"));
        }
        // SAFETY: borrowed for this call alone, which duplicates them; a number that is no open descriptor is refused by the
        // system.
        let borrowed = |fd: Option<RawFd>| fd.map(|fd| unsafe { BorrowedFd::borrow_raw(fd) });
        let channel = from_descriptors(borrowed(receive_fd), borrowed(send_fd), Some(peer));
        Ok(Self::over_lent(channel.map_err(errors::of_address)?, options))
    }

    #[staticmethod]
    fn over_callables(
        py: Python<'_>,
        read_into: Option<Py<PyAny>>,
        write: Option<Py<PyAny>>,
        peer: String,
        options: &ConnectOptions,
    ) -> Self {
        Self::over_lent(Arc::new(callable::Callables::new(py, read_into, write, peer)), options)
    }

    /// Messages that lie in memory already; `piece` bytes at most are taken at once.
    #[staticmethod]
    #[pyo3(signature = (data, peer, options, piece = None))]
    fn over_buffer(
        data: &Bound<'_, PyAny>,
        peer: String,
        options: &ConnectOptions,
        piece: Option<usize>,
    ) -> PyResult<Self> {
        let (bytes, piece) = (bytes_of(data)?, piece.unwrap_or(usize::MAX).max(1));
        Ok(Self::over_lent(Arc::new(memory::Memory { bytes, at: 0.into(), piece, peer }), options))
    }

    #[pyo3(signature = (frame, options, timeout_s = None, progress = None))]
    fn send(
        &self,
        py: Python<'_>,
        frame: &CoreFrame,
        options: &WriteOptions,
        timeout_s: Option<f64>,
        progress: Callback,
    ) -> PyResult<()> {
        let (inner, patience) = (&*self.inner, self.patience(timeout_s)?);
        let (frame, encoding) = (&*frame.frame, &options.encoding);
        encoding.check_message(frame).py()?;
        let number = inner.messages_sent.load(Ordering::Relaxed) + 1;
        let result = inner::watched_in(py, progress, |progress| {
            let stopped = [&inner.closed, &inner.finished];
            let watch = Watch::new(progress, patience, &stopped);
            inner.send(watch, (&Sending::Open, Sending::Open), 0, |sink| {
                encoding::encode(frame, encoding, inner, sink, progress)
            })
        });
        result.map_err(|e| e.raised(inner, "sending message", number, SEND_ADVICE))?;
        inner.messages_sent.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    #[pyo3(signature = (data, timeout_s = None))]
    fn send_bytes(&self, py: Python<'_>, data: &Bound<'_, PyAny>, timeout_s: Option<f64>) -> PyResult<()> {
        let (inner, patience) = (&*self.inner, self.patience(timeout_s)?);
        let bytes = bytes_of(data)?;
        let number = inner.messages_sent.load(Ordering::Relaxed) + 1;
        let result = inner::watched_in(py, None, |progress| {
            let stopped = [&inner.closed, &inner.finished];
            inner.send_bytes(Watch::new(progress, patience, &stopped), bytes.as_slice())
        });
        result.map_err(|e| e.raised(inner, "sending message", number, SEND_ADVICE))?;
        inner.messages_sent.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    #[pyo3(signature = (timeout_s = None, progress = None, private = false))]
    fn receive(
        &self,
        py: Python<'_>,
        timeout_s: Option<f64>,
        progress: Callback,
        private: bool,
    ) -> PyResult<Option<Py<PyAny>>> {
        let (told, patience) = (progress, self.patience(timeout_s)?);
        // Another thread may take what this one waited for.
        let message = loop {
            match self.whole(py, patience, None, told.as_ref().map(|p| p.clone_ref(py)))? {
                Turn::Step(_) => {}
                Turn::Pending | Turn::End | Turn::Look => return Ok(None),
            }
            // Told while the message still waits: a callback that raises loses nothing.
            if let Some(told) = &told {
                let nbytes = self.inner.nbytes_received.load(Ordering::Relaxed);
                told.call1(py, (nbytes, nbytes))?;
            }
            let taken = py.guarded(|| {
                let mut receiving = lock(&self.inner.receiving);
                let taken = receiving.incoming.take();
                self.inner.messages_received.store(receiving.incoming.count(), Ordering::Relaxed);
                Ok::<_, PyErr>(taken)
            })?;
            if let Some(message) = taken {
                break message;
            }
        };
        object::of(py, message, private, &self.inner).map(Some)
    }

    #[pyo3(signature = (timeout_s = Some(0.0)))]
    fn poll(&self, py: Python<'_>, timeout_s: Option<f64>) -> PyResult<bool> {
        let now = timeout_s.is_some_and(|s| s <= 0.0);
        let most = now.then_some(POLL_NBYTES);
        let patience =
            if now { Patience::Until(None) } else { self.patience(timeout_s.or(Some(f64::INFINITY)))? };
        match self.whole(py, patience, most, None) {
            Ok(Turn::Pending) => Ok(false),
            Ok(_) => Ok(true),
            // What broke the connection is what `receive` raises; a system's own time-out is such a thing.
            Err(_) if self.inner.is_broken() => Ok(true),
            Err(e) if e.is_instance_of::<pyo3::exceptions::PyTimeoutError>(py) => Ok(false),
            Err(e) => Err(e),
        }
    }

    fn next_kind(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        py.guarded(|| {
            let waiting = self.inner.look().map(|receiving| receiving.incoming.waiting());
            Ok(match waiting {
                None | Some(PendingMessage::Nothing) => None,
                Some(PendingMessage::Frame) => Some("frame"),
                Some(PendingMessage::Bytes) => Some("bytes"),
            })
        })
    }

    #[pyo3(signature = (timeout_s = None))]
    fn batches(slf: &Bound<'_, Self>, timeout_s: Option<f64>) -> PyResult<ConnectionReader> {
        slf.get().patience(timeout_s)?;
        Ok(ConnectionReader::new(slf.clone().unbind(), timeout_s))
    }

    #[pyo3(signature = (options, timeout_s = None))]
    fn writer(&self, py: Python<'_>, options: &WriteOptions, timeout_s: Option<f64>) -> PyResult<Writer> {
        self.patience(timeout_s)?;
        let frames = options.encoding.message_writer().py()?;
        let target = ConnectionTarget::begin(py, &self.inner, timeout_s)?;
        Ok(Writer::to_connection(frames, target, options))
    }

    fn partial(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let part = || self.inner.look().map(|mut receiving| receiving.incoming.partial());
        py.guarded(|| Ok(part().unwrap_or_default()))
    }

    fn status(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Err(error) = self.inner.check_broken(py) {
            return Ok(error.into_value(py).into_any());
        }
        // Who is sending has not broken off yet.
        let sending = self.inner.sending.try_lock().ok().map(|state| state.clone());
        if let Some(Sending::Broken(error)) = sending {
            let error = pyo3::exceptions::PyBrokenPipeError::new_err(format!("{}: {error}", self.inner.peer));
            return Ok(error.into_value(py).into_any());
        }
        let text = || {
            let Some(receiving) = self.inner.look() else { return "waiting" };
            let incoming = &receiving.incoming;
            if incoming.is_whole() {
                "ok"
            } else if !incoming.is_between() {
                "waiting"
            } else if receiving.ended && !receiving.has_ahead() {
                "end of input"
            } else {
                "ok"
            }
        };
        let text = py.guarded(|| Ok::<_, PyErr>(text()))?;
        Ok(text.into_pyobject(py)?.into_any().unbind())
    }

    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        py.guarded(|| self.inner.finish()).map_err(errors::of_address)
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.guarded(|| {
            self.inner.close();
            Ok(())
        })
    }

    fn fileno(&self) -> PyResult<RawFd> {
        let channel = self.inner.channel().map_err(|e| PyValueError::new_err(e.to_string()))?;
        channel.descriptor(Direction::Receive).ok_or_else(|| {
            PyValueError::new_err(format!("{}: there is no descriptor to wait for", self.inner.peer))
        })
    }

    #[getter]
    fn peer(&self) -> &str {
        &self.inner.peer
    }

    #[getter]
    fn closed(&self) -> bool {
        self.inner.closed.load(Ordering::Relaxed)
    }

    #[getter]
    fn has_pending(&self, py: Python<'_>) -> PyResult<bool> {
        let pending = || {
            let Some(receiving) = self.inner.look() else { return false };
            let above = self.inner.channel().is_ok_and(|channel| channel.has_pending());
            above || receiving.has_ahead() || receiving.incoming.is_whole() || receiving.ended
        };
        Ok(py.guarded(|| Ok::<_, PyErr>(pending()))? || self.inner.is_broken())
    }

    #[getter]
    fn messages_sent(&self) -> u64 {
        self.inner.messages_sent.load(Ordering::Relaxed)
    }

    #[getter]
    fn messages_received(&self) -> u64 {
        self.inner.messages_received.load(Ordering::Relaxed)
    }

    #[getter]
    fn nbytes_sent(&self) -> u64 {
        self.inner.nbytes_sent.load(Ordering::Relaxed)
    }

    #[getter]
    fn nbytes_received(&self) -> u64 {
        self.inner.nbytes_received.load(Ordering::Relaxed)
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<ConnectOptions>()?;
    m.add_class::<ConnectionReader>()?;
    m.add_class::<Connection>()
}
