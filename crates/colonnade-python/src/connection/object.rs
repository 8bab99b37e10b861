//! A whole message as an object of Python.

use std::sync::atomic::Ordering;

use colonnade::formats::arrow::read::DecodedStream;
use colonnade::message::Message;
use pyo3::prelude::*;

use super::inner::{Failed, Inner, watched_in};
use super::msgpack::{self, Held};
use super::{RECEIVE_ADVICE, table};
use crate::bytes_buffer;
use crate::file::PyFile;
use crate::frame::CoreFrame;

/// What a message is: a frame, an opened file where it is one, or bytes.
pub(super) fn of(py: Python<'_>, message: Message, private: bool, inner: &Inner) -> PyResult<Py<PyAny>> {
    let threads = inner.options.threads;
    let failed = |error: Failed| {
        let number = inner.messages_received.load(Ordering::Relaxed);
        error.raised(inner, "message", number, RECEIVE_ADVICE)
    };
    let frame = |frame| Py::new(py, CoreFrame::alone(frame, private)).map(Py::into_any);
    Ok(match message {
        Message::Bytes(buffer) => bytes_buffer::into_bytes(py, buffer).into_any(),
        Message::Frame(decoder) => {
            let decoded = watched_in(py, None, |watch| decoder.into_decoded(private, threads, watch));
            match decoded.map_err(failed)? {
                DecodedStream::Frame(decoded) => frame(*decoded)?,
                DecodedStream::Opened(ipc) => Py::new(py, PyFile::of(ipc, threads))?.into_any(),
            }
        }
        Message::Table(format, bytes) => {
            let opened = watched_in(py, None, |watch| table::open(format, &bytes, &inner.options, watch));
            frame(opened.map_err(failed)?)?
        }
        Message::Msgpack(bytes) => {
            let opened = watched_in(py, None, |watch| msgpack::open(*bytes, private, &inner.options, watch));
            match opened.map_err(failed)? {
                Held::Frame(landed) => frame(*landed)?,
                Held::Bundle(opened) => Py::new(py, PyFile::of(opened, threads))?.into_any(),
            }
        }
    })
}
