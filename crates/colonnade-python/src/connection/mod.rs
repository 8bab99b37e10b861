//! Connections: messages over a channel. The core says where bytes go, the transport moves them; here both are joined.

mod callable;
mod encoding;
mod inner;
mod memory;
mod msgpack;
mod reader;
mod receive;
mod send;
mod table;
mod watch;
mod writer;

use std::os::fd::{BorrowedFd, RawFd};
use std::sync::atomic::Ordering;
use std::sync::{Arc, TryLockError};
use std::time::Duration;

use colonnade::ipc::read::{Arrived, Form};
use colonnade::message::{Message, Step, Waiting};
use colonnade::plan::NoProgress;
use colonnade_transport::{Address, Channel, Direction, from_descriptors};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::connect_options::ConnectOptions;
use crate::errors;
use crate::frame::CoreFrame;
use crate::ipc_file::IpcFile;
use crate::ipc_write::{FormArgument, IpcWriteOptions, IpcWriter};
use crate::msgpack_file::MsgpackFile;
use crate::progress::PyProgress;
use crate::room;
use crate::secure;
use crate::view::bytes_of;

use encoding::{SendOptions, no_file};
use inner::{Inner, lock};
use msgpack::Held;
use reader::ConnectionReader;
use receive::{Answer, Pull, Receiving, Turn};
use send::Sending;
use watch::{Patience, Watch};
pub(crate) use writer::ConnectionTarget;

type Callback = Option<Py<PyAny>>;

/// Bytes that one `poll` of no patience takes at most, so that an event loop is not held for a large frame.
const POLL_NBYTES: usize = 8 << 20;

