//! What a frame is sent as.

use colonnade::Result;
use colonnade::format::msgpack;
use colonnade::frame::Frame;
use colonnade::ipc::read::Form;
use colonnade::ipc::write;
use colonnade::plan::Progress;
use colonnade::sink::Sink;
use pyo3::prelude::*;

use crate::errors;
use crate::ipc_write::IpcWriteOptions;
use crate::msgpack_options::MsgpackWriteOptions;

use super::inner::{Inner, lock};

/// Options of one of the formats that connections carry.
#[derive(FromPyObject)]
pub(super) enum SendOptions<'py> {
    Arrow(PyRef<'py, IpcWriteOptions>),
    Msgpack(PyRef<'py, MsgpackWriteOptions>),
}

/// A format and its options.
#[derive(Clone, Copy)]
pub(super) enum Encoding {
    Arrow(write::WriteOptions),
    Msgpack(msgpack::WriteOptions),
}

impl SendOptions<'_> {
    /// The encoding of that name.
    ///
    /// # Errors
    /// A format that is not for connections, or of which these are no options.
    pub(super) fn encoding(&self, format: &str) -> PyResult<Encoding> {
        match (format, self) {
            ("arrows", Self::Arrow(options)) => Ok(Encoding::Arrow(options.core())),
            ("msgpack", Self::Msgpack(options)) => Ok(Encoding::Msgpack(*options.core())),
            ("arrows" | "msgpack", _) => {
                Err(errors::option(format!("options: expected those of {format:?}, found another format's.")))
            }
            ("arrow", _) => Err(no_file()),
            _ => {
                let message = format!("format: expected \"arrows\" or \"msgpack\", found {format:?}.");
                Err(errors::option(message))
            }
        }
    }
}

impl Encoding {
    /// Writes `frame` as one message.
    pub(super) fn encode(
        self,
        frame: &Frame,
        inner: &Inner,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        match self {
            Self::Arrow(options) => lock(&inner.encoder).encode(frame, Form::Stream, options, sink, progress),
            Self::Msgpack(options) => msgpack::encode(frame, &options, sink, progress),
        }
    }
}

pub(super) fn no_file() -> PyErr {
    errors::option("format: expected \"arrows\", found \"arrow\": a file has no place on a connection.")
}
