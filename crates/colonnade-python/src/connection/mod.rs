//! Connections: messages over a channel. The core encodes and decodes messages, and the transport moves their bytes.

mod callable;
mod encoding;
mod memory;
mod msgpack;
mod object;
mod reader;
mod receive;
mod send;
mod state;
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

use crate::byte_source::bytes_of;
use crate::connect_options::ConnectOptions;
use crate::errors::{self, IntoPy};
use crate::frame::CoreFrame;
use crate::guard::Guarded;
use crate::run::Callback;
use crate::tls;
use crate::write_options::WriteOptions;

use reader::ConnectionReader;
use receive::Turn;
use send::SendState;
use state::{ConnectionState, lock};
use watch::{Timeout, Watch};
pub(crate) use writer::ConnectionTarget;

/// The maximum number of bytes that one `poll` without a timeout receives, so that a large frame does not block an event loop.
const POLL_NBYTES: usize = 8 << 20;

const RECEIVE_ADVICE: &str = "The bytes received so far are kept: call again to continue.";
const SEND_ADVICE: &str = "Part of it may be gone: then nothing more can be sent, see status(). The peer reads too slowly, or not at all.";

/// A connection that sends and receives messages over a channel.
#[pyclass(frozen, module = "colonnade._core")]
pub(crate) struct Connection {
    inner: Arc<ConnectionState>,
}

impl Connection {
    /// Creates a connection that owns its channel.
    pub(crate) fn from_channel(channel: Arc<dyn Channel>, options: &ConnectOptions) -> Self {
        Self { inner: Arc::new(ConnectionState::new(channel, options, true)) }
    }

    /// Creates a connection over a channel of the caller.
    fn from_borrowed_channel(channel: Arc<dyn Channel>, options: &ConnectOptions) -> Self {
        Self { inner: Arc::new(ConnectionState::new(channel, options, false)) }
    }

    fn timeout(&self, timeout_s: Option<f64>) -> PyResult<Timeout> {
        Timeout::of(timeout_s, self.inner.options.timeout)
    }
}

#[pymethods]
impl Connection {
    #[staticmethod]
    fn dial(py: Python<'_>, url: &str, options: &ConnectOptions) -> PyResult<Self> {
        let address: Address = url.parse().map_err(|e| errors::address_error(std::io::Error::from(e)))?;
        let channel = tls::dial(py, &address, options)?;
        Ok(Self::from_channel(channel, options))
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
        // SAFETY: the call borrows the descriptors and duplicates them. The system refuses a number that is no open descriptor.
        let borrowed = |fd: Option<RawFd>| fd.map(|fd| unsafe { BorrowedFd::borrow_raw(fd) });
        let channel = from_descriptors(borrowed(receive_fd), borrowed(send_fd), Some(peer));
        Ok(Self::from_borrowed_channel(channel.map_err(errors::address_error)?, options))
    }

    #[staticmethod]
    fn over_callables(
        py: Python<'_>,
        read_into: Option<Py<PyAny>>,
        write: Option<Py<PyAny>>,
        peer: String,
        options: &ConnectOptions,
    ) -> Self {
        Self::from_borrowed_channel(
            Arc::new(callable::CallableChannel::new(py, read_into, write, peer)),
            options,
        )
    }