/// How long to leave another thread that is receiving alone.
const BUSY: Duration = Duration::from_millis(1);

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

    /// Receives without the interpreter lock: `work` is asked until it has an answer, and the receiving side is free while the
    /// channel is waited for. An error breaks the receiving side unless nothing was lost: a timeout, a signal, an exception of
    /// a Python object's own methods.
    fn receiving<T: Send>(
        &self,
        py: Python<'_>,
        patience: Patience,
        progress: Callback,
        mut work: impl FnMut(&mut Receiving, &Pull<'_>) -> colonnade::Result<Answer<T>> + Send,
    ) -> PyResult<T> {
        let inner = &*self.inner;
        inner.check_broken(py)?;
        let progress = PyProgress::new(progress);
        let result = py.detach(|| {
            let stopped = [&inner.closed];
            let watch = Watch::new(&progress, patience, &stopped).telling();
            let channel = inner.channel()?;
            let pull = Pull { channel: &channel, watch: &watch, counted: &inner.nbytes_received };
            loop {
                let answer = match inner.receiving.try_lock() {
                    Ok(mut receiving) => {
                        let answer = work(&mut receiving, &pull);
                        inner.messages_received.store(receiving.incoming.count(), Ordering::Relaxed);
                        answer?
                    }
                    // Another thread is at it, or this one, from inside an object's own method: then only the time limit or a
                    // signal ends this.
                    Err(TryLockError::WouldBlock) => {
                        std::thread::sleep(BUSY);
                        Answer::Look
                    }
                    Err(TryLockError::Poisoned(_)) => {
                        return Err(std::io::Error::other("receiving failed before").into());
                    }
                };
                match answer {
                    Answer::Done(answer) => return Ok(answer),
                    Answer::Wait => receive::wait(&channel, &watch)?,
                    Answer::Look => watch.waited()?,
                }
            }
        });
        match (result, progress.into_raised()) {
            (Ok(value), _) => Ok(value),
            (Err(_), Some(raised)) => Err(raised),
            (Err(error), None) => Err(inner.receiving_failed(py, error)),
        }
    }

    /// The next turn that ends something: a message is whole, or the input is at its end. `most` bytes are taken and nothing
    /// is waited for, where that is given.
    fn whole(
        &self,
        py: Python<'_>,
        patience: Patience,
        most: Option<usize>,
        progress: Callback,
    ) -> PyResult<Turn> {
        let mut left = most.unwrap_or(usize::MAX);
        self.receiving(py, patience, progress, |receiving, pull| {
            receiving.incoming.by_batch(false);
            loop {
                match receiving.turn(pull, &mut left)? {
                    // The rest of a message that was read batch by batch and left.
                    Turn::Step(Step::Schema | Step::Batch(_) | Step::End | Step::Need) => {}
                    Turn::Look => return Ok(Answer::Look),
                    Turn::Pending if most.is_none() => return Ok(Answer::Wait),
                    turn => return Ok(Answer::Done(turn)),
                }
            }
        })
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

    #[pyo3(signature = (frame, format, options, timeout_s = None, progress = None))]
    fn send(
        &self,
        py: Python<'_>,
        frame: &CoreFrame,
        format: &str,
        options: SendOptions<'_>,
        timeout_s: Option<f64>,
        progress: Callback,
    ) -> PyResult<()> {
        let (inner, patience) = (&*self.inner, self.patience(timeout_s)?);
        let encoding = options.encoding(format)?;
        let number = inner.messages_sent.load(Ordering::Relaxed) + 1;
        let result = inner::watched_in(py, progress, |progress| {
            let stopped = [&inner.closed, &inner.finished];
            let watch = Watch::new(progress, patience, &stopped);
            inner.send(watch, (&Sending::Open, Sending::Open), 0, |sink| {
                encoding.encode(&frame.frame, inner, sink, progress)
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
            let taken = py.detach(|| {
                let mut receiving = lock(&self.inner.receiving);
                let taken = receiving.incoming.take();
                self.inner.messages_received.store(receiving.incoming.count(), Ordering::Relaxed);
                taken
            });
            if let Some(message) = taken {
                break message;
            }
        };
        let (inner, threads) = (&*self.inner, self.inner.options.threads);
        let failed = |error| {
            let number = inner.messages_received.load(Ordering::Relaxed);
            inner.raised(error, "message", number, RECEIVE_ADVICE)
        };
        let frame = |frame| Py::new(py, CoreFrame::new(frame)).map(Py::into_any);
        let made = match message {
            Message::Bytes(room) => room::filled(py, room).into_any(),
            Message::Frame(arrival) => {
                match py.detach(|| arrival.finish(private, threads, &NoProgress)).map_err(failed)? {
                    Arrived::Landed(landed) => frame(*landed)?,
                    Arrived::Opened(ipc) => Py::new(py, IpcFile::of(*ipc, threads))?.into_any(),
                }
            }
            Message::Table(format, bytes) => {
                frame(py.detach(|| table::open(format, &bytes, &inner.options)).map_err(failed)?)?
            }
            Message::Msgpack(bytes) => {
                match py.detach(|| msgpack::open(*bytes, private, &inner.options)).map_err(failed)? {
                    Held::Frame(landed) => frame(*landed)?,
                    Held::Bundle(opened) => Py::new(py, MsgpackFile::of(*opened, threads))?.into_any(),
                }
            }
        };
        Ok(Some(made))
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
            Err(e) if e.is_instance_of::<pyo3::exceptions::PyTimeoutError>(py) => Ok(false),
            // What broke the connection is what `receive` raises.
            Err(_) if self.inner.is_broken() => Ok(true),
            Err(e) => Err(e),
        }
    }

    fn next_kind(&self, py: Python<'_>) -> Option<&'static str> {
        py.detach(|| match self.inner.look()?.incoming.waiting() {
            Waiting::Nothing => None,
            Waiting::Frame => Some("frame"),
            Waiting::Bytes => Some("bytes"),
        })
    }

    #[pyo3(signature = (timeout_s = None))]
    fn batches(slf: &Bound<'_, Self>, timeout_s: Option<f64>) -> PyResult<ConnectionReader> {
        slf.get().patience(timeout_s)?;
        Ok(ConnectionReader::new(slf.clone().unbind(), timeout_s))
    }

    #[pyo3(signature = (format, options, timeout_s = None))]
    fn writer(
        &self,
        py: Python<'_>,
        format: FormArgument,
        options: &IpcWriteOptions,
        timeout_s: Option<f64>,
    ) -> PyResult<IpcWriter> {
        self.patience(timeout_s)?;
        if format.0 == Form::File {
            return Err(no_file());
        }
        let target = ConnectionTarget::begin(py, &self.inner, timeout_s)?;
        Ok(IpcWriter::to_connection(target, &format, options))
    }

    fn partial(&self, py: Python<'_>) -> Vec<u8> {
        py.detach(|| self.inner.look().map(|mut receiving| receiving.incoming.partial())).unwrap_or_default()
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
        let text = py.detach(|| {
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
        });
        Ok(text.into_pyobject(py)?.into_any().unbind())
    }

    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.inner.finish()).map_err(errors::of_address)
    }

    fn close(&self, py: Python<'_>) {
        py.detach(|| self.inner.close());
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
    fn has_pending(&self, py: Python<'_>) -> bool {
        py.detach(|| {
            let Some(receiving) = self.inner.look() else { return false };
            let above = self.inner.channel().is_ok_and(|channel| channel.has_pending());
            above || receiving.has_ahead() || receiving.incoming.is_whole() || receiving.ended
        }) || self.inner.is_broken()
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
