//! Converts a whole message to a Python object.

use std::sync::atomic::Ordering;

use colonnade::decode::{MemoryLayout, Request};
use colonnade::formats::arrow::read::DecodedStream;
use colonnade::message::Message;
use pyo3::prelude::*;

use super::msgpack::{self, MsgpackContent};
use super::state::{CallError, ConnectionState, run_call};
use super::{RECEIVE_ADVICE, table};
use crate::bytes_buffer;
use crate::file::PyFile;
use crate::frame::CoreFrame;

/// Converts a message to a frame, an opened file or bytes.
pub(super) fn of(
    py: Python<'_>,
    message: Message,
    private: bool,
    pandas: bool,
    inner: &ConnectionState,
) -> PyResult<Py<PyAny>> {
    let threads = inner.options.threads;
    let failed = |error: CallError| {
        let number = inner.messages_received.load(Ordering::Relaxed);
        error.into_exception(inner, "message", number, RECEIVE_ADVICE)
    };
    let layout = if pandas { MemoryLayout::Pandas } else { MemoryLayout::AsStored };
    let frame = |frame| Py::new(py, CoreFrame::with_exclusivity(frame, private)).map(Py::into_any);
    Ok(match message {
        Message::Bytes(buffer) => bytes_buffer::into_bytes(py, buffer).into_any(),
        Message::Frame(decoder) => {
            let decoded = run_call(py, None, |watch| {
                decoder.into_decoded(&Request { private, layout, ..Request::all(threads, watch) })
            });
            match decoded.map_err(failed)? {
                DecodedStream::Frame(decoded) => frame(*decoded)?,
                DecodedStream::Opened(ipc) => Py::new(py, PyFile::of(ipc, threads))?.into_any(),
            }
        }
        Message::Table(format, bytes) => {
            let opened = run_call(py, None, |watch| table::open(format, &bytes, &inner.options, watch));
            frame(opened.map_err(failed)?)?
        }
        Message::Msgpack(bytes) => {
            let opened = run_call(py, None, |watch| msgpack::open(*bytes, private, &inner.options, watch));
            match opened.map_err(failed)? {
                MsgpackContent::Frame(decoded) => frame(*decoded)?,
                MsgpackContent::Bundle(opened) => Py::new(py, PyFile::of(opened, threads))?.into_any(),
            }
        }
    })
}
