//! A whole message as an object of Python.

use std::sync::atomic::Ordering;

use colonnade::ipc::read::Arrived;
use colonnade::message::Message;
use colonnade::plan::NoProgress;
use pyo3::prelude::*;

use super::inner::Inner;
use super::msgpack::{self, Held};
use super::{RECEIVE_ADVICE, table};
use crate::frame::CoreFrame;
use crate::ipc_file::IpcFile;
use crate::msgpack_file::MsgpackFile;
use crate::room;

/// What a message is: a frame, an opened file where it is one, or bytes.
pub(super) fn of(py: Python<'_>, message: Message, private: bool, inner: &Inner) -> PyResult<Py<PyAny>> {
    let threads = inner.options.threads;
    let failed = |error| {
        let number = inner.messages_received.load(Ordering::Relaxed);
        inner.raised(error, "message", number, RECEIVE_ADVICE)
    };
    let frame = |frame| Py::new(py, CoreFrame::alone(frame, private)).map(Py::into_any);
    Ok(match message {
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
    })
}