    /// Reads messages from memory. One receive takes at most `piece` bytes.
    #[staticmethod]
    #[pyo3(signature = (data, peer, options, piece = None))]
    fn over_buffer(
        data: &Bound<'_, PyAny>,
        peer: String,
        options: &ConnectOptions,
        piece: Option<usize>,
    ) -> PyResult<Self> {
        let (bytes, piece) = (bytes_of(data)?, piece.unwrap_or(usize::MAX).max(1));
        Ok(Self::from_borrowed_channel(
            Arc::new(memory::MemoryChannel { bytes, at: 0.into(), piece, peer }),
            options,
        ))
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
        let (inner, timeout) = (&*self.inner, self.timeout(timeout_s)?);
        let (frame, encoding) = (&*frame.frame, &options.encoding);
        encoding.check_message(frame).py()?;
        let number = inner.messages_sent.load(Ordering::Relaxed) + 1;
        let result = state::run_call(py, progress, |progress| {
            let stopped = [&inner.closed, &inner.finished];
            let watch = Watch::new(progress, timeout, &stopped);
            inner.send(watch, (&SendState::Open, SendState::Open), 0, |sink| {
                encoding::encode(frame, encoding, inner, sink, progress)
            })
        });
        result.map_err(|e| e.into_exception(inner, "sending message", number, SEND_ADVICE))?;
        inner.messages_sent.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    #[pyo3(signature = (data, timeout_s = None))]
    fn send_bytes(&self, py: Python<'_>, data: &Bound<'_, PyAny>, timeout_s: Option<f64>) -> PyResult<()> {
        let (inner, timeout) = (&*self.inner, self.timeout(timeout_s)?);
        let bytes = bytes_of(data)?;
        let number = inner.messages_sent.load(Ordering::Relaxed) + 1;
        let result = state::run_call(py, None, |progress| {
            let stopped = [&inner.closed, &inner.finished];
            inner.send_bytes(Watch::new(progress, timeout, &stopped), bytes.as_slice())
        });
        result.map_err(|e| e.into_exception(inner, "sending message", number, SEND_ADVICE))?;
        inner.messages_sent.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    #[pyo3(signature = (timeout_s = None, progress = None, private = false, pandas = false))]
    fn receive(
        &self,
        py: Python<'_>,
        timeout_s: Option<f64>,
        progress: Callback,
        private: bool,
        pandas: bool,
    ) -> PyResult<Option<Py<PyAny>>> {
        let (callback, timeout) = (progress, self.timeout(timeout_s)?);
        // Another thread may take the message that this thread waited for.
        let message = loop {
            match self.receive_message(py, timeout, None, callback.as_ref().map(|p| p.clone_ref(py)))? {
                Turn::Step(_) => {}
                Turn::Pending | Turn::End | Turn::CheckSignals => return Ok(None),
            }
            // The callback runs while the message is still queued, so an exception that it raises loses nothing.
            if let Some(callback) = &callback {
                let nbytes = self.inner.nbytes_received.load(Ordering::Relaxed);
                callback.call1(py, (nbytes, nbytes))?;
            }
            let taken = py.guarded(|| {
                let mut receiver = lock(&self.inner.receiver);
                let taken = receiver.incoming.take();
                self.inner.messages_received.store(receiver.incoming.count(), Ordering::Relaxed);
                Ok::<_, PyErr>(taken)
            })?;
            if let Some(message) = taken {
                break message;
            }
        };
        object::of(py, message, private, pandas, &self.inner).map(Some)
    }

    #[pyo3(signature = (timeout_s = Some(0.0)))]
    fn poll(&self, py: Python<'_>, timeout_s: Option<f64>) -> PyResult<bool> {
        let now = timeout_s.is_some_and(|s| s <= 0.0);
        let most = now.then_some(POLL_NBYTES);
        let timeout =
            if now { Timeout::Until(None) } else { self.timeout(timeout_s.or(Some(f64::INFINITY)))? };
        match self.receive_message(py, timeout, most, None) {
            Ok(Turn::Pending) => Ok(false),
            Ok(_) => Ok(true),
            // `receive` raises the exception that broke the connection. A time-out of the operating system breaks it too.
            Err(_) if self.inner.is_broken() => Ok(true),
            Err(e) if e.is_instance_of::<pyo3::exceptions::PyTimeoutError>(py) => Ok(false),
            Err(e) => Err(e),
        }
    }

    fn next_kind(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        py.guarded(|| {
            let waiting = self.inner.lock_receiver().map(|receiver| receiver.incoming.waiting());
            Ok(match waiting {
                None | Some(PendingMessage::Nothing) => None,
                Some(PendingMessage::Frame) => Some("frame"),
                Some(PendingMessage::Bytes) => Some("bytes"),
            })
        })
    }

    #[pyo3(signature = (timeout_s = None))]
    fn batches(slf: &Bound<'_, Self>, timeout_s: Option<f64>) -> PyResult<ConnectionReader> {
        slf.get().timeout(timeout_s)?;
        Ok(ConnectionReader::new(slf.clone().unbind(), timeout_s))
    }

    fn partial(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let part = || self.inner.lock_receiver().map(|mut receiver| receiver.incoming.partial());
        py.guarded(|| Ok(part().unwrap_or_default()))
    }

    fn status(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Err(error) = self.inner.check_broken(py) {
            return Ok(error.into_value(py).into_any());
        }
        // While another thread sends, the sending side is not broken.
        let send_state = self.inner.send_state.try_lock().ok().map(|state| state.clone());
        if let Some(SendState::Broken(error)) = send_state {
            let error = pyo3::exceptions::PyBrokenPipeError::new_err(format!("{}: {error}", self.inner.peer));
            return Ok(error.into_value(py).into_any());
        }
        let text = || {
            let Some(receiver) = self.inner.lock_receiver() else { return "waiting" };
            let incoming = &receiver.incoming;
            if incoming.is_whole() {
                "ok"
            } else if !incoming.is_between() {
                "waiting"
            } else if receiver.ended && !receiver.has_read_ahead() {
                "end of input"
            } else {
                "ok"
            }
        };
        let text = py.guarded(|| Ok::<_, PyErr>(text()))?;
        Ok(text.into_pyobject(py)?.into_any().unbind())
    }

    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        py.guarded(|| self.inner.finish()).map_err(errors::address_error)
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
            let Some(receiver) = self.inner.lock_receiver() else { return false };
            let above = self.inner.channel().is_ok_and(|channel| channel.has_pending());
            above || receiver.has_read_ahead() || receiver.incoming.is_whole() || receiver.ended
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
